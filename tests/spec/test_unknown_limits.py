"""A broker whose limits nobody says is not judged by Kafka's defaults."""

from dataclasses import replace

import pytest

from spec.judge import judge
from spec.limits.examples import create, grow, history, look, pages
from spec.limits.outcomes import TopicsAnswer
from spec.limits.releases import LimitSemantics
from spec.offsets.examples import EMPTY, commit, play_on
from spec.offsets.releases import OffsetSemantics
from spec.offsets.steps import Text
from spec.outcomes import Closed
from spec.produce.examples import empty
from spec.produce.releases import ProduceSemantics
from spec.produce.steps import CarriedProducer, InitProducer, Outgoing, Produce, UseTopic
from spec.produce.topic import TopicSettings
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.subject_registry import subject_named
from spec.verdict import Outcome

KAFKA = semantics_for("4.3")
UNKNOWN = (
    KAFKA.with_decisions(ProduceSemantics, knows_request_max=False, knows_transaction_max=False)
    .with_decisions(OffsetSemantics, knows_metadata_max=False)
    .with_decisions(LimitSemantics, knows_default_partitions=False, knows_page=False)
)
TIMEOUTS = Scenario(empty(1), (InitProducer(0), InitProducer(0, 2000)))
METADATA = play_on(EMPTY, commit(5), commit(2000), commit(2000, Text.ACCENTED))
LENGTHS = Scenario(
    empty(1), (UseTopic(TopicSettings()), Produce((Outgoing(0, 200),), length=20_000))
)
DEFAULT = history(create("a", -1), grow("a", 2), look("a"))
PAGES = history(create("a", 5), *pages("a", (4, None), (4, 4)))
LOWER = KAFKA.with_decisions(
    ProduceSemantics, request_max_bytes=10_000, transaction_max_ms=1000
).with_decisions(OffsetSemantics, metadata_max=100)
LIMITED = KAFKA.with_decisions(LimitSemantics, default_partitions=3, page=2)
HIGHER = KAFKA.with_decisions(
    ProduceSemantics, request_max_bytes=1 << 30, transaction_max_ms=1 << 30
).with_decisions(OffsetSemantics, metadata_max=30_000)
LONGER_TIMEOUT = Scenario(empty(1), (InitProducer(0, 900_001),))
LONGER_METADATA = play_on(EMPTY, commit(4097), commit(4097, Text.ACCENTED))


def broken(scenario: Scenario, broker: Semantics, judged_by: Semantics) -> set[str]:
    """The clauses that a broker of these limits breaks."""
    observation = subject_named(scenario.subject).answer_all(scenario, broker)
    return {one.clause for one in judge(scenario, observation, judged_by).breaks}


@pytest.mark.parametrize(
    ("scenario", "broker", "clauses"),
    [
        (TIMEOUTS, LOWER, {"PRO-170"}),
        (LONGER_TIMEOUT, HIGHER, {"PRO-170"}),
        (METADATA, LOWER, {"OFF-050", "OFF-051"}),
        (LONGER_METADATA, HIGHER, {"OFF-050", "OFF-051"}),
        (LENGTHS, LOWER, {"PRO-050", "PRO-061"}),
        (DEFAULT, LIMITED, {"LIM-018"}),
        (PAGES, LIMITED, {"LIM-071"}),
    ],
)
def test_a_limit_that_nobody_says_is_not_judged(
    scenario: Scenario, broker: Semantics, clauses: set[str]
) -> None:
    assert broken(scenario, broker, KAFKA) >= clauses
    assert broken(scenario, broker, UNKNOWN) == set()
    assert broken(scenario, broker, broker) == set()


def test_who_holds_the_epoch_gets_the_next_whatever_the_limit() -> None:
    scenario = Scenario(empty(1), (InitProducer(0), InitProducer(0, claim=CarriedProducer.NOW)))
    observation = subject_named("produce").answer_all(scenario, KAFKA)
    assert judge(scenario, observation, UNKNOWN).breaks == ()


def test_a_short_request_without_an_answer_breaks_a_clause_whatever_the_limit() -> None:
    scenario = Scenario(empty(1), (UseTopic(TopicSettings()), Produce((Outgoing(0, 200),))))
    observation = subject_named("produce").answer_all(
        scenario, LOWER.with_decisions(ProduceSemantics, request_max_bytes=10)
    )
    assert isinstance(observation.exchanges[1].outcome, Closed)
    assert "PRO-061" in {one.clause for one in judge(scenario, observation, UNKNOWN).breaks}


def test_a_topic_of_a_size_that_nobody_says_ends_the_scenario() -> None:
    """An answer before version 5 does not say how many partitions a topic got."""
    observation = subject_named("limits").answer_all(DEFAULT, LIMITED)
    first = observation.exchanges[0]
    assert isinstance(first.outcome, TopicsAnswer)
    entries = tuple([replace(entry, partitions=None) for entry in first.outcome.entries])
    older = replace(
        observation,
        exchanges=(
            replace(first, outcome=replace(first.outcome, entries=entries)),
            *observation.exchanges[1:],
        ),
    )
    assert "LIM-034" in {one.clause for one in judge(DEFAULT, older, KAFKA).breaks}
    judgement = judge(DEFAULT, older, UNKNOWN)
    assert judgement.breaks == ()
    assert Outcome.UNSUPPORTED in {one.outcome for one in judgement.verdicts}
