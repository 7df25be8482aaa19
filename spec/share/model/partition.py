"""The state of one share partition: start and end offset, and the cached batches between them.

`start` is the share-partition start offset (SPSO), `end` the share-partition end offset (SPEO): the
last offset ever acquired, or the start offset itself while nothing is cached. All functions are
pure: they give the state after.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from spec.fact import fact
from spec.frozen import frozen, replace
from spec.share.model.records import Cached, Lock, Record, RecordState, departed_member

T = TypeVar("T")


@frozen
class Written:
    """The share coordinator's record of a share partition.

    Attributes:
        start: the start offset at the moment the last write was made up, before the move that it
            may have caused (SHR-411).
        spans: (first, last, state, delivery count), in order.
        others: (first, last, delivery count by the other reading of SHR-009), in order, where a
            closing session gave back.
    """

    start: int
    spans: tuple[tuple[int, int, RecordState, int], ...] = ()
    others: tuple[tuple[int, int, int], ...] = ()

    def other(self, offset: int) -> int | None:
        """The count of an offset by the other reading of SHR-009."""
        return next((count for first, last, count in self.others if first <= offset <= last), None)

    def lag(self, end: int) -> int:
        """The number of offsets up to the log's end that are not done with, as far as was written
        (KIP-1226).
        """
        return (
            end
            - self.start
            - sum([last - first + 1 for first, last, state, _ in self.spans if state.terminal])
        )


@frozen(slots=False)
class ShareState:
    """One share partition.

    Attributes:
        start, end: see the module.
        cached: the cached batches, in order of their first offsets.
        gap: (next offset, last) of a window of offsets that the state written before a reload does
            not cover (SHR-160).
        written: what a reload would start from.
    """

    start: int
    end: int
    cached: tuple[Cached, ...] = ()
    gap: tuple[int, int] | None = None
    written: Written = Written(0)

    @property
    def gap_start(self) -> int | None:
        """The first offset of the window of unknown offsets; None where there is none any more."""
        return self.gap[0] if self.gap is not None and self.gap[1] == self.end else None

    @property
    def in_flight(self) -> int:
        """Offsets from start to end, the acknowledged ones and holes included. Source:
        SharePartition.java:1601 of Kafka 4.3.1.
        """
        return self.end - self.start + 1 if self.cached else 0

    @property
    def busy(self) -> bool:
        """Whether a change is being written; only what was written moves the start offset
        (SHR-128), not what is archived unwritten.
        """
        return any(record.busy for batch in self.cached for record in batch.records)

    def floor(self, offset: int) -> Cached | None:
        """The cached batch that starts last at or before the offset."""
        found = None
        for batch in self.cached:
            if batch.first > offset:
                break
            found = batch
        return found

    def record(self, offset: int) -> Record | None:
        """The state of an offset; None where it is not cached."""
        batch = self.floor(offset)
        return batch.at(offset) if batch is not None and offset <= batch.last else None

    @fact
    def next_fetch_offset(self) -> int:
        """The offset of the next read: the first offset that is available or unknown, otherwise one
        past the end (SHR-101).
        """
        if not self.cached or self.start > self.cached[-1].last:
            return self.end
        gap = self.gap_start
        for batch in self.cached:
            if gap is not None:
                if batch.first > gap:
                    return gap
                gap = max(batch.last + 1, gap)
            found = next(
                (place for place, record in enumerate(batch.records) if record.available), None
            )
            if found is not None:
                return batch.first + found
        return self.end + 1


Change = Callable[[int, Record], Record]


def empty_state(start: int) -> ShareState:
    """A share partition of which nothing is cached."""
    return ShareState(start, start, written=Written(start))


def with_batch(state: ShareState, batch: Cached) -> ShareState:
    """The state with one cached batch put in, in the place of one that starts at the same
    offset.
    """
    others = [one for one in state.cached if one.first != batch.first]
    return replace(state, cached=tuple(sorted([*others, batch], key=lambda one: one.first)))


def change_records(
    state: ShareState, wanted: Callable[[int, Record], bool], change: Change
) -> ShareState:
    """The state after a change of the records that are wanted.

    A batch of which only a part is wanted, or in which the start offset lies, is followed offset by
    offset from then on.
    """
    across = [batch.first < state.start <= batch.last for batch in state.cached]
    cached = [
        _change_batch(batch, wanted, change, split=split)
        for batch, split in zip(state.cached, across, strict=True)
    ]
    return replace(state, cached=tuple(cached))


def _change_batch(
    batch: Cached, wanted: Callable[[int, Record], bool], change: Change, *, split: bool
) -> Cached:
    chosen = [wanted(offset, record) for offset, record in batch.offsets()]
    if not any(chosen):
        return batch
    if batch.uniform and all(chosen) and not split:
        return replace(batch, records=(change(batch.first, batch.records[0]),))
    records = [
        change(offset, record) if yes else record
        for yes, (offset, record) in zip(chosen, batch.offsets(), strict=True)
    ]
    return replace(batch, records=tuple(records))


def write_records(state: ShareState, touched: Iterable[tuple[int, Record]]) -> ShareState:
    """The state after the share coordinator was sent these offsets, with the start offset of now
    (SHR-411, SHR-400).
    """
    known = {
        offset: (kept, count)
        for first, last, kept, count in state.written.spans
        for offset in range(first, last + 1)
    }
    others = {
        offset: count
        for first, last, count in state.written.others
        for offset in range(first, last + 1)
    }
    for offset, record in touched:
        known[offset] = record.state, record.count
        others.pop(offset, None)
        if record.otherwise is not None:
            others[offset] = record.otherwise
    spans = [(first, last, kept, count) for first, last, (kept, count) in _runs(known, state.start)]
    return replace(
        state, written=Written(state.start, tuple(spans), tuple(_runs(others, state.start)))
    )


def _runs(values: Mapping[int, T], start: int) -> list[tuple[int, int, T]]:
    """Neighbouring offsets from `start` on that have the same value, as (first, last, value)."""
    runs: list[tuple[int, int, T]] = []
    for offset in sorted(values):
        if offset < start:
            continue
        if runs and runs[-1][1] == offset - 1 and runs[-1][2] == values[offset]:
            runs[-1] = (runs[-1][0], offset, values[offset])
        else:
            runs.append((offset, offset, values[offset]))
    return runs


def settle(state: ShareState) -> ShareState:
    """The state once all that is being written has been, and the start offset has moved over what
    is done with.
    """
    return advance_start(
        change_records(
            state, lambda _, record: record.busy, lambda _, record: replace(record, busy=False)
        )
    )


def advance_start(state: ShareState) -> ShareState:
    """The state after the start offset moved over the records at the front that are done with
    (SHR-128).

    To the first offset that is not done with; over a hole where a whole cached batch is done with
    and another follows; past all where nothing is left. Source: SharePartition.java:2568-2680 of
    Kafka 4.3.1.
    """
    if not _movable(state):
        return state
    done = _done_up_to(state)
    if done is None:
        return state
    if done == state.cached[-1].last:
        return replace(state, start=done + 1, end=done + 1, cached=(), gap=None)
    batch = state.floor(done)
    assert batch is not None
    if done < batch.last:
        kept = tuple([one for one in state.cached if one.first >= batch.first])
        return replace(state, start=max(state.start, done + 1), cached=kept)
    kept = tuple([one for one in state.cached if one.first > batch.first])
    start = max(state.start, kept[0].first)
    if state.gap_start is not None:
        start = min(start, state.gap_start)
    return replace(state, start=start, cached=kept)


def _movable(state: ShareState) -> bool:
    batch = state.floor(state.start) if state.cached else None
    if batch is None or (not batch.uniform and batch.last < state.start):
        return False
    record = batch.records[0] if batch.uniform else batch.at(state.start)
    return record.state.terminal and not record.busy


def _done_up_to(state: ShareState) -> int | None:
    done = None
    for batch in state.cached:
        if state.gap_start is not None and batch.last >= state.gap_start:
            return done
        for offset, record in batch.offsets():
            if record.busy or not record.state.terminal:
                return done
            done = offset
    return done


def expire(state: ShareState, lock: Lock, limit: int) -> ShareState:
    """The state after a lock ran out: its records are available again, or archived after `limit`
    deliveries (SHR-401, SHR-402).

    Records below the start offset are archived whatever their count (SHR-421).
    """

    def over(offset: int, record: Record) -> Record:
        if offset < state.start:
            return archive(record)
        after = record.release(limit)
        return replace(after, unlocked_ms=lock.to_ms) if after.available else after

    def wanted(_: int, record: Record) -> bool:
        return record.state is RecordState.ACQUIRED and record.lock == lock and not record.busy

    return _written_change(state, wanted, over)


def mark_departed(state: ShareState, member: int) -> ShareState:
    """The state while what a closed session of the member held is being given back, until when
    nothing else may happen to it.
    """

    def let_go(_: int, record: Record) -> Record:
        assert record.lock is not None
        return replace(record, lock=replace(record.lock, member=departed_member(member)))

    return change_records(state, lambda _, record: record.held_by(member), let_go)


def close_session(state: ShareState, member: int, limit: float, *, taken_back: bool) -> ShareState:
    """The state after a member's session was closed: what it holds is given back (SHR-007,
    SHR-009).

    Args:
        state: before.
        member: whose session it was.
        limit: most deliveries; infinite where what it holds stays available however often it was
            delivered.
        taken_back: the last delivery of each record does not count (`ClosedCount.TAKEN_BACK`).
    """

    def given(offset: int, record: Record) -> Record:
        if offset < state.start:
            return archive(record)
        if taken_back:
            return Record(RecordState.AVAILABLE, record.count - 1, otherwise=record.count)
        return replace(record.release(limit), otherwise=record.count - 1)

    return _written_change(state, lambda _, record: record.held_by(member), given)


def _written_change(
    state: ShareState, wanted: Callable[[int, Record], bool], change: Change
) -> ShareState:
    after = change_records(state, wanted, change)
    touched = [
        (offset, after.record(offset))
        for batch in state.cached
        for offset, record in batch.offsets()
        if wanted(offset, record)
    ]
    return (
        advance_start(
            write_records(
                after, [(offset, record) for offset, record in touched if record is not None]
            )
        )
        if touched
        else state
    )


def archive(record: Record) -> Record:
    """The record, never to be delivered again."""
    return Record(RecordState.ARCHIVED, record.count)


def move_log_start(state: ShareState, log_start: int, *, archives_all: bool = True) -> ShareState:
    """The state once a read has failed because it lay below the log's start offset (SHR-421).

    Available records below it are archived, also those whose release is still being written: once
    it is, the start offset moves over them. Acquired ones stay with their members. Source:
    SharePartition.java:1202 of Kafka 4.3.1. `archives_all` is as in `ShareSemantics`.
    """
    if log_start <= state.start:
        return state
    if not state.cached:
        return replace(state, start=log_start, end=log_start)
    left = frozenset[int]() if archives_all else _left_available(state, log_start)
    gone = change_records(
        state,
        lambda offset, record: _is_deleted(state, log_start, offset, record) and offset not in left,
        lambda _, record: replace(archive(record), busy=record.busy),
    )
    return replace(gone, start=log_start, end=max(gone.end, log_start))


def _is_deleted(state: ShareState, log_start: int, offset: int, record: Record) -> bool:
    """Whether a record that is available lies below a new log start."""
    return state.start <= offset < log_start and record.state is RecordState.AVAILABLE


def _left_available(state: ShareState, log_start: int) -> frozenset[int]:
    """The available offsets below a new log start that Kafka 4.1 does not archive: those of all
    batches but the first that has one state for all its offsets and lies below it whole, and the
    first of the others.

    Source: SharePartition.archiveRecords of Kafka 4.1.2, which asks no further once something was
    archived.
    """
    left: set[int] = set()
    done: set[bool] = set()
    for batch in state.cached:
        available = [
            offset
            for offset, record in batch.offsets()
            if _is_deleted(state, log_start, offset, record)
        ]
        whole = len(batch.records) == 1 and state.start <= batch.first and batch.last < log_start
        if available and whole in done:
            left.update(available)
        elif available:
            done.add(whole)
    return frozenset(left)


def reload(state: ShareState) -> ShareState:
    """The state after the broker lost what it had in memory and loaded what was written (SHR-160,
    SHR-400).

    Records that were acquired and never acknowledged are unknown again: available with the count
    last written, or 0.
    """
    start, spans = (
        state.written.start,
        [span for span in state.written.spans if span[1] >= state.written.start],
    )
    cached = tuple(
        [
            _reloaded_batch(max(first, start), last, Record(kept, count), state.written)
            for first, last, kept, count in spans
        ]
    )
    if not cached:
        return replace(empty_state(start), written=state.written)
    gap, expected = None, start
    for batch in cached:
        if batch.first > expected:
            gap = (expected, cached[-1].last)
            break
        expected = batch.last + 1
    return advance_start(ShareState(start, cached[-1].last, cached, gap, state.written))


def _reloaded_batch(first: int, last: int, record: Record, written: Written) -> Cached:
    """A written span as a cached batch."""
    if not written.others:
        return Cached(first, last, (record,))
    records = tuple(
        [replace(record, otherwise=written.other(offset)) for offset in range(first, last + 1)]
    )
    return Cached(first, last, records[:1] if len(set(records)) == 1 else records)
