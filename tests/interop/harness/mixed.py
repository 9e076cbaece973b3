"""Sluice's and Apache RocketMQ's servers beside each other, and several name servers."""

from . import remoting
from .java_server import CLUSTER, JavaBroker, JavaNameServer
from .mqadmin_tool import MqAdmin
from .process import Failure, wait_until
from .sluice import Node

SECONDS_MAX = 120
# What a Java broker can do when it registers: zlib, and asking first whether there is news (322).
THRIFTY = {"compressedRegister": "true", "forceRegister": "false"}
SLUICE_BROKER = "sluice-broker"


class Mixed:
    """Name servers and brokers of both kinds, as the topology says."""

    retries_in_client = False

    def __init__(self, processes, binary, classpaths, topology):
        self._processes = processes
        self._binary = binary
        self._classpath = classpaths["server"]
        self._tools_classpath = classpaths["tools"]
        self._start_parts = {
            "java-broker": self._start_java_broker,
            "java-nameserver": self._start_at_java_nameserver,
            "both-brokers": self._start_both_brokers,
            "two-nameservers": self._start_two_nameservers,
        }[topology]
        self.nameservers = []
        self.brokers = {}  # by the names in routes
        self.nameserver = None

    def start(self):
        self._start_parts()

    def _start_java_broker(self):
        """A Java broker at Sluice's name server."""
        self._add_nameserver()
        self._add_java_broker(THRIFTY)

    def _start_at_java_nameserver(self):
        """Sluice's broker at a Java name server."""
        nameserver = JavaNameServer(self._processes, self._classpath)
        nameserver.start()
        nameserver.wait_until_up()
        self.nameservers.append(nameserver)
        self.nameserver = nameserver.address
        self._add_sluice_broker()

    def _start_both_brokers(self):
        """A Java and a Sluice broker at Sluice's name server."""
        self._add_nameserver()
        self._add_java_broker({})
        self._add_sluice_broker()

    def _start_two_nameservers(self):
        """Sluice's broker at two of Sluice's name servers."""
        self._add_nameserver("nameserver-1")
        self._add_nameserver("nameserver-2")
        self._add_sluice_broker()

    def _add_nameserver(self, name="nameserver"):
        node = Node(self._processes, self._binary, "nameserver", name=name)
        node.start()
        self.nameservers.append(node)
        self.nameserver = ";".join(each.listeners["nameserver"] for each in self.nameservers)

    def _add_java_broker(self, more_settings):
        broker = JavaBroker(self._processes, self._classpath, self.nameserver, more_settings)
        broker.start()
        broker.wait_until_registered()
        self.brokers[broker.name] = broker

    def _add_sluice_broker(self):
        settings = {"broker.name": SLUICE_BROKER, "cluster.name": CLUSTER}
        nameservers = self.nameserver.replace(";", ",")
        node = Node(self._processes, self._binary, "broker", nameservers, settings)
        node.start()
        self.brokers[SLUICE_BROKER] = node

    def mqadmin(self, *command):
        """The lines that a command prints at all name servers."""
        return self._mqadmin().run(*command)

    def mqadmin_refused(self, *command):
        self._mqadmin().run_refused(*command)

    def _mqadmin(self):
        return MqAdmin(self._processes, self._tools_classpath, self.nameserver)

    def stop(self):
        for node in [*self.brokers.values(), *reversed(self.nameservers)]:
            node.stop()

    def create_topic(self, topic, queues):
        """At every broker, and known at every name server when this returns."""
        for name, broker in self.brokers.items():
            code, _, _ = remoting.create_topic(broker.address, topic, queues)
            if code != remoting.RESPONSE_SUCCESS:
                raise Failure(f"{name} answers {code} to the creation of {topic}")
        for nameserver in self.nameserver.split(";"):
            self.wait_for_route(nameserver, topic, self.brokers)

    def wait_for_route(self, nameserver, topic, brokers):
        """Until the route of `topic` at that name server has exactly these brokers."""
        wait_until(
            lambda: set(remoting.brokers_of(nameserver, topic)) == set(brokers),
            SECONDS_MAX,
            f"{topic} to be at {list(brokers)} by the word of {nameserver}",
        )

    def wait_for_commit(self, topic, group, total):
        nameserver = self.nameserver.split(";")[0]
        wait_until(
            lambda: remoting.committed_total(nameserver, topic, group) == total,
            SECONDS_MAX,
            f"group {group} to commit {total} messages of {topic}",
        )
