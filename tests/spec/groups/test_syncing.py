"""A member whose SyncGroup comes when the leader's has made the group Stable has synced too."""

import pytest

from spec.frozen import replace
from spec.groups.dry_run import answer_all
from spec.groups.examples import first, history
from spec.groups.outcomes import GroupDescribed
from spec.groups.steps import NEW, DescribeGroup, GroupStep, JoinGroup, SyncGroup, WaitFor
from spec.judge import judge
from spec.observation import Observation
from spec.releases import semantics_for
from spec.scenario import Scenario

REBALANCE_MS = 300
SEMANTICS = semantics_for("4.3")


def joins(actor: int) -> JoinGroup:
    return JoinGroup(actor, rebalance_ms=REBALANCE_MS, parked=True)


def described(*steps: GroupStep) -> tuple[str, int]:
    """The group once the leader of two members has synced, these steps are over and the phase is
    too.
    """
    over = WaitFor(3 * REBALANCE_MS, 9), DescribeGroup(9)
    made = (first(0), joins(0), SyncGroup(0), first(1), joins(1), joins(0), SyncGroup(0))
    scenario = history(*made, *steps, *over)
    outcome = answer_all(scenario, SEMANTICS).exchanges[-1].outcome
    assert isinstance(outcome, GroupDescribed)
    return outcome.state, outcome.members


def test_a_late_sync_keeps_its_member() -> None:
    assert described(SyncGroup(1)) == ("Stable", 2)


def test_a_missing_sync_removes_its_member() -> None:
    state, members = described()
    assert (state, members) != ("Stable", 2)


def restarted(*steps: GroupStep) -> Scenario:
    """A static member comes back without its id before it has sent SyncGroup in a Stable group of
    two, these steps are over and the phase is too.
    """
    one, other = (
        JoinGroup(actor, NEW, f"i{actor}", rebalance_ms=REBALANCE_MS, parked=True)
        for actor in (0, 1)
    )
    made = (one, SyncGroup(0, instance="i0"), other, SyncGroup(1, instance="i1"), one)
    over = WaitFor(REBALANCE_MS + REBALANCE_MS // 2, 9), DescribeGroup(9)
    return history(*made, *steps, *over, limit=3)


@pytest.mark.parametrize("steps", [(), (SyncGroup(0, instance="i0"),)])
def test_the_reference_rebalances_for_the_old_id_of_a_static_member(
    steps: tuple[GroupStep, ...],
) -> None:
    outcome = answer_all(restarted(*steps), SEMANTICS).exchanges[-1].outcome
    assert outcome == GroupDescribed(state="PreparingRebalance", members=2)


def test_a_broker_that_waits_for_the_new_id_conforms() -> None:
    scenario = restarted(SyncGroup(0, instance="i0"))
    *before, last = answer_all(scenario, SEMANTICS).exchanges
    stays = replace(last, outcome=GroupDescribed(state="Stable", members=2))
    assert not judge(scenario, Observation((*before, stays)), SEMANTICS).breaks
    gone = replace(last, outcome=GroupDescribed(state="Stable", members=1))
    assert judge(scenario, Observation((*before, gone)), SEMANTICS).breaks
