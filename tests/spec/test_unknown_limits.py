"""A broker whose limits nobody says is not judged by Kafka's defaults."""

import pytest

from spec.judge import judge
from spec.offsets.examples import EMPTY, commit, play_on
from spec.offsets.releases import OffsetSemantics
from spec.offsets.steps import Text
from spec.outcomes import Closed
from spec.produce.examples import empty
from spec.produce.releases import ProduceSemantics
from spec.produce.steps import Claim, InitProducer, Outgoing, Produce, UseTopic
from spec.produce.topic import TopicSettings
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.subject_registry import subject_named

KAFKA = semantics_for("4.3")
UNKNOWN = KAFKA.with_decisions(
    ProduceSemantics, knows_request_max=False, knows_transaction_max=False
).with_decisions(OffsetSemantics, knows_metadata_max=False)
TIMEOUTS = Scenario(empty(1), (InitProducer(0), InitProducer(0, 2000)))
METADATA = play_on(EMPTY, commit(5), commit(2000), commit(2000, Text.ACCENTED))
LENGTHS = Scenario(
    empty(1), (UseTopic(TopicSettings()), Produce((Outgoing(0, 200),), length=20_000))
)
LOWER = KAFKA.with_decisions(
    ProduceSemantics, request_max_bytes=10_000, transaction_max_ms=1000
).with_decisions(OffsetSemantics, metadata_max=100)
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
    ],
)
def test_a_limit_that_nobody_says_is_not_judged(
    scenario: Scenario, broker: Semantics, clauses: set[str]
) -> None:
    assert broken(scenario, broker, KAFKA) >= clauses
    assert broken(scenario, broker, UNKNOWN) == set()
    assert broken(scenario, broker, broker) == set()


def test_who_holds_the_epoch_gets_the_next_whatever_the_limit() -> None:
    scenario = Scenario(empty(1), (InitProducer(0), InitProducer(0, claim=Claim.NOW)))
    observation = subject_named("produce").answer_all(scenario, KAFKA)
    assert judge(scenario, observation, UNKNOWN).breaks == ()


def test_a_short_request_without_an_answer_breaks_a_clause_whatever_the_limit() -> None:
    scenario = Scenario(empty(1), (UseTopic(TopicSettings()), Produce((Outgoing(0, 200),))))
    observation = subject_named("produce").answer_all(
        scenario, LOWER.with_decisions(ProduceSemantics, request_max_bytes=10)
    )
    assert isinstance(observation.exchanges[1].outcome, Closed)
    assert "PRO-061" in {one.clause for one in judge(scenario, observation, UNKNOWN).breaks}
