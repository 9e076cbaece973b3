"""What is checked: a scenario takes (server, client, directory); Failure says it is false."""

import pathlib
import signal

from . import group_scenarios, http_api, transport_scenarios
from .java_client import expect_exactly_once
from .process import Failure

TOPIC = "interop-topic"
OTHER_TOPIC = "interop-other"
GROUP = "interop-group"
# Real logs of a Debian machine, the first that has lines; logrotate may just have emptied one.
LOG_FILES = ("/var/log/dpkg.log", "/var/log/dpkg.log.1", "/var/log/apt/history.log")


def push_consumer_gets_every_message_once(server, client, directory):
    """Sync, async, one-way and batch sends, before a push consumer starts and while it runs."""
    bodies = client.send(TOPIC, "before", oneway=20, asynchronous=40, batch=32, sync=20)
    consumer = client.push(TOPIC, GROUP)
    bodies += client.send(TOPIC, "while", oneway=20, asynchronous=40, batch=32, sync=20)
    consumer.wait_for_count(len(bodies))
    messages = consumer.stop()
    expect_exactly_once(messages, bodies)
    _expect_properties(messages)
    _expect_gap_free_offsets(messages)
    # A message that were to come twice would come now.
    later = client.send(TOPIC, "later", sync=4)
    consumer = client.push(TOPIC, GROUP)
    consumer.wait_for_count(len(later))
    expect_exactly_once(consumer.stop(), later)


def push_consumer_resumes_after_restart(server, client, directory):
    _resumes(server, client, signal.SIGTERM)


def push_consumer_resumes_after_kill(server, client, directory):
    _resumes(server, client, signal.SIGKILL)


def _resumes(server, client, way):
    first = client.send(TOPIC, "first", asynchronous=60, sync=4)
    consumer = client.push(TOPIC, GROUP)
    consumer.wait_for_count(len(first))
    expect_exactly_once(consumer.stop(), first)
    server.wait_for_commit(TOPIC, GROUP, len(first))
    unread = client.send(TOPIC, "unread", asynchronous=20, sync=4)
    server.restart(way)
    second = client.send(TOPIC, "second", asynchronous=60, sync=4)
    consumer = client.push(TOPIC, GROUP)
    consumer.wait_for_count(len(unread) + len(second))
    expect_exactly_once(consumer.stop(), unread + second)


def running_consumer_outlives_a_killed_server(server, client, directory):
    """The consumer stays up while the server is killed and comes back: nothing lost or repeated."""
    consumer = client.push(TOPIC, GROUP)
    first = client.send(TOPIC, "first", asynchronous=40, sync=4)
    consumer.wait_for_count(len(first))
    server.wait_for_commit(TOPIC, GROUP, len(first))
    server.restart(signal.SIGKILL)
    second = client.send(TOPIC, "second", asynchronous=40, sync=4)
    consumer.wait_for_count(len(first) + len(second))
    expect_exactly_once(consumer.stop(), first + second)


def pull_consumer_reads_and_resumes(server, client, directory):
    first = client.send(TOPIC, "first", asynchronous=60, batch=20, sync=4)
    expect_exactly_once(client.pull(TOPIC, GROUP), first)
    second = client.send(TOPIC, "second", sync=10)
    expect_exactly_once(client.pull(TOPIC, GROUP), second)


def lite_pull_consumer_reads_and_resumes(server, client, directory):
    for prefix in ("first", "second"):
        bodies = client.send(TOPIC, prefix, asynchronous=60, sync=4)
        consumer = client.lite_pull(TOPIC, GROUP)
        consumer.wait_for_count(len(bodies))
        expect_exactly_once(consumer.stop(), bodies)


def rejected_messages_come_again(server, client, directory):
    """RECONSUME_LATER: each rejected message is delivered once more, counted, and then done with.

    A server that refuses CONSUMER_SEND_MSG_BACK (36), and the copy that the client then sends to
    the retry topic, leaves the message to the client: its second delivery is of the same record.
    """
    bodies = client.send(TOPIC, "m", asynchronous=10, sync=3)
    rejected = bodies[-3:]
    consumer = client.push(TOPIC, GROUP, reject_tag="sync")
    consumer.wait_for_count(len(bodies) + len(rejected))
    server.wait_for_commit(TOPIC, GROUP, len(bodies))
    messages = consumer.stop()
    expect_exactly_once(messages, bodies + rejected)
    for body in rejected:
        _expect_retry(
            [message for message in messages if message["body"] == body], server.retries_in_client
        )


def _expect_retry(deliveries, is_local):
    counts = [message["reconsume_times"] for message in deliveries]
    if counts != [0, 1]:
        raise Failure(f"reconsume times of two deliveries are {counts}, not [0, 1]")
    first, second = deliveries
    if second["topic"] != TOPIC:
        raise Failure(f"a retried message has the topic {second['topic']}")
    is_same_record = first["record"] == second["record"]
    if is_same_record != is_local:
        retrier = "the client from its memory" if is_same_record else "the server from a copy"
        raise Failure(f"{retrier} retried: {first} and then {second}")


def log_file_comes_back_byte_for_byte(server, client, directory):
    """A real log file, published line by line and read back by the Java consumer."""
    source = directory / "source.log"
    source.write_bytes(_real_log())
    server.create_topic(TOPIC, 1)
    if hasattr(server, "http"):
        server.produce_lines(TOPIC, source)
    else:
        client.send_lines(TOPIC, source, queues=1)
    result = directory / "result.log"
    client.read_all(TOPIC, result)
    if source.read_bytes() != result.read_bytes():
        raise Failure(f"{result} differs from {source}")


def http_message_reaches_java(server, client, directory):
    """Written over HTTP, read by a Java push consumer with its tag, key and properties."""
    body = bytes(range(256))
    properties = {"city": "Zürich", "formula": "a = b, c%20"}
    content_type = "application/x-sluice-test"
    http_api.publish(server.http, TOPIC, body, content_type, "red", "order-7", properties)
    consumer = client.push(TOPIC, GROUP)
    consumer.wait_for_count(1)
    (message,) = consumer.stop()
    if message["body"] != body:
        raise Failure(f"the body is {message['body']}")
    expected = {"TAGS": "red", "KEYS": "order-7", "__CONTENT_TYPE": content_type, **properties}
    _expect_subset(message["properties"], expected)


def java_message_reaches_http(server, client, directory):
    """Written by a Java producer, read over HTTP with its tag, key and properties."""
    server.create_topic(TOPIC, 1)
    (body,) = client.send(TOPIC, "m", sync=1)
    (message,) = http_api.read(server.http, TOPIC, queue=0, offset=0)
    expected = {"queue": 0, "offset": 0, "body": body.decode()}
    _expect_subset(message, {**expected, "tag": "sync", "keys": [body.decode()]})
    _expect_subset(http_api.properties_of(message), {"number": "0", "city": 'Zürich = "東京"'})


def topic_spans_brokers_of_two_kinds(server, client, directory):
    """One topic on a Java and a Sluice broker, one producer and one consumer; then one is killed."""
    server.create_topic(TOPIC, 4)
    bodies = client.send(TOPIC, "both", oneway=10, asynchronous=40, batch=16, sync=20)
    consumer = client.push(TOPIC, GROUP)
    consumer.wait_for_count(len(bodies))
    server.wait_for_commit(TOPIC, GROUP, len(bodies))
    _expect_stored_at(consumer.messages, server.brokers.values())
    server.brokers["java-broker"].kill()
    rest = {name: broker for name, broker in server.brokers.items() if name != "java-broker"}
    server.wait_for_route(server.nameserver, TOPIC, rest)
    later = client.send(TOPIC, "one", asynchronous=20, sync=4)
    consumer.wait_for_count(len(bodies) + len(later))
    messages = consumer.stop()
    expect_exactly_once(messages, bodies + later)
    is_later = [message for message in messages if message["body"] in later]
    _expect_stored_at(is_later, rest.values())


def _expect_stored_at(messages, brokers):
    """Each of the brokers, and no other, has some: an offset message id begins with its address."""
    ports = {int(message["record"][8:16], 16) for message in messages}
    expected = {int(broker.address.rsplit(":", 1)[1]) for broker in brokers}
    if ports != expected:
        raise Failure(f"messages are at the ports {ports}, not {expected}")


def killed_broker_leaves_the_routes_and_comes_back(server, client, directory):
    """The name server drops a broker with its connection, and takes it again when it registers."""
    (name,) = server.brokers
    broker = server.brokers[name]
    first = client.send(TOPIC, "first", sync=4)
    server.wait_for_route(server.nameserver, TOPIC, [name])
    broker.kill()
    server.wait_for_route(server.nameserver, TOPIC, [])
    broker.start()
    server.wait_for_route(server.nameserver, TOPIC, [name])
    second = client.send(TOPIC, "second", sync=4)
    consumer = client.push(TOPIC, GROUP)
    consumer.wait_for_count(len(first) + len(second))
    expect_exactly_once(consumer.stop(), first + second)


def name_server_vanishes_and_comes_back(server, client, directory):
    """Two name servers: each alone is enough, and one that was away learns everything anew.

    The consumer knows both all the time. A producer that starts is told of the one that is there:
    a Java client fails its first call if it happens on the other.
    """
    first, second = server.nameservers
    brokers = list(server.brokers)
    consumer = client.push(TOPIC, GROUP)
    bodies = client.send(TOPIC, "both", sync=4)
    for nameserver in (first, second):
        server.wait_for_route(nameserver.address, TOPIC, brokers)
    first.kill()
    bodies += client.at(second.address).send(TOPIC, "second", sync=4)
    client.at(second.address).send(OTHER_TOPIC, "other", sync=1)
    first.start()
    for topic in (TOPIC, OTHER_TOPIC):
        server.wait_for_route(first.address, topic, brokers)
    second.kill()
    bodies += client.at(first.address).send(TOPIC, "first", sync=4)
    consumer.wait_for_count(len(bodies))
    expect_exactly_once(consumer.stop(), bodies)
    second.start()
    for topic in (TOPIC, OTHER_TOPIC):
        server.wait_for_route(second.address, topic, brokers)


def mqadmin_manages_name_servers(server, client, directory):
    """mqadmin's commands for name servers, and what they leave at each of them over a restart."""
    (broker,) = server.brokers
    _expect_line(server.mqadmin("getNamesrvConfig"), "orderMessageEnable", "false")
    server.mqadmin("updateNamesrvConfig", "-k", "orderMessageEnable", "-v", "true")
    _expect_line(server.mqadmin("getNamesrvConfig"), "orderMessageEnable", "true")
    server.mqadmin_refused("updateNamesrvConfig", "-k", "kvConfigPath", "-v", "/etc/passwd")
    server.mqadmin("updateKvConfig", "-s", "interop", "-k", "a/b", "-v", "$(reboot)")
    server.create_topic(TOPIC, 4)
    server.mqadmin("updateOrderConf", "-t", TOPIC, "-m", "put", "-v", f"{broker}:4")
    _expect_line(server.mqadmin("updateOrderConf", "-t", TOPIC, "-m", "get"), f"{broker}:4")
    for nameserver in server.nameservers:
        nameserver.kill()
        nameserver.start()
        server.wait_for_route(nameserver.address, TOPIC, [broker])
        kept = http_api.get(nameserver.admin, "/v1/kv/interop")
        _expect_subset(kept, {"entries": {"a/b": "$(reboot)"}})
        route = http_api.get(nameserver.admin, f"/v1/topics/{TOPIC}/route")
        _expect_subset(route, {"order": f"{broker}:4"})
    _expect_line(server.mqadmin("topicRoute", "-t", TOPIC), "orderTopicConf", f"{broker}:4")
    _expect_line(server.mqadmin("topicClusterList", "-t", TOPIC), "interop")
    _expect_line(server.mqadmin("topicList"), TOPIC)
    _expect_write_permission(server, False, "wipeWritePerm", broker)
    _expect_write_permission(server, True, "addWritePerm", broker)
    server.mqadmin("deleteKvConfig", "-s", "interop", "-k", "a/b")
    for nameserver in server.nameservers:
        _expect_subset(http_api.get(nameserver.admin, "/v1/kv/interop"), {"entries": {}})


def _expect_write_permission(server, is_writable, command, broker):
    lines = server.mqadmin(command, "-b", broker)
    for nameserver in server.nameservers:
        topics = http_api.get(nameserver.admin, "/v1/topics")["topics"]
        _expect_line(lines, nameserver.address, f"OK, {len(topics)}")
        route = http_api.get(nameserver.admin, f"/v1/topics/{TOPIC}/route")
        _expect_subset(route["queues"][0], {"writable": is_writable})


def _expect_line(lines, *parts):
    if not any(all(part in line for part in parts) for line in lines):
        raise Failure(f"no line has {parts}: {lines}")
def mqadmin_sees_what_is_sent_and_consumed(server, client, directory):
    """Topics, progress and connections, as mqadmin shows them while a consumer runs."""
    admin = client.admin
    admin.run("updateTopic", "-b", server.broker, "-t", TOPIC, "-r", 3, "-w", 3)
    bodies = client.send(TOPIC, "first", asynchronous=20, sync=4)
    stored = admin.table("topicStatus", "-t", TOPIC)
    _expect("messages by topicStatus", _sum(stored, 3, 3), len(bodies))
    consumer = client.push(TOPIC, GROUP)
    consumer.wait_for_count(len(bodies))
    server.wait_for_commit(TOPIC, GROUP, len(bodies))
    progress = admin.run("consumerProgress", "-g", GROUP)
    rows = [line.split() for line in progress if line.startswith(TOPIC)]
    _expect("messages by consumerProgress", _sum(rows, 3, 3), len(bodies))
    _expect("messages consumed by consumerProgress", _sum(rows, 4, 3), len(bodies))
    connections = admin.run("consumerConnection", "-g", GROUP)
    if not any("JAVA" in line for line in connections):
        raise Failure(f"consumerConnection shows no Java client: {connections}")
    if not any(TOPIC in line for line in connections):
        raise Failure(f"consumerConnection does not show the subscription: {connections}")
    consumer.stop()
    refusal = admin.run_refused("consumerConnection", "-g", GROUP)
    if "CODE: 206" not in refusal:
        raise Failure(f"a group that is offline is refused with {refusal}")


def mqadmin_manages_topics_groups_and_settings(server, client, directory):
    admin = client.admin
    broker = ("-b", server.broker)
    admin.run("updateTopic", *broker, "-t", TOPIC, "-r", 4, "-w", 4)
    admin.run("updateTopic", *broker, "-t", TOPIC, "-r", 2, "-w", 2)
    _expect("queues after the topic was made smaller", len(_queues(admin, TOPIC)), 2)
    if TOPIC not in [row[0] for row in admin.table("topicList")]:
        raise Failure("topicList does not list the topic")
    admin.run("updateSubGroup", *broker, "-g", GROUP, "-r", 5, "-d", "true")
    admin.run("deleteSubGroup", *broker, "-g", GROUP)
    brokers = admin.table("clusterList")
    if not any(server.broker in row for row in brokers):
        raise Failure(f"clusterList does not show the broker: {brokers}")
    status = "\n".join(admin.run("brokerStatus", *broker))
    for name in ("putTps", "getTotalTps", "bootTimestamp", "commitLogDiskRatio"):
        if name not in status:
            raise Failure(f"brokerStatus does not show {name}: {status}")
    admin.run("updateBrokerConfig", *broker, "-k", "defaultTopicQueueNums", "-v", 5)
    config = "".join("".join(line.split()) + ";" for line in admin.run("getBrokerConfig", *broker))
    if "defaultTopicQueueNums=5;" not in config:
        raise Failure(f"getBrokerConfig does not show the change: {config}")
    for name, value in (("brokerName", "other"), ("storePathRootDir", "/tmp/elsewhere")):
        refusal = admin.run_refused("updateBrokerConfig", *broker, "-k", name, "-v", value)
        if "CODE: 16" not in refusal:
            raise Failure(f"setting {name} is refused with {refusal}")


def _queues(admin, topic):
    return [row for row in admin.table("topicStatus", "-t", topic) if row[0] != "Topic"]


def _sum(rows, column, width_min):
    """The sum of one column; rows of other tables are shorter or hold no number there."""
    return sum(int(row[column]) for row in rows if len(row) > width_min and row[column].isdigit())


def _expect(what, actual, expected):
    if actual != expected:
        raise Failure(f"{what}: {actual}, not {expected}")


def _real_log():
    for name in LOG_FILES:
        path = pathlib.Path(name)
        if path.exists() and path.stat().st_size > 0:
            # An empty line would be an empty message, which RocketMQ's clients refuse to send.
            lines = [line for line in path.read_bytes().split(b"\n") if line]
            return b"".join(line + b"\n" for line in lines)
    raise Failure(f"none of {LOG_FILES} has lines; `apt-get install` of any package makes some")


def _expect_properties(messages):
    for message in messages:
        _, way, number = message["body"].decode().split("-")
        expected = {"TAGS": way, "KEYS": message["body"].decode(), "number": number}
        _expect_subset(message["properties"], {**expected, "city": 'Zürich = "東京"'})


def _expect_gap_free_offsets(messages):
    queues = {}
    for message in messages:
        queues.setdefault(message["queue"], []).append(message["offset"])
    for queue, offsets in queues.items():
        if sorted(offsets) != list(range(len(offsets))):
            raise Failure(f"queue {queue} has the offsets {sorted(offsets)}")


def _expect_subset(actual, expected):
    for name, value in expected.items():
        if actual.get(name) != value:
            raise Failure(f"{name} is {actual.get(name)!r}, not {value!r}")


ALL = (
    push_consumer_gets_every_message_once,
    push_consumer_resumes_after_restart,
    push_consumer_resumes_after_kill,
    running_consumer_outlives_a_killed_server,
    pull_consumer_reads_and_resumes,
    lite_pull_consumer_reads_and_resumes,
    rejected_messages_come_again,
    log_file_comes_back_byte_for_byte,
    http_message_reaches_java,
    java_message_reaches_http,
    topic_spans_brokers_of_two_kinds,
    killed_broker_leaves_the_routes_and_comes_back,
    name_server_vanishes_and_comes_back,
    mqadmin_manages_name_servers,
    *group_scenarios.ALL,
    *transport_scenarios.ALL,
    mqadmin_sees_what_is_sent_and_consumed,
    mqadmin_manages_topics_groups_and_settings,
)
