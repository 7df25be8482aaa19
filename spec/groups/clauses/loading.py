"""What a restart makes of groups, and of the limits: they are the broker's, and read when it
starts.
"""

from spec.clause import KIP, Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.groups.clauses.sizes import response_of
from spec.groups.examples import (
    alone,
    first,
    heartbeats,
    history,
    pair,
    second,
    size_limits,
    with_one_more_actor,
)
from spec.groups.model.group import Kind, State
from spec.groups.outcomes import GroupDescribed
from spec.groups.releases import SIZE_LIMITS
from spec.groups.steps import (
    AlterBrokerConfig,
    DescribeGroup,
    Heartbeat,
    LeaveGroup,
    RestartWith,
)
from spec.groups.turn import Turn
from spec.scenario import Scenario
from spec.verdict import ABOVE, LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter()


@chapter.clause(
    "GRP-016",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(389, "Proposed Changes, Migration Plan"),
    Code("GroupMetadataManager.java", "6162-6168"),
    slug="groups/restart/over-the-limit",
    fence=Fence("the members that were loaded", Unit.MEMBERS, "the limit after the restart"),
)
def a_group_over_its_limit_rebalances_when_loaded(turn: Turn) -> Held | None:
    """In a classic group that was loaded after a restart and has completed no join phase since, a
    member's Heartbeat is answered with an error, whichever it is, if the group has more members
    than group.max.size, since it is in a join phase. Otherwise it is answered without one, if no
    join phase is under way and the generation is the group's.
    """
    if (
        not isinstance(turn.step, Heartbeat)
        or not turn.arrives
        or not turn.before.loaded
        or turn.known_member is None
        or turn.code is None
    ):
        return None
    where = side(turn.before.size, turn.limit)
    if where is ABOVE and turn.code == 0:
        why = (
            f"{turn.before.size} members were loaded under a limit of {turn.limit}: expected "
            f"REBALANCE_IN_PROGRESS, found {response_of(turn)}"
        )
        return breaks(where, why, "no rebalance")
    if where is not ABOVE and turn.expected == 0 and turn.code != 0:
        return breaks(
            where,
            f"{turn.before.size} members under a limit of {turn.limit}: expected no error, found "
            f"{response_of(turn)}",
            "rebalance",
        )
    return holds(where)


@a_group_over_its_limit_rebalances_when_loaded.example(
    "three members, and a limit of 2 after a restart (KAFKA-7965)"
)
def _over() -> Scenario:
    return _restart_example(3, 2)


@a_group_over_its_limit_rebalances_when_loaded.example(
    "two members, and a limit of 2 after a restart"
)
def _at() -> Scenario:
    return _restart_example(2, 2)


@chapter.clause(
    "GRP-019",
    Strength.MUST,
    LimitClass.SOFT,
    *[Doc(f"config {key}: update mode read-only") for key in SIZE_LIMITS],
    Code("GroupCoordinatorConfig.java", "380-385"),
    slug="groups/config/read-only",
)
def a_limit_is_not_changed_at_run_time(turn: Turn) -> Held | None:
    """IncrementalAlterConfigs of a running broker answers with an error, whichever it is, for
    group.max.size, group.consumer.max.size and group.share.max.size, whatever the value.
    """
    if (
        not isinstance(turn.step, AlterBrokerConfig)
        or turn.step.key not in SIZE_LIMITS
        or turn.code is None
    ):
        return None
    return (
        holds()
        if turn.code
        else fails(f"expected {turn.step.key} to be refused, found it changed", "changed")
    )


@a_limit_is_not_changed_at_run_time.example("each limit, to a value that it could have")
def _changed_example() -> Scenario:
    return history(*[AlterBrokerConfig(key, "5") for key in SIZE_LIMITS])


@chapter.clause(
    "GRP-151",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("GroupMetadataManager.java", "describeGroups"),
    Doc("protocol guide, DescribeGroups API"),
    slug="groups/describe/as-it-is",
)
def a_group_is_described_as_it_is(turn: Turn) -> Held | None:
    """DescribeGroups returns the state of a classic group, without an error, and as many members as
    have joined, ids given out not counted. Before a group has completed a second join phase it may
    be described as Dead too. A consumer group with members is described as Dead or with no state at
    all.

    Apache Kafka does not read what a new group is made of before it is written. No state comes with
    an error.
    """
    if not isinstance(turn.step, DescribeGroup) or not isinstance(turn.outcome, GroupDescribed):
        return None
    if turn.before.kind is Kind.CONSUMER and turn.before.members:
        why = (
            f"expected nothing of a consumer group, found {turn.outcome.state} and "
            f"{turn.outcome.members} members"
        )
        return (
            holds() if turn.outcome.state in _OF_NO_CLASSIC_GROUP else fails(why, "consumer group")
        )
    if turn.before.kind is not Kind.CLASSIC:
        return None
    if turn.outcome.state == State.DEAD and 0 <= turn.before.generation <= 1:
        return None  # what a new group is made of is not read before it is written
    if turn.outcome.error:
        return fails(f"expected the group, found {response_of(turn)}", "error")
    if turn.outcome.members != turn.before.size:
        return fails(
            f"expected {turn.before.size} members, found {turn.outcome.members}", "members"
        )
    if turn.outcome.state != turn.before.state:
        return fails(f"expected {turn.before.state.value}, found {turn.outcome.state}", "state")
    return holds()


@a_group_is_described_as_it_is.example(
    "a group of one that has given out an id, and the same while it rebalances"
)
def _described_example() -> Scenario:
    return history(
        *alone(),
        first(1),
        DescribeGroup(5, "Stable", 1),
        second(1),
        DescribeGroup(5, "PreparingRebalance", 2),
    )


@a_group_is_described_as_it_is.example("an id that was given out leaves, and the group rebalances")
def _left_example() -> Scenario:
    made = alone(rebalance_ms=600)
    return history(
        *made,
        first(1),
        DescribeGroup(5, "Stable", 1),
        LeaveGroup(1),
        DescribeGroup(5, "PreparingRebalance", 1),
        *heartbeats(0),
    )


_OF_NO_CLASSIC_GROUP = frozenset({State.DEAD.value, ""})
"""The states in DescribeGroups where there is no classic group: none comes with an error.
"""


def _restart_example(members: int, limit: int) -> Scenario:
    """A group of two or three, a restart under another limit, and all its members again."""
    made = (*pair(), *with_one_more_actor(2, (0, 1), rebalance_ms=900)) if members == 3 else pair()
    actors = tuple(range(members))
    joins = [second(actor, rebalance_ms=900) for actor in actors]
    return history(
        *made,
        RestartWith(size_limits(limit), 7),
        *[Heartbeat(actor) for actor in actors],
        *joins,
        limit=3,
    )
