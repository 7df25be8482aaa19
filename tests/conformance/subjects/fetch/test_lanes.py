"""Stateless fetches against a scripted broker: what is sent when."""

import socket
import threading

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import Cluster
from conformance.placement.site import Placed, Site
from conformance.subjects.fetch.lanes import Lanes
from conformance.wire.negotiation import ApiVersions
from spec.fetch.outcomes import FetchAnswer
from spec.fetch.steps import Fetch, FetchPartition
from spec.layout import Batch, Layout, Partition

WAIT = 20.0
EMPTY = {"throttle_time_ms": 0, "error_code": 0, "session_id": 0, "responses": []}


@pytest.mark.parametrize("window", [1, 2])
def test_the_broker_has_the_next_fetch_while_an_answer_is_looked_at(window: int) -> None:
    codec = make_codec()
    listener = socket.create_server(("127.0.0.1", 0))
    came = [threading.Event() for _ in range(window + 1)]

    def serve() -> None:
        accepted, _ = listener.accept()
        with accepted, accepted.makefile("rb") as stream:
            for number, event in enumerate(came):
                request = codec.decode_request(stream.read(int.from_bytes(stream.read(4), "big")))
                event.set()
                frame = codec.request("Fetch", 12).encode_response(request.correlation_id, EMPTY)
                if number == 0:
                    accepted.sendall(len(frame).to_bytes(4, "big") + frame)

    broker = threading.Thread(target=serve)
    broker.start()
    site = Site("topic", bytes(16), 0, base=0, leader_epoch=0, timestamp=1000)
    placed = Placed(Layout((Partition(((Batch(100),),)),)), (site,))
    asked = [(placed, Fetch((FetchPartition(0, 0),)))] * (window + 1)
    cluster = Cluster("127.0.0.1", listener.getsockname()[1], codec, ApiVersions(0, 3, {1: (4, 17)}, {}, {}, -1))
    lanes = Lanes(cluster, connections=1, window=window)
    answers = lanes.ask(asked)
    number, observation = next(answers)
    assert number == 0
    assert isinstance(observation.exchanges[0].outcome, FetchAnswer)
    assert came[-1].wait(WAIT), "expected the last fetch at the broker before its answer is asked for"
    del answers
    lanes.close()
    broker.join(WAIT)
    listener.close()
