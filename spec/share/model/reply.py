"""What the reference answers to one step in one world, and the world after it; and the seams at which a fault can be planted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from spec.kafka import Error
from spec.log import Log, Stored
from spec.observation import Exchange
from spec.outcomes import AppendAnswer, Closed, Outcome
from spec.seen import SeenBatch
from spec.semantics import Semantics
from spec.share.model.session import Admission, Mode, ShareSession
from spec.share.model.settings import Settings
from spec.share.model.state import World, unknown_error
from spec.share.outcomes import Acquired, Done, GroupChanged, ShareAcknowledgeAnswer, ShareAnswerPartition, ShareFetchAnswer
from spec.share.releases import ShareSemantics, Slicing
from spec.share.steps import (
    ACQUIRE_MODE_SINCE,
    MAX_RECORDS_SINCE,
    AlterGroupConfig,
    AlterShareGroupOffsets,
    DeleteShareGroupOffsets,
    FindShareCoordinator,
    ShareAcknowledge,
    ShareFetch,
)
from spec.share.taking import taken
from spec.share.turn import Confirmed, Served, Turn
from spec.steps import Append, DeleteRecords, Step


def _as_sent(step: Step) -> Step:
    return step


def _as_known(share: ShareSemantics) -> ShareSemantics:
    return share


def _as_it_is(world: World) -> World:
    return world


def _as_made(_: Step, outcome: Outcome) -> Outcome:
    return outcome


@dataclass(frozen=True, slots=True)
class Sharing:
    """How share groups are handled, so that each part can be planted wrong.

    Attributes:
        misread: what a step is taken for.
        decided: the decisions that are gone by.
        remembered: what is made of the state after each step.
        altered: what becomes of the answer to a step on its way out.
    """

    misread: Callable[[Step], Step] = _as_sent
    decided: Callable[[ShareSemantics], ShareSemantics] = _as_known
    remembered: Callable[[World], World] = _as_it_is
    altered: Callable[[Step, Outcome], Outcome] = _as_made


REFERENCE = Sharing()


def reply(
    world: World, step: Step, sent_ms: float, answered_ms: float, semantics: Semantics, broker: Mapping[str, str]
) -> tuple[Outcome, World]:
    """What the reference answers to a step, and the world after it.

    Args:
        world: before, with everything done that was under way (`spec.share.hidden.passed`).
        step: a member's request, or what an administrator does.
        sent_ms: when it is sent.
        answered_ms: when it is answered; what is acquired is locked from some moment between the two.
        semantics: the decisions in force.
        broker: the broker's configs that differ from its release's defaults.
    """
    unanswered = Exchange(0, Closed("unanswered"), sent_ms, answered_ms)
    turn = next(taken(world, step, unanswered, semantics, broker, quiet=True, over=False)).turn
    answered = replace(unanswered, outcome=_outcome(step, turn, world, semantics))
    return answered.outcome, next(taken(world, step, answered, semantics, broker, quiet=True, over=False)).world


def acquired_nothing(outcome: Outcome) -> bool:
    """Whether a fetch went through and acquired nothing, so that it waits where it may."""
    return (
        isinstance(outcome, ShareFetchAnswer) and not outcome.error and not any(part.acquired or part.error for part in outcome.partitions)
    )


def resumed(world: World, step: ShareFetch, session: ShareSession | None) -> tuple[World, ShareFetch]:
    """A fetch that has waited, as it is asked again: what it acknowledged is done, and its session stands as the fetch met it."""
    partitions = tuple([replace(part, acknowledgements=()) for part in step.partitions])
    return world.with_session(step.actor, session), replace(step, partitions=partitions)


def joined(first: ShareFetchAnswer, later: ShareFetchAnswer) -> ShareFetchAnswer:
    """The answer to a fetch that has waited: what it acquired at last, and what became of its acknowledgements at first."""
    errors = {part.partition: part.acknowledge_error for part in first.partitions if part.acknowledge_error}
    told = [replace(part, acknowledge_error=errors.pop(part.partition, 0)) for part in later.partitions]
    return replace(later, partitions=(*told, *[ShareAnswerPartition(number, acknowledge_error=error) for number, error in errors.items()]))


def _outcome(step: Step, turn: Turn | None, world: World, semantics: Semantics) -> Outcome:
    """What the reference answers, given the turn without an answer."""
    if isinstance(step, Append):
        return AppendAnswer(0, world.logs[step.partition].end)
    if isinstance(step, DeleteRecords):
        return AppendAnswer(0, max(world.logs[step.partition].start, step.offset))
    if isinstance(step, AlterShareGroupOffsets | DeleteShareGroupOffsets):
        return GroupChanged()
    if turn is None:
        return Done()
    if isinstance(step, FindShareCoordinator):
        return GroupChanged()
    if isinstance(step, AlterGroupConfig):
        wrong = any(one.expected is False for one in turn.configured)
        return GroupChanged(Error.INVALID_CONFIG) if wrong else GroupChanged()
    if not turn.known_version:
        return Closed("unsupported version")
    return _answer(step, turn, semantics) if isinstance(step, ShareFetch | ShareAcknowledge) else Done()


def _answer(step: ShareFetch | ShareAcknowledge, turn: Turn, semantics: Semantics) -> Outcome:
    error = Error.INVALID_REQUEST if _acknowledges_too_late(step, turn, semantics) else _top_level(turn.admission, turn.confirmed)
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


def _acknowledges_too_late(step: ShareFetch | ShareAcknowledge, turn: Turn, semantics: Semantics) -> bool:
    """Whether a fetch that closes its session is refused for what it acknowledges by the way, as by the early access."""
    closes = isinstance(step, ShareFetch) and turn.admission.mode is Mode.FINAL
    return closes and bool(turn.confirmed) and not semantics.of(ShareSemantics).final_fetch_acknowledges


def _top_level(admission: Admission, confirmed: tuple[Confirmed, ...]) -> int:
    if admission.mode in {Mode.REFUSED, Mode.FAILED}:
        return admission.error
    failed = any(one.expected is not None and one.expected.whole_request for one in confirmed)
    return Error.UNKNOWN_SERVER_ERROR if failed else Error.NONE


def _lock_timeout(step: ShareFetch | ShareAcknowledge, settings: Settings, error: int) -> int | None:
    since = MAX_RECORDS_SINCE if isinstance(step, ShareFetch) else ACQUIRE_MODE_SINCE
    return (0 if error else settings.lock_duration_ms) if step.version >= since else None


def _acknowledge_error(one: Confirmed, turn: Turn) -> int:
    if unknown := unknown_error(one.partition, turn.partitions):
        return unknown
    if one.fault is not None:
        return Error.INVALID_REQUEST
    return one.expected.error if one.expected is not None else Error.UNKNOWN_TOPIC_OR_PARTITION


def _part(served: Served, acknowledge_error: int, semantics: Semantics) -> ShareAnswerPartition:
    if served.fault or served.expected is None or served.log is None:
        return ShareAnswerPartition(served.partition, served.fault, acknowledge_error)
    ranges = served.expected.ranges
    sent = (
        _between(served.log, ranges) if semantics.of(ShareSemantics).slicing is Slicing.ACQUIRED else served.expected.read if ranges else ()
    )
    batches = tuple([SeenBatch(one.base, one.last, one.size, one.records) for one in sent])
    return ShareAnswerPartition(served.partition, 0, acknowledge_error, ranges, batches)


def _between(log: Log, ranges: tuple[Acquired, ...]) -> tuple[Stored, ...]:
    """The batches from that of the first acquired offset to that of the last (SHR-150)."""
    real = [one for one in ranges if one.first <= one.last]
    if not real:
        return ()
    first, last = min([one.first for one in real]), max([one.last for one in real])
    return tuple([one for one in log.batches if one.last >= first and one.base <= last])
