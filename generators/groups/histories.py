"""Histories of groups, drawn about the limit: a group of some members is made, then somebody does
something that counts.
"""

from collections.abc import Callable
from dataclasses import replace
from enum import Enum, auto

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.weighted import chance, weighted
from spec.groups.examples import (
    NO_RECORDS,
    alone,
    first,
    mixed_history,
    size_limits,
    upgraded_history,
    with_one_more_actor,
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
NOTICED_MS = 5_500
"""So long after its end a session is surely known to be over (GRP-154)."""
LONG_MS = 60_000
WITNESS = 20
"""The actor that describes the group; it never joins."""
ADMIN = 21
MOST_STEPS = 7
TIMED = 30
"""Added to an actor's number, it is a member of `TIMED_GROUP`, in which timers are looked at."""
TIMED_GROUP = 2
CHANGED_GROUP = 3
"""The group in which a member joins again with another rebalance timeout."""
SECOND_CONNECTION = 10
"""Added to an actor's number, it is another connection of the same member."""

TOGETHER = "group_flight=together"
"""The relation of a history in which requests of several connections were in flight together."""

Draw = st.DrawFn


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
    steps = [*_stable_group(size), *_draw_actions(draw, limit)]
    return Scenario(NO_RECORDS, tuple(steps), size_limits(limit, delay_ms))


def _stable_group(size: int) -> list[GroupStep]:
    """A Stable group of so many dynamic members, actors from 0."""
    steps: list[GroupStep] = [*alone(rebalance_ms=REBALANCE_MS)] if size else []
    for newcomer in range(1, size):
        steps += with_one_more_actor(newcomer, tuple(range(newcomer)), rebalance_ms=REBALANCE_MS)
    return steps


def _draw_actions(draw: Draw, limit: int) -> list[GroupStep]:
    steps: list[GroupStep] = []
    for _ in range(1 + draw(st.integers(0, MOST_STEPS - 1))):
        action = draw(_actions)
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
_actions: SearchStrategy[Action] = weighted(
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
    (_runs_out, 1),
    (_prolong_session, 3),
    (_phases_last, 1),
    (_timeout_changes, 1),
    (_return_refused, 1),
    (_config, 1),
)
"""The possible actions, the simplest first."""


def named_histories(limit: int) -> SearchStrategy[Scenario]:
    """Histories of a consumer or a share group under a limit from 1 to 5."""
    return _draw_named(limit)


@st.composite
def _draw_named(draw: Draw, limit: int) -> Scenario:
    share = draw(chance(1, 2))
    steps: list[GroupStep] = [
        _heartbeat(share, actor) for actor in range(min(limit, draw(st.integers(0, 2 * limit))))
    ]
    for _ in range(1 + draw(st.integers(0, MOST_STEPS))):
        steps += draw(_draw_named_action(limit + 1, share=share))
    return Scenario(NO_RECORDS, tuple(steps), size_limits(limit))


def _heartbeat(
    share: bool, actor: int, member: int | str = OWN, epoch: int | str = 0
) -> MemberStep:
    """A heartbeat; every second consumer is a static member."""
    if share:
        return ShareGroupHeartbeat(actor, member, epoch)
    instance = f"i{actor}" if actor % 2 and member != STRANGER else None
    return ConsumerGroupHeartbeat(actor, member, epoch, instance)


class Named(Enum):
    """The actions of a member of a consumer or a share group, the simplest first."""

    JOINS = auto()
    STAYS = auto()
    LEAVES = auto()
    COMES_AS_A_STRANGER = auto()
    COMES_AS_ANOTHER = auto()
    IS_BACK = auto()
    """A static member leaves for a moment, and comes back with its id."""
    IS_BACK_AS_ANOTHER = auto()
    """The same with an id of its own choice."""
    LOSES_ITS_PLACE = auto()
    """A dynamic member tries to leave for a moment: its place is free, and another takes it."""


_consumer_actions = st.sampled_from(Named)
_share_actions = st.sampled_from(
    (Named.JOINS, Named.STAYS, Named.LEAVES, Named.COMES_AS_A_STRANGER, Named.COMES_AS_ANOTHER)
)
STRANGE_EPOCHS = (7, -1, 1)
_strange_epochs = st.sampled_from(STRANGE_EPOCHS)


@st.composite
def _draw_named_action(draw: Draw, last: int, *, share: bool) -> list[GroupStep]:
    actor = draw(st.integers(0, last))
    static, dynamic = actor | 1, actor & ~1
    action = draw(_share_actions if share else _consumer_actions)
    if action is Named.JOINS:
        return [_heartbeat(share, actor)]
    if action is Named.STAYS:
        return [_heartbeat(share, actor, OWN, OWN)]
    if action is Named.LEAVES:
        return [_heartbeat(share, actor, OWN, -1)]
    if action is Named.COMES_AS_A_STRANGER:
        return [_heartbeat(share, actor, STRANGER, draw(_strange_epochs))]
    if action is Named.COMES_AS_ANOTHER:
        return [_heartbeat(share, actor, NEW)]
    if action is Named.LOSES_ITS_PLACE:
        return [
            _heartbeat(share, dynamic, OWN, -2),
            _heartbeat(share, dynamic + 2, NEW),
            _heartbeat(share, dynamic, OWN, OWN),
        ]
    member = OWN if action is Named.IS_BACK else NEW
    return [_heartbeat(share, static, OWN, -2), _heartbeat(share, static, member)]


def mixed_histories() -> SearchStrategy[Scenario]:
    """Histories of a consumer group of at most three that classic members come to; actor 0 is a
    consumer, and may leave at the end.
    """
    return _draw_mixed()


_consumer_epochs = weighted((0, 2), (-1, 1))
_classic_actions: SearchStrategy[Callable[[int], list[GroupStep]]] = weighted(
    (lambda actor: [_comes(actor, NEW), _comes(actor, OWN)], 2),
    (lambda actor: [_comes(actor, OWN)], 1),
    (lambda actor: [_comes(actor, NEW)], 1),
    (lambda actor: [_comes(actor, STRANGER)], 1),
    (lambda actor: [LeaveGroup(actor)], 1),
)


@st.composite
def _draw_mixed_action(draw: Draw) -> list[GroupStep]:
    """Of three classic members, or of another consumer."""
    actor = 1 + draw(st.integers(0, 3))
    if actor == 4:
        return [ConsumerGroupHeartbeat(actor, OWN, draw(_consumer_epochs))]
    return draw(_classic_actions)(actor)


@st.composite
def _draw_mixed(draw: Draw) -> Scenario:
    steps: list[GroupStep] = [ConsumerGroupHeartbeat(0)]
    for action in draw(st.lists(_draw_mixed_action(), min_size=1, max_size=1 + MOST_STEPS)):
        steps += action
    return mixed_history(*steps, *(_leave_alone(draw) if draw(st.booleans()) else []))


_alone_actions: SearchStrategy[Callable[[int], GroupStep]] = weighted(
    (LeaveGroup, 1),
    (lambda _: ConsumerGroupHeartbeat(4), 1),
    (lambda _: _comes(5, NEW), 1),
    (Heartbeat, 1),
    (lambda _: ConsumerGroupHeartbeat(4, OWN, -1), 1),
)


def _leave_alone(draw: Draw) -> list[GroupStep]:
    """The consumers leave, and the classic members that remain are seen; others come and go, and
    all who are left join again.
    """
    steps: list[GroupStep] = [ConsumerGroupHeartbeat(4, OWN, -1)] * draw(st.integers(0, 1))
    steps += [ConsumerGroupHeartbeat(0, OWN, -1), DescribeGroup(WITNESS)]
    actions = st.tuples(_alone_actions, st.integers(1, 3))
    for action, actor in draw(st.lists(actions, max_size=3)):
        steps += [action(actor), DescribeGroup(WITNESS)]
    return [*steps, *[_waits(actor) for actor in (1, 2, 3)], DescribeGroup(WITNESS)]


def upgraded_histories() -> SearchStrategy[Scenario]:
    """Histories of a classic group of at most three that consumers come to, of whom a consumer
    group holds two.
    """
    return _draw_upgraded()


class Upgrading(Enum):
    """What happens to a classic group that consumers come to, the simplest first."""

    CONSUMER_COMES = auto()
    JOINS_AGAIN = auto()
    """Once for each member; one that did so before sees a consumer leave instead."""
    COMES = auto()
    """A member comes without its id, unless it waits: then the group is described instead."""
    STAYS = auto()
    LEAVES = auto()
    CONSUMER_LEAVES = auto()
    IS_SEEN = auto()


_upgrading = weighted(
    (Upgrading.CONSUMER_COMES, 2),
    *[(action, 1) for action in Upgrading if action is not Upgrading.CONSUMER_COMES],
)


@st.composite
def _draw_upgraded(draw: Draw) -> Scenario:
    """Each actor from 0 to 3 joins again once at most, since it may wait for the others; what else
    it sends goes by another connection.
    """
    made = _stable_group(draw(st.integers(0, 3)))
    steps = [
        replace(step, session_ms=LONG_MS, rebalance_ms=LONG_MS)
        if isinstance(step, JoinGroup)
        else step
        for step in made
    ]
    once = set(range(5))
    for actor, action in draw(
        st.lists(st.tuples(st.integers(0, 3), _upgrading), max_size=MOST_STEPS)
    ):
        other, consumer = actor + SECOND_CONNECTION, 5 + actor // 2
        if action is Upgrading.CONSUMER_COMES:
            steps += [ConsumerGroupHeartbeat(consumer), DescribeGroup(WITNESS)]
        elif action is Upgrading.JOINS_AGAIN and actor in once:
            once.remove(actor)
            steps.append(_waits(actor))
        elif action is Upgrading.COMES and actor in once:
            steps.append(_comes(actor, NEW))
        elif action is Upgrading.STAYS:
            steps.append(Heartbeat(other, actor))
        elif action is Upgrading.LEAVES:
            steps.append(LeaveGroup(other, actor))
        elif action in {Upgrading.CONSUMER_LEAVES, Upgrading.JOINS_AGAIN}:
            steps.append(ConsumerGroupHeartbeat(consumer, OWN, -1))
        else:
            steps.append(DescribeGroup(WITNESS))
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


_streams_heartbeats: SearchStrategy[tuple[str, int | str]] = weighted(
    ((OWN, 0), 6),
    ((OWN, OWN), 3),
    ((OWN, -1), 3),
    ((NEW, 0), 3),
    *[((STRANGER, epoch), 1) for epoch in STRANGE_EPOCHS],
)
"""The member id and epoch of a heartbeat."""


@st.composite
def _streams(draw: Draw, limit: int) -> Scenario:
    steps = [
        StreamsGroupHeartbeat(actor) for actor in range(min(limit, draw(st.integers(0, 2 * limit))))
    ]
    heartbeats = st.tuples(st.integers(0, limit + 1), _streams_heartbeats)
    for actor, (member, epoch) in draw(st.lists(heartbeats, min_size=1, max_size=1 + MOST_STEPS)):
        steps.append(StreamsGroupHeartbeat(actor, member, epoch))
    return Scenario(NO_RECORDS, tuple(steps), size_limits(limit))


def outlasting_histories() -> SearchStrategy[Scenario]:
    """Histories of a classic group in which nothing comes until each session is over, and as much
    longer as a broker may need to notice.
    """
    return _outlasting()


@st.composite
def _outlasting(draw: Draw) -> Scenario:
    """A member in either phase, or an id that was given out, on both sides of the end."""
    session_ms = SESSIONS_MS[draw(st.integers(0, 1))]
    joins = JoinGroup(0, session_ms=session_ms, rebalance_ms=LONG_MS)
    given, over = draw(st.integers(0, 3)) == 0, draw(st.integers(0, 2)) > 0
    prolonged = (
        [],
        [SyncGroup(0)],
        [SyncGroup(0), Heartbeat(0)],
        [SyncGroup(0), joins],
    )[draw(st.integers(0, 3))]
    came: list[GroupStep] = [] if given else [joins, *prolonged]
    longer_at_first = draw(chance(1, 3))
    if came and longer_at_first:
        came = [replace(joins, session_ms=LONG_MS), SyncGroup(0), *came]
    waits = WaitFor(session_ms + NOTICED_MS if over else session_ms * 6 // 10, WITNESS)
    return Scenario(
        NO_RECORDS,
        (
            replace(joins, member=NEW),
            *came,
            DescribeGroup(WITNESS),
            waits,
            DescribeGroup(WITNESS),
            joins,
            DescribeGroup(WITNESS),
        ),
        size_limits(2),
    )


def restart_histories(limit: int, after: int) -> SearchStrategy[Scenario]:
    """Histories that meet a restart which brings the limit from `limit` to `after`."""
    return _draw_restarted(limit, after)


@st.composite
def _draw_restarted(draw: Draw, limit: int, after: int) -> Scenario:
    restart = RestartWith(size_limits(after), ADMIN)
    if draw(chance(1, 3)):
        share = draw(st.booleans())
        heartbeats = [_heartbeat(share, actor) for actor in range(draw(st.integers(1, limit)))]
        more = [step for _ in range(3) for step in draw(_draw_named_action(limit, share=share))]
        return Scenario(
            NO_RECORDS,
            (
                *heartbeats,
                restart,
                *[_heartbeat(share, actor, OWN, OWN) for actor in range(len(heartbeats))],
                *more,
            ),
            size_limits(limit),
        )
    size = 1 + draw(st.integers(0, limit - 1))
    all_heartbeats = [Heartbeat(actor) for actor in range(size)]
    return Scenario(
        NO_RECORDS,
        (*_stable_group(size), restart, *all_heartbeats, *_draw_actions(draw, limit)),
        size_limits(limit),
    )


def loaded_histories() -> SearchStrategy[Scenario]:
    """Histories in which a member is silent from before a restart until its session is surely over;
    nothing else happens beside them, so that they all reach the restart at once.
    """
    return _draw_loaded()


@st.composite
def _draw_loaded(draw: Draw) -> Scenario:
    session_ms = SESSIONS_MS[draw(st.integers(0, 1))]
    joins = JoinGroup(0, session_ms=session_ms, rebalance_ms=LONG_MS)
    return Scenario(
        NO_RECORDS,
        (
            replace(joins, member=NEW),
            joins,
            SyncGroup(0),
            RestartWith(size_limits(2), ADMIN),
            WaitFor(session_ms + NOTICED_MS, WITNESS),
            DescribeGroup(WITNESS),
            Heartbeat(0),
        ),
        size_limits(2),
    )


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
