"""What is done with a partition on three brokers."""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.weighted import chance, several, weighted
from spec.layout import Layout, Partition
from spec.replication.steps import (
    EPOCH_SINCE,
    FOLLOWER,
    LEADER,
    NO_RACK,
    OTHER_RACK,
    RACK_SINCE,
    STRANGER,
    AskEpochEnd,
    AskLatest,
    ElectLeader,
    LookAtBrokers,
    Read,
    ReplicationStep,
    Write,
)
from spec.scenario import Scenario

MOST_STEPS = 9
OLDEST = 3
"""Leader epochs before the current one, whose ends are asked for at most."""
_every = chance(1, 1)
"""Whether the ends of all of them are asked for."""
_counts = several(1, MOST_STEPS, 80)
_leads, _follows, _has_none = range(3)
_brokers = weighted((_leads, 4), (_follows, 3), (_has_none, 1))
"""Who is asked, by what it does at the moment."""
_askers = weighted((_leads, 6), (_follows, 1), (_has_none, 1))
_kinds = weighted((Read, 5), (Write, 4), (ElectLeader, 3), (AskEpochEnd, 2), (AskLatest, 1))
_reads = weighted((16, 3), (12, 2), (11, 2), (10, 2), (9, 1), (8, 1), (15, 1), (17, 1))
_writes = weighted((12, 2), (10, 2), (9, 1), (11, 1))
_racks = weighted((NO_RACK, 3), (FOLLOWER, 3), (LEADER, 3), (STRANGER, 1), (OTHER_RACK, 1))
_epochs = weighted((None, 4), (0, 2), (-1, 2), (1, 2))


def _role(does: int, leader: int) -> int:
    """The role of the broker that does something at the moment."""
    if does == _has_none:
        return STRANGER
    return leader if does == _leads else FOLLOWER + LEADER - leader


@st.composite
def _draw_read(draw: st.DrawFn, leader: int, end: int, moves: int) -> Read:
    version = draw(_reads)
    offset = draw(st.integers(0, end + 1))
    rack = draw(_racks) if version >= RACK_SINCE else NO_RACK
    epoch = draw(_epochs) if version >= EPOCH_SINCE else None
    if epoch is not None and moves + epoch < 0:
        epoch = 0
    return Read(_role(draw(_brokers), leader), offset, rack, epoch, version)


@st.composite
def _histories(draw: st.DrawFn) -> Scenario:
    steps: list[ReplicationStep] = [LookAtBrokers()]
    leader, moves, end = LEADER, 0, 0
    for _ in range(draw(_counts)):
        kind = draw(_kinds)
        if kind is ElectLeader:
            steps.append(ElectLeader())
            leader, moves = _role(_follows, leader), moves + 1
        elif kind is Write:
            actor = _role(draw(_brokers), leader)
            steps.append(Write(actor, draw(_writes)))
            end += actor == leader
        elif kind is Read:
            steps.append(draw(_draw_read(leader, end, moves)))
        elif kind is AskLatest:
            steps.append(AskLatest(_role(draw(_brokers), leader)))
        else:
            actor, oldest = _role(draw(_askers), leader), -min(moves, OLDEST)
            epochs = range(oldest, 1) if draw(_every) else (draw(st.integers(oldest, 1)),)
            steps += [AskEpochEnd(actor, epoch) for epoch in epochs]
    return Scenario(Layout((Partition(),)), tuple(steps), subject="replication")


def replication_histories() -> SearchStrategy[Scenario]:
    """Some steps on a partition that begins empty."""
    return _histories()
