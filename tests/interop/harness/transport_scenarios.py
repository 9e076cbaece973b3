"""How clients reach the server."""

from . import http_api
from .java_client import expect_exactly_once
from .process import Failure

TOPIC = "interop-topic"
GROUP = "interop-group"


def clients_may_use_tls(server, client, directory):
    """A client with tls.enable sends and consumes on the ports of those without."""
    encrypted = client.with_options("-Dtls.enable=true")
    bodies = encrypted.send(TOPIC, "encrypted", oneway=5, asynchronous=20, batch=20, sync=10)
    bodies += client.send(TOPIC, "plain", sync=5)
    if http_api.metric(server.admin, "sluice_tls_connections_total") < 2:
        raise Failure("the client did not use TLS with name server and broker")
    consumer = encrypted.push(TOPIC, GROUP)
    consumer.wait_for_count(len(bodies))
    expect_exactly_once(consumer.stop(), bodies)


ALL = (clients_may_use_tls,)
