"""When what a fetch acquired at last came while it waited: by then it could have been answered."""

from collections.abc import Iterator

from spec.frozen import frozen
from spec.observation import Exchange
from spec.share.model.state import State
from spec.share.outcomes import ShareFetchAnswer
from spec.share.steps import ShareFetch
from spec.steps import Step


@frozen
class Wake:
    """What could end the wait of a fetch, in milliseconds since it was sent; None where nothing of
    the kind that it acquired came while it waited.

    Attributes:
        written_ms: the first of the records that it acquired was written.
        unlocked_ms: the first lock on records that it acquired had surely run out.
    """

    written_ms: float | None = None
    unlocked_ms: float | None = None


UNKNOWN = Wake()
"""Nothing is known to have ended the wait."""


def wake_of(state: State, step: Step, exchange: Exchange) -> Wake:
    """What could end the wait of a fetch.

    Args:
        state: before its answer, with the locks that may have run out meanwhile.
        step: what was sent.
        exchange: its answer, and when.
    """
    answer, sent = exchange.outcome, exchange.sent_ms
    if not (isinstance(step, ShareFetch) and step.parked and isinstance(answer, ShareFetchAnswer)):
        return UNKNOWN
    acquired = [
        (part.partition, one.first, one.last)
        for part in answer.partitions
        if part.partition < len(state.logs)
        for one in part.acquired
    ]
    written = [
        written_ms - sent
        for partition, base, written_ms in state.written
        if written_ms > sent
        and any(number == partition and last >= base for number, _, last in acquired)
    ]
    unlocked = [
        at_ms - sent
        for number, first, last in acquired
        for at_ms in _lock_ends(state, number, first, last)
        if sent < at_ms <= exchange.answered_ms
    ]
    return Wake(min(written, default=None), min(unlocked, default=None))


def _lock_ends(state: State, partition: int, first: int, last: int) -> Iterator[float]:
    """When the locks of a range's offsets had surely run out, where they have, or soon will."""
    records = state.partitions[partition].records
    for batch in () if records is None else records.cached:
        if batch.first <= last and first <= batch.last:
            for offset, record in batch.offsets():
                ended = record.unlocked_ms if record.lock is None else record.lock.to_ms
                if first <= offset <= last and ended is not None:
                    yield ended
