"""Segment files made by hand: their bytes, and what a broker makes of them."""

import secrets
from collections.abc import Iterator

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import Cluster, reach
from conformance.engine.live_broker import LiveBroker
from conformance.engine.start import restarts_of
from conformance.facts import read_facts, semantics_of
from conformance.placement.crafted import batches_to_write
from conformance.placement.pool import Pooled
from conformance.placement.problem import PlacementFailed
from conformance.subjects.fetch.broker_player import FetchBrokerPlayer
from conformance.systems.embedded import Embedded
from conformance.wire.batches import parse_batches
from conformance.wire.negotiation import ApiVersions
from spec.fetch.outcomes import FetchAnswer
from spec.fetch.steps import Fetch, FetchPartition
from spec.layout import Batch, Codec, Layout, Marker, Partition
from spec.log import log_of
from spec.scenario import Scenario
from spec.steps import Append

SLOT = Pooled("topic", bytes(16), 3, leader_epoch=2, end=10, first_timestamp=1000)
MARKED = Partition(
    (
        (Batch(100, 2), Batch(150, 3, Codec.GZIP, gap=1)),
        (
            Batch(100, gap=5),
            Batch(200, 2, span=10),
            Batch(61, 0, span=5),
            Batch(39, magic=1),
            Batch(31, magic=0),
        ),
    )
)


def test_batches_lie_where_the_layout_says_and_are_sound() -> None:
    made = list(batches_to_write(MARKED, SLOT))
    headers = [parse_batches(one.data).batches[0] for one in made]
    assert [header.size for header in headers] == [100, 150, 100, 200, 61, 39, 31]
    assert [header.magic for header in headers] == [2, 2, 2, 2, 2, 1, 0]
    assert [(header.base_offset, header.last_offset) for header in headers] == [
        (10, 11),
        (13, 15),
        (21, 21),
        (22, 31),
        (32, 36),
        (37, 37),
        (38, 38),
    ]
    assert [header.records_count for header in headers[:5]] == [2, 3, 1, 2, 0]
    assert all(header.crc_ok for header in headers)
    assert {header.partition_leader_epoch for header in headers[:5]} == {2}
    assert {header.max_timestamp for header in headers[:6]} == {1000}


def test_a_hole_between_segments_lies_half_in_each() -> None:
    assert [one.segment for one in batches_to_write(MARKED, SLOT)] == [10, 10, 19, 19, 19, 19, 19]
    single = Partition(((Batch(100),), (Batch(100, gap=1),)))
    assert [one.segment for one in batches_to_write(single, SLOT)] == [10, 12]


def test_a_hole_in_front_of_the_log_lies_in_its_first_segment() -> None:
    assert [
        (one.segment, one.base)
        for one in batches_to_write(Partition(((Batch(100, gap=4),),)), SLOT)
    ] == [(10, 14)]


def test_holes_and_transactions_together_are_refused() -> None:
    with pytest.raises(PlacementFailed, match="transactions"):
        list(
            batches_to_write(Partition(((Batch(100, gap=1, txn=0), Marker(0, commit=True)),)), SLOT)
        )


@pytest.fixture(scope="module")
def player() -> Iterator[FetchBrokerPlayer]:
    with Embedded("4.3.1") as broker:
        codec = make_codec()
        cluster = reach(*broker.address, codec)
        name = f"crafted-{secrets.token_hex(4)}"
        found = FetchBrokerPlayer(
            cluster, semantics_of(read_facts(cluster)), name, restarts=restarts_of(broker, codec)
        )
        yield found
        found.close()


def answer(player: FetchBrokerPlayer, layout: Layout, offset: int) -> FetchAnswer:
    played = player.play_one(Scenario(layout, (Fetch((FetchPartition(0, offset),)),)))
    assert played.judgement.breaks == ()
    found = played.observation.exchanges[0].outcome
    assert isinstance(found, FetchAnswer)
    return found


@pytest.mark.broker
def test_crafted_layouts_are_served_as_the_model_says_next_to_others_and_after_them(
    player: FetchBrokerPlayer,
) -> None:
    plain = Layout((Partition(((Batch(100), Batch(150)),)),))
    assert answer(player, plain, 0).partitions[0].size == 250
    started = Layout((Partition(MARKED.segments, log_start=7),))
    emptied = Layout((Partition(((Batch(100), Batch(61, 0, span=4)),)),))
    layouts = [Layout((MARKED,)), plain, started, emptied]
    end = log_of(MARKED).end
    placed = player.place(layouts)
    fetches = [
        (0, Fetch((FetchPartition(0, offset),), version=version))
        for offset in range(end + 1)
        for version in (4, 12, 16)
    ]
    fetches += [
        (1, Fetch((FetchPartition(0, 1),))),
        *[(2, Fetch((FetchPartition(0, offset),))) for offset in range(6, end + 1)],
    ]
    fetches += [(3, Fetch((FetchPartition(0, offset),))) for offset in range(6)]
    found = dict(player.ask(placed, fetches))
    assert len(found) == len(fetches)
    assert [played.judgement.breaks for played in found.values() if played.judgement.breaks] == []
    exercised = {
        verdict.clause for played in found.values() for verdict in played.judgement.verdicts
    }
    assert {"FET-022", "FET-023", "FET-122"} <= exercised
    for one in placed:
        player.deployment.release(one)
    assert answer(player, plain, 0).partitions[0].size == 250


@pytest.mark.broker
def test_a_broker_that_restarts_appends_behind_a_crafted_log(player: FetchBrokerPlayer) -> None:
    layout = Layout((Partition(((Batch(100, gap=2), Batch(39, magic=1)),)),))
    played = player.play_one(
        Scenario(layout, (Append(0, Batch(100)), Fetch((FetchPartition(0, 0),))))
    )
    assert played.judgement.breaks == ()
    assert [exchange.step for exchange in played.observation.exchanges] == [0, 1]


def test_a_player_that_can_place_no_files_says_what_it_takes() -> None:
    nowhere = Cluster("localhost", 1, make_codec(), ApiVersions(0, 3, {}, {}, {}, -1))
    broker = LiveBroker(nowhere, None)

    class Untouched(FetchBrokerPlayer):
        def __init__(self) -> None:
            self.broker = broker

    with pytest.raises(PlacementFailed, match="takes a broker that Fencepost starts"):
        Untouched().restart((), [Layout((MARKED,))])
    broker.close()
