"""The servers that are measured: how each is started, and where it listens.

A server has `name`, `pid`, `start()`, `stop()` and `load_options()`, which tells `sluice_bench` where
it is.
"""

import os
import shutil
import socket

from .process import Failure, ServerProcess

LOOPBACK = "127.0.0.1"
PORT_ATTEMPTS = 100


class Sluice:
    """`sluice serve --role standalone` on free ports, each time with an empty store. The command
    line and the configuration keys are spelled here and nowhere else in the benchmark."""

    name = "sluice"
    listeners = ("nameserver", "remoting", "http", "admin")

    def __init__(self, binary, directory, settings):
        self._binary = binary
        self._directory = directory
        self._settings = settings
        self._process = None
        self._addresses = {}

    def command(self, settings):
        """With an empty store in a new data directory."""
        data = self._directory / "sluice-data"
        shutil.rmtree(data, ignore_errors=True)
        command = [self._binary, "serve", "--role", "standalone", "--data", data]
        ports = {f"listeners.{listener}.port": 0 for listener in self.listeners}
        for key, value in {**ports, **settings, **self._settings}.items():
            command += ["--set", f"{key}={value}"]
        return [str(word) for word in command]

    @staticmethod
    def durability(value):
        return {"storage.durability": value}

    def start(self, settings):
        self._process = ServerProcess(self.name, self.command(settings), self._directory)
        self._addresses = self._process.wait_for_listeners()

    def stop(self):
        code = self._process.stop()
        if code != 0:
            raise Failure(f"SIGTERM ended Sluice with {code}, not 0:\n{self._process.tail()}")

    @property
    def pid(self):
        return self._process.pid

    def load_options(self):
        return [
            *("--broker", self._addresses["remoting"]),
            *("--nameserver", self._addresses["nameserver"]),
        ]


class Echo:
    """`sluice_bench echo`: the limit."""

    name = "echo"

    def __init__(self, bench, directory):
        self._bench = bench
        self._directory = directory
        self._process = None
        self._address = None

    def start(self):
        self._process = ServerProcess(self.name, [self._bench, "echo"], self._directory)
        self._address = self._process.wait_for_listeners()["remoting"]

    def stop(self):
        if self._process is not None:
            self._process.stop()

    @property
    def pid(self):
        return self._process.pid

    def load_options(self):
        return ["--broker", self._address, "--echo"]


class Java:
    """Apache RocketMQ's name server and broker: 2 GiB heap, G1, asynchronous flush (its default)."""

    name = "java"
    # The options of its own start script for Java 9 and later, with a heap for this size of machine.
    jvm_options = (
        "-server",
        "-XX:+UseG1GC",
        "-XX:G1HeapRegionSize=16m",
        "-XX:G1ReservePercent=25",
        "-XX:InitiatingHeapOccupancyPercent=30",
        "-XX:SoftRefLRUPolicyMSPerMB=0",
        "-XX:-UseLargePages",
        "--add-opens=java.base/java.nio=ALL-UNNAMED",
        "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
        "--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED",
        "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
    )
    broker_heap = ("-Xms2g", "-Xmx2g", "-XX:MaxDirectMemorySize=4g")
    nameserver_heap = ("-Xms256m", "-Xmx256m")

    def __init__(self, classpath, directory):
        self._classpath = classpath
        self._directory = directory
        self._nameserver = None
        self._broker = None
        self._nameserver_port = 0
        self._broker_port = 0

    def start(self):
        self.start_nameserver()
        self._broker_port = free_broker_port()
        command = self.broker_command("java-broker", self._broker_port)
        self._broker = ServerProcess(
            "java-broker", command, self._directory, self.environment("java-broker")
        )
        self._wait_for_boot(self._broker)

    def start_nameserver(self):
        """Once; a broker that is started afterwards registers there."""
        if self._nameserver is not None:
            return
        home = self._make_home("java-nameserver")
        self._nameserver_port = free_port()
        settings = {"listenPort": self._nameserver_port, "bindAddress": LOOPBACK}
        command = self._command(
            home, self.nameserver_heap, "org.apache.rocketmq.namesrv.NamesrvStartup", settings
        )
        environment = self.environment("java-nameserver")
        self._nameserver = ServerProcess("java-nameserver", command, self._directory, environment)
        self._wait_for_boot(self._nameserver)

    @staticmethod
    def _wait_for_boot(process):
        process.wait_for_line(lambda text: "boot success" in text, "the line `boot success`")

    def broker_command(self, name, port):
        """A broker with an empty store in the folder `name`."""
        home = self._make_home(name)
        settings = {
            "brokerClusterName": "DefaultCluster",
            "brokerName": name,
            "brokerId": 0,
            "brokerIP1": LOOPBACK,
            "bindAddress": LOOPBACK,
            "namesrvAddr": f"{LOOPBACK}:{self._nameserver_port}",
            "listenPort": port,
            "haListenPort": free_port(),
            "storePathRootDir": home / "store",
            "flushDiskType": "ASYNC_FLUSH",
            # By default a send that waited 200 ms is refused: 2,048 in flight would be, at first.
            "waitTimeMillsInSendQueue": 10_000,
        }
        return self._command(
            home, self.broker_heap, "org.apache.rocketmq.broker.BrokerStartup", settings
        )

    def environment(self, name):
        return {**os.environ, "ROCKETMQ_HOME": str(self._directory / name)}

    def _make_home(self, name):
        home = self._directory / name
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir()
        return home

    def _command(self, home, heap, main_class, settings):
        configuration = home / "server.conf"
        configuration.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
        command = ["java", *heap, *self.jvm_options, f"-Duser.home={home}"]
        return [*command, "-cp", self._classpath, main_class, "-c", str(configuration)]

    def stop(self):
        for process in (self._broker, self._nameserver):
            if process is not None:
                process.stop()

    @property
    def pid(self):
        return self._broker.pid

    @property
    def broker_address(self):
        return f"{LOOPBACK}:{self._broker_port}"

    def load_options(self):
        nameserver = f"{LOOPBACK}:{self._nameserver_port}"
        return ["--broker", self.broker_address, "--nameserver", nameserver]


def free_port():
    """A port that was free a moment ago: the Java servers cannot choose one and say which."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return probe.getsockname()[1]


def free_broker_port():
    """The Java broker also listens two ports below the one it is told."""
    for _ in range(PORT_ATTEMPTS):
        port = free_port()
        with socket.socket() as probe:
            try:
                probe.bind((LOOPBACK, port - 2))
                return port
            except OSError:
                continue
    raise Failure("no two free ports, one two above the other")
