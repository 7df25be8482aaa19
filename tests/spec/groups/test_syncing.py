"""A member whose SyncGroup comes when the leader's has made the group Stable has synced too."""

from spec.groups.dry_run import answer_all
from spec.groups.examples import first, history
from spec.groups.outcomes import GroupDescribed
from spec.groups.steps import DescribeGroup, GroupStep, JoinGroup, SyncGroup, WaitFor
from spec.releases import semantics_for

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
