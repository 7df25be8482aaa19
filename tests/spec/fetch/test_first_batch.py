"""Which partition may return a first batch above the limits, whatever the order of the answer."""

from dataclasses import replace

from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
from spec.fetch.steps import Fetch, FetchPartition
from spec.judge import judge
from spec.layout import Batch, Layout, Partition
from spec.model import answer_all
from spec.observation import Observation
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.verdict import Outcome

KAFKA = semantics_for("4.3")
LAYOUT = Layout((Partition(((Batch(300),),)), Partition(((Batch(200),),))))


def violated(limits: tuple[int, int], order: tuple[int, int]) -> set[str]:
    """Ids of the `must` clauses that break where each partition returns what it alone would return
    first, and the answer has this order.
    """
    asked = tuple([FetchPartition(number, 0, limit) for number, limit in enumerate(limits)])
    alone = [first_batch(number) for number in range(2)]
    scenario = Scenario(LAYOUT, (Fetch(asked),))
    [exchange] = answer_all(scenario, KAFKA).exchanges
    assert isinstance(exchange.outcome, FetchAnswer)
    answer = replace(exchange.outcome, partitions=tuple([alone[number] for number in order]))
    observed = Observation((replace(exchange, outcome=answer),))
    return {
        verdict.clause
        for verdict in judge(scenario, observed, KAFKA).breaks
        if verdict.outcome is Outcome.VIOLATES
    }


def first_batch(number: int) -> PartitionAnswer:
    """What the reference returns of one partition that is asked for alone."""
    scenario = Scenario(LAYOUT, (Fetch((FetchPartition(number, 0),)),))
    [exchange] = answer_all(scenario, KAFKA).exchanges
    assert isinstance(exchange.outcome, FetchAnswer)
    [found] = exchange.outcome.partitions
    return found


def test_the_first_served_may_return_a_first_batch_above_its_limit_and_be_answered_last() -> None:
    assert not violated(limits=(100, 1000), order=(0, 1))
    assert not violated(limits=(100, 1000), order=(1, 0))


def test_one_that_a_broker_served_first_may_though_it_was_asked_for_second() -> None:
    assert not violated(limits=(1000, 100), order=(1, 0))


def test_two_partitions_never_both_return_a_first_batch_above_their_limits() -> None:
    assert violated(limits=(100, 100), order=(0, 1)) == {"FET-001"}
    assert violated(limits=(100, 100), order=(1, 0)) == {"FET-001"}
