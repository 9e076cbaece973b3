"""Apache RocketMQ's own name server and broker: to try the scenarios against what they copy, and to
stand beside Sluice's."""

import contextlib
import os
import signal
import socket

from . import remoting
from .process import Failure, wait_until

START_SECONDS_MAX = 120
COMMIT_SECONDS_MAX = 120
TOPIC_OF_DEFAULT_ROUTE = "TBW102"
OFFSET_FLUSH_MS = 500
CLUSTER = "interop"
JVM_OPTIONS = ("-Xmx1g", "-XX:+UseSerialGC", "-XX:MaxDirectMemorySize=512m")
# What the store and the transport of 4.9.8 reach into, which later Javas close.
JVM_OPENINGS = ("java.base/java.nio", "java.base/sun.nio.ch", "java.base/jdk.internal.ref")


# What a broker listens to beside its port: the fast port, and in 4.9 replication whatever is set.
NEIGHBOURS = (-2, 1)
PORT_TRIES_MAX = 100


def free_port(neighbours=()):
    """One that was free a moment ago, and so were the ones at these distances: the Java servers
    cannot choose one and say which."""
    for _ in range(PORT_TRIES_MAX):
        with contextlib.ExitStack() as bound:
            try:
                port = _bind(bound, 0)
                for distance in neighbours:
                    _bind(bound, port + distance)
            except OSError:
                continue
            return port
    raise Failure(f"no free port with free neighbours in {PORT_TRIES_MAX} tries")


def _bind(bound, port):
    free = bound.enter_context(socket.socket())
    free.bind(("127.0.0.1", port))
    return free.getsockname()[1]


class JavaNode:
    """One Java server process, with a home directory and a file of settings of its own."""

    def __init__(self, processes, classpath, name, main_class, settings):
        self._processes = processes
        self._classpath = classpath
        self._name = name
        self._main_class = main_class
        self._home = processes.directory / f"rocketmq-{name}"
        self._home.mkdir()
        text = "".join(f"{key}={value}\n" for key, value in settings.items())
        self._configuration = self._home / f"{name}.conf"
        self._configuration.write_text(text)
        self._process = None
        # 4.9 does not start without these; what they would log goes nowhere.
        (self._home / "conf").mkdir()
        for part in ("namesrv", "broker"):
            (self._home / "conf" / f"logback_{part}.xml").write_text("<configuration/>\n")

    def start(self):
        environment = {**os.environ, "ROCKETMQ_HOME": str(self._home)}
        command = ["java", *JVM_OPTIONS]
        for package in JVM_OPENINGS:
            command += ["--add-opens", f"{package}=ALL-UNNAMED"]
        command += [f"-Duser.home={self._home}", f"-Drocketmq.home.dir={self._home}"]
        command += ["-cp", self._classpath, self._main_class, "-c", str(self._configuration)]
        self._process = self._processes.start(f"java-{self._name}", command, environment)

    def stop(self):
        self._process.terminate()

    def kill(self):
        self._process.kill()


class JavaNameServer(JavaNode):
    def __init__(self, processes, classpath):
        port = free_port()
        self.address = f"127.0.0.1:{port}"
        main_class = "org.apache.rocketmq.namesrv.NamesrvStartup"
        super().__init__(processes, classpath, "nameserver", main_class, {"listenPort": port})

    def wait_until_up(self):
        wait_until(self._answers, START_SECONDS_MAX, "the Java name server to answer")

    def _answers(self):
        try:
            remoting.route(self.address, TOPIC_OF_DEFAULT_ROUTE)
        except OSError:
            return False
        return True


class JavaBroker(JavaNode):
    """Registers at `nameservers`, several separated by `;`."""

    name = "java-broker"

    def __init__(self, processes, classpath, nameservers, more_settings=None):
        port = free_port(NEIGHBOURS)
        self.address = f"127.0.0.1:{port}"
        self._nameservers = nameservers.split(";")
        self.store = processes.directory / "rocketmq-broker" / "store"
        settings = {
            "brokerClusterName": CLUSTER,
            "brokerName": self.name,
            "brokerId": 0,
            "brokerIP1": "127.0.0.1",
            "namesrvAddr": nameservers,
            "listenPort": port,
            "haListenPort": port + 1,
            "storePathRootDir": self.store,
            "autoCreateTopicEnable": "true",
            "flushConsumerOffsetInterval": OFFSET_FLUSH_MS,
            # On a busy machine the default, 200 ms, answers "broker busy", which no client retries.
            "waitTimeMillsInSendQueue": 10_000,
            "mappedFileSizeCommitLog": 64 * 1024 * 1024,
            "timerWheelEnable": "false",
            **(more_settings or {}),
        }
        main_class = "org.apache.rocketmq.broker.BrokerStartup"
        super().__init__(processes, classpath, "broker", main_class, settings)

    def wait_until_registered(self):
        for nameserver in self._nameservers:
            wait_until(
                lambda: self.is_registered_at(nameserver),
                START_SECONDS_MAX,
                f"the Java broker to register at {nameserver}",
            )

    def is_registered_at(self, nameserver):
        try:
            return self.name in remoting.brokers_of(nameserver, TOPIC_OF_DEFAULT_ROUTE)
        except OSError:
            return False


class JavaServer:
    """One name server and one broker; the topology of Sluice's `standalone`."""

    retries_in_client = False

    def __init__(self, processes, classpath):
        self._nameserver = JavaNameServer(processes, classpath)
        self.nameserver = self._nameserver.address
        self._broker = JavaBroker(processes, classpath, self.nameserver)

    def start(self):
        self._nameserver.start()
        self._broker.start()
        self._broker.wait_until_registered()

    def stop(self):
        self._broker.stop()
        self._nameserver.stop()

    def restart(self, way):
        if way == signal.SIGKILL:
            self._broker.kill()
            self._nameserver.kill()
        else:
            self.stop()
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
        path = self._broker.store / "config" / "consumerOffset.json"
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
