"""Single remoting requests with a JSON header, to ask a server about its state.

Frame: 4 bytes length of the rest, 4 bytes serializer (0 = JSON) and header length, header, body.
"""

import json
import socket
import struct

CODE_PULL_QUERY_CONSUMER_OFFSET = 14
CODE_UPDATE_AND_CREATE_TOPIC = 17
CODE_LIST_MEMBERS = 38
CODE_GET_ROUTE_BY_TOPIC = 105
CODE_RESET_OFFSET = 222
CODE_CONSUMER_STATUS = 223
CODE_RUNNING_INFO = 307
CODE_CONSUME_DIRECTLY = 309
PERMISSION_READ_WRITE = 6
RESPONSE_SUCCESS = 0
CLIENT_VERSION_5_5 = 505  # any number above V4_9_4, so that the route body is standard JSON
SECONDS_MAX = 20  # a client that is asked through the server has 10 s


def call(address, code, fields):
    """Sends one request to "host:port"; returns (response code, ext fields, body)."""
    header = json.dumps(
        {
            "code": code,
            "language": "JAVA",
            "version": CLIENT_VERSION_5_5,
            "opaque": 1,
            "flag": 0,
            "extFields": {name: str(value) for name, value in fields.items()},
            "serializeTypeCurrentRPC": "JSON",
        }
    ).encode()
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), SECONDS_MAX) as connection:
        connection.sendall(struct.pack(">II", 4 + len(header), len(header)) + header)
        (length,) = struct.unpack(">I", _read(connection, 4))
        frame = _read(connection, length)
    header_length = struct.unpack(">I", frame[:4])[0] & 0xFFFFFF
    answer = json.loads(frame[4 : 4 + header_length])
    return answer["code"], answer.get("extFields") or {}, frame[4 + header_length :]


def _read(connection, size):
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            raise ConnectionError("the server closed the connection")
        data += part
    return data


def members(nameserver, topic, group):
    """The ids of a group's clients, as the broker of the topic lists them."""
    code, _, body = call(broker_of(nameserver, topic), CODE_LIST_MEMBERS, {"consumerGroup": group})
    return json.loads(body)["consumerIdList"] if code == RESPONSE_SUCCESS else []


def broker_of(nameserver, topic):
    return route(nameserver, topic)["brokerDatas"][0]["brokerAddrs"]["0"]


def route(nameserver, topic):
    """The route of a topic as the name server gives it, or None if it has none."""
    fields = {"topic": topic, "acceptStandardJsonOnly": "true"}
    code, _, body = call(nameserver, CODE_GET_ROUTE_BY_TOPIC, fields)
    return json.loads(body) if code == RESPONSE_SUCCESS else None


def brokers_of(nameserver, topic):
    """The names of the brokers in the route of a topic; none if it has no route."""
    topic_route = route(nameserver, topic)
    return [broker["brokerName"] for broker in topic_route["brokerDatas"]] if topic_route else []


def create_topic(broker, topic, queues):
    fields = {"topic": topic, "defaultTopic": "TBW102", "topicFilterType": "SINGLE_TAG"}
    fields.update(readQueueNums=queues, writeQueueNums=queues, perm=PERMISSION_READ_WRITE)
    fields.update(topicSysFlag=0, order="false")
    return call(broker, CODE_UPDATE_AND_CREATE_TOPIC, fields)


def committed_total(nameserver, topic, group):
    """The sum of a group's offsets over all queues of a topic; unknown ones count as 0."""
    topic_route = route(nameserver, topic)
    if topic_route is None:
        return 0
    addresses = {
        broker["brokerName"]: broker["brokerAddrs"]["0"] for broker in topic_route["brokerDatas"]
    }
    total = 0
    for queues in topic_route["queueDatas"]:
        for queue in range(queues["readQueueNums"]):
            fields = {"consumerGroup": group, "topic": topic, "queueId": queue}
            address = addresses[queues["brokerName"]]
            code, answer, _ = call(address, CODE_PULL_QUERY_CONSUMER_OFFSET, fields)
            if code == RESPONSE_SUCCESS:
                total += int(answer["offset"])
    return total
