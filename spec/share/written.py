"""When records were written: none is acquired before, so that its lock begins no earlier."""

from spec.frozen import replace
from spec.share.model.records import Cached, Lock, Record
from spec.share.model.state import State


def note_append(state: State, partition: int, sent_ms: float) -> State:
    """The state in front of an append that was sent then."""
    base = state.logs[partition].end
    return replace(state, written=(*state.written, (partition, base, sent_ms)))


def begin_when_written(state: State, lock: Lock, duration_ms: float) -> State:
    """The state in which a lock, as it was given for a fetch, begins no earlier than the records
    that it is for came.

    A fetch may have waited for them: counted from its sending, their lock could be over by half
    while it has begun only now.

    Args:
        state: after the fetch.
        lock: what it acquired has this lock, which ends `duration_ms` after the fetch was sent at
            the earliest.
        duration_ms: how long a lock lasts.
    """
    for number, base, sent_ms in reversed(state.written):
        partition = state.partitions[number]
        if sent_ms + duration_ms <= lock.from_ms or partition.records is None:
            continue
        later = replace(lock, from_ms=min(sent_ms + duration_ms, lock.to_ms))
        cached = tuple(
            [
                _with_lock(batch, lock, later) if batch.first >= base else batch
                for batch in partition.records.cached
            ]
        )
        records = replace(partition.records, cached=cached)
        state = state.with_partition(number, replace(partition, records=records))
    return state


def _with_lock(batch: Cached, lock: Lock, later: Lock) -> Cached:
    def held(record: Record) -> Record:
        return replace(record, lock=later) if record.lock == lock else record

    return replace(batch, records=tuple([held(record) for record in batch.records]))
