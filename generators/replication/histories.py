"""What is done with a partition on three brokers."""

from dataclasses import dataclass, field

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.weighted import chance, several, weighted
from spec.layout import Layout, Partition
from spec.replication.outcomes import NO_BROKER
from spec.replication.steps import (
    ALL,
    EPOCH_SINCE,
    FOLLOWER,
    LEADER,
    NO_RACK,
    OTHER_RACK,
    RACK_SINCE,
    REPLICAS,
    STRANGER,
    AskEpochEnd,
    AskLatest,
    ElectLeader,
    LookAtBrokers,
    Read,
    ReplicationStep,
    StartBroker,
    StopBroker,
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
_records = weighted((1, 4), (2, 1), (3, 1))
"""How many are written one after the other."""
_acks = weighted((ALL, 6), (1, 1))
_acks_short = weighted((ALL, 1), (1, 1))
_minima = weighted((0, 3), (1, 1), (2, 2), (3, 1))
_minima_of_outages = weighted((2, 4), (1, 2), (3, 1))
_before, _during = several(0, 4, 85), several(1, 6, 85)
_stops, _reads_last = chance(30, 1), chance(1, 1)
_starts = chance(3, 4)
_epochs = weighted((None, 4), (0, 2), (-1, 2), (1, 2))


@dataclass
class _History:
    """A history while it is drawn, with what is known of its partition.

    Attributes:
        minimum: the topic's `min.insync.replicas`.
        steps: those drawn so far.
        leader: the role of the leader.
        moves: how often it has moved.
        end: how many records it has.
        certain: whether all of them were acknowledged with acks=all.
        stopped: the role of the broker that is stopped.
    """

    minimum: int
    steps: list[ReplicationStep] = field(init=False)
    leader: int = LEADER
    moves: int = 0
    end: int = 0
    certain: bool = True
    stopped: int = NO_BROKER

    def __post_init__(self) -> None:
        self.steps = [LookAtBrokers(min_insync_replicas=self.minimum)]

    @property
    def is_short(self) -> bool:
        """Whether acks=all is refused."""
        return self.stopped in REPLICAS and self.minimum > 1

    def add(self, draw: st.DrawFn) -> None:
        """Draw what comes next."""
        kind = draw(_kinds)
        if kind is ElectLeader:
            self._elect(draw)
        elif kind is Write:
            actor = self.asked(draw, _brokers)
            for _ in range(draw(_records)):
                self.write(draw, actor, draw(_acks_short if self.is_short else _acks))
        elif kind is Read:
            self.steps.append(draw(_draw_read(self)))
        elif kind is AskLatest:
            self.steps.append(AskLatest(self.asked(draw, _brokers)))
        else:
            oldest, actor = -min(self.moves, OLDEST), self.asked(draw, _askers)
            every = draw(_every)
            epochs = range(oldest, 1) if every else (draw(st.integers(oldest, 1)),)
            self.steps += [AskEpochEnd(actor, epoch) for epoch in epochs]

    def write(self, draw: st.DrawFn, actor: int, acks: int) -> None:
        """Write a record."""
        self.steps.append(Write(actor, draw(_writes), acks))
        if actor == self.leader and not (self.is_short and acks == ALL):
            self.end += 1
            self.certain = acks == ALL

    def stop(self, draw: st.DrawFn, ends: StopBroker) -> None:
        """Stop or kill a broker."""
        if ends.actor == self.leader:
            self._settle(draw)
            self.leader, self.moves = _other(ends.actor), self.moves + 1
        self.steps.append(ends)
        self.stopped = ends.actor

    def start(self) -> None:
        """Start the stopped broker."""
        self.steps.append(StartBroker(self.stopped))
        self.stopped = NO_BROKER

    def read_last(self, draw: st.DrawFn) -> None:
        """Read the last record at the leader, in some histories."""
        if self.end and draw(_reads_last):
            self.steps.append(Read(self.leader, self.end - 1))

    def _elect(self, draw: st.DrawFn) -> None:
        if self.stopped in REPLICAS:
            return
        self._settle(draw)
        self.steps.append(ElectLeader())
        self.leader, self.moves = _other(self.leader), self.moves + 1

    def _settle(self, draw: st.DrawFn) -> None:
        """Have all records acknowledged by both replicas: another leader may lack the others."""
        if not self.certain:
            self.write(draw, self.leader, ALL)

    def asked(self, draw: st.DrawFn, who: SearchStrategy[int]) -> int:
        """The role of a running broker, by what it does at the moment."""
        does = draw(who)
        role = STRANGER if does == _has_none else self.leader
        if does == _follows:
            role = _other(self.leader)
        return self.leader if role == self.stopped else role


@st.composite
def _draw_read(draw: st.DrawFn, history: _History) -> Read:
    version = draw(_reads)
    offset = draw(st.integers(0, history.end + 1))
    rack = draw(_racks) if version >= RACK_SINCE else NO_RACK
    epoch = draw(_epochs) if version >= EPOCH_SINCE else None
    if epoch is not None and history.moves + epoch < 0:
        epoch = 0
    return Read(history.asked(draw, _brokers), offset, rack, epoch, version)


def _other(leader: int) -> int:
    """The role of the other replica."""
    return FOLLOWER + LEADER - leader


def _scenario(history: _History) -> Scenario:
    return Scenario(Layout((Partition(),)), tuple(history.steps), subject="replication")


@st.composite
def _next_step(draw: st.DrawFn, history: _History) -> None:
    """Draw what comes next; it is one draw, so that a shrunk case leaves it out at once."""
    history.add(draw)


@st.composite
def _histories(draw: st.DrawFn) -> Scenario:
    history = _History(draw(_minima))
    for _ in range(draw(_counts)):
        draw(_next_step(history))
    return _scenario(history)


@st.composite
def _outages(draw: st.DrawFn, ends: StopBroker) -> Scenario:
    history = _History(draw(_minima_of_outages))
    for _ in range(draw(_before)):
        draw(_next_step(history))
    if draw(_stops):
        history.stop(draw, ends)
        history.read_last(draw)
    for _ in range(draw(_during)):
        draw(_next_step(history))
    if history.stopped == ends.actor and draw(_starts):
        history.start()
        history.read_last(draw)
        for _ in range(draw(_during)):
            draw(_next_step(history))
    return _scenario(history)


def replication_histories() -> SearchStrategy[Scenario]:
    """Some steps on a partition that begins empty."""
    return _histories()


def outage_histories(ends: StopBroker) -> SearchStrategy[Scenario]:
    """Some steps on a partition that begins empty, among which a broker is stopped or killed, as
    `ends` says, and started again in most.
    """
    return _outages(ends)
