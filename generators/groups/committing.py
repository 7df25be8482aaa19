"""Histories whose members commit offsets and fetch them: of a classic group that may rebalance, be
upgraded and left, and of a consumer group.
"""

from enum import Enum, auto

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.groups.classic import stable_group
from generators.groups.constants import LONG_MS, REBALANCE_MS, SECOND_CONNECTION, WITNESS, Draw
from generators.weighted import weighted
from spec.frozen import replace
from spec.groups.examples import upgraded_history
from spec.groups.steps import (
    NEW,
    OWN,
    STRANGER,
    ConsumerGroupHeartbeat,
    DescribeGroup,
    GroupStep,
    JoinGroup,
    LeaveGroup,
    MemberCommit,
    MemberOffsetFetch,
    SyncGroup,
)
from spec.scenario import Scenario

MOST_ACTIONS = 4
CONSUMER = 5
"""The first actor that is a consumer."""
_epochs: SearchStrategy[int | str] = weighted((OWN, 4), (-1, 2), (0, 1), (1, 1), (100, 2))
"""What a commit carries: what its member goes by, nothing, an early generation or epoch, and one
that nobody reaches.
"""


class Change(Enum):
    """What happens between commits, the simplest first."""

    NOTHING = auto()
    REBALANCES = auto()
    """A newcomer joins a classic group, and all join again, of whom none has synced yet; once."""
    IS_SYNCED = auto()
    CONSUMER_COMES = auto()
    CONSUMER_LEAVES = auto()
    LEAVES = auto()


_changes = st.sampled_from(Change)


def committing_histories() -> SearchStrategy[Scenario]:
    """Histories of one group that holds three classic members or two consumers."""
    return _draw_committing()


@st.composite
def _draw_committing(draw: Draw) -> Scenario:
    """A classic group of one or two, or a consumer. Classic members commit by a connection
    of their own, since they may wait.
    """
    size = draw(st.integers(0, 2))
    steps: list[GroupStep] = [_patient(step) for step in stable_group(size)]
    steps += [] if size else [_consumer(CONSUMER, OWN, 0)]
    rebalanced = False
    for _ in range(1 + draw(st.integers(0, MOST_ACTIONS - 1))):
        change, actor = draw(_changes), draw(st.integers(0, 1))
        consumer = CONSUMER + actor
        if change is Change.REBALANCES and not rebalanced:
            rebalanced = True
            steps += _rebalance(draw, size)
        elif change is Change.IS_SYNCED:
            steps += [SyncGroup(one + SECOND_CONNECTION, one, parked=True) for one in range(3)]
            steps.append(DescribeGroup(WITNESS, "Stable", patience_ms=REBALANCE_MS))
        elif change is Change.CONSUMER_COMES:
            steps.append(_consumer(consumer, OWN, 0))
        elif change is Change.CONSUMER_LEAVES:
            steps.append(_consumer(consumer, OWN, draw(st.sampled_from((-1, -2)))))
        elif change is Change.LEAVES:
            steps.append(LeaveGroup(actor + SECOND_CONNECTION, actor))
        steps += _draw_commits(draw)
    return upgraded_history(*steps, DescribeGroup(WITNESS))


def _rebalance(draw: Draw, size: int) -> list[GroupStep]:
    """A newcomer begins a join phase, in which others commit; then nobody has synced."""
    again = [_waits(actor) for actor in range(size)]
    seen = DescribeGroup(WITNESS, patience_ms=REBALANCE_MS)
    newcomer: list[GroupStep] = [
        JoinGroup(size, NEW, session_ms=LONG_MS, rebalance_ms=LONG_MS),
        _waits(size),
        seen,
    ]
    return [*newcomer, *_draw_commits(draw), *again, replace(seen, state="CompletingRebalance")]


def _draw_commits(draw: Draw) -> list[GroupStep]:
    """A commit of a classic member, of a consumer, and perhaps of who is neither; a consumer
    fetches offsets, and perhaps another does.
    """
    classic, consumer = draw(st.integers(0, 2)), CONSUMER + draw(st.integers(0, 1))
    stranger = MemberCommit(WITNESS, draw(st.sampled_from((NEW, STRANGER))), draw(_epochs))
    another = _fetch_of_another(draw, classic + 2 * SECOND_CONNECTION + 1, classic)
    return [
        MemberCommit(classic + 2 * SECOND_CONNECTION + 1, classic, draw(_epochs)),
        MemberCommit(consumer, epoch=draw(_epochs)),
        *[stranger] * draw(st.integers(0, 1)),
        MemberOffsetFetch(consumer, epoch=draw(_epochs)),
        *[another] * draw(st.integers(0, 1)),
    ]


def _fetch_of_another(draw: Draw, actor: int, classic: int) -> MemberOffsetFetch:
    """An OffsetFetch of a classic member, of who is no member, or of who names none."""
    match draw(st.sampled_from(("classic", "stranger", "nobody"))):
        case "classic":
            return MemberOffsetFetch(actor, classic, draw(_epochs))
        case "stranger":
            return MemberOffsetFetch(WITNESS, STRANGER, draw(_epochs))
    return MemberOffsetFetch(WITNESS, NEW, -1)


def _consumer(actor: int, member: str, epoch: int) -> ConsumerGroupHeartbeat:
    """A heartbeat of a consumer; the second is a static member."""
    instance = f"i{actor}" if actor == CONSUMER + 1 else None
    return ConsumerGroupHeartbeat(actor, member, epoch, instance)


def _patient(step: GroupStep) -> GroupStep:
    """A join whose member stays for as long as a history takes on a slow machine."""
    if isinstance(step, JoinGroup):
        return replace(step, session_ms=LONG_MS, rebalance_ms=LONG_MS)
    return step


def _waits(actor: int) -> JoinGroup:
    """A join that may have to wait for others, which is not waited for."""
    return JoinGroup(
        actor, session_ms=LONG_MS, rebalance_ms=LONG_MS, parked=True, patience_ms=REBALANCE_MS
    )
