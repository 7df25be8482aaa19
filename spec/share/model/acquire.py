"""Acquisition from one share partition as Apache Kafka grants it, step by step as its own code does
it.

The relations in the other modules say what is permitted, and never call this one. Source:
SharePartition.java:700-960, 1678-1870 and 1918-2063 of Kafka 4.3.1; the numbers of the rules are
those of the catalogue.
"""

from collections.abc import Sequence

from spec.frozen import frozen, replace
from spec.kafka import READ_COMMITTED
from spec.log import Log, Stored
from spec.share.model.counting import (
    acquirable_offsets,
    new_range_end,
    part_of_throttled,
    throttled_from,
)
from spec.share.model.partition import ShareState, archive, change_records, with_batch
from spec.share.model.records import Cached, Lock, Record, RecordState
from spec.share.model.settings import Settings
from spec.share.outcomes import Acquired
from spec.share.releases import BaseAdjustment, LockBudget, RangeReport, ShareSemantics, Throttling
from spec.share.steps import RECORD_LIMIT

ALONE_FROM = 2
"""A delivery limit above it lets the last delivery of a record come alone (SHR-172)."""


@frozen
class AcquireRequest:
    """A member's request to a share partition.

    Attributes:
        max_records: offsets that are left of the request's MaxRecords.
        batch_size: BatchSize.
        mode: 0 batch_optimized, 1 record_limit.
        lock: the lock that what is acquired gets.
    """

    max_records: int
    batch_size: int
    mode: int
    lock: Lock

    @property
    def is_limited(self) -> bool:
        """Whether MaxRecords is kept to the offset."""
        return self.mode == RECORD_LIMIT

    def offsets_left(self, taken: int) -> int:
        """Offsets that may still be acquired."""
        return self.max_records - taken


@frozen
class Acquisition:
    """The records acquired from a share partition.

    Attributes:
        state: the share partition after it.
        ranges: those of the answer, in its order.
        count: offsets that count against MaxRecords.
        read: the batches that were read, of which the answer returns some.
        rest: bytes of the batch behind them that were read too, as far as the limit went.
        failed: the read failed since it began below the log start offset.
    """

    state: ShareState
    ranges: tuple[Acquired, ...] = ()
    count: int = 0
    read: tuple[Stored, ...] = ()
    rest: int = 0
    failed: bool = False

    @property
    def read_bytes(self) -> int:
        """The bytes that were read."""
        return sum([batch.size for batch in self.read]) + self.rest


def may_read(state: ShareState, settings: Settings) -> bool:
    """Whether the share partition is read at all: at its lock limit only for records that are
    available again (SHR-102).
    """
    return state.next_fetch_offset != state.end + 1 or state.in_flight < settings.max_record_locks


def read_from(
    log: Log, offset: int, isolation: int, max_bytes: int, *, at_least_one: bool = True
) -> tuple[Stored, ...]:
    """The whole batches that one read gives: as many as fit `max_bytes`, and the first in any case
    where `at_least_one` (SHR-140).
    """
    found: list[Stored] = []
    size = 0
    for batch in log.readable(offset, isolation):
        size += batch.size
        if size > max_bytes and (found or not at_least_one):
            break
        found.append(batch)
    return tuple(found)


def rest_of_read(
    log: Log, offset: int, isolation: int, max_bytes: int, read: Sequence[Stored]
) -> int:
    """The bytes of the batch behind those that one read gave, by which it fills `max_bytes`."""
    sizes = [batch.size for batch in log.readable(offset, isolation)]
    whole = sum([batch.size for batch in read])
    return max(0, min(sum(sizes), max_bytes) - whole)


def acquire(
    state: ShareState,
    taking: AcquireRequest,
    read: Sequence[Stored],
    log: Log,
    settings: Settings,
    semantics: ShareSemantics,
    begin: int | None = None,
) -> Acquisition:
    """Acquire what was read from the share partition's next fetch offset.

    Args:
        state: the share partition before.
        taking: what is wanted.
        read: the whole batches that were read.
        log: the partition's log, for its aborted transactions.
        settings: the group's settings.
        semantics: the decisions in force.
        begin: where the read began; by default at `state.next_fetch_offset`.
    """
    if taking.max_records <= 0 or not read or read[-1].last < state.start:
        return Acquisition(state, read=tuple(read))
    offset, last = state.next_fetch_offset if begin is None else begin, read[-1].last
    if semantics.lock_budget is LockBudget.EVERY_ACQUISITION:
        records, last = acquirable_offsets(
            taking.max_records, settings.max_record_locks, state.in_flight, offset, state.end, last
        )
        taking = replace(taking, max_records=records)
    if taking.max_records <= 0:
        return Acquisition(state, read=tuple(read))
    if semantics.archives_compacted:
        state = _without_what_compaction_took(state, offset, read[0].base)
    work = _Acquisition(state, taking, tuple(read), last, settings.delivery_count_limit, semantics)
    work.acquire()
    found = Acquisition(work.state, tuple(work.ranges), work.count, tuple(read))
    return _without_aborted(found, log) if settings.isolation == READ_COMMITTED else found


def _without_what_compaction_took(state: ShareState, offset: int, base: int) -> ShareState:
    """Available records between the wanted offset and the first batch that is left are archived
    (SHR-111).
    """
    if offset >= base:
        return state
    return _archived_within(state, offset, base - 1, RecordState.AVAILABLE)


def _archived_within(state: ShareState, first: int, last: int, kind: RecordState) -> ShareState:
    return change_records(
        state,
        lambda at, record: first <= at <= last and record.state is kind,
        lambda _, record: archive(record),
    )


def _without_aborted(found: Acquisition, log: Log) -> Acquisition:
    """The acquisition without the data of aborted transactions, which is archived (SHR-425)."""
    gone = [batch for batch in found.read if not batch.control and _is_aborted(batch, log)]
    ranges, state = found.ranges, found.state
    for batch in gone:
        state = _followed_from(state, batch.base, batch.last)
        ranges = tuple([part for one in ranges for part in _outside(one, batch.base, batch.last)])
        state = _archived_within(state, batch.base, batch.last, RecordState.ACQUIRED)
    count = sum([one.last - one.first + 1 for one in ranges]) if gone else found.count
    return replace(found, state=state, ranges=ranges, count=count)


def _followed_from(state: ShareState, first: int, last: int) -> ShareState:
    """The cached batches looked through for aborted records, the one in front of them too, are
    followed offset by offset (SHR-117).
    """
    floor = state.floor(first)
    begin = floor.first if floor is not None else first
    return replace(
        state,
        cached=tuple(
            [
                _looked_through(one, first, last) if begin <= one.first <= last else one
                for one in state.cached
            ]
        ),
    )


def _looked_through(batch: Cached, first: int, last: int) -> Cached:
    inside = first <= batch.first and batch.last <= last
    return batch if inside or batch.records[0].state is not RecordState.ACQUIRED else batch.split()


def _is_aborted(batch: Stored, log: Log) -> bool:
    """Whether a batch is of an aborted transaction; a producer's others, before and after, have its
    number too.
    """
    return any(one.txn == batch.txn and one.first <= batch.base <= one.last for one in log.aborted)


def _outside(one: Acquired, first: int, last: int) -> list[Acquired]:
    if one.last < first or one.first > last:
        return [one]
    parts = [Acquired(one.first, first - 1, one.count), Acquired(last + 1, one.last, one.count)]
    return [part for part in parts if part.first <= part.last]


class _Acquisition:
    """One acquisition under way."""

    def __init__(
        self,
        state: ShareState,
        taking: AcquireRequest,
        read: tuple[Stored, ...],
        last: int,
        limit: int,
        semantics: ShareSemantics,
    ) -> None:
        self.state = state
        self.taking = taking
        self.read = read
        self.last = last
        self.limit = limit
        self.semantics = semantics
        self.ranges: list[Acquired] = []
        self.count = 0
        self.stopped = False

    def acquire(self) -> None:
        base = self._base()
        low = min(self.read[0].base, base)
        overlapping = [batch for batch in self.state.cached if low <= batch.first <= self.last]
        if not overlapping:
            self._new(base, self.last)
            return
        gap = base
        for batch in overlapping:
            if self.count >= self.taking.max_records or self.stopped:
                break
            if self.state.gap_start is not None:
                if gap < batch.first:
                    self._new(gap, batch.first - 1)
                gap = batch.last + 1
                if self.count >= self.taking.max_records:
                    break
            self._acquire_cached(batch)
        end = overlapping[-1].last
        if self.count < self.taking.max_records and not self.stopped and end < self.last:
            self._new(end + 1, self.last)
        if self.ranges:
            self._gap_from(self.ranges[-1].last + 1)

    def _base(self) -> int:
        """The offset at which acquiring begins: the start offset where nothing is cached before, at
        a cached batch that overlaps (SHR-113).
        """
        base = self.read[0].base
        floor = self.state.floor(base)
        if floor is not None and floor.last >= base:
            return floor.first
        if floor is None or self.semantics.base_adjustment is BaseAdjustment.ALWAYS:
            return max(base, self.state.start)
        return base

    def _acquire_cached(self, batch: Cached) -> None:
        """Acquire a cached batch again: whole, or offset by offset (SHR-115)."""
        throttled = self._is_throttled(batch)
        if throttled and self.count:
            self.stopped = True
            return
        whole = self.read[0].base <= batch.first and batch.last <= self.last
        too_large = self.taking.is_limited and batch.size > self.taking.offsets_left(self.count)
        if whole and len(batch.records) == 1 and not too_large and not throttled:
            if batch.records[0].available:
                taken = batch.every(lambda record: record.acquire(self.taking.lock))
                self.state = with_batch(self.state, taken)
                self.ranges.append(Acquired(batch.first, batch.last, taken.records[0].count))
                self.count += batch.size
            return
        if len(batch.records) == 1 and not batch.records[0].available:
            return
        taken_offsets = self._offsets_of(batch.split())
        self.count += taken_offsets
        if throttled and taken_offsets:
            self.stopped = True

    def _offsets_of(self, batch: Cached) -> int:
        """Acquire available offsets of a batch one by one, as many as throttling and record_limit
        let (SHR-115, SHR-171, SHR-172).
        """
        records = list(batch.records)
        room = self.taking.offsets_left(self.count) if self.taking.is_limited else batch.size
        most: int | None = None
        taken: list[tuple[int, int]] = []
        for offset, record in batch.offsets():
            if offset < self.read[0].base or offset > self.last or not record.available:
                continue
            last_time = (
                self._throttles and self.limit > ALONE_FROM and record.count == self.limit - 1
            )
            if last_time and taken:
                break
            if self._throttles and record.count >= self._threshold and most is None:
                most = part_of_throttled(batch.size, record.count, self._threshold)
            records[offset - batch.first] = record.acquire(self.taking.lock)
            taken.append((offset, record.count + 1))
            if last_time or len(taken) in {room, most}:
                break
        self.state = with_batch(self.state, replace(batch, records=tuple(records)))
        self.ranges.extend(_ranges(taken, self.semantics.range_report))
        return len(taken)

    @property
    def _throttles(self) -> bool:
        return self.semantics.throttling is Throttling.HALVED

    @property
    def _threshold(self) -> int:
        """The count from which records are throttled: half of the limit, rounded up, and at least 2
        (SHR-170).
        """
        return throttled_from(self.limit)

    def _is_throttled(self, batch: Cached) -> bool:
        if not self._throttles:
            return False
        if len(batch.records) == 1:
            return batch.records[0].available and batch.records[0].count >= self._threshold
        counts = [
            record.count
            for at, record in batch.offsets()
            if self.read[0].base <= at <= self.last and record.available
        ]
        return max(counts, default=0) >= self._threshold

    def _new(self, first: int, last: int) -> None:
        """Acquire offsets that are not cached (SHR-120 to SHR-124)."""
        records = self.taking.offsets_left(self.count)
        if not self.state.cached and self.state.end > first:
            first = self.state.end
        to = new_range_end(first, last, records, _end_of_batch_with(self.read, first + records - 1))
        if self.state.gap_start is not None:
            to = min(to, last)
        lock = self.taking.lock
        if self.taking.is_limited:
            last_shown = min(to, first + records - 1)
            tail = (Record(RecordState.AVAILABLE),) * (to - last_shown)
            held = Record(RecordState.ACQUIRED, 1, lock)
            cached = [
                Cached(first, to, (held,) * (last_shown - first + 1) + tail if tail else (held,))
            ]
            ranges = [Acquired(first, last_shown)]
        else:
            ranges = _split(first, to, self.read, self.taking.batch_size)
            cached = [
                Cached(one.first, one.last, (Record(RecordState.ACQUIRED, 1, lock),))
                for one in ranges
                if one.first <= one.last
            ]
        for batch in cached:
            self.state = with_batch(self.state, batch)
        if self.state.cached and self.state.cached[0].first == first:
            self.state = replace(self.state, start=first)
        self.state = replace(self.state, end=max(self.state.end, to))
        self.ranges.extend(ranges)
        acquired_to = ranges[0].last if self.taking.is_limited else to
        self._gap_from(acquired_to + 1)
        self.count += acquired_to - first + 1

    def _gap_from(self, offset: int) -> None:
        if self.state.gap is not None:
            still = self.state.gap[1] == self.state.end and offset <= self.state.gap[1]
            self.state = replace(self.state, gap=(offset, self.state.gap[1]) if still else None)


def _end_of_batch_with(read: Sequence[Stored], offset: int) -> int:
    """The last offset of the batch that holds the offset, or the offset itself where none does
    (SHR-120).
    """
    return next((batch.last for batch in read if batch.base <= offset <= batch.last), offset)


def _split(first: int, last: int, read: Sequence[Stored], batch_size: int) -> list[Acquired]:
    """New offsets in ranges that end with a batch and hold at least `batch_size` offsets, the last
    one perhaps fewer (SHR-122).
    """
    if last - first + 1 <= batch_size:
        return [Acquired(first, last)]
    ranges, begin = [], first
    for batch in read:
        if batch.base > last:
            break
        if batch.base - begin >= batch_size:
            ranges.append(Acquired(begin, batch.base - 1))
            begin = batch.base
    return [*ranges, Acquired(begin, last)]


def _ranges(taken: Sequence[tuple[int, int]], report: RangeReport) -> list[Acquired]:
    """Offsets with their counts as ranges (SHR-117)."""
    ranges: list[Acquired] = []
    for offset, count in taken:
        before = ranges[-1] if ranges else None
        if (
            report is RangeReport.MERGED
            and before is not None
            and before.last == offset - 1
            and before.count == count
        ):
            ranges[-1] = Acquired(before.first, offset, count)
        else:
            ranges.append(Acquired(offset, offset, count))
    return ranges
