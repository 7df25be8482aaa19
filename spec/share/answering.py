"""The model's own observation of a share group's history: what the reference would answer, by a clock of its own.

Each step takes a millisecond, a pause and a fetch that waits as long as they do.

A parked fetch is answered as soon as it acquires something, or when
its MaxWaitMs is over.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from spec.kafka import Error
from spec.log import Log, Stored
from spec.observation import AppendAnswer, Closed, Exchange, Observation, Outcome
from spec.scenario import Append, DeleteRecords, Scenario, Step
from spec.seen import SeenBatch
from spec.semantics import Semantics
from spec.share.branching import branched
from spec.share.outcomes import Acquired, Done, GroupChanged, ShareAcknowledgeAnswer, ShareAnswerPartition, ShareFetchAnswer
from spec.share.semantics import Slicing
from spec.share.session import Admission, Mode
from spec.share.settings import Settings
from spec.share.steps import (
    ACQUIRE_MODE_SINCE,
    MAX_RECORDS_SINCE,
    AlterGroupConfig,
    AlterShareGroupOffsets,
    DeleteShareGroupOffsets,
    Pause,
    ShareAcknowledge,
    ShareFetch,
)
from spec.share.taking import taken
from spec.share.turn import Confirmed, Served, Turn
from spec.share.world import World, world_of

STEP_MS = 1.0


@dataclass(frozen=True, slots=True)
class _Parked:
    """A fetch that waits: its step's number, and when it was sent."""

    number: int
    step: ShareFetch
    sent_ms: float


@dataclass
class SharePlay:
    """A history under way on the model, step by step; what a generator draws the next step by.

    Attributes:
        scenario: its layout and config; its steps are not looked at.
        semantics: the decisions in force.
        world: what the steps so far have led to.
        clock: milliseconds since the start.
    """

    scenario: Scenario
    semantics: Semantics
    world: World
    clock: float = 0.0
    parked: list[_Parked] = field(default_factory=list)

    def take(self, number: int, step: Step) -> list[Exchange]:
        """Do one step; the exchanges that ended by it, its own among them unless it is parked."""
        if isinstance(step, Pause):
            woken = list(self._woken(self.clock + step.ms))
            paused = Exchange(number, Done(), self.clock, self.clock + step.ms)
            self.clock += step.ms
            return [*woken, paused]
        exchange, world = self._answer(number, step)
        if isinstance(step, ShareFetch) and step.max_wait_ms > 0 and _nothing(exchange.outcome):
            if step.parked:
                self.parked.append(_Parked(number, step, self.clock))
                self.clock += STEP_MS
                return []
            sent = self.clock
            self.clock += step.max_wait_ms
            exchange, world = self._answer(number, step, sent)
        self.world = world
        self.clock += STEP_MS
        return [exchange, *self._woken(self.clock)]

    def rest(self) -> list[Exchange]:
        """The exchanges of fetches that are still parked, when all steps are done."""
        return list(self._woken(max([self.clock, *[one.sent_ms + one.step.max_wait_ms for one in self.parked]])))

    def _answer(self, number: int, step: Step, sent_ms: float | None = None) -> tuple[Exchange, World]:
        """What the reference answers to a step now, and the world after it."""
        sent = self.clock if sent_ms is None else sent_ms
        broker = dict(self.scenario.config)
        unanswered = Exchange(number, Closed("unanswered"), sent, self.clock + STEP_MS)
        world = self._settled(unanswered)
        turn = next(taken(world, step, unanswered, self.semantics, broker, quiet=True, over=False)).turn
        answered = replace(unanswered, outcome=_outcome(step, turn, world, self.semantics))
        return answered, next(taken(world, step, answered, self.semantics, broker, quiet=True, over=False)).world

    def _settled(self, exchange: Exchange) -> World:
        """The world with everything done that was under way: sessions closed, and locks whose time is over given up."""
        over = replace(self.world, closing=tuple([replace(one, to_ms=-1.0) for one in self.world.closing]))
        now = replace(exchange, sent_ms=self.clock)
        return branched((over,), now, self.semantics, dict(self.scenario.config)).worlds[0]

    def _woken(self, until_ms: float) -> Iterator[Exchange]:
        """The answers of parked fetches that have something to acquire by now, or whose time is over by `until_ms`."""
        now = self.clock
        for one in tuple(self.parked):
            due = one.sent_ms + one.step.max_wait_ms
            exchange, world = self._answer(one.number, one.step, one.sent_ms)
            if _nothing(exchange.outcome):
                if due > until_ms:
                    continue
                self.clock = due
                exchange, world = self._answer(one.number, one.step, one.sent_ms)
                self.clock = now
            self.parked.remove(one)
            self.world = world
            yield exchange


def answer_all(scenario: Scenario, semantics: Semantics) -> Observation:
    """What the reference answers to a share group's history."""
    play = SharePlay(scenario, semantics, world_of(scenario))
    exchanges: list[Exchange] = []
    for number, step in enumerate(scenario.steps):
        exchanges += play.take(number, step)
        if exchanges and isinstance(exchanges[-1].outcome, Closed):
            return Observation(tuple(exchanges))
    return Observation(tuple(sorted([*exchanges, *play.rest()], key=lambda one: one.step)))


def _nothing(outcome: Outcome) -> bool:
    """Whether a fetch went through and acquired nothing, so that it waits."""
    return (
        isinstance(outcome, ShareFetchAnswer) and not outcome.error and not any(part.acquired or part.error for part in outcome.partitions)
    )


def _outcome(step: Step, turn: Turn | None, world: World, semantics: Semantics) -> Outcome:
    if isinstance(step, Append):
        return AppendAnswer(0, world.logs[step.partition].end)
    if isinstance(step, DeleteRecords):
        return AppendAnswer(0, max(world.logs[step.partition].start, step.offset))
    if isinstance(step, AlterShareGroupOffsets | DeleteShareGroupOffsets):
        return GroupChanged()
    if turn is None:
        return Done()
    if isinstance(step, AlterGroupConfig):
        wrong = any(one.expected is False for one in turn.configured)
        return GroupChanged(Error.INVALID_CONFIG) if wrong else GroupChanged()
    if not turn.known_version:
        return Closed("unsupported version")
    return _answer(step, turn, semantics) if isinstance(step, ShareFetch | ShareAcknowledge) else Done()


def _answer(step: ShareFetch | ShareAcknowledge, turn: Turn, semantics: Semantics) -> Outcome:
    error = _top_level(turn.admission, turn.confirmed)
    timeout = _lock_timeout(step, turn.settings, error)
    if isinstance(step, ShareAcknowledge):
        told = () if error else tuple([(one.partition, _acknowledge_error(one, turn)) for one in turn.confirmed])
        return ShareAcknowledgeAnswer(turn.admission.epoch, error, told, timeout)
    if error:
        return ShareFetchAnswer(turn.admission.epoch, error)
    errors = {one.partition: _acknowledge_error(one, turn) for one in turn.confirmed}
    served = [_part(one, errors.pop(one.partition, 0), semantics) for one in turn.served]
    others = [ShareAnswerPartition(number, acknowledge_error=failed) for number, failed in errors.items()]
    return ShareFetchAnswer(turn.admission.epoch, 0, (*served, *others), timeout)


def _top_level(admission: Admission, confirmed: tuple[Confirmed, ...]) -> int:
    if admission.mode in {Mode.REFUSED, Mode.FAILED}:
        return admission.error
    failed = any(one.expected is not None and one.expected.whole_request for one in confirmed)
    return Error.UNKNOWN_SERVER_ERROR if failed else Error.NONE


def _lock_timeout(step: ShareFetch | ShareAcknowledge, settings: Settings, error: int) -> int | None:
    since = MAX_RECORDS_SINCE if isinstance(step, ShareFetch) else ACQUIRE_MODE_SINCE
    return (0 if error else settings.lock_duration_ms) if step.version >= since else None


def _acknowledge_error(one: Confirmed, turn: Turn) -> int:
    if one.partition > turn.partitions:
        return Error.UNKNOWN_TOPIC_ID
    if one.partition == turn.partitions:
        return Error.UNKNOWN_TOPIC_OR_PARTITION
    if one.fault is not None:
        return Error.INVALID_REQUEST
    return one.expected.error if one.expected is not None else Error.UNKNOWN_TOPIC_OR_PARTITION


def _part(served: Served, acknowledge_error: int, semantics: Semantics) -> ShareAnswerPartition:
    if served.fault or served.expected is None or served.log is None:
        return ShareAnswerPartition(served.partition, served.fault, acknowledge_error)
    ranges = served.expected.ranges
    sent = _between(served.log, ranges) if semantics.share.slicing is Slicing.ACQUIRED else served.expected.read if ranges else ()
    batches = tuple([SeenBatch(one.base, one.last, one.size, one.records) for one in sent])
    return ShareAnswerPartition(served.partition, 0, acknowledge_error, ranges, batches)


def _between(log: Log, ranges: tuple[Acquired, ...]) -> tuple[Stored, ...]:
    """The batches from that of the first acquired offset to that of the last (SHR-150)."""
    real = [one for one in ranges if one.first <= one.last]
    if not real:
        return ()
    first, last = min([one.first for one in real]), max([one.last for one in real])
    return tuple([one for one in log.batches if one.last >= first and one.base <= last])
