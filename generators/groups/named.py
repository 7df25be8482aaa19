"""Histories of consumer, share and streams groups, whose members choose their own member ids."""

from enum import Enum, auto

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.groups.constants import MOST_STEPS, Draw
from generators.weighted import chance, weighted
from spec.groups.examples import (
    NO_RECORDS,
    size_limits,
)
from spec.groups.steps import (
    NEW,
    OWN,
    STRANGER,
    ConsumerGroupHeartbeat,
    GroupStep,
    MemberStep,
    ShareGroupHeartbeat,
    StreamsGroupHeartbeat,
)
from spec.scenario import Scenario


def named_histories(limit: int) -> SearchStrategy[Scenario]:
    """Histories of a consumer or a share group under a limit from 1 to 5."""
    return _draw_named(limit, chance(1, 2))


def consumer_histories(limit: int) -> SearchStrategy[Scenario]:
    """Histories of a consumer group under a limit from 1 to 5."""
    return _draw_named(limit, st.just(False))


def share_histories(limit: int) -> SearchStrategy[Scenario]:
    """Histories of a share group under a limit from 1 to 5."""
    return _draw_named(limit, st.just(True))


@st.composite
def _draw_named(draw: Draw, limit: int, is_share: SearchStrategy[bool]) -> Scenario:
    share = draw(is_share)
    steps: list[GroupStep] = [
        heartbeat_of(share, actor) for actor in range(min(limit, draw(st.integers(0, 2 * limit))))
    ]
    for _ in range(1 + draw(st.integers(0, MOST_STEPS))):
        steps += draw(draw_named_action(limit + 1, share=share))
    return Scenario(NO_RECORDS, tuple(steps), size_limits(limit))


def heartbeat_of(
    share: bool,
    actor: int,
    member: int | str = OWN,
    epoch: int | str = 0,
    *,
    full: bool = False,
) -> MemberStep:
    """A heartbeat of a share or a consumer group; consumers of odd numbers are static members."""
    if share:
        return ShareGroupHeartbeat(actor, member, epoch, full=full)
    instance = f"i{actor}" if actor % 2 and member != STRANGER else None
    return ConsumerGroupHeartbeat(actor, member, epoch, instance, full=full)


class MemberAction(Enum):
    """The actions of a member of a consumer or a share group, the simplest first."""

    JOINS = auto()
    STAYS = auto()
    LEAVES = auto()
    SENDS_EVERYTHING = auto()
    """A member asks for its assignment again."""
    COMES_AS_A_STRANGER = auto()
    """With a member id that nobody has, and an epoch that no member joins with."""
    COMES_AS_ANOTHER = auto()
    """It joins with a fresh member id."""
    IS_BACK = auto()
    """A static member leaves for a moment, and comes back with its id."""
    IS_BACK_AS_ANOTHER = auto()
    """The same with an id of its own choice."""
    LOSES_ITS_PLACE = auto()
    """A dynamic member tries to leave for a moment: its place is free, and another takes it."""


_consumer_actions = st.sampled_from(MemberAction)


_share_actions = st.sampled_from(
    (
        MemberAction.JOINS,
        MemberAction.STAYS,
        MemberAction.LEAVES,
        MemberAction.SENDS_EVERYTHING,
        MemberAction.COMES_AS_A_STRANGER,
        MemberAction.COMES_AS_ANOTHER,
    )
)


STRANGE_EPOCHS = (7, -1, 1)


_strange_epochs = st.sampled_from(STRANGE_EPOCHS)


@st.composite
def draw_named_action(draw: Draw, last: int, *, share: bool) -> list[GroupStep]:
    """What one of the actors from 0 to `last` does in a consumer or share group."""
    actor = draw(st.integers(0, last))
    static, dynamic = actor | 1, actor & ~1  # the odd and the even neighbour, see `heartbeat_of`
    action = draw(_share_actions if share else _consumer_actions)
    if action is MemberAction.JOINS:
        return [heartbeat_of(share, actor)]
    if action is MemberAction.STAYS:
        return [heartbeat_of(share, actor, OWN, OWN)]
    if action is MemberAction.SENDS_EVERYTHING:
        return [heartbeat_of(share, actor), heartbeat_of(share, actor, OWN, OWN, full=True)]
    if action is MemberAction.LEAVES:
        return [heartbeat_of(share, actor, OWN, -1)]
    if action is MemberAction.COMES_AS_A_STRANGER:
        return [heartbeat_of(share, actor, STRANGER, draw(_strange_epochs))]
    if action is MemberAction.COMES_AS_ANOTHER:
        return [heartbeat_of(share, actor, NEW)]
    if action is MemberAction.LOSES_ITS_PLACE:
        return [
            heartbeat_of(share, dynamic, OWN, -2),
            heartbeat_of(share, dynamic + 2, NEW),
            heartbeat_of(share, dynamic, OWN, OWN),
        ]
    member = OWN if action is MemberAction.IS_BACK else NEW
    return [heartbeat_of(share, static, OWN, -2), heartbeat_of(share, static, member)]


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
