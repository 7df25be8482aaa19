"""The model's own observation of a scenario: what the reference would answer to each step, in the
terms of an observation.

It makes the catalogue's worked examples, is what the served model will answer, and stands in for a
broker in tests of the judge.
"""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from spec.fetch.model.read import Read
from spec.fetch.model.session import Admission, Mode, Session, admit, after
from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
from spec.fetch.releases import AbortedExtent, FetchSemantics, StableBelowStart
from spec.fetch.steps import Fetch
from spec.fetch.turn import Served, Turn, turn_of
from spec.kafka import READ_COMMITTED, SESSIONS_SINCE, Error
from spec.log import Log, bytes_of, log_of
from spec.observation import Exchange, Observation
from spec.outcomes import AppendAnswer, Closed
from spec.scenario import Scenario
from spec.seen import SeenBatch
from spec.semantics import Semantics
from spec.steps import Append, DeleteRecords

Answering = Callable[
    [Fetch, Mapping[int, Log], Session | None, Semantics, int | None],
    tuple[FetchAnswer, Session | None, float],
]
"""A function that answers a fetch, as `answer_fetch` does."""


def answer_all(
    scenario: Scenario, semantics: Semantics, answering: Answering | None = None
) -> Observation:
    """The answers of the reference, or of `answering`, to a scenario.

    Each step is sent as soon as its actor is free and its time has come; a fetch that is held back
    is looked at again at each write.
    """
    return _Play(scenario, semantics, answering or answer_fetch).observation()


def turns_of(scenario: Scenario, semantics: Semantics) -> tuple[tuple[int, Turn], ...]:
    """Each fetch of a scenario by its step's number, as the reference takes and reads it when it is
    sent.
    """
    play = _Play(scenario, semantics, answer_fetch)
    play.observation()
    return tuple(sorted(play.turns, key=lambda pair: pair[0]))


_LogStep = Fetch | Append | DeleteRecords

TICK = 0.001
"""Milliseconds from a request to its answer where nothing holds it back, so that what was caused
comes after its cause.
"""


@dataclass(frozen=True, slots=True)
class _Held:
    """A fetch that is held back until `deadline`, ms."""

    number: int
    fetch: Fetch
    sent: float
    deadline: float


class _Play:
    """A scenario in a time of its own, in which only waiting takes any."""

    def __init__(self, scenario: Scenario, semantics: Semantics, answering: Answering) -> None:
        self.semantics = semantics
        self.turns: list[tuple[int, Turn]] = []
        self._answering = answering
        self._logs = {
            number: log_of(partition) for number, partition in enumerate(scenario.layout.partitions)
        }
        self._session: Session | None = None
        self._exchanges: list[Exchange] = []
        self._ended = False
        self._queues: dict[int, deque[tuple[int, _LogStep]]] = {}
        for number, step in enumerate(scenario.steps):
            if not isinstance(step, Fetch | Append | DeleteRecords):
                raise TypeError(
                    f"expected a step of the subject fetch, found {step.name}; its own "
                    "subject answers it"
                )
            self._queues.setdefault(step.actor, deque()).append((number, step))
        self._free = dict.fromkeys(self._queues, 0.0)
        self._held: dict[int, _Held] = {}

    def observation(self) -> Observation:
        """Play to the end."""
        while not self._ended and (self._held or any(self._queues.values())):
            self._next()
        return Observation(tuple(sorted(self._exchanges, key=lambda exchange: exchange.step)))

    def _next(self) -> None:
        """The earliest thing that is due: a held fetch whose time is up, or a step."""
        due = [(held.deadline, 0, held.number, actor) for actor, held in self._held.items()]
        for actor, queue in self._queues.items():
            if queue and actor not in self._held:
                number, step = queue[0]
                due.append((max(self._free[actor], float(step.after_ms)), 1, number, actor))
        now, kind, _, actor = min(due)
        if not kind:
            self._answer(self._held.pop(actor), now, last=True)
            return
        number, step = self._queues[actor].popleft()
        if isinstance(step, Fetch):
            self._send(number, step, now)
        else:
            self._write(number, step, now)

    def _send(self, number: int, fetch: Fetch, now: float) -> None:
        known = self.semantics.of(FetchSemantics)
        if not known.oldest_fetch <= fetch.version <= known.newest_fetch:
            self._exchanges.append(Exchange(number, Closed("unsupported version"), now, now))
            self._ended = True
            return
        self.turns.append(
            (number, _turn_of_fetch(fetch, admit(fetch, self._session), self.semantics, self._logs))
        )
        self._answer(_Held(number, fetch, now, now), now, last=False)

    def _answer(self, held: _Held, now: float, *, last: bool) -> None:
        """Answer a fetch, unless it is to be held back (any longer)."""
        answer, session, held_ms = self._answering(
            held.fetch, self._logs, self._session, self.semantics, None
        )
        actor = held.fetch.actor
        if held_ms and not last:
            self._held[actor] = replace(held, deadline=held.sent + held_ms)
            return
        self._session = session
        self._exchanges.append(Exchange(held.number, answer, held.sent, now + TICK))
        self._free[actor] = now + TICK

    def _write(self, number: int, step: Append | DeleteRecords, now: float) -> None:
        log = self._logs[step.partition]
        self._logs[step.partition] = (
            log.appended(step.batch) if isinstance(step, Append) else log.deleted_to(step.offset)
        )
        offset = log.end if isinstance(step, Append) else self._logs[step.partition].start
        self._exchanges.append(Exchange(number, AppendAnswer(0, offset), now, now + TICK))
        self._free[step.actor] = now + TICK
        if isinstance(step, Append):
            for actor in list(self._held):
                self._answer(self._held.pop(actor), now, last=False)


def _turn_of_fetch(
    fetch: Fetch,
    admission: Admission,
    semantics: Semantics,
    logs: Mapping[int, Log],
    partitions: int | None = None,
) -> Turn:
    return turn_of(fetch, admission, semantics, logs, Closed(), 0.0, partitions)


def answer_fetch(
    fetch: Fetch,
    logs: Mapping[int, Log],
    own: Session | None,
    semantics: Semantics,
    partitions: int | None = None,
) -> tuple[FetchAnswer, Session | None, float]:
    """The reference's answer, the session after it, and the milliseconds it is held back where
    nothing else happens.

    Args:
        fetch: the request.
        logs: the log of each partition that it or the session names, as far as there is one.
        own: the session that it goes by, if any.
        semantics: the decisions in force.
        partitions: how many partitions there are, where `logs` holds only some; see `turn_of`.
    """
    admission = admit(fetch, own)
    hook = semantics.of(FetchSemantics).hook
    if hook is not None and (error := hook.refuses(fetch, admission)):
        return FetchAnswer(error), own, 0.0
    if admission.mode is Mode.REFUSED:
        session = -1 if admission.error == Error.UNKNOWN_SERVER_ERROR else 0
        return FetchAnswer(admission.error, session), own, 0.0
    turn = _turn_of_fetch(fetch, admission, semantics, logs, partitions)
    answered = tuple([_part(turn, served) for served in turn.served if served.log is not None])
    answered += tuple([_part(turn, served) for served in turn.served if served.log is None])
    if admission.mode is Mode.INCREMENTAL:
        answered = tuple([got for got in answered if _is_included(admission, got)])
    error = Error.UNKNOWN_SERVER_ERROR if fetch.isolation not in {0, 1} else 0
    session = (
        {Mode.FULL: 2, Mode.INCREMENTAL: 1}.get(admission.mode, 0)
        if fetch.version >= SESSIONS_SINCE and not error
        else 0
    )
    answer = FetchAnswer(error if fetch.version >= SESSIONS_SINCE else 0, session, answered)
    followed = after(admission, fetch, session, answered)
    return (
        answer,
        followed if fetch.session == "own" or not fetch.epoch else own,
        float(fetch.max_wait_ms) if turn.held_back else 0.0,
    )


def _part(turn: Turn, served: Served) -> PartitionAnswer:
    number, log = served.ask.partition, served.log
    read = turn.reads.get(number, Read())
    error = served.fault or read.error
    if error or log is None:
        return PartitionAnswer(number, error)
    whole = log.batches[read.first : read.first + read.whole] if read.first >= 0 else ()
    aborted = None
    if turn.fetch.isolation == READ_COMMITTED:
        stop = (
            log.end
            if turn.semantics.aborted_extent is AbortedExtent.INDEXED
            else (whole[-1].last + 1 if whole else 0)
        )
        aborted = tuple(
            [
                (t.txn, t.first)
                for t in log.aborted
                if read.size and t.last >= served.ask.offset and t.first < stop
            ]
        )
    return PartitionAnswer(
        partition=number,
        high_watermark=log.end,
        last_stable_offset=_reported_stable_offset(log, turn.semantics),
        log_start_offset=log.start if turn.fetch.version >= 5 else None,
        aborted=aborted,
        batches=tuple(
            [SeenBatch(batch.base, batch.last, batch.size, batch.records) for batch in whole]
        ),
        tail=read.size - bytes_of(whole),
    )


def _reported_stable_offset(log: Log, semantics: FetchSemantics) -> int:
    """The last stable offset as Apache Kafka reports it: see `StableBelowStart`."""
    if semantics.stable_below_start is StableBelowStart.LOG_START or log.undecided >= log.start:
        return log.stable
    holder = (
        log.batches[log.holder(log.start)] if log.holder(log.start) < len(log.batches) else None
    )
    return min(holder.base, log.stable) if holder is not None else log.stable


def _is_included(admission: Admission, got: PartitionAnswer) -> bool:
    before = admission.before
    cached = (
        next((c for c in before.cached if c.ask.partition == got.partition), None)
        if before
        else None
    )
    changed = cached is None or (cached.high_watermark, cached.log_start) != (
        got.high_watermark,
        got.log_start_offset,
    )
    return bool(got.size or got.error) or changed
