"""The field's bug reports on share groups: each as a history that a broker of 4.2 or later answers
rightly, or by a listed finding.

The broker has the lowest limit of record locks, and locks may be as short as a second. What a
broker with the fault answers is judged in `test_share_faults_reported.py`.
"""

import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from conformance.cluster import Cluster
from conformance.engine.play_result import Played
from conformance.placement.placed_partition import Placed, PlacedPartition
from conformance.play.background import play_alone
from conformance.subjects.share.broker_player import ShareBrokerPlayer
from conformance.subjects.share.history import ShareHistory
from conformance.wire.connection import Connection
from generators.share.histories import FEW_LOCKS
from spec.judge import judge
from spec.kafka import Error
from spec.layout import Batch, Layout, Partition
from spec.scenario import Scenario
from spec.share.examples import FIVES, confirm, fetch, fetch_again, history, plain
from spec.share.outcomes import Acquired, GroupChanged, ShareAcknowledgeAnswer, ShareFetchAnswer
from spec.share.releases import ShareSemantics
from spec.share.steps import BATCH_OPTIMIZED, RECORD_LIMIT, AlterGroupConfig, RestartBroker
from spec.steps import Append
from spec.verdict import Side
from tests.cases.case import acquired, broken, fetched
from tests.cases.conftest import started
from tests.cases.share_histories import (
    ACKS_AT_EPOCH_ZERO,
    ACKS_BELOW_THE_LOG_START,
    ACKS_DOWNWARDS,
    ACKS_THAT_FAIL_AS_ONE,
    CLOSING_WITH_PARTITIONS,
    COLON,
    COORDINATOR_OF_COLON,
    FORGOTTEN_AND_ACKNOWLEDGED,
    FULL_CACHE,
    GONE,
    LATE_ACK,
    NAMED_TO_ACKNOWLEDGE,
    ONE_LARGE,
    RELEASED_AT_THE_LIMIT,
    SECOND_LOCKS,
    TENS,
    THIRTY_OF_A_HUNDRED,
    WAITING_AT_THE_LIMIT,
    WORN,
    WORN_RANGES,
)

pytestmark = pytest.mark.broker

Play = Callable[[Scenario], Played]


@pytest.fixture(scope="module")
def player() -> Iterator[ShareBrokerPlayer]:
    """A player on a broker with few and short locks."""
    with started(ShareBrokerPlayer, tuple(sorted((*FEW_LOCKS, *SECOND_LOCKS)))) as found:
        yield found


def data(played: Played) -> list[list[tuple[int, int]]]:
    """The (base offset, size) of the batches that came with what was acquired."""
    return [[(batch.base, batch.size) for batch in part.batches] for part in fetched(played)]


def acknowledged(played: Played) -> list[int]:
    """The error codes of acknowledgements of partition 0, one after the other."""
    answers = [
        exchange.outcome
        for exchange in played.observation.exchanges
        if isinstance(exchange.outcome, ShareAcknowledgeAnswer)
    ]
    return [answer.error or dict(answer.partitions)[0] for answer in answers]


def test_s01_a_batch_above_the_byte_limit_comes_all_the_same(play: Play) -> None:
    played = play(ONE_LARGE)
    assert data(played) == [[(0, 20072)]]
    assert broken(played) == set()


def test_s02_one_fetch_passes_the_lock_limit_by_no_more_than_a_batch(play: Play) -> None:
    played = play(history((TENS,), fetch(0, max_records=1000)))
    assert acquired(played) == [(Acquired(0, 119),)]
    assert ("SHR-112", "strict", False) in played.judgement.readings
    assert broken(played) == set()


def test_s02_a_fetch_after_a_release_passes_the_lock_limit_by_no_more_than_a_batch(
    play: Play,
) -> None:
    played = play(RELEASED_AT_THE_LIMIT)
    assert acquired(played) == [(Acquired(0, 89),), (Acquired(90, 119),), (Acquired(0, 29, 2),)]
    assert broken(played) == set()


def test_s04_a_batch_near_its_last_delivery_comes_in_halves_and_each_record_alone_at_last(
    play: Play,
) -> None:
    played = play(WORN)
    assert acquired(played) == [(one,) for one in WORN_RANGES]
    assert ("SHR-170", "whole", False) in played.judgement.readings
    assert broken(played) == set()


def test_s05_a_group_whose_name_holds_a_colon_reads_like_any_other(play: Play) -> None:
    played = play(COLON)
    assert acquired(played) == [(Acquired(0, 4),)]
    assert broken(played) == set()


def test_s05_a_coordinator_is_found_for_a_group_whose_name_holds_a_colon(play: Play) -> None:
    played = play(COORDINATOR_OF_COLON)
    assert played.observation.exchanges[-1].outcome == GroupChanged(0)
    assert broken(played) == set()


def test_s07_a_fetch_that_waits_at_the_lock_limit_is_woken_by_what_another_fetch_accepts(
    play: Play,
) -> None:
    played = play(WAITING_AT_THE_LIMIT)
    assert acquired(played) == [(Acquired(0, 99),), (Acquired(100, 199),)]
    woken = next(verdict for verdict in played.judgement.verdicts if verdict.clause == "SHR-144")
    assert woken.sides == Side.BELOW
    assert broken(played) == set()


def test_s09_a_group_is_drained_over_records_that_compaction_took_out(play: Play) -> None:
    played = play(GONE)
    assert acquired(played) == [
        (Acquired(0, 19),),
        (Acquired(0, 4, 2),),
        (Acquired(10, 19, 2),),
        (Acquired(20, 24),),
    ]
    assert acknowledged(played) == [0, 0, 0, 0]
    assert broken(played) == set()


def test_s11_acknowledging_at_epoch_zero_is_refused_and_leaves_the_session_as_it_was(
    play: Play,
) -> None:
    played = play(ACKS_AT_EPOCH_ZERO)
    refused = played.observation.exchanges[-2].outcome
    assert isinstance(refused, ShareFetchAnswer)
    assert refused.error == Error.INVALID_REQUEST
    assert acknowledged(played) == [0]
    assert broken(played) == set()


def test_s11_a_late_acknowledgement_of_what_another_holds_by_now_is_refused(play: Play) -> None:
    played = play(LATE_ACK)
    assert acquired(played) == [(Acquired(0, 9),), (Acquired(0, 9, 2),)]
    assert acknowledged(played) == [Error.INVALID_RECORD_STATE]
    assert broken(played) == set()


def test_s11_ranges_that_go_down_are_refused(play: Play) -> None:
    played = play(ACKS_DOWNWARDS)
    assert acknowledged(played) == [Error.INVALID_REQUEST]
    assert broken(played) == set()


def made_topic(cluster: Cluster, connection: Connection, name: str) -> PlacedPartition:
    """A topic of one partition, once it has a leader."""
    topic = {"name": name, "num_partitions": 1, "replication_factor": -1}
    answer = connection.ask(
        "CreateTopics",
        cluster.version("CreateTopics", 7),
        {"topics": [topic], "timeout_ms": 30_000},
    )
    assert answer["topics"][0]["error_code"] == 0
    deadline = time.monotonic() + cluster.timeout
    while True:
        assert time.monotonic() < deadline, f"expected a leader for topic {name}, found none"
        result = connection.ask(
            "Metadata",
            cluster.version("Metadata", 12),
            {"topics": [{"name": name, "topic_id": bytes(16)}]},
        )["topics"][0]
        if not result["error_code"] and all(
            not part["error_code"] for part in result["partitions"]
        ):
            return PlacedPartition(name, result["topic_id"], 0, 0, 0, 0)


def test_s14_a_topic_that_was_made_again_is_read_from_its_start(player: ShareBrokerPlayer) -> None:
    group, name = f"again-{secrets.token_hex(4)}", f"again-{secrets.token_hex(4)}"
    player.play_one(COLON)  # the coordinators are up from here on
    connection = player.deployment.connection
    earliest = AlterGroupConfig((("share.auto.offset.reset", "earliest"),))
    for records in (10, 3):
        scenario = Scenario(
            Layout((Partition(),)),
            (earliest, Append(0, Batch(200, records)), fetch(0), confirm(0, records - 1)),
            player.config,
        )
        placed = Placed(scenario.layout, (made_topic(player.cluster, connection, name),))
        semantics = player.semantics.of(ShareSemantics)
        observation = play_alone(
            ShareHistory(player.cluster, scenario, placed, semantics=semantics, group=group)
        )
        played = Played(scenario, observation, judge(scenario, observation, player.semantics))
        assert acquired(played) == [(Acquired(0, records - 1, 1),)]
        assert broken(played) == set()
        value = {"topics": [{"name": name, "topic_id": bytes(16)}], "timeout_ms": 30_000}
        deleted = connection.ask("DeleteTopics", player.cluster.version("DeleteTopics", 6), value)
        assert deleted["responses"][0]["error_code"] == 0


def test_s15_neighbours_that_are_delivered_again_are_reported_as_one_range(play: Play) -> None:
    played = play(THIRTY_OF_A_HUNDRED)
    assert acquired(played) == [(Acquired(0, 99),), (Acquired(0, 29, 2),)]
    assert broken(played) == set()


@pytest.mark.parametrize(
    ("mode", "version", "ranges"),
    [
        (BATCH_OPTIMIZED, 2, (Acquired(0, 4), Acquired(5, 9))),
        (RECORD_LIMIT, 2, (Acquired(0, 5),)),
        (BATCH_OPTIMIZED, 1, (Acquired(0, 4), Acquired(5, 9))),
    ],
)
def test_a01_both_modes_send_the_two_batches_that_six_records_need(
    play: Play, mode: int, version: int, ranges: tuple[Acquired, ...]
) -> None:
    fives = Partition(((Batch(146, 5), Batch(146, 5), Batch(146, 5)),))
    played = play(
        history((fives,), fetch(0, max_records=6, batch_size=2, mode=mode, version=version))
    )
    assert acquired(played) == [ranges]
    assert data(played) == [[(0, 146), (5, 146)]]
    assert broken(played) == set()


@pytest.mark.parametrize(
    ("mode", "ranges"),
    [
        (RECORD_LIMIT, [(Acquired(0, 4),), (Acquired(5, 9),), (Acquired(10, 14),)]),
        (BATCH_OPTIMIZED, [(Acquired(0, 99),), (Acquired(5, 99),)]),
    ],
)
def test_a02_after_a_restart_nothing_before_the_start_offset_is_acquired(
    play: Play, mode: int, ranges: list[tuple[Acquired, ...]]
) -> None:
    ask = fetch(0, max_records=5, mode=mode)
    more = (
        (replace(fetch_again(max_records=5, mode=mode), patience_ms=0), confirm(10, 10))
        if mode == BATCH_OPTIMIZED
        else (fetch_again(max_records=5, mode=mode),)
    )
    played = play(history((plain(100),), ask, confirm(0, 4), RestartBroker(), ask, *more))
    assert acquired(played) == ranges
    assert broken(played) == set()


def test_a06_batch_size_zero_gives_a_range_that_ends_before_it_begins(play: Play) -> None:
    played = play(history((FIVES,), fetch(0, batch_size=0)))
    assert acquired(played) == [(Acquired(0, -1), Acquired(0, 4), Acquired(5, 9), Acquired(10, 14))]
    assert broken(played) == {("SHR-127", "inverted range")}


@pytest.mark.parametrize(("mode", "last"), [(BATCH_OPTIMIZED, 19), (RECORD_LIMIT, 9)])
def test_a08_the_limit_counts_offsets_where_compaction_left_fewer_records(
    play: Play, mode: int, last: int
) -> None:
    thinned = Partition(((Batch(200, 5, span=20), Batch(100, 1)),))
    played = play(history((thinned,), fetch(0, max_records=10, mode=mode)))
    assert acquired(played) == [(Acquired(0, last),)]
    assert broken(played) == set()


def test_t06_at_the_lock_limit_what_is_acquired_came_with_its_records(play: Play) -> None:
    played = play(FULL_CACHE)
    assert acquired(played) == [(Acquired(0, 119),), (Acquired(0, 29, 2),)]
    assert data(played)[-1] == [(0, 271)]
    assert broken(played) == set()


def test_t11_a_partition_that_is_named_to_acknowledge_is_in_the_session(play: Play) -> None:
    played = play(NAMED_TO_ACKNOWLEDGE)
    assert [(part.partition, part.acquired) for part in fetched(played)] == [
        (1, (Acquired(0, 9),)),
        (0, (Acquired(0, 9),)),
        (1, (Acquired(10, 19),)),
    ]
    assert broken(played) == set()


def test_t11_acknowledgements_come_before_the_partition_is_forgotten(play: Play) -> None:
    played = play(FORGOTTEN_AND_ACKNOWLEDGED)
    assert [part.partition for part in fetched(played)] == [1, 0, 0]
    accepting = next(one.outcome for one in played.observation.exchanges if one.step == 2)
    assert isinstance(accepting, ShareFetchAnswer)
    assert {part.partition: part.acknowledge_error for part in accepting.partitions}[1] == 0
    assert broken(played) == set()


def test_t13_a_request_that_closes_its_session_acquires_nothing(play: Play) -> None:
    played = play(CLOSING_WITH_PARTITIONS)
    closing = next(one.outcome for one in played.observation.exchanges if one.step == 2)
    assert isinstance(closing, ShareFetchAnswer)
    assert (closing.error, [part.acquired for part in closing.partitions if part.acquired]) == (
        0,
        [],
    )
    assert broken(played) == set()


def test_t13_what_lies_before_the_log_start_counts_as_acknowledged(play: Play) -> None:
    played = play(ACKS_BELOW_THE_LOG_START)
    assert acknowledged(played) == [0]
    assert acquired(played) == [(Acquired(0, 9),), (Acquired(10, 19),)]
    assert broken(played) == set()


def test_t13_ranges_of_one_request_fail_together(play: Play) -> None:
    played = play(ACKS_THAT_FAIL_AS_ONE)
    assert acknowledged(played) == [Error.INVALID_REQUEST, 0, 0]
    assert broken(played) == set()
