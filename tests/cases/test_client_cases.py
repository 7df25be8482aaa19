"""The field's bug reports on clients, each as a history: the model of Kafka's consumer is right, a
client with the reported fault is named by a clause, and a broker serves what is right.
"""

import secrets
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from conformance.engine.play_result import Played
from conformance.subjects.fairness.faults import FAULTS
from conformance.subjects.fairness.player import ClientBrokerPlayer
from conformance.subjects.fetch.broker_player import FetchBrokerPlayer
from spec.fairness.dry_run import KAFKA as CLIENT
from spec.fairness.dry_run import Client, answer_all
from spec.fairness.examples import COMMITTED, at_most, batches_of_ten, history, polls, share_example
from spec.fairness.model.reader import CollectedRecords, Reader, collect
from spec.fairness.outcomes import PollReturned, PositionReturned
from spec.fairness.releases import DeliveryOrder, FairnessSemantics, ParseError
from spec.fairness.steps import AskPosition, FailPartition, SeekTo, StartClient
from spec.judge import judge
from spec.kafka import READ_COMMITTED, Error
from spec.layout import Batch, Codec, Marker, Partition
from spec.observation import Observation
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.verdict import Outcome

Play = Callable[[Scenario], Played]
KAFKA = semantics_for("4.3")
MOST_RECORDS = 500
"""The default of `max.poll.records`."""
DRAFT = KAFKA.with_part(FairnessSemantics(DeliveryOrder.ROUND_ROBIN, ParseError.MOVED_TO_END))
HUNDRED = Partition(((Batch(5000, 100),),))
ABORTED_FIVE = Partition(
    (tuple([entry for txn in range(5) for entry in (Batch(100, txn=txn), Marker(txn, False))]),)
)


def of_fault(name: str) -> Client:
    """A client with a planted fault."""
    return next(fault.client for fault in FAULTS if fault.name == name)


def broken(scenario: Scenario, client: Client = CLIENT) -> set[str]:
    """The clauses that a client breaks in a history, by the model."""
    return broken_in(scenario, answer_all(scenario, KAFKA, client))


def broken_in(scenario: Scenario, observation: Observation) -> set[str]:
    """The clauses that are broken in what was observed."""
    return {
        verdict.clause
        for verdict in judge(scenario, observation, KAFKA).verdicts
        if verdict.outcome in {Outcome.VIOLATES, Outcome.DEVIATES}
    }


def offsets(observation: Observation) -> list[list[tuple[int, int]]]:
    """(partition, offset) of what each poll returned, of those that returned something."""
    returned = [one.outcome for one in observation.exchanges]
    return [
        [(record.partition, record.offset) for record in one.records]
        for one in returned
        if isinstance(one, PollReturned) and one.records
    ]


def positions(observation: Observation) -> list[int | None]:
    """The positions that were reported."""
    returned = [one.outcome for one in observation.exchanges]
    return [one.offset for one in returned if isinstance(one, PositionReturned)]


def _limit_for_each_partition(
    reader: Reader, most: int, semantics: FairnessSemantics
) -> CollectedRecords:
    """Count max.poll.records for each partition alone (KAFKA-15836)."""
    got = collect(reader, most, semantics)
    if len(got.records) < most or not got.reader.queue:
        return got
    more = collect(replace(got.reader, current=None), most, semantics)
    return replace(more, records=(*got.records, *more.records))


M02 = history(
    (Partition(((Batch(200, 3),),)), Partition(((Batch(200, 3),),))), *polls(4), start=at_most(2)
)
M04 = history(
    (Partition(((Batch(1000, 80), Batch(1000, 40, Codec.GZIP)),)),),
    SeekTo(0, 100),
    *polls(2),
    start=at_most(1),
)
R06 = history(
    (batches_of_ten(40), batches_of_ten(1)),
    *polls(12),
    start=StartClient(max_poll_records=10, partition_max_bytes=1151, fetch_max_bytes=1151),
)
T18 = [
    history((COMMITTED,), *polls(5), AskPosition(0)),
    history((COMMITTED,), *polls(7), AskPosition(0), start=at_most(1)),
    history((COMMITTED,), *polls(5), AskPosition(0), start=StartClient(partition_max_bytes=300)),
    history(
        (ABORTED_FIVE,), *polls(5), AskPosition(0), start=StartClient(isolation=READ_COMMITTED)
    ),
]


def test_r02_the_next_poll_continues_today_and_takes_turns_under_the_draft() -> None:
    scenario = history((HUNDRED,) * 3, *polls(6), start=at_most(50))
    of_today, of_draft = answer_all(scenario, KAFKA), answer_all(scenario, DRAFT)
    assert [poll[0][0] for poll in offsets(of_today)] == [0, 0, 1, 1, 2, 2]
    assert [poll[0][0] for poll in offsets(of_draft)] == [0, 1, 2, 0, 1, 2]
    assert broken_in(scenario, of_today) == set()
    assert broken_in(scenario, of_draft) == {"FAI-040"}
    readings = {(name, fits) for _, name, fits in judge(scenario, of_draft, KAFKA).readings}
    assert readings == {("greedy", False), ("round_robin", True)}


def test_r06_a_hot_partition_lets_a_small_one_through_within_a_few_rounds() -> None:
    found = answer_all(R06, KAFKA)
    assert broken_in(R06, found) == set()
    assert 1 in [poll[0][0] for poll in offsets(found)][:5]


def test_m02_a_poll_counts_its_records_over_all_partitions() -> None:
    found = answer_all(M02, KAFKA)
    assert offsets(found) == [[(0, 0), (0, 1)], [(0, 2), (1, 0)], [(1, 1), (1, 2)]]
    assert broken_in(M02, found) == set()
    assert "FAI-014" in broken(M02, Client(collecting=_limit_for_each_partition))


def test_m04_what_lies_before_the_position_is_dropped_before_it_is_counted() -> None:
    assert offsets(answer_all(M04, KAFKA)) == [[(0, 100)], [(0, 101)]]
    assert broken(M04) == set()
    assert "FAI-021" in broken(M04, of_fault("repeats-batch"))


@pytest.mark.parametrize("scenario", T18)
def test_t18_a_reader_that_ends_at_the_end_offset_ends(scenario: Scenario) -> None:
    found = answer_all(scenario, KAFKA)
    end = 10 if scenario is T18[-1] else 4
    assert positions(found) == [end]
    assert broken_in(scenario, found) == set()
    assert "FAI-031" in broken(scenario, of_fault("stands-before-marker"))


def test_t28_one_option_changes_its_own_field_alone() -> None:
    layout = (Partition(((Batch(10_000),) * 5,)),) * 2
    one = history(layout, *polls(3), start=StartClient(partition_max_bytes=20_000))
    other = history(layout, *polls(3), start=StartClient(fetch_max_bytes=30_000))
    for scenario in (one, other):
        assert broken(scenario) == set()
    assert "FAI-050" in broken(one, of_fault("option-overwritten"))
    assert "FAI-050" not in broken(other, of_fault("option-overwritten"))


ILLEGAL_STATE = history(
    (Partition(((Batch(100), Batch(100)),)),) * 2,
    FailPartition(0, Error.INVALID_REQUEST, 1),
    *polls(4),
    start=StartClient(partition_max_bytes=150),
)
"""A response with a record of one partition, and an unexpected error of the other behind it."""


def test_records_that_a_failing_poll_had_taken_are_lost_at_an_error() -> None:
    """What Kafka's consumer does at an error that it does not expect: it throws at once."""
    reordered = Client(queueing=lambda chunks: tuple(sorted(chunks, key=lambda one: one.error)))
    found = judge(ILLEGAL_STATE, answer_all(ILLEGAL_STATE, KAFKA, reordered), KAFKA).breaks
    assert {(one.clause, one.signature) for one in found} >= {("FAI-020", "lost at an error")}
    skipped = judge(T18[1], answer_all(T18[1], KAFKA, of_fault("skips-records")), KAFKA).breaks
    assert ("FAI-020", "lost at an error") not in {(one.clause, one.signature) for one in skipped}


@pytest.mark.parametrize("records", [1, 499, 500, 501, 600, 1001])
def test_t14_a_share_consumer_delivers_what_was_acquired_beyond_its_limit(records: int) -> None:
    batch = Partition(((Batch(20 * records + 100, records),),))
    scenario = share_example((batch,), *polls(6))
    found = answer_all(scenario, KAFKA)
    delivered = [one for poll in offsets(found) for one in poll]
    assert delivered == [(0, offset) for offset in range(records)]
    assert broken_in(scenario, found) == set()
    lost = broken(scenario, of_fault("share-loses-over-limit"))
    assert ("FAI-063" in lost) == (records > MOST_RECORDS)


@pytest.fixture(scope="module")
def consume(player: FetchBrokerPlayer) -> Iterator[Play]:
    """Plays one history with the own consumer on the broker of the fetches."""
    found = ClientBrokerPlayer(
        player.cluster, player.semantics, f"cases-clients-{secrets.token_hex(4)}"
    )
    yield found.play_one
    found.close()


@pytest.mark.broker
@pytest.mark.parametrize("scenario", [M02, M04, R06, *T18])
def test_a_broker_serves_what_the_model_predicts(consume: Play, scenario: Scenario) -> None:
    played = consume(scenario)
    assert broken_in(scenario, played.observation) == set()
    expected = answer_all(scenario, KAFKA)
    assert offsets(played.observation) == offsets(expected)
    assert positions(played.observation) == positions(expected)
