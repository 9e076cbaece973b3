"""Sluice's HTTP resources as these tests use them."""

import json
import urllib.error
import urllib.parse
import urllib.request

from .process import Failure

SECONDS_MAX = 30


def publish(address, topic, body, content_type, tag, key, properties):
    """POST /v1/topics/{topic}/messages; returns the receipt."""
    request = urllib.request.Request(f"http://{address}/v1/topics/{topic}/messages", body)
    request.add_header("Content-Type", content_type)
    request.add_header("Sluice-Tag", tag)
    request.add_header("Sluice-Key", key)
    # urllib sends one header of a name, so one holds them all.
    pairs = [f"{quote(name)}={quote(value)}" for name, value in properties.items()]
    request.add_header("Sluice-Property", ", ".join(pairs))
    return json.loads(_exchange(request))


def read(address, topic, queue, offset):
    """GET /v1/topics/{topic}/queues/{queue}/messages?offset=; returns the messages."""
    url = f"http://{address}/v1/topics/{topic}/queues/{queue}/messages?offset={offset}"
    return json.loads(_exchange(urllib.request.Request(url)))["messages"]


def get(address, path):
    """GET of a resource of the admin listener."""
    return json.loads(_exchange(urllib.request.Request(f"http://{address}{path}")))


def metric(address, name):
    """The value of a metric of the admin listener, 0 if it is not there."""
    for line in _exchange(urllib.request.Request(f"http://{address}/metrics")).splitlines():
        words = line.decode().split(" ")
        if words[0] == name:
            return float(words[1])
    return 0.0


def properties_of(message):
    """The user properties as a dict; over HTTP they are a list, since names may repeat."""
    return {pair["name"]: pair["value"] for pair in message["properties"]}


def quote(text):
    return urllib.parse.quote(text, safe="")


def _exchange(request):
    try:
        with urllib.request.urlopen(request, timeout=SECONDS_MAX) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        text = error.read().decode("utf-8", "replace")
        raise Failure(f"{request.get_method()} {request.full_url}: {error.code} {text}") from None
