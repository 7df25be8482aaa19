"""The picture of a share group's step: what it asks, in words, and over the offsets of each
partition what the member acquired.
"""

from collections.abc import Sequence

from results.shapes import Box, Fence, Panel, Row
from spec.kafka import error_name
from spec.log import Log, Stored
from spec.outcomes import Outcome
from spec.share.outcomes import (
    Acquired,
    Done,
    GroupChanged,
    ShareAcknowledgeAnswer,
    ShareAnswerPartition,
    ShareFetchAnswer,
)
from spec.share.steps import (
    ACQUIRE_MODE_SINCE,
    ACQUIRE_MODES,
    FINAL_EPOCH,
    MAX_RECORDS_SINCE,
    NEXT,
    OPENING_EPOCH,
    AcknowledgementBatch,
    AcknowledgeType,
    AlterGroupConfig,
    AlterShareGroupOffsets,
    DeleteShareGroupOffsets,
    DropConnection,
    FindShareCoordinator,
    NameGroup,
    Pause,
    RestartBroker,
    ShareAcknowledge,
    ShareFetch,
    ShareStep,
)

_MOST_OFFSETS = 1_000_000
"""Offsets of a range that are drawn: a wild answer must not make the log disappear."""


def share_panel(
    logs: Sequence[Log], number: int, step: ShareStep, outcome: Outcome | None, other: str
) -> Panel:
    """One step of a share group's history.

    Args:
        logs: each partition's log as the step meets it.
        number: the step's.
        step: what is done.
        outcome: what came back; None where it was not played.
        other: what to say of an outcome that is none of a share group's.
    """
    rows = (
        tuple([_row(logs, step, part) for part in outcome.partitions])
        if isinstance(outcome, ShareFetchAnswer)
        else ()
    )
    return Panel(f"step {number}: {_words(step)}", rows, _outcome(outcome, other))


def _words(step: ShareStep) -> str:
    match step:
        case ShareFetch() | ShareAcknowledge():
            return f"member {step.actor}, {_request(step)}"
        case AlterShareGroupOffsets(starts=starts):
            return "start offsets " + ", ".join(
                [f"{offset} in partition {partition}" for partition, offset in starts]
            )
        case AlterGroupConfig(settings=settings):
            return "group configs " + ", ".join(
                [f"{key}={'(taken away)' if value is None else value}" for key, value in settings]
            )
        case DeleteShareGroupOffsets():
            return "the group's offsets are deleted"
        case DropConnection(actor=actor):
            return f"member {actor} loses its connection"
        case FindShareCoordinator(partition=partition):
            return f"the coordinator of partition {partition} is asked for"
        case NameGroup(text=text):
            return f"the group's name begins with {text!r}"
        case RestartBroker():
            return "the broker restarts"
        case Pause(ms=ms):
            return f"nothing for {ms} ms"


def _request(step: ShareFetch | ShareAcknowledge) -> str:
    fetch = isinstance(step, ShareFetch)
    words = [f"{'ShareFetch' if fetch else 'ShareAcknowledge'} v{step.version}", *_epoch(step)]
    if isinstance(step, ShareFetch):
        words += _limits(step)
    words += ["renews"] if step.renew else []
    for part in step.partitions:
        acknowledged = ", ".join([_acknowledged_text(batch) for batch in part.acknowledgements])
        words.append(f"partition {part.partition}{f' ({acknowledged})' if acknowledged else ''}")
    if isinstance(step, ShareFetch) and step.forgotten:
        words.append(f"without partition {', '.join(map(str, step.forgotten))}")
    return " ".join(words)


def _epoch(step: ShareFetch | ShareAcknowledge) -> list[str]:
    named = {OPENING_EPOCH: "opens", FINAL_EPOCH: "closes", NEXT: ""}.get(
        step.epoch, f"epoch={step.epoch}"
    )
    return [*([named] if named else []), *([f"epoch{step.skew:+d}"] if step.skew else [])]


def _limits(step: ShareFetch) -> list[str]:
    usual, words = ShareFetch(), list[str]()
    if step.version >= ACQUIRE_MODE_SINCE:
        words.append(
            next(
                (name for name, mode in ACQUIRE_MODES.items() if mode == step.mode),
                f"mode={step.mode}",
            )
        )
    if step.version >= MAX_RECORDS_SINCE:
        words += [
            f"max_records={step.max_records}",
            *([f"batch_size={step.batch_size}"] if step.batch_size != usual.batch_size else []),
        ]
    words += [
        f"{key}={getattr(step, key)}"
        for key in ("max_bytes", "max_wait_ms")
        if getattr(step, key) != getattr(usual, key)
    ]
    return [*words, *(["(parked)"] if step.parked else [])]


def _acknowledged_text(batch: AcknowledgementBatch) -> str:
    kinds = [
        AcknowledgeType(kind).name.lower() if kind in set(AcknowledgeType) else str(kind)
        for kind in batch.types
    ]
    return f"{_range(batch.first, batch.last)} {', '.join(kinds)}"


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first} to {last}"


def _row(logs: Sequence[Log], step: ShareStep, part: ShareAnswerPartition) -> Row:
    title, answer = f"partition {part.partition}, by offsets", _answer(part)
    if not 0 <= part.partition < len(logs):
        return Row(f"partition {part.partition}: does not exist", answer=answer)
    log = logs[part.partition]
    drawn = [one for one in part.acquired if 0 <= one.first <= one.last < _MOST_OFFSETS]
    return Row(
        title,
        boxes=tuple([_box(batch, log) for batch in log.batches]),
        length=log.end,
        log_start=log.start or None,
        fences=_fences(step, drawn, log),
        answered=tuple([(one.first, one.last - one.first + 1) for one in drawn]),
        answer=answer,
    )


def _fences(step: ShareStep, drawn: Sequence[Acquired], log: Log) -> tuple[Fence, ...]:
    """MaxRecords, counted from the first offset that was acquired, where it lies within the log."""
    if (
        not drawn
        or not isinstance(step, ShareFetch)
        or step.version < MAX_RECORDS_SINCE
        or step.max_records <= 0
    ):
        return ()
    at = min(one.first for one in drawn) + step.max_records
    return (Fence(at, f"max_records={step.max_records}"),) if at <= log.end else ()


def _box(batch: Stored, log: Log) -> Box:
    aborted = {one.txn for one in log.aborted}
    kind = "plain" if batch.txn is None else "txn"
    if batch.control:
        kind = "abort" if batch.txn in aborted else "commit"
    return Box(
        batch.base,
        batch.last - batch.base + 1,
        batch.base,
        kind,
        f"offsets {batch.base} to {batch.last}, {batch.size} bytes",
    )


def _answer(part: ShareAnswerPartition) -> str:
    words = [error_name(part.error)] if part.error else []
    if part.acknowledge_error:
        words.append(f"{error_name(part.acknowledge_error)} for the acknowledgements")
    words.append(", ".join([_acquired_text(one) for one in part.acquired]) or "nothing acquired")
    if part.garbled is not None:
        words.append(f"records that can't be read: {part.garbled}")
    return ", ".join(words)


def _acquired_text(one: Acquired) -> str:
    return f"{_range(one.first, one.last)} (delivery {one.count})"


def _outcome(outcome: Outcome | None, other: str) -> str:
    match outcome:
        case None | Done():
            return ""
        case GroupChanged(error=error):
            return f"answered {error_name(error)}" if error else ""
        case ShareFetchAnswer(error=error, partitions=parts):
            return (
                f"answered {error_name(error)}"
                if error
                else ""
                if parts
                else "answered nothing acquired"
            )
        case ShareAcknowledgeAnswer(error=error, partitions=parts):
            errors = [
                f"{error_name(code)} for partition {partition}" for partition, code in parts if code
            ]
            return (
                f"answered {error_name(error)}"
                if error
                else f"answered {', '.join(errors)}"
                if errors
                else ""
            )
    return other
