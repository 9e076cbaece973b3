"""Sluice as a server under test. The command line, the configuration keys and the ready line are
spelled here and nowhere else in these tests."""

import json
import signal

from . import remoting
from .process import Failure, wait_until

READY_SECONDS_MAX = 30
CLI_SECONDS_MAX = 120
ROLE_LISTENERS = {
    "standalone": ("nameserver", "remoting", "http", "admin"),
    "gateway": ("remoting", "http", "admin"),
    "broker": ("remoting", "admin"),
    "nameserver": ("nameserver", "admin"),
}


def serve_command(binary, role, data, settings):
    command = [binary, "serve", "--role", role, "--data", data]
    for key, value in settings.items():
        command += ["--set", f"{key}={value}"]
    return command


def listeners_of_ready_line(lines):
    """{listener name: "host:port"} of the line `ready {...}`; None while there is no such line."""
    for line in lines:
        if line.startswith("ready "):
            return json.loads(line[len("ready ") :])["listeners"]
    return None


class Node:
    """One `sluice serve` process on free ports, which it keeps over restarts."""

    def __init__(self, processes, binary, role, nameservers=None, settings=None, name=None):
        self._processes = processes
        self._binary = binary
        self._role = role
        self._data = processes.directory / f"data-{name or role}"
        self._settings = {f"listeners.{name}.port": 0 for name in ROLE_LISTENERS[role]}
        self._settings.update(settings or {})
        if nameservers:
            self._settings["cluster.nameservers"] = nameservers
        self._process = None
        self.listeners = {}

    def start(self):
        command = serve_command(self._binary, self._role, self._data, self._settings)
        self._process = self._processes.start(self._role, command)
        self.listeners = self._process.wait_for(
            listeners_of_ready_line, READY_SECONDS_MAX, "the ready line"
        )
        for name in ROLE_LISTENERS[self._role]:
            port = self.listeners[name].rsplit(":", 1)[1]
            self._settings[f"listeners.{name}.port"] = port

    def stop(self):
        code = self._process.terminate()
        if code != 0:
            raise Failure(f"SIGTERM ended {self._role} with exit code {code}, not 0")

    def kill(self):
        self._process.kill()

    @property
    def admin(self):
        return self.listeners["admin"]

    @property
    def address(self):
        """Where it is found over remoting."""
        name = "nameserver" if self._role == "nameserver" else "remoting"
        return self.listeners[name]


class Sluice:
    """Sluice in one process (`standalone`) or in three (`processes`)."""

    retries_in_client = True  # CONSUMER_SEND_MSG_BACK (36) is refused: the client keeps the message

    def __init__(self, processes, binary, topology):
        self._processes = processes
        self._binary = binary
        self._topology = topology
        self._nodes = []

    def start(self):
        if self._topology == "standalone":
            self._start_node("standalone")
            return
        self._start_node("nameserver")
        nameservers = self._nodes[0].listeners["nameserver"]
        self._start_node("broker", nameservers)
        self._start_node("gateway", nameservers)

    def _start_node(self, role, nameservers=None):
        node = Node(self._processes, self._binary, role, nameservers)
        node.start()
        self._nodes.append(node)

    @property
    def nameserver(self):
        """What clients get as their name server: a gateway answers for the cluster behind it."""
        name = "nameserver" if self._topology == "standalone" else "remoting"
        return self._nodes[-1].listeners[name]

    @property
    def broker(self):
        """Where the broker itself listens."""
        node = self._nodes[0 if self._topology == "standalone" else 1]
        return node.listeners["remoting"]

    @property
    def http(self):
        return self._nodes[-1].listeners["http"]

    @property
    def admin(self):
        """Of whom the clients are connected to."""
        return self._nodes[-1].admin

    def stop(self):
        for node in reversed(self._nodes):
            node.stop()

    def restart(self, way):
        """Ends every process by `way` (signal.SIGTERM or SIGKILL) and starts it where it was."""
        for node in reversed(self._nodes):
            if way == signal.SIGKILL:
                node.kill()
            else:
                node.stop()
        for node in self._nodes:
            node.start()

    def wait_for_commit(self, topic, group, total):
        wait_until(
            lambda: remoting.committed_total(self.nameserver, topic, group) == total,
            CLI_SECONDS_MAX,
            f"group {group} to commit {total} messages of {topic}",
        )

    def create_topic(self, topic, queues):
        self._cli("topic", "create", topic, "--queues", queues)

    def produce_lines(self, topic, path):
        self._cli("produce", "--topic", topic, "--file", path)

    def _cli(self, *words):
        command = [self._binary, *words, "--nameserver", self.nameserver]
        self._processes.run(words[0], command, CLI_SECONDS_MAX)
