"""Scenarios about the clients of one group: who gets what, in which order, and what they are asked.

As in scenarios.py, a scenario takes (server, client, directory); Failure says it is false.
"""

import json
import time

from . import remoting
from .java_client import expect_exactly_once
from .process import Failure, wait_until

TOPIC = "interop-topic"
OTHER_TOPIC = "interop-other"
GROUP = "interop-group"
SHARE_SECONDS_MAX = 120
SETTLED_SECONDS = 3
BATCH = 16


def two_consumers_share_and_rebalance(server, client, directory):
    """A second consumer joins, leaves in order, joins again and is killed: each time the queues are
    shared anew at once, and every message is delivered."""
    first = client.push(TOPIC, GROUP)
    second = client.push(TOPIC, GROUP)
    sent = _send_until_shared(client, "both", (first, 1), (second, 1))
    gone = second.stop()
    sent += _send_until_shared(client, "one", (first, BATCH))
    second = client.push(TOPIC, GROUP)
    sent += _send_until_shared(client, "again", (first, 1), (second, 1))
    gone += second.kill()
    sent += _send_until_shared(client, "last", (first, BATCH))
    _wait_for_all(lambda: first.messages + gone, sent)
    first.stop()


def _send_until_shared(client, name, *shares):
    """Sends batches until every consumer has got its least share of one: (consumer, messages)."""
    bodies = []
    deadline = time.monotonic() + SHARE_SECONDS_MAX
    while True:
        wanted = [(consumer, len(consumer.messages) + least) for consumer, least in shares]
        bodies += client.send(TOPIC, f"{name}{len(bodies)}", sync=BATCH)
        settled = time.monotonic() + SETTLED_SECONDS
        while time.monotonic() < settled:
            if all(len(consumer.messages) >= count for consumer, count in wanted):
                return bodies
            time.sleep(0.05)
        if time.monotonic() > deadline:
            raise Failure(f"the queues were not shared anew: {name}")


def _wait_for_all(received, sent):
    wait_until(
        lambda: {message["body"] for message in received()} >= set(sent),
        SHARE_SECONDS_MAX,
        f"all of {len(sent)} messages",
    )


def every_broadcast_consumer_gets_every_message(server, client, directory):
    first = client.broadcast(TOPIC, GROUP, "first")
    second = client.broadcast(TOPIC, GROUP, "second")
    # Auto-created topics are learnt within a second (Clients.java), and read from their begin.
    bodies = client.send(TOPIC, "m", asynchronous=40, batch=20, sync=20)
    for consumer in (first, second):
        consumer.wait_for_count(len(bodies))
        expect_exactly_once(consumer.stop(), bodies)
    if remoting.committed_total(server.nameserver, TOPIC, GROUP) != 0:
        raise Failure("a broadcasting group has progress at the server")


def orderly_consumers_keep_the_order(server, client, directory):
    """Each queue's messages in their order, by one consumer at a time: with one consumer, with two,
    and after one was killed, whose locks are given to the other."""
    sent = client.send(TOPIC, "alone", sync=40)
    first = client.push(TOPIC, GROUP, order="queue")
    first.wait_for_count(len(sent))
    _expect_order(first.messages)
    second = client.push(TOPIC, GROUP, order="queue")
    sent += _send_until_shared(client, "both", (first, 1), (second, 1))
    _wait_for_all(lambda: first.messages + second.messages, sent)
    gone = second.kill()
    sent += client.send(TOPIC, "last", sync=40)
    _wait_for_all(lambda: first.messages + gone, sent)
    _expect_order(gone)
    _expect_order(first.stop())


def _expect_order(messages):
    last = {}
    for message in messages:
        queue, offset = message["queue"], message["offset"]
        if offset <= last.get(queue, -1):
            raise Failure(f"queue {queue}: offset {offset} came after {last[queue]}")
        last[queue] = offset


def subscription_changes_while_running(server, client, directory):
    """A running consumer takes another topic in, and leaves one out."""
    first = client.send(TOPIC, "first", sync=8)
    other = client.send(OTHER_TOPIC, "other", sync=8)
    consumer = client.push(TOPIC, GROUP)
    consumer.wait_for_count(len(first))
    consumer.subscribe(OTHER_TOPIC)
    consumer.wait_for_count(len(first) + len(other))
    expect_exactly_once(consumer.messages, first + other)
    consumer.unsubscribe(TOPIC)
    time.sleep(3)  # The client gives the queues of a topic back when it balances the next time.
    client.send(TOPIC, "unread", sync=8)
    more = client.send(OTHER_TOPIC, "more", sync=8)
    consumer.wait_for_count(len(first) + len(other) + len(more))
    expect_exactly_once(consumer.stop(), first + other + more)


def messages_are_found(server, client, directory):
    """By key, by unique and by offset message id, and by time."""
    bodies = client.send(TOPIC, "m", batch=8, sync=4)
    body = bodies[-1]
    (found,) = client.find(TOPIC, key=body.decode())
    if found["body"] != body:
        raise Failure(f"the key finds {found['body']}, not {body}")
    for id in (found["id"], found["record"]):
        (viewed,) = client.find(TOPIC, id=id)
        if (viewed["body"], viewed["record"]) != (body, found["record"]):
            raise Failure(f"id {id} finds {viewed}, not {found}")
    (in_batch,) = client.find(TOPIC, key=bodies[0].decode())
    if in_batch["body"] != bodies[0]:
        raise Failure(f"the key of a message of a batch finds {in_batch['body']}")
    if client.find(TOPIC, key="no-such-key"):
        raise Failure("a key that no message has finds one")
    stored_at = found["stored_at"]
    if client.find(TOPIC, key=body.decode(), first=stored_at + 1):
        raise Failure("a message is found in a time when it was not stored")
    if not client.find(TOPIC, key=body.decode(), first=stored_at, last=stored_at):
        raise Failure("a message is not found in the time when it was stored")
    _expect_offsets(client, found)


def _expect_offsets(client, found):
    queue, offset = found["queue"], found["offset"]
    at = client.offsets(TOPIC, found["stored_at"])[queue]
    if not at["first"] <= at["found"] <= offset < at["next"]:
        raise Failure(f"time {found['stored_at']} finds {at}, not offset {offset}")
    if at["earliest"] > found["stored_at"]:
        raise Failure(f"the earliest time is {at['earliest']}, after {found['stored_at']}")
    after = client.offsets(TOPIC, found["stored_at"] + 3_600_000)[queue]
    if after["found"] != after["next"]:
        raise Failure(f"a time after all finds {after}")


def operator_reaches_the_consumer(server, client, directory):
    """Running info, consuming one message directly, consumer status, and moving its progress."""
    bodies = client.send(TOPIC, "m", sync=8)
    consumer = client.push(TOPIC, GROUP)
    consumer.wait_for_count(len(bodies))
    server.wait_for_commit(TOPIC, GROUP, len(bodies))
    (client_id,) = remoting.members(server.nameserver, TOPIC, GROUP)
    address = remoting.broker_of(server.nameserver, TOPIC)
    asked = {"consumerGroup": GROUP, "clientId": client_id}
    info = _ask(address, remoting.CODE_RUNNING_INFO, {**asked, "jstackEnable": "true"})
    if b'"jstack"' not in info or TOPIC.encode() not in info:
        raise Failure(f"the running info is {info[:200]}")
    message = consumer.messages[0]
    fields = {**asked, "topic": TOPIC, "msgId": message["record"]}
    result = json.loads(_ask(address, remoting.CODE_CONSUME_DIRECTLY, fields))
    if result["consumeResult"] != "CR_SUCCESS":
        raise Failure(f"the consumer says {result}")
    consumer.wait_for_count(len(bodies) + 1)
    if consumer.messages[-1]["body"] != message["body"]:
        raise Failure(f"{consumer.messages[-1]['body']} was consumed directly")
    status = _ask(address, remoting.CODE_CONSUMER_STATUS, {"topic": TOPIC, "group": GROUP})
    if client_id.encode() not in status or TOPIC.encode() not in status:
        raise Failure(f"the consumer status is {status}")
    _expect_nobody(address, client_id)
    fields = {"topic": TOPIC, "group": GROUP, "timestamp": 0, "isForce": "true"}
    _ask(address, remoting.CODE_RESET_OFFSET, fields)
    consumer.wait_for_count(2 * len(bodies) + 1)
    expect_exactly_once(consumer.stop(), 2 * bodies + [message["body"]])


def _ask(address, code, fields):
    answer, _, body = remoting.call(address, code, fields)
    if answer != remoting.RESPONSE_SUCCESS:
        raise Failure(f"request {code} is answered with {answer}: {body}")
    return body


def _expect_nobody(address, client_id):
    fields = {"consumerGroup": GROUP, "clientId": client_id + "x", "jstackEnable": "false"}
    answer, _, _ = remoting.call(address, remoting.CODE_RUNNING_INFO, fields)
    if answer != 1:
        raise Failure(f"a client that is not there is answered with {answer}, not 1")


ALL = (
    two_consumers_share_and_rebalance,
    every_broadcast_consumer_gets_every_message,
    orderly_consumers_keep_the_order,
    subscription_changes_while_running,
    messages_are_found,
    operator_reaches_the_consumer,
)
