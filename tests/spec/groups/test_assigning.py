"""A member is given what its leader assigned (GRP-165)."""

import pytest

from spec.frozen import replace
from spec.groups.dry_run import answer_all
from spec.groups.examples import alone, history, pair, static, static_pair
from spec.groups.outcomes import Assigned, GroupAnswer
from spec.groups.steps import SyncGroup
from spec.judge import judge
from spec.observation import Observation
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.verdict import Outcome

SEMANTICS = semantics_for("4.3")
CLAUSE = "GRP-165"


def syncs_of(scenario: Scenario, observation: Observation) -> list[int]:
    """The exchanges of SyncGroups that were answered without an error."""
    return [
        number
        for number, exchange in enumerate(observation.exchanges)
        if isinstance(scenario.steps[exchange.step], SyncGroup)
        and getattr(exchange.outcome, "error", 1) == 0
    ]


def verdict(scenario: Scenario, changed: int, assigned: Assigned) -> Outcome | None:
    """The clause's verdict where one SyncGroup is answered with another assignment."""
    observation = answer_all(scenario, SEMANTICS)
    outcome = observation.exchanges[changed].outcome
    assert isinstance(outcome, GroupAnswer)
    exchanges = list(observation.exchanges)
    exchanges[changed] = replace(exchanges[changed], outcome=replace(outcome, assigned=assigned))
    found = judge(scenario, Observation(tuple(exchanges)), SEMANTICS)
    return next((one.outcome for one in found.verdicts if one.clause == CLAUSE), None)


@pytest.mark.parametrize(
    "assigned", [Assigned.NOTHING, Assigned.OTHER, Assigned.EARLIER, Assigned.STRANGE]
)
@pytest.mark.parametrize("scenario", [history(*pair()), history(*alone(), SyncGroup(0))])
def test_another_assignment_than_the_own_one_breaks_it(
    scenario: Scenario, assigned: Assigned
) -> None:
    for sync in syncs_of(scenario, answer_all(scenario, SEMANTICS)):
        assert verdict(scenario, sync, assigned) is Outcome.VIOLATES


def test_an_assignment_of_which_nothing_is_known_breaks_nothing() -> None:
    scenario = history(*alone())
    (sync,) = syncs_of(scenario, answer_all(scenario, SEMANTICS))
    assert verdict(scenario, sync, Assigned.OWN) is Outcome.CONFORMS
    assert verdict(scenario, sync, Assigned.UNKNOWN) is not Outcome.VIOLATES


def test_what_a_static_member_is_given_under_a_new_id_is_not_known() -> None:
    back, again = static(0, "i0", parked=False), SyncGroup(0, instance="i0")
    scenario = history(*static_pair(), back, again, SyncGroup(1, instance="i1"), limit=3)
    *_, new, other = [exchange.outcome for exchange in answer_all(scenario, SEMANTICS).exchanges]
    assert new == GroupAnswer(0)
    assert other == GroupAnswer(0, assigned=Assigned.OWN)
