"""Stateless fetches against a scripted broker: what is sent when."""

import asyncio
import socket
import threading
from dataclasses import replace

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import Cluster
from conformance.placement.placed_partition import Placed, PlacedPartition
from conformance.subjects.fetch.lanes import Lanes
from conformance.wire.codec import Decoded
from conformance.wire.connection import Connection
from conformance.wire.negotiation import ApiVersions
from spec.fetch.outcomes import FetchAnswer
from spec.fetch.steps import Fetch, FetchPartition
from spec.layout import Batch, Layout, Partition
from spec.observation import Observation
from spec.outcomes import Closed, Silent
from tests.conformance.play.scripted import Peer, Scripted, broker, silent

WAIT = 20.0
EMPTY = {"throttle_time_ms": 0, "error_code": 0, "session_id": 0, "responses": []}


@pytest.mark.parametrize("window", [1, 2])
def test_the_broker_has_the_next_fetch_while_an_answer_is_decoded_and_looked_at(
    window: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    codec = make_codec()
    request = codec.request("Fetch", 12)
    decode = request.decode_response

    def decode_late(frame: bytes) -> tuple[int, Decoded]:
        assert came[-1].wait(WAIT), "expected the last fetch at the broker before an answer is read"
        return decode(frame)

    monkeypatch.setattr(request, "decode_response", decode_late)
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
    placed_partition = PlacedPartition(
        "topic", bytes(16), 0, base=0, leader_epoch=0, timestamp=1000
    )
    placed = Placed(Layout((Partition(((Batch(100),),)),)), (placed_partition,))
    asked = [(placed, Fetch((FetchPartition(0, 0),)))] * (window + 1)
    cluster = Cluster(
        "127.0.0.1", listener.getsockname()[1], codec, ApiVersions(0, 3, {1: (4, 17)}, {}, {}, -1)
    )
    lanes = Lanes(cluster, connections=1, window=window)
    answers = lanes.ask(asked)
    number, observation = next(answers)
    assert number == 0
    assert isinstance(observation.exchanges[0].outcome, FetchAnswer)
    del answers
    lanes.close()
    broker.join(WAIT)
    listener.close()


def placed() -> Placed:
    placed_partition = PlacedPartition(
        "topic", bytes(16), 0, base=0, leader_epoch=0, timestamp=1000
    )
    return Placed(Layout((Partition(((Batch(100),),)),)), (placed_partition,))


def asked_of(scripted: Scripted, *fetches: Fetch, window: int = 16) -> dict[int, Observation]:
    where = placed()
    lanes = Lanes(scripted.cluster, connections=1, window=window, silence=0.5)
    found = dict(lanes.ask([(where, fetch) for fetch in fetches]))
    lanes.close()
    return found


FETCH = Fetch((FetchPartition(0, 0),))


def test_where_a_shared_connection_ends_the_oldest_fetch_is_blamed_and_others_asked_alone() -> None:
    async def script(peer: Peer) -> None:
        asked = await peer.request()
        if asked.api == "ApiVersions":
            peer.answer(asked, {"error_code": 0, "api_keys": []})
            return
        peer.answer(asked, EMPTY)
        if peer.number == 0:
            await peer.request()
            await peer.request()

    with broker(script) as scripted:
        found = asked_of(scripted, FETCH, FETCH, FETCH)
    outcomes = [found[number].exchanges[0].outcome for number in range(3)]
    assert outcomes == [
        FetchAnswer(),
        Closed("end of stream", control_answered=True),
        FetchAnswer(),
    ]


def test_where_a_session_was_over_no_fetch_is_to_blame_and_all_without_an_answer_are_asked_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Connection, "is_stale", True)

    async def script(peer: Peer) -> None:
        peer.answer(await peer.request(), EMPTY)
        if peer.number == 0:
            await peer.request()
            await peer.request()

    with broker(script) as scripted:
        found = asked_of(scripted, FETCH, FETCH, FETCH)
    assert [found[number].exchanges[0].outcome for number in range(3)] == [FetchAnswer()] * 3
    assert scripted.opened == 3


def test_a_fetch_that_waits_is_asked_on_a_connection_of_its_own_beside_the_others() -> None:
    all_wait = asyncio.Barrier(5)

    async def script(peer: Peer) -> None:
        while True:
            asked = await peer.request()
            if asked.body.value["max_wait_ms"]:
                await all_wait.wait()
                await asyncio.sleep(0.3)
            peer.answer(asked, EMPTY)

    with broker(script) as scripted:
        found = asked_of(scripted, *[replace(FETCH, max_wait_ms=300, min_bytes=1)] * 5, FETCH)
    assert [found[number].exchanges[0].outcome for number in range(6)] == [FetchAnswer()] * 6
    assert all(found[number].exchanges[0].elapsed_ms >= 300 for number in range(5))
    assert scripted.opened == 6


def test_a_version_that_no_definition_has_is_asked_in_the_form_of_the_nearest_one() -> None:
    heard: list[bytes] = []

    async def script(peer: Peer) -> None:
        if peer.number:
            peer.answer(await peer.request(), {"error_code": 0, "api_keys": []})
        else:
            heard.append(await peer.reader.readexactly(8))

    with broker(script) as scripted:
        found = asked_of(scripted, replace(FETCH, version=99))
    assert heard[0][4:] == bytes([0, 1, 0, 99])
    assert isinstance(found[0].exchanges[0].outcome, Closed)


def test_silence_ends_a_pipelined_fetch() -> None:
    async def script(peer: Peer) -> None:
        if peer.number:
            peer.answer(await peer.request(), {"error_code": 0, "api_keys": []})
        await silent(peer)

    with broker(script) as scripted:
        found = asked_of(scripted, FETCH)
    outcome = found[0].exchanges[0].outcome
    assert isinstance(outcome, Silent)
    assert outcome.control_answered
    assert outcome.waited_ms >= 500


def test_a_broker_that_is_gone_breaks_every_observation() -> None:
    with broker(silent) as scripted:
        pass
    found = asked_of(scripted, FETCH, replace(FETCH, max_wait_ms=10), FETCH)
    assert sorted(found) == [0, 1, 2]
    assert all((one.broken or "").startswith("the broker is gone") for one in found.values())
