"""Histories of groups that change their protocol, or have members of both."""

from collections.abc import Callable
from enum import Enum, auto

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.groups.classic import stable_group
from generators.groups.constants import (
    LONG_MS,
    MOST_STEPS,
    REBALANCE_MS,
    SECOND_CONNECTION,
    WITNESS,
    Draw,
)
from generators.weighted import weighted
from spec.frozen import replace
from spec.groups.examples import (
    mixed_history,
    upgraded_history,
)
from spec.groups.steps import (
    NEW,
    OWN,
    STRANGER,
    ConsumerGroupHeartbeat,
    DescribeGroup,
    GroupStep,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
)
from spec.scenario import Scenario


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
    made = stable_group(draw(st.integers(0, 3)))
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
