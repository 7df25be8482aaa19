"""Histories of groups, drawn about the limit: a group of some members is made, then somebody does
something that counts.
"""

from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from spec.groups.examples import (
    NO_RECORDS,
    alone,
    first,
    grown,
    limited,
    mixed_history,
    upgraded_history,
)
from spec.groups.releases import SIZE_LIMITS
from spec.groups.steps import (
    NEW,
    OWN,
    STRANGER,
    AlterBrokerConfig,
    ConsumerGroupHeartbeat,
    DescribeGroup,
    GroupStep,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    MemberStep,
    NamedStep,
    RestartWith,
    ShareGroupHeartbeat,
    StreamsGroupHeartbeat,
    SyncGroup,
    WaitFor,
)
from spec.scenario import Scenario

REBALANCE_MS = 500
"""Rebalance timeout of drawn members: the time that a join phase nobody ends costs."""
SHORT_SESSION_MS = 400
SESSIONS_MS = (400, 900)
REBALANCES_MS = (300, 800)
"""Two settings of each timer whose both sides are looked at."""
LONG_MS = 60_000
WITNESS = 20
"""The actor that describes the group; it never joins."""
ADMIN = 21
MOST_STEPS = 7
TIMED = 30
"""Added to an actor's number, it is a member of `TIMED_GROUP`, in which timers are looked at."""
TIMED_GROUP = 2
SECOND_CONNECTION = 10
"""Added to an actor's number, it is another connection of the same member."""

TOGETHER = "group_flight=together"
"""The relation of a history in which requests of several connections were in flight together."""

Draw = Callable[[SearchStrategy[int]], int]


def classic_histories(limit: int, delay_ms: int = 0) -> SearchStrategy[Scenario]:
    """Histories of a classic group under a limit, which may be delayed at first.

    Args:
        limit: members that a group may have, from 1 to 5.
        delay_ms: the broker's initial rebalance delay.

    Raises:
        ValueError: the limit is out of range.
    """
    if not 1 <= limit <= 5:
        raise ValueError(f"expected a limit from 1 to 5 to draw groups around, found {limit}")
    return _classic(limit, delay_ms)


@st.composite
def _classic(draw: Draw, limit: int, delay_ms: int) -> Scenario:
    size = draw(st.integers(0, limit)) if not delay_ms else 0
    steps = [*_made(size), *_actions(draw, limit)]
    return Scenario(NO_RECORDS, tuple(steps), limited(limit, delay_ms))


def _made(size: int) -> list[GroupStep]:
    """A Stable group of so many dynamic members, actors from 0."""
    steps: list[GroupStep] = [*alone(rebalance_ms=REBALANCE_MS)] if size else []
    for newcomer in range(1, size):
        steps += grown(newcomer, tuple(range(newcomer)), rebalance_ms=REBALANCE_MS)
    return steps


def _actions(draw: Draw, limit: int) -> list[GroupStep]:
    steps: list[GroupStep] = []
    for _ in range(1 + draw(st.integers(0, MOST_STEPS - 1))):
        action = _ACTIONS[draw(st.integers(0, len(_ACTIONS) - 1))]
        steps += action(draw(st.integers(0, limit + 1)), draw)
    return [*steps, DescribeGroup(WITNESS)]


def _second(actor: int, draw: Draw) -> list[GroupStep]:
    return [
        JoinGroup(
            actor, parked=True, metadata=draw(st.integers(0, 3)) // 3, rebalance_ms=REBALANCE_MS
        )
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


def _refused_returns(actor: int, _: Draw) -> list[GroupStep]:
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


def _prolonged(actor: int, draw: Draw) -> list[GroupStep]:
    """A member alone in its group, whose session a Heartbeat, a JoinGroup or the SyncGroup after it
    prolongs, and a SyncGroup in a Stable group does not: whether it is there when the session that
    began first is over, and after the one that began then.
    """
    own, group = actor + TIMED, TIMED_GROUP
    session_ms = SESSIONS_MS[draw(st.integers(0, 1))]
    joins = JoinGroup(own, session_ms=session_ms, rebalance_ms=LONG_MS, group=group)
    syncs = SyncGroup(own, group=group)
    before, prolongs = (
        ([syncs], Heartbeat(own, group=group)),
        ([], syncs),
        ([syncs], joins),
        ([syncs], syncs),
    )[draw(st.integers(0, 3))]
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


def _by_instance(_: int, draw: Draw) -> list[GroupStep]:
    return [LeaveGroup(ADMIN, NEW, f"i{draw(st.integers(0, 2))}")]


def _config(_: int, draw: Draw) -> list[GroupStep]:
    key = tuple(SIZE_LIMITS)[draw(st.integers(0, len(SIZE_LIMITS) - 1))]
    return [AlterBrokerConfig(key, str(1 + draw(st.integers(0, 9))), ADMIN)]


_ACTIONS: tuple[Callable[[int, Draw], list[GroupStep]], ...] = (
    _whole,
    lambda actor, _: [first(actor)],
    _second,
    _second,
    _together,
    _static,
    _restarting,
    lambda actor, _: [
        JoinGroup(
            actor + 2 * SECOND_CONNECTION + 2, STRANGER, parked=True, rebalance_ms=REBALANCE_MS
        )
    ],
    lambda actor, _: [LeaveGroup(actor)],
    lambda actor, _: [Heartbeat(actor)],
    lambda actor, _: [SyncGroup(actor, parked=True)],
    lambda actor, _: [
        JoinGroup(actor, NEW, group=1),
        JoinGroup(actor, parked=True, rebalance_ms=REBALANCE_MS, group=1),
    ],
    _old_version,
    _join_over_another_connection,
    _join_over_another_connection,
    _by_instance,
    _runs_out,
    _prolonged,
    _phases_last,
    _refused_returns,
    _config,
)
"""The possible actions, the simplest first."""


def named_histories(limit: int) -> SearchStrategy[Scenario]:
    """Histories of a consumer or a share group under a limit from 1 to 5."""
    return _named(limit)


@st.composite
def _named(draw: Draw, limit: int) -> Scenario:
    share = draw(st.integers(0, 2)) == 2
    steps: list[GroupStep] = [
        _heartbeat(share, actor) for actor in range(min(limit, draw(st.integers(0, 2 * limit))))
    ]
    for _ in range(1 + draw(st.integers(0, MOST_STEPS))):
        steps += _named_action(draw, draw(st.integers(0, limit + 1)), share=share)
    return Scenario(NO_RECORDS, tuple(steps), limited(limit))


def _heartbeat(
    share: bool, actor: int, member: int | str = OWN, epoch: int | str = 0
) -> MemberStep:
    """A heartbeat; every second consumer is a static member."""
    if share:
        return ShareGroupHeartbeat(actor, member, epoch)
    instance = f"i{actor}" if actor % 2 and member != STRANGER else None
    return ConsumerGroupHeartbeat(actor, member, epoch, instance)


def _named_action(draw: Draw, actor: int, *, share: bool) -> list[GroupStep]:
    what = draw(st.integers(0, 8))
    if what <= 1:
        return [_heartbeat(share, actor)]
    if what == 2:
        return [_heartbeat(share, actor, OWN, OWN)]
    if what == 3:
        return [_heartbeat(share, actor, OWN, -1)]
    if what == 4:
        return [_heartbeat(share, actor, STRANGER, (7, -1, 1)[draw(st.integers(0, 2))])]
    if share or what == 5:
        return [_heartbeat(share, actor, NEW)]
    if what == 8:  # only a static member leaves for a moment: the place of a dynamic one is free
        dynamic = actor & ~1
        return [
            _heartbeat(share, dynamic, OWN, -2),
            _heartbeat(share, dynamic + 2, NEW),
            _heartbeat(share, dynamic, OWN, OWN),
        ]
    static = actor | 1
    return [_heartbeat(share, static, OWN, -2), _heartbeat(share, static, (OWN, NEW)[what - 6])]


def mixed_histories() -> SearchStrategy[Scenario]:
    """Histories of a consumer group of at most three that classic members come to; actor 0 is a
    consumer, and may leave at the end.
    """
    return _mixed()


@st.composite
def _mixed(draw: Draw) -> Scenario:
    steps: list[GroupStep] = [ConsumerGroupHeartbeat(0)]
    for _ in range(1 + draw(st.integers(0, MOST_STEPS))):
        actor, what = 1 + draw(st.integers(0, 3)), draw(st.integers(0, 5))
        if actor == 4:
            steps.append(ConsumerGroupHeartbeat(actor, OWN, (0, -1)[what // 4]))
        elif what <= 1:
            steps += [_comes(actor, NEW), _comes(actor, OWN)]
        else:
            steps.append(
                (
                    _comes(actor, OWN),
                    _comes(actor, NEW),
                    _comes(actor, STRANGER),
                    LeaveGroup(actor),
                )[what - 2]
            )
    return mixed_history(*steps, *(_left_alone(draw) if draw(st.booleans()) else []))


def _left_alone(draw: Draw) -> list[GroupStep]:
    """The consumers leave, and the classic members that remain are seen; others come and go, and
    all who are left join again.
    """
    steps: list[GroupStep] = [ConsumerGroupHeartbeat(4, OWN, -1)] * draw(st.integers(0, 1))
    steps += [ConsumerGroupHeartbeat(0, OWN, -1), DescribeGroup(WITNESS)]
    for _ in range(draw(st.integers(0, 3))):
        actor, what = 1 + draw(st.integers(0, 2)), draw(st.integers(0, 4))
        action = (
            LeaveGroup(actor),
            ConsumerGroupHeartbeat(4),
            _comes(5, NEW),
            Heartbeat(actor),
            ConsumerGroupHeartbeat(4, OWN, -1),
        )[what]
        steps += [action, DescribeGroup(WITNESS)]
    return [*steps, *[_waits(actor) for actor in (1, 2, 3)], DescribeGroup(WITNESS)]


def upgraded_histories() -> SearchStrategy[Scenario]:
    """Histories of a classic group of at most three that consumers come to, of whom a consumer
    group holds two.
    """
    return _upgraded()


@st.composite
def _upgraded(draw: Draw) -> Scenario:
    """Each actor from 0 to 3 joins again once at most, since it may wait for the others; what else
    it sends goes by another connection.
    """
    made = _made(draw(st.integers(0, 3)))
    steps = [
        replace(step, session_ms=LONG_MS, rebalance_ms=LONG_MS)
        if isinstance(step, JoinGroup)
        else step
        for step in made
    ]
    once = set(range(5))
    for _ in range(draw(st.integers(0, MOST_STEPS))):
        actor, what = draw(st.integers(0, 3)), draw(st.integers(0, 7))
        other = actor + SECOND_CONNECTION
        if what <= 1:
            steps += [ConsumerGroupHeartbeat(5 + actor // 2), DescribeGroup(WITNESS)]
        elif what == 2 and actor in once:
            once.remove(actor)
            steps.append(_waits(actor))
        elif what == 3 and actor in once:
            steps.append(_comes(actor, NEW))
        else:
            leaves = ConsumerGroupHeartbeat(5 + actor // 2, OWN, -1)
            steps.append(
                (Heartbeat(other, actor), LeaveGroup(other, actor), leaves, DescribeGroup(WITNESS))[
                    what % 4
                ]
            )
    return upgraded_history(
        *steps,
        DescribeGroup(WITNESS),
        *[Heartbeat(actor + SECOND_CONNECTION, actor) for actor in range(3)],
    )


def _comes(actor: int, member: str) -> JoinGroup:
    """One who sends neither SyncGroup nor Heartbeat, and stays for as long as a history takes on a
    slow machine.
    """
    return JoinGroup(actor, member, session_ms=LONG_MS, rebalance_ms=LONG_MS)


def _waits(actor: int) -> JoinGroup:
    """Such a one that may have to wait for others, which is not waited for."""
    return replace(_comes(actor, OWN), parked=True, patience_ms=REBALANCE_MS)


def streams_histories(limit: int) -> SearchStrategy[Scenario]:
    """Histories of a streams group under a limit from 1 to 5."""
    return _streams(limit)


@st.composite
def _streams(draw: Draw, limit: int) -> Scenario:
    steps = [
        StreamsGroupHeartbeat(actor) for actor in range(min(limit, draw(st.integers(0, 2 * limit))))
    ]
    for _ in range(1 + draw(st.integers(0, MOST_STEPS))):
        actor, what = draw(st.integers(0, limit + 1)), draw(st.integers(0, 5))
        if what == 5:
            steps.append(
                StreamsGroupHeartbeat(actor, STRANGER, (7, -1, 1)[draw(st.integers(0, 2))])
            )
        else:
            steps.append(
                StreamsGroupHeartbeat(actor, OWN if what < 4 else NEW, (0, 0, OWN, -1, 0)[what])
            )
    return Scenario(NO_RECORDS, tuple(steps), limited(limit))


def restart_histories(limit: int, after: int) -> SearchStrategy[Scenario]:
    """Histories that meet a restart which brings the limit from `limit` to `after`."""
    return _restarted(limit, after)


@st.composite
def _restarted(draw: Draw, limit: int, after: int) -> Scenario:
    restart = RestartWith(limited(after), ADMIN)
    if draw(st.integers(0, 3)) == 3:
        share = bool(draw(st.integers(0, 1)))
        heartbeats = [_heartbeat(share, actor) for actor in range(draw(st.integers(1, limit)))]
        more = [
            step
            for _ in range(3)
            for step in _named_action(draw, draw(st.integers(0, limit)), share=share)
        ]
        return Scenario(
            NO_RECORDS,
            (
                *heartbeats,
                restart,
                *[_heartbeat(share, actor, OWN, OWN) for actor in range(len(heartbeats))],
                *more,
            ),
            limited(limit),
        )
    size = 1 + draw(st.integers(0, limit - 1))
    all_heartbeats = [Heartbeat(actor) for actor in range(size)]
    return Scenario(
        NO_RECORDS, (*_made(size), restart, *all_heartbeats, *_actions(draw, limit)), limited(limit)
    )


def group_relations(scenario: Scenario) -> tuple[str, ...]:
    """The relations that a history has tried, by name, each once, sorted: which steps, and whether
    requests were in flight together.
    """
    found = {f"group_step={_shown(step)}" for step in scenario.steps if isinstance(step, GroupStep)}
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


def _shown(step: GroupStep) -> str:
    name = type(step).__name__
    if isinstance(step, JoinGroup):
        membership = "static" if step.instance is not None else "dynamic"
        return f"{name}-{membership}-{step.member if isinstance(step.member, str) else 'other'}"
    return f"{name}-{step.epoch}" if isinstance(step, NamedStep) else name
