"""A share group's members against a scripted broker: sessions, patience and parked fetches."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from conformance.ledger import PREFIX
from conformance.placement.placed_partition import Placed, PlacedPartition
from conformance.play.background import play_alone
from conformance.subjects.share.history import ShareHistory
from spec.layout import Batch, Layout, Partition
from spec.outcomes import Closed
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.share.outcomes import Done, ShareFetchAnswer
from spec.share.releases import ShareSemantics
from spec.share.steps import (
    DropConnection,
    NameGroup,
    Pause,
    RestartBroker,
    ShareFetch,
    SharePartition,
)
from tests.conformance.play.scripted import Peer, Scripted, broker

if TYPE_CHECKING:
    from spec.steps import Step

LAYOUT = Layout((Partition(((Batch(100),),)),))
TOPIC_ID = bytes(15) + b"\1"
FETCH = ShareFetch((SharePartition(0),))


def history(scripted: Scripted, *steps: Step) -> ShareHistory:
    ranges = {
        key: versions for key, versions in scripted.cluster.versions.ranges.items() if key != 76
    }
    cluster = replace(scripted.cluster, versions=replace(scripted.cluster.versions, ranges=ranges))
    placed = Placed(
        LAYOUT, (PlacedPartition("topic", TOPIC_ID, 0, base=0, leader_epoch=0, timestamp=1000),)
    )
    return ShareHistory(
        cluster, Scenario(LAYOUT, steps), placed, semantics=semantics_for("4.3").of(ShareSemantics)
    )


def acquiring(*ranges: tuple[int, int]) -> dict[str, Any]:
    acquired = [
        {"first_offset": first, "last_offset": last, "delivery_count": 1} for first, last in ranges
    ]
    part = {
        "partition_index": 0,
        "error_code": 0,
        "acknowledge_error_code": 0,
        "records": b"",
        "acquired_records": acquired,
    }
    leader = {"leader_id": 1, "leader_epoch": 0}
    return {
        "responses": [{"topic_id": TOPIC_ID, "partitions": [{**part, "current_leader": leader}]}],
        "acquisition_lock_timeout_ms": 30_000,
    }


def epochs(scripted: Scripted) -> list[int]:
    return [
        request.body.value["share_session_epoch"]
        for _, request in scripted.heard
        if request.api == "ShareFetch"
    ]


def test_a_patient_fetch_is_sent_until_it_acquires_something_and_every_answer_counts() -> None:
    async def script(peer: Peer) -> None:
        for answer in (acquiring(), acquiring(), acquiring((0, 0))):
            peer.answer(await peer.request(), answer)

    with broker(script) as scripted:
        observation = play_alone(history(scripted, replace(FETCH, patience_ms=20_000)))
    assert observation.broken is None
    assert [exchange.step for exchange in observation.exchanges] == [0, 0, 0]
    assert epochs(scripted) == [0, 1, 2]
    gaps = [
        later.sent_ms - earlier.answered_ms
        for earlier, later in zip(observation.exchanges, observation.exchanges[1:], strict=False)
    ]
    assert gaps[0] >= 10
    assert gaps[1] >= 20


def test_a_parked_fetch_is_waited_for_by_its_own_member_alone() -> None:
    served = asyncio.Event()

    async def script(peer: Peer) -> None:
        while True:
            asked = await peer.request()
            if asked.body.value["max_wait_ms"] > 1000:
                await served.wait()
            elif peer.number:
                served.set()
            peer.answer(asked, acquiring((0, 0)))

    parked = replace(FETCH, parked=True, max_wait_ms=5_000, min_bytes=1)
    with broker(script) as scripted:
        observation = play_alone(
            history(
                scripted,
                parked,
                Pause(50),
                replace(FETCH, actor=1, max_wait_ms=0),
                replace(FETCH, max_wait_ms=0),
            )
        )
    assert [type(exchange.outcome) for exchange in observation.exchanges] == [
        ShareFetchAnswer,
        Done,
        ShareFetchAnswer,
        ShareFetchAnswer,
    ]
    first, pause, other, own = observation.exchanges
    assert pause.elapsed_ms >= 50
    assert first.answered_ms > other.sent_ms
    assert own.sent_ms >= first.answered_ms


def test_a_dropped_connection_begins_a_new_session_with_the_same_member_id() -> None:
    async def script(peer: Peer) -> None:
        while True:
            peer.answer(await peer.request(), acquiring((0, 0)))

    with broker(script) as scripted:
        play_alone(history(scripted, FETCH, FETCH, DropConnection(), FETCH, NameGroup("x"), FETCH))
    assert epochs(scripted) == [0, 1, 0, 1]
    assert [number for number, _ in scripted.heard] == [0, 0, 1, 1]
    bodies = [request.body.value for _, request in scripted.heard]
    assert len({body["member_id"] for body in bodies}) == 1
    plain = bodies[0]["group_id"].removeprefix(PREFIX)
    assert bodies[3]["group_id"] == f"{PREFIX}x{plain}"


def test_nothing_is_begun_after_a_lost_answer() -> None:
    async def script(peer: Peer) -> None:
        asked = await peer.request()
        if asked.api == "ApiVersions":
            peer.answer(asked, {"error_code": 0, "api_keys": []})

    with broker(script) as scripted:
        observation = play_alone(history(scripted, FETCH, FETCH, replace(FETCH, actor=1)))
    assert [exchange.outcome for exchange in observation.exchanges] == [
        Closed("end of stream", control_answered=True)
    ]


def test_a_restart_that_can_not_be_had_is_not_sent() -> None:
    async def script(peer: Peer) -> None:
        await peer.request()

    with broker(script) as scripted:
        [exchange] = play_alone(history(scripted, RestartBroker(), FETCH)).exchanges
    assert "can't be restarted here" in str(exchange.outcome)
