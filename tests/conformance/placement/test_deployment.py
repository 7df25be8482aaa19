"""Layouts lie on the broker as the model says, whatever lay in the pooled partitions before."""

import secrets
from collections.abc import Iterator

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.facts import read_facts, semantics_of
from conformance.placement.problem import PlacementFailed
from conformance.subjects.fetch.broker_player import FetchBrokerPlayer
from conformance.systems.embedded import Embedded
from spec.fetch.outcomes import FetchAnswer
from spec.fetch.steps import Fetch, FetchPartition
from spec.layout import Batch, Layout, Marker, Partition
from spec.log import log_of
from spec.scenario import Scenario
from spec.steps import Append

pytestmark = pytest.mark.broker


@pytest.fixture(scope="module")
def player() -> Iterator[FetchBrokerPlayer]:
    with Embedded("4.3.1") as broker:
        cluster = reach(*broker.address, make_codec())
        found = FetchBrokerPlayer(
            cluster, semantics_of(read_facts(cluster)), f"deployment-{secrets.token_hex(4)}"
        )
        yield found
        found.close()


def read(player: FetchBrokerPlayer, layout: Layout, offset: int = 0) -> FetchAnswer:
    played = player.play_one(Scenario(layout, (Fetch((FetchPartition(0, offset),)),)))
    assert played.judgement.breaks == ()
    found = played.observation.exchanges[0].outcome
    assert isinstance(found, FetchAnswer)
    return found


THREE_SEGMENTS = Layout((Partition(((Batch(100),), (Batch(150), Batch(200)), (Batch(300),))),))


def test_segments_start_where_the_layout_says(player: FetchBrokerPlayer) -> None:
    assert [read(player, THREE_SEGMENTS, offset).partitions[0].size for offset in range(4)] == [
        100,
        350,
        200,
        300,
    ]


def test_segments_start_where_the_layout_says_after_an_append_opened_the_partition(
    player: FetchBrokerPlayer,
) -> None:
    empty = Layout((Partition(),))
    for _ in range(40):
        player.play_one(Scenario(empty, (Append(0, Batch(100)), Fetch((FetchPartition(0, 0),)))))
    for _ in range(40):
        assert read(player, THREE_SEGMENTS).partitions[0].size == 100


def test_transactions_interleave_and_an_open_one_holds_the_last_stable_offset(
    player: FetchBrokerPlayer,
) -> None:
    entries = (
        Batch(100, txn=0),
        Batch(120, txn=1),
        Marker(1, commit=False),
        Batch(140, records=3),
        Batch(100, txn=0),
    )
    layout = Layout((Partition((entries,)),))
    answer = read(player, layout).partitions[0]
    log = log_of(layout.partitions[0])
    assert (answer.high_watermark, answer.last_stable_offset) == (log.end, 0) == (7, log.stable)
    assert answer.size == 100 + 120 + 78 + 140 + 100


def test_the_log_start_may_lie_inside_a_batch(player: FetchBrokerPlayer) -> None:
    answer = read(
        player,
        Layout((Partition(((Batch(150, records=5), Batch(120, records=3)),), log_start=3),)),
        3,
    )
    assert answer.partitions[0].log_start_offset == 3
    assert answer.partitions[0].batches[0].base == 0


def test_a_layout_with_holes_is_refused(player: FetchBrokerPlayer) -> None:
    with pytest.raises(PlacementFailed, match="no Produce request can write it"):
        player.deployment.place([Layout((Partition(((Batch(100, gap=3),),)),))])
