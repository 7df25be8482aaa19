"""What differs from the reference alone breaks no promise: no `must` rests on the reference's
way.
"""

from functools import cache

import pytest

from conformance.faults.planted import Expected
from conformance.subjects.fetch.faults import FAULTS
from conformance.subjects.fetch.faults.fault import Fault
from generators.drawing import collect
from generators.fetch.fences import sample
from generators.fetch.histories import session_histories, waiting_histories
from generators.layouts import layouts
from spec.fetch.dry_run import answer_all
from spec.fetch.model.answer import answer_fetch
from spec.fetch.model.machine import Answering
from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
from spec.fetch.steps import OWN, Fetch, FetchPartition
from spec.judge import judge
from spec.layout import Batch, Layout, Partition
from spec.observation import Exchange, Observation
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.seen_batch import SeenBatch
from spec.verdict import Outcome

KAFKA = semantics_for("4.3")
SEED = 3
LAYOUTS, HISTORIES = 6, 40
DEVIATIONS = [fault for fault in FAULTS if fault.expected is not Expected.VIOLATES]


LOG = Partition(((Batch(100), Batch(200), Batch(300)),))


@cache
def scenarios() -> tuple[tuple[Scenario, frozenset[str]], ...]:
    """Scenarios, each with what even the reference violates in it: its findings."""
    asked = [
        Scenario(layout, (one.fetch,))
        for layout in collect(layouts(), SEED, LAYOUTS)
        for one in sample(layout, KAFKA)
    ]
    asked += [
        *collect(session_histories(), SEED, HISTORIES),
        *collect(waiting_histories(), SEED, HISTORIES),
    ]
    asked += [
        twice(first, second, limit, 2)
        for first in (0, 1, 2)
        for second in (0, 1, 2)
        for limit in (1, 150, 10_000)
    ]
    return tuple([(scenario, violated(scenario, answer_fetch)) for scenario in asked])


def twice(first: int, second: int, limit: int, partitions: int) -> Scenario:
    """Partition 0 is named first and last, at different offsets."""
    parts = [FetchPartition(number, 0) for number in range(1, partitions)]
    return Scenario(
        Layout((LOG,) * partitions),
        (Fetch((FetchPartition(0, first), *parts, FetchPartition(0, second)), max_bytes=limit),),
    )


def violated(scenario: Scenario, answering: Answering) -> frozenset[str]:
    verdicts = judge(scenario, answer_all(scenario, KAFKA, answering), KAFKA).verdicts
    return frozenset(
        [verdict.clause for verdict in verdicts if verdict.outcome is Outcome.VIOLATES]
    )


def fault(name: str) -> Fault:
    return next(one for one in FAULTS if one.name == name)


@pytest.mark.parametrize("deviation", DEVIATIONS, ids=lambda deviation: deviation.name)
def test_a_deviation_from_the_reference_alone_breaks_no_promise(deviation: Fault) -> None:
    for scenario, findings in scenarios():
        assert violated(scenario, deviation.answering) <= findings, scenario.steps


def test_after_a_full_answer_without_a_partition_the_session_still_has_it() -> None:
    log = Partition(((Batch(1000),) * 3,))
    full = Fetch((FetchPartition(0, 0), FetchPartition(1, 0)), max_bytes=1, epoch=0)
    scenario = Scenario(
        Layout((log, log)),
        (full, *[Fetch(session=OWN, epoch=epoch, max_bytes=1) for epoch in (1, 2, 3)]),
    )
    assert violated(scenario, fault("empty-partitions-left-out").answering) == {"FET-073"}


def test_a_partition_that_was_left_out_of_the_full_answer_may_be_reported_later_or_not() -> None:
    full = Fetch((FetchPartition(0, 3), FetchPartition(1, 3)), epoch=0)
    scenario = Scenario(Layout((LOG, LOG)), (full, Fetch(session=OWN, epoch=1)))
    _, later = answer_all(scenario, KAFKA).exchanges
    nothing = FetchAnswer(session=2, partitions=())
    shown = FetchAnswer(
        session=1, partitions=(PartitionAnswer(0, 0, 3, 3, 0), PartitionAnswer(1, 0, 3, 3, 0))
    )
    for answer in (later.outcome, shown):
        verdicts = judge(
            scenario, Observation((Exchange(0, nothing), Exchange(1, answer))), KAFKA
        ).breaks
        assert {verdict.clause for verdict in verdicts} == {"FET-073"}


def test_a_partition_named_twice_is_still_held_to_its_limits() -> None:
    scenario = twice(0, 0, 50, 1)
    too_much = FetchAnswer(
        partitions=(
            PartitionAnswer(
                0, 0, 3, 3, 0, batches=(SeenBatch(0, 0, 100, 1), SeenBatch(1, 1, 200, 1))
            ),
        )
    )
    verdicts = judge(scenario, Observation((Exchange(0, too_much),)), KAFKA).breaks
    assert "FET-003" in {verdict.clause for verdict in verdicts}


def found(asked: Fetch, named: str) -> dict[str, Outcome]:
    """The outcome by clause of one request to a broker with that fault."""
    scenario = Scenario(Layout((LOG,)), (asked,))
    verdicts = judge(scenario, answer_all(scenario, KAFKA, fault(named).answering), KAFKA).verdicts
    return {verdict.clause: verdict.outcome for verdict in verdicts}


BETTER = {
    "negative-limit-taken-as-zero": ("FET-010", Fetch((FetchPartition(0, 0),), max_bytes=-1)),
    "strange-isolation-level-named": ("FET-044", Fetch((FetchPartition(0, 0),), isolation=2)),
    "session-outside-the-shards-not-found": (
        "FET-036",
        Fetch((FetchPartition(0, 0),), session=2147483647, epoch=1),
    ),
}


@pytest.mark.parametrize("named", BETTER)
def test_a_broker_that_knows_better_than_the_unexpected_error_conforms(named: str) -> None:
    clause, asked = BETTER[named]
    verdicts = found(asked, named)
    assert verdicts[clause] is verdicts["FET-071"] is Outcome.CONFORMS
    assert set(verdicts.values()) <= {Outcome.CONFORMS}


@pytest.mark.parametrize(
    ("named", "better"),
    [
        ("negative-limit-taken-as-none", "negative-limit-taken-as-zero"),
        ("strange-isolation-level-served", "strange-isolation-level-named"),
        ("session-outside-the-shards-wrong-epoch", "session-outside-the-shards-not-found"),
    ],
)
def test_another_answer_still_deviates(named: str, better: str) -> None:
    clause, asked = BETTER[better]
    assert found(asked, named)[clause] is Outcome.DEVIATES
