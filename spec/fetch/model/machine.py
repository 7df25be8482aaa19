"""What a broker does with fetches and writes, as a machine (see `spec.machine`)."""

from collections.abc import Callable, Mapping
from math import inf

from spec.fetch.model.answer import answer_fetch
from spec.fetch.model.session import Session, is_overtaken, on_arrival
from spec.fetch.outcomes import FetchAnswer
from spec.fetch.releases import FetchSemantics
from spec.fetch.steps import Fetch
from spec.frozen import frozen, replace
from spec.kafka import FULL_EPOCH, Error
from spec.log import Log
from spec.machine import StepResult
from spec.outcomes import AppendAnswer, Closed
from spec.semantics import Semantics
from spec.steps import Append, DeleteRecords

Answering = Callable[
    [Fetch, Mapping[int, Log], Session | None, Semantics, int | None],
    tuple[FetchAnswer, Session | None, float],
]
"""A function that answers a fetch, as `answer_fetch` does."""

Rejecting = Callable[[Fetch, FetchSemantics], "FetchReply | None"]
"""What becomes of a fetch by its version alone; None where it is answered."""

TakingOn = Callable[[Fetch, Session | None], Session | None]
"""The session once it has taken a request on, as `on_arrival` gives it."""

LogStep = Fetch | Append | DeleteRecords
FetchReply = FetchAnswer | AppendAnswer | Closed
FetchStepResult = StepResult["FetchState", FetchReply]


def close_on_unknown_version(fetch: Fetch, known: FetchSemantics) -> FetchReply | None:
    """A fetch of a version that is not known closes the connection."""
    if known.oldest_fetch <= fetch.version <= known.newest_fetch:
        return None
    return Closed("unsupported version")


@frozen
class DelayedFetch:
    """A fetch that is held back.

    Attributes:
        number: the request's.
        fetch: the request.
        sent, deadline: when it came and until when it waits, ms.
        met: the session that it met.
        taken: that session after it had taken the request on.
        closed: whether that session was closed since, so that nothing more becomes of it.
    """

    number: int
    fetch: Fetch
    sent: float
    deadline: float
    met: Session | None = None
    taken: Session | None = None
    closed: bool = False


@frozen
class FetchState:
    """The logs by partition, the session, and the fetches that are held back, in their order."""

    logs: Mapping[int, Log]
    session: Session | None = None
    held: tuple[DelayedFetch, ...] = ()


@frozen
class FetchMachine:
    """Answers fetches at once, or at a write or a deadline.

    Attributes:
        semantics: the decisions in force.
        answering: what answers a fetch: the reference, or one with a planted fault.
        rejecting: what rejects a fetch by its version, likewise.
        taking_on: what its session becomes when a request arrives, likewise.
    """

    semantics: Semantics
    answering: Answering = answer_fetch
    rejecting: Rejecting = close_on_unknown_version
    taking_on: TakingOn = on_arrival

    def take(self, state: FetchState, number: int, request: LogStep, now: float) -> FetchStepResult:
        """A fetch comes, or a write; a fetch may be rejected by its version."""
        if not isinstance(request, Fetch):
            return self._write(state, number, request)
        rejected = self.rejecting(request, self.semantics.of(FetchSemantics))
        if rejected is not None:
            return StepResult(state, ((number, rejected),))
        met, taken = state.session, self.taking_on(request, state.session)
        if met is not None and taken is None:
            waiting = tuple([replace(held, closed=True) for held in state.held])
            state = replace(state, held=waiting)
        held = DelayedFetch(number, request, now, inf, met, taken)
        return self._answer(replace(state, session=taken), held, last=False)

    def due(self, state: FetchState) -> float:
        """The earliest deadline of a fetch that is held back."""
        return min([held.deadline for held in state.held], default=inf)

    def fire(self, state: FetchState, _now: float) -> FetchStepResult:
        """The fetch whose deadline it is is answered, with whatever there is."""
        held = min(state.held, key=lambda held: (held.deadline, held.number))
        rest = tuple([other for other in state.held if other is not held])
        return self._answer(replace(state, held=rest), held, last=True)

    def _answer(self, state: FetchState, held: DelayedFetch, *, last: bool) -> FetchStepResult:
        """Answer a fetch, unless it is to be held back (any longer)."""
        answer, session, held_ms = self.answering(
            held.fetch, state.logs, held.met, self.semantics, None
        )
        if held_ms and not last:
            waits = replace(held, deadline=held.sent + held_ms)
            return StepResult(replace(state, held=(*state.held, waits)))
        if not held.closed and is_overtaken(held.taken, held.met, state.session):
            answer = FetchAnswer(Error.INVALID_FETCH_SESSION_EPOCH, 1)
        opens = held.fetch.epoch == FULL_EPOCH
        if not opens and (held.closed or state.session != held.taken):
            session = state.session
        return StepResult(replace(state, session=session), ((held.number, answer),))

    def _write(
        self, state: FetchState, number: int, step: Append | DeleteRecords
    ) -> FetchStepResult:
        """Write, and look again at each fetch that is held back where a batch came."""
        log = state.logs[step.partition]
        if isinstance(step, Append):
            written, offset = log.with_batch(step.batch), log.end
        else:
            written = log.deleted_to(step.offset)
            offset = written.start
        logs = {**state.logs, step.partition: written}
        after = replace(state, logs=logs)
        replies: list[tuple[int, FetchReply]] = [(number, AppendAnswer(0, offset))]
        if isinstance(step, Append):
            after = replace(after, held=())
            for held in state.held:
                stepped = self._answer(after, held, last=False)
                after = stepped.state
                replies += stepped.replies
        return StepResult(after, tuple(replies))
