"""The official Java client, driven through the subcommands of java/src/interop/Main.java."""

import base64
import collections
import json

from .process import Failure

CLIENT_SECONDS_MAX = 120
JVM_OPTIONS = (
    "-Xmx128m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Xshare:auto",
    "-Dfile.encoding=UTF-8",
    "-Dcom.rocketmq.sendMessageWithVIPChannel=false",
    "-Drocketmq.client.logLevel=WARN",
    "-Drocketmq.log.level=WARN",
)


class JavaClient:
    """Runs client programs of one version against one name server address."""

    def __init__(self, group, classpath, nameserver, jvm_options=()):
        self._processes = group
        self._classpath = classpath
        self._nameserver = nameserver
        self._jvm_options = jvm_options

    def with_options(self, *jvm_options):
        """The same with more options of its JVM, such as RocketMQ's system properties."""
        return JavaClient(self._processes, self._classpath, self._nameserver, jvm_options)
        self.admin = None  # mqadmin of the same version.

    def at(self, nameserver):
        """The same against another name server."""
        return JavaClient(self._processes, self._classpath, nameserver)

    def send(self, topic, prefix, oneway=0, asynchronous=0, batch=0, sync=0):
        """Sends so many messages in each way; returns the bodies, all acknowledged or one-way."""
        ways = {"oneway": oneway, "async": asynchronous, "batch": batch, "sync": sync}
        options = {"topic": topic, "prefix": prefix, **ways}
        events = _events(self._run("send", options).lines)
        self._check_answers(events, asynchronous + sync + (1 if batch else 0))
        return [
            f"{prefix}-{way}-{i}".encode() for way, count in ways.items() for i in range(count)
        ]

    def send_lines(self, topic, path, queues):
        self._run("send-lines", {"topic": topic, "file": path, "queues": queues})

    def pull(self, topic, group):
        """Pulls from the group's offsets to the end, commits, and returns the messages."""
        return _received(self._run("pull", {"topic": topic, "group": group}).lines)

    def read_all(self, topic, path):
        self._run("read-all", {"topic": topic, "group": "interop-reader", "out": path})

    def push(self, topic, group, reject_tag="", order=""):
        options = {"reject-tag": reject_tag, "order": order}
        return self._consumer("push", topic, group, options)

    def broadcast(self, topic, group, instance):
        options = {"model": "BROADCASTING", "instance": instance}
        return self._consumer("push", topic, group, options)

    def find(self, topic, key="", id="", first="", last=""):
        """The messages of a key, stored in the time, or the one of an id of either kind."""
        options = {"topic": topic, "key": key, "id": id, "first": first, "last": last}
        return _received(self._run("find", options).lines)

    def offsets(self, topic, millis):
        """{queue: event} with the first, next and found offsets and the earliest time."""
        lines = self._run("find", {"topic": topic, "offsets-at": millis}).lines
        return {event["queue"]: event for event in _events(lines) if event["event"] == "offsets"}

    def lite_pull(self, topic, group):
        return self._consumer("lite-pull", topic, group, {})

    def _consumer(self, subcommand, topic, group, extra):
        options = {"topic": topic, "group": group, **extra}
        process = self._processes.start(subcommand, self._command(subcommand, options))
        return Consumer(process)

    def _run(self, subcommand, options):
        command = self._command(subcommand, options)
        return self._processes.run(subcommand, command, CLIENT_SECONDS_MAX)

    def _command(self, subcommand, options):
        home = self._processes.directory / "java-home"
        logs = [f"-Duser.home={home}"]
        logs += [f"-Drocketmq.client.logRoot={home}/logs", f"-Drocketmq.log.root={home}/logs"]
        words = ["java", *JVM_OPTIONS, *self._jvm_options, *logs, "-cp", self._classpath, "interop.Main", subcommand]
        words += ["--nameserver", self._nameserver]
        for name, value in options.items():
            if value != "":
                words += [f"--{name}", str(value)]
        return words

    @staticmethod
    def _check_answers(events, expected):
        bad = [event for event in events if event["event"] == "failed"]
        bad += [event for event in events if event.get("status", "SEND_OK") != "SEND_OK"]
        if bad:
            raise Failure(f"{len(bad)} sends failed, the first: {bad[0]}")
        if len(events) != expected:
            raise Failure(f"{len(events)} sends were answered, not {expected}")


class Consumer:
    """A consumer that runs until `stop`."""

    def __init__(self, process):
        self._process = process
        process.wait_for(
            lambda lines: '{"event":"ready"}' in lines, CLIENT_SECONDS_MAX, "its start"
        )

    @property
    def messages(self):
        return _received(self._process.lines)

    def wait_for_count(self, count, seconds=CLIENT_SECONDS_MAX):
        """Waits for at least so many deliveries."""
        marker = '{"event":"received"'
        try:
            self._process.wait_for(
                lambda lines: sum(line.startswith(marker) for line in lines) >= count,
                seconds,
                f"{count} deliveries",
            )
        except Failure as failure:
            raise Failure(f"{failure}; got {len(self.messages)}") from None

    def subscribe(self, topic):
        self._process.write_line(f"subscribe {topic}")

    def unsubscribe(self, topic):
        self._process.write_line(f"unsubscribe {topic}")

    def kill(self):
        """kill -9; returns all that it received."""
        self._process.kill()
        return self.messages

    def stop(self):
        """Ends the program in order (offsets committed); returns all that it received."""
        code = self._process.end_input()
        if code != 0:
            raise Failure(f"{self._process.name} ended with exit code {code}")
        return self.messages


def _events(lines):
    events = []
    for line in lines:
        if line.startswith('{"event":'):
            event = json.loads(line)
            if "body" in event:
                event["body"] = base64.b64decode(event["body"])
            events.append(event)
    return events


def _received(lines):
    return [event for event in _events(lines) if event["event"] == "received"]


def expect_exactly_once(messages, bodies):
    """A Failure unless the bodies of `messages` are `bodies`, each once, in any order."""
    seen = collections.Counter(message["body"] for message in messages)
    expected = collections.Counter(bodies)
    if seen == expected:
        return
    missing = list((expected - seen).elements())
    surplus = list((seen - expected).elements())
    raise Failure(
        f"{len(missing)} messages missing {missing[:5]}, {len(surplus)} too many {surplus[:5]}"
    )
