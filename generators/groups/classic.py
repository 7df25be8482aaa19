"""Histories of classic groups, drawn about the limit: a group of some members is made, then
somebody does something that counts.
"""

from collections.abc import Callable

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.groups.constants import (
    ADMIN,
    CHANGED_GROUP,
    LONG_MS,
    MOST_STEPS,
    REBALANCE_MS,
    REBALANCES_MS,
    SECOND_CONNECTION,
    SESSIONS_MS,
    SHORT_SESSION_MS,
    TIMED,
    TIMED_GROUP,
    WITNESS,
    Draw,
)
from generators.weighted import chance, weighted
from spec.frozen import replace
from spec.groups.examples import (
    NO_RECORDS,
    alone,
    first,
    size_limits,
    with_one_more_actor,
)
from spec.groups.releases import SIZE_LIMITS
from spec.groups.steps import (
    NEW,
    STRANGER,
    AlterBrokerConfig,
    DescribeGroup,
    GroupStep,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    SyncGroup,
    WaitFor,
)
from spec.scenario import Scenario


def classic_histories(
    limit: int, delay_ms: int = 0, *, elsewhere: bool = False
) -> SearchStrategy[Scenario]:
    """Histories of a classic group under a limit, which may be delayed at first.

    Args:
        limit: members that a group may have, from 1 to 5.
        delay_ms: the broker's initial rebalance delay.
        elsewhere: leave out what needs a broker with settings of ours: sessions that run out soon,
            and settings that are altered.

    Raises:
        ValueError: the limit is out of range.
    """
    if not 1 <= limit <= 5:
        raise ValueError(f"expected a limit from 1 to 5 to draw groups around, found {limit}")
    return _classic(limit, delay_ms, _actions_elsewhere if elsewhere else _actions)


@st.composite
def _classic(draw: Draw, limit: int, delay_ms: int, actions: SearchStrategy["Action"]) -> Scenario:
    size = draw(st.integers(0, limit)) if not delay_ms else 0
    steps = [*stable_group(size), *draw_actions(draw, limit, actions)]
    return Scenario(NO_RECORDS, tuple(steps), size_limits(limit, delay_ms))


def stable_group(size: int) -> list[GroupStep]:
    """A Stable group of so many dynamic members, actors from 0."""
    steps: list[GroupStep] = [*alone(rebalance_ms=REBALANCE_MS)] if size else []
    for newcomer in range(1, size):
        steps += with_one_more_actor(newcomer, tuple(range(newcomer)), rebalance_ms=REBALANCE_MS)
    return steps


def draw_actions(
    draw: Draw, limit: int, actions: "SearchStrategy[Action] | None" = None
) -> list[GroupStep]:
    """One to `MOST_STEPS` things that members or strangers of a classic group do, all of them
    unless some are named.
    """
    steps: list[GroupStep] = []
    for _ in range(1 + draw(st.integers(0, MOST_STEPS - 1))):
        action = draw(_actions if actions is None else actions)
        steps += action(draw(st.integers(0, limit + 1)), draw)
    return [*steps, DescribeGroup(WITNESS)]


def _second(actor: int, draw: Draw) -> list[GroupStep]:
    return [
        JoinGroup(actor, parked=True, metadata=int(draw(chance(1, 3))), rebalance_ms=REBALANCE_MS)
    ]


def _whole(actor: int, _: Draw) -> list[GroupStep]:
    return [
        JoinGroup(actor, NEW),
        JoinGroup(actor, parked=True, rebalance_ms=REBALANCE_MS),
        DescribeGroup(WITNESS),
    ]


def _together(actor: int, draw: Draw) -> list[GroupStep]:
    """Several members or newcomers join at the same moment."""
    several = range(actor, actor + 2 + draw(st.integers(0, 1)))
    return [
        *[first(one) for one in several],
        *[JoinGroup(one, parked=True, rebalance_ms=REBALANCE_MS) for one in several],
    ]


def _static(actor: int, draw: Draw) -> list[GroupStep]:
    """A static member joins, or joins again without its id."""
    instance = f"i{draw(st.integers(0, 2))}"
    return [
        JoinGroup(actor, NEW, instance, parked=True, rebalance_ms=REBALANCE_MS),
        DescribeGroup(WITNESS),
    ]


def _restarting(actor: int, draw: Draw) -> list[GroupStep]:
    """A static member joins, its group settles, and it joins again without its id."""
    instance = f"i{actor}"
    come = JoinGroup(actor, NEW, instance, parked=True, rebalance_ms=REBALANCE_MS)
    settled: list[GroupStep] = [
        come,
        SyncGroup(actor, instance=instance, parked=True),
        DescribeGroup(WITNESS, "Stable", patience_ms=500),
    ]
    return [
        *settled,
        JoinGroup(
            actor + SECOND_CONNECTION * draw(st.integers(0, 1)),
            NEW,
            instance,
            parked=True,
            rebalance_ms=REBALANCE_MS,
        ),
    ]


def _old_version(actor: int, draw: Draw) -> list[GroupStep]:
    version = draw(st.integers(2, 9))
    return [JoinGroup(actor, NEW, version=version, parked=True, rebalance_ms=REBALANCE_MS)]


def _join_over_another_connection(actor: int, draw: Draw) -> list[GroupStep]:
    """A member sends the same over another connection, perhaps when another one waits too."""
    own = JoinGroup(actor, parked=True, rebalance_ms=REBALANCE_MS, patience_ms=900)
    too = [JoinGroup(actor + 1, parked=True, rebalance_ms=REBALANCE_MS, patience_ms=900)] * draw(
        st.integers(0, 1)
    )
    return [
        own,
        *too,
        JoinGroup(
            actor + SECOND_CONNECTION,
            actor,
            parked=True,
            rebalance_ms=REBALANCE_MS,
            patience_ms=900,
        ),
    ]


def _return_refused(actor: int, _: Draw) -> list[GroupStep]:
    """Two ids are given out, the places are taken before one of them comes; when somebody has left,
    it joins again.
    """
    newcomers = [
        first(actor + 1),
        first(actor + 2),
        JoinGroup(actor + 2, parked=True, rebalance_ms=REBALANCE_MS),
    ]
    places = [
        *newcomers,
        JoinGroup(0, parked=True, rebalance_ms=REBALANCE_MS),
        JoinGroup(actor + 1, rebalance_ms=REBALANCE_MS),
    ]
    return [*places, LeaveGroup(actor + 2), JoinGroup(actor + 1, rebalance_ms=REBALANCE_MS)]


def _runs_out(actor: int, _: Draw) -> list[GroupStep]:
    """A member that is silent after its join."""
    joins = JoinGroup(actor, session_ms=SHORT_SESSION_MS, rebalance_ms=REBALANCE_MS, parked=True)
    return [replace(joins, member=NEW), joins, WaitFor(3 * SHORT_SESSION_MS, ADMIN)]


def _prolong_session(actor: int, draw: Draw) -> list[GroupStep]:
    """A member alone in its group, whose session a Heartbeat, a JoinGroup, perhaps with a longer
    timeout, or the SyncGroup after it prolongs, and a SyncGroup in a Stable group does not: whether
    it is there when the session that began first is over, and after the one that began then.
    """
    own, group = actor + TIMED, TIMED_GROUP
    session_ms = SESSIONS_MS[draw(st.integers(0, 1))]
    joins = JoinGroup(own, session_ms=session_ms, rebalance_ms=LONG_MS, group=group)
    syncs = SyncGroup(own, group=group)
    before, prolongs = (
        ([syncs], Heartbeat(own, group=group)),
        ([], syncs),
        ([syncs], joins),
        ([syncs], replace(joins, session_ms=SESSIONS_MS[1])),
        ([syncs], syncs),
    )[draw(st.integers(0, 4))]
    return [
        replace(joins, member=NEW),
        joins,
        *before,
        WaitFor(session_ms * 6 // 10, own),
        prolongs,
        WaitFor(session_ms * 6 // 10, own),
        DescribeGroup(own, group=group),
        WaitFor(session_ms, own),
        Heartbeat(own, group=group),
    ]


def _phases_last(actor: int, draw: Draw) -> list[GroupStep]:
    """Two members with two rebalance timeouts, of whom one does not come to a join phase, or none
    sends a SyncGroup: the phase lasts as long as the longer timeout, and then it is over.
    """
    one, two, group = actor + TIMED, actor + TIMED + SECOND_CONNECTION, TIMED_GROUP
    first_ms, second_ms = (REBALANCES_MS[draw(st.integers(0, 1))] for _ in range(2))
    longest = max(first_ms, second_ms)
    leads = JoinGroup(one, session_ms=LONG_MS, rebalance_ms=first_ms, parked=True, group=group)
    follows = replace(leads, actor=two, rebalance_ms=second_ms)
    lasts: list[GroupStep] = [
        WaitFor(longest * 6 // 10, WITNESS),
        DescribeGroup(WITNESS, group=group),
        WaitFor(longest * 6 // 10, WITNESS),
        DescribeGroup(WITNESS, group=group),
    ]
    made: list[GroupStep] = [
        *[replace(join, member=NEW, parked=False) for join in (leads, follows)],
        leads,
        DescribeGroup(WITNESS, "CompletingRebalance", patience_ms=500, group=group),
        follows,
        DescribeGroup(WITNESS, "PreparingRebalance", patience_ms=500, group=group),
    ]
    if draw(st.integers(0, 1)):
        return [*made, *lasts]
    return [*made, replace(leads, actor=one + 2 * SECOND_CONNECTION, member=one), *lasts]


def _timeout_changes(actor: int, draw: Draw) -> list[GroupStep]:
    """The leader of a Stable group joins again with another rebalance timeout: alone, and sends no
    SyncGroup, or beside a member that does not come. The phase lasts as long as the longest
    timeout that its members have then.
    """
    one, two, group = actor + TIMED, actor + TIMED + SECOND_CONNECTION, CHANGED_GROUP
    raised, alone = draw(st.integers(0, 2)) > 0, draw(st.booleans())
    before_ms, after_ms = REBALANCES_MS if raised else reversed(REBALANCES_MS)
    leads = JoinGroup(one, session_ms=LONG_MS, rebalance_ms=before_ms, group=group)
    follows = replace(leads, actor=two, rebalance_ms=REBALANCES_MS[0])
    made: list[GroupStep] = [replace(leads, member=NEW), leads, SyncGroup(one, group=group)]
    if not alone:
        made += [
            replace(follows, member=NEW),
            replace(follows, parked=True),
            DescribeGroup(WITNESS, "PreparingRebalance", patience_ms=500, group=group),
            leads,
            SyncGroup(one, group=group),
            SyncGroup(two, group=group),
        ]
    return [
        *made,
        replace(leads, rebalance_ms=after_ms, parked=not alone),
        WaitFor(after_ms * 6 // 10, WITNESS),
        DescribeGroup(WITNESS, group=group),
        WaitFor(after_ms * 6 // 10, WITNESS),
        DescribeGroup(WITNESS, group=group),
    ]


def _comes_with_a_strange_id(actor: int, _: Draw) -> list[GroupStep]:
    own = actor + 2 * SECOND_CONNECTION + 2
    return [JoinGroup(own, STRANGER, parked=True, rebalance_ms=REBALANCE_MS)]


def _comes_to_another_group(actor: int, _: Draw) -> list[GroupStep]:
    return [
        JoinGroup(actor, NEW, group=1),
        JoinGroup(actor, parked=True, rebalance_ms=REBALANCE_MS, group=1),
    ]


def _by_instance(_: int, draw: Draw) -> list[GroupStep]:
    return [LeaveGroup(ADMIN, NEW, f"i{draw(st.integers(0, 2))}")]


def _config(_: int, draw: Draw) -> list[GroupStep]:
    key = tuple(SIZE_LIMITS)[draw(st.integers(0, len(SIZE_LIMITS) - 1))]
    return [AlterBrokerConfig(key, str(1 + draw(st.integers(0, 9))), ADMIN)]


Action = Callable[[int, Draw], list[GroupStep]]


_lasting_actions: tuple[tuple[Action, int], ...] = (
    (_whole, 1),
    (lambda actor, _: [first(actor)], 1),
    (_second, 2),
    (_together, 1),
    (_static, 1),
    (_restarting, 1),
    (_comes_with_a_strange_id, 1),
    (lambda actor, _: [LeaveGroup(actor)], 1),
    (lambda actor, _: [Heartbeat(actor)], 1),
    (lambda actor, _: [SyncGroup(actor, parked=True)], 1),
    (_comes_to_another_group, 1),
    (_old_version, 1),
    (_join_over_another_connection, 2),
    (_by_instance, 1),
)
_timed_actions: tuple[tuple[Action, int], ...] = ((_phases_last, 1), (_timeout_changes, 1))
_actions: SearchStrategy[Action] = weighted(
    *_lasting_actions,
    (_runs_out, 1),
    (_prolong_session, 3),
    *_timed_actions,
    (_return_refused, 1),
    (_config, 1),
)
"""The possible actions, the simplest first."""
_actions_elsewhere: SearchStrategy[Action] = weighted(
    *_lasting_actions, *_timed_actions, (_return_refused, 1)
)
"""Those whose sessions last, and that alter no setting."""
