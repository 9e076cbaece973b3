"""Apache RocketMQ's own name server and broker, to try the scenarios against what they copy."""

import os
import signal
import socket

from . import remoting
from .process import wait_until

START_SECONDS_MAX = 120
COMMIT_SECONDS_MAX = 120
TOPIC_OF_DEFAULT_ROUTE = "TBW102"
OFFSET_FLUSH_MS = 500
JVM_OPTIONS = ("-Xmx1g", "-XX:+UseSerialGC", "-XX:MaxDirectMemorySize=512m")


def free_ports(count):
    """Ports that were free a moment ago: the Java servers cannot choose one and say which."""
    sockets = [socket.socket() for _ in range(count)]
    for free in sockets:
        free.bind(("127.0.0.1", 0))
    ports = [free.getsockname()[1] for free in sockets]
    for free in sockets:
        free.close()
    return ports


class JavaServer:
    """One name server and one broker; the topology of Sluice's `standalone`."""

    retries_in_client = False

    def __init__(self, processes, classpath):
        self._processes = processes
        self._classpath = classpath
        self._home = processes.directory / "rocketmq"
        nameserver_port, broker_port, ha_port = free_ports(3)
        self.nameserver = f"127.0.0.1:{nameserver_port}"
        self._write_configuration(nameserver_port, broker_port, ha_port)
        self._running = []

    def _write_configuration(self, nameserver_port, broker_port, ha_port):
        self._home.mkdir()
        (self._home / "nameserver.conf").write_text(f"listenPort={nameserver_port}\n")
        settings = {
            "brokerClusterName": "interop",
            "brokerName": "broker",
            "brokerId": 0,
            "brokerIP1": "127.0.0.1",
            "namesrvAddr": self.nameserver,
            "listenPort": broker_port,
            "haListenPort": ha_port,
            "storePathRootDir": self._home / "store",
            "autoCreateTopicEnable": "true",
            "flushConsumerOffsetInterval": OFFSET_FLUSH_MS,
            # On a busy machine the default, 200 ms, answers "broker busy", which no client retries.
            "waitTimeMillsInSendQueue": 10_000,
            "mappedFileSizeCommitLog": 64 * 1024 * 1024,
            "timerWheelEnable": "false",
        }
        text = "".join(f"{key}={value}\n" for key, value in settings.items())
        (self._home / "broker.conf").write_text(text)

    def start(self):
        self._running = [
            self._start("org.apache.rocketmq.namesrv.NamesrvStartup", "nameserver"),
            self._start("org.apache.rocketmq.broker.BrokerStartup", "broker"),
        ]
        wait_until(self._is_registered, START_SECONDS_MAX, "the Java broker to register")

    def _start(self, main_class, name):
        environment = {**os.environ, "ROCKETMQ_HOME": str(self._home)}
        command = ["java", *JVM_OPTIONS, f"-Duser.home={self._home}"]
        command += [f"-Drocketmq.home.dir={self._home}", "-cp", self._classpath, main_class]
        command += ["-c", str(self._home / f"{name}.conf")]
        return self._processes.start(f"java-{name}", command, environment)

    def _is_registered(self):
        try:
            return remoting.route(self.nameserver, TOPIC_OF_DEFAULT_ROUTE)
        except OSError:
            return None

    def stop(self):
        for process in reversed(self._running):
            process.terminate()

    def restart(self, way):
        for process in reversed(self._running):
            if way == signal.SIGKILL:
                process.kill()
            else:
                process.terminate()
        self.start()

    def wait_for_commit(self, topic, group, total):
        """Also waits for the file: a killed Java broker loses the offsets of its last moments."""
        wait_until(
            lambda: remoting.committed_total(self.nameserver, topic, group) == total
            and self._total_on_disk(topic, group) == total,
            COMMIT_SECONDS_MAX,
            f"group {group} to commit {total} messages of {topic}",
        )

    def _total_on_disk(self, topic, group):
        path = self._home / "store" / "config" / "consumerOffset.json"
        if not path.exists():
            return 0
        text = path.read_text()
        # The broker writes bare numbers as keys: {"topic@group":{0:12,1:13}}.
        start = text.find(f'"{topic}@{group}"')
        if start < 0:
            return 0
        inner = text[text.index("{", start) + 1 : text.index("}", start)]
        return sum(int(pair.split(":")[1]) for pair in inner.split(","))

    def create_topic(self, topic, queues):
        """Left to auto-creation: the first producer asks for so many queues."""
