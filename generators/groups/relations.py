"""Which relations a history of groups has tried."""

from generators.groups.constants import TOGETHER
from spec.groups.steps import (
    NEW,
    OWN,
    STRANGER,
    AlterBrokerConfig,
    DescribeGroup,
    GroupStep,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    MemberCommit,
    MemberOffsetFetch,
    NamedStep,
    RestartWith,
    SyncGroup,
    WaitFor,
)
from spec.scenario import Scenario


def group_relations(scenario: Scenario) -> tuple[str, ...]:
    """The relations that a history has tried, by name, each once, sorted: which steps, and whether
    requests were in flight together.
    """
    found = {
        f"group_step={_step_text(step)}" for step in scenario.steps if isinstance(step, GroupStep)
    }
    pairs = zip(scenario.steps, scenario.steps[1:], strict=False)
    if any(getattr(one, "parked", False) and one.actor != other.actor for one, other in pairs):
        found.add(TOGETHER)
    return tuple(sorted(found))


def all_group_relations() -> frozenset[str]:
    """Every relation that a drawn history can have."""
    joins = [f"dynamic-{member}" for member in (OWN, NEW, STRANGER, "other")] + [f"static-{NEW}"]
    epochs = (0, OWN, -1, 1, 7)
    heartbeats = [
        *[f"ConsumerGroupHeartbeat-{epoch}" for epoch in (*epochs, -2)],
        *[
            f"{step}-{epoch}"
            for step in ("ShareGroupHeartbeat", "StreamsGroupHeartbeat")
            for epoch in epochs
        ],
    ]
    others = (
        SyncGroup,
        Heartbeat,
        LeaveGroup,
        MemberCommit,
        MemberOffsetFetch,
        DescribeGroup,
        AlterBrokerConfig,
        RestartWith,
        WaitFor,
    )
    steps = [
        *[f"JoinGroup-{join}" for join in joins],
        *heartbeats,
        *[step.__name__ for step in others],
    ]
    return frozenset([*[f"group_step={step}" for step in steps], TOGETHER])


def _step_text(step: GroupStep) -> str:
    name = type(step).__name__
    if isinstance(step, JoinGroup):
        membership = "static" if step.instance is not None else "dynamic"
        return f"{name}-{membership}-{step.member if isinstance(step.member, str) else 'other'}"
    return f"{name}-{step.epoch}" if isinstance(step, NamedStep) else name
