"""Acquisition by a whole share fetch: which partitions are served in which order, how MaxBytes is
shared, and when it waits.

Source: SharePartitionManager.java, DelayedShareFetch.java and ShareFetchUtils.java of Kafka 4.3.1.
"""

from collections.abc import Sequence

from spec.frozen import frozen, replace
from spec.kafka import INT32_MAX
from spec.log import Log
from spec.semantics import Semantics
from spec.share.model.acquire import (
    AcquireRequest,
    Acquisition,
    acquire,
    may_read,
    read_from,
    rest_of_read,
)
from spec.share.model.partition import ShareState, move_log_start
from spec.share.model.records import Lock
from spec.share.model.settings import Settings
from spec.share.model.state import State, records_of, unknown_error
from spec.share.releases import ShareSemantics
from spec.share.steps import ACQUIRE_MODE_SINCE, BATCH_OPTIMIZED, MAX_RECORDS_SINCE, ShareFetch


@frozen
class Rules:
    """The rules that a request is served by.

    Attributes:
        semantics: the decisions in force.
        settings: the group's settings.
        lock: the lock of what the request acquires or renews.
    """

    semantics: Semantics
    settings: Settings
    lock: Lock


@frozen
class FetchedPartition:
    """One partition of a share fetch.

    Attributes:
        partition: its number.
        error: its error code; 0 where it is served.
        log: its log; None where it does not exist.
        acquisition: what is acquired; None where it does not exist, or its records can't be
            followed.
    """

    partition: int
    error: int
    log: Log | None = None
    acquisition: Acquisition | None = None

    @property
    def gives_records(self) -> bool:
        """Whether something is acquired of it, so that the answer has its records."""
        return self.acquisition is not None and bool(self.acquisition.ranges)


def serving_order(partitions: tuple[int, ...], epoch: int, count: int) -> tuple[int, ...]:
    """The order in which partitions are served, where there are so many: the session's, rotated by
    the epoch (SHR-141). Unknown ones take no turn, and come last.
    """
    known = [number for number in partitions if not unknown_error(number, count)]
    turn = epoch % len(known) if known and epoch > 0 else 0
    unknown = [number for number in partitions if unknown_error(number, count)]
    return (*known[turn:], *known[:turn], *unknown)


def wanted_records(fetch: ShareFetch, lock: Lock) -> AcquireRequest:
    """The request of a fetch to its first partition; limits and modes before their fields were
    there are the widest.
    """
    bounded = fetch.version >= MAX_RECORDS_SINCE
    mode = fetch.mode if fetch.version >= ACQUIRE_MODE_SINCE else BATCH_OPTIMIZED
    most, size = (fetch.max_records, fetch.batch_size) if bounded else (INT32_MAX, INT32_MAX)
    return AcquireRequest(most, size, mode, lock)


def max_bytes_of(fetch: ShareFetch, partition: int, semantics: Semantics) -> int:
    """The bytes that a fetch may read of one partition, were it alone."""
    most = min(fetch.max_bytes, semantics.of(ShareSemantics).fetch_max_bytes)
    if fetch.version >= MAX_RECORDS_SINCE:
        return most
    asked = next(
        (one.max_bytes for one in fetch.partitions if one.partition == partition), INT32_MAX
    )
    return min(most, asked)


def share_of_bytes(max_bytes: int, readers: int) -> int:
    """The even share of MaxBytes among so many partitions: at least one byte, where there are any
    (SHR-140).

    Apache Kafka gives the remainder to partitions at random, and what a first batch reads beyond
    its share is taken from those read after it; the comparison tries what that can lead to.
    """
    return max(1, max_bytes // readers) if max_bytes > 0 else max_bytes


def acquire_from(
    records: ShareState,
    log: Log,
    wanted: AcquireRequest,
    max_bytes: int,
    rules: Rules,
    begin: int | None = None,
    *,
    at_least_one: bool = True,
) -> Acquisition:
    """Read one share partition and acquire from it.

    Args:
        records: the share partition before.
        log: its log.
        wanted: what is wanted of it.
        max_bytes: its share of MaxBytes.
        rules: what it is served by.
        begin: where the read begins; by default at its next fetch offset.
        at_least_one: a first batch above its share of MaxBytes is read all the same.
    """
    offset = records.next_fetch_offset if begin is None else begin
    if max_bytes <= 0 or not may_read(records, rules.settings):
        return Acquisition(records)  # nor is it found out that the log start has moved
    semantics = rules.semantics.of(ShareSemantics)
    if offset < log.start and (wanted.max_records or semantics.empty_fetch_reads):
        moved = move_log_start(records, log.start, archives_all=semantics.archives_all_deleted)
        return Acquisition(moved, failed=True)
    if wanted.max_records <= 0:
        return Acquisition(records)
    isolation = rules.settings.isolation
    read = read_from(log, offset, isolation, max_bytes, at_least_one=at_least_one)
    if (
        not rules.semantics.of(ShareSemantics).serves_large_batch
        and read
        and read[0].size > max_bytes
    ):
        return Acquisition(records)
    found = acquire(
        records, wanted, read, log, rules.settings, rules.semantics.of(ShareSemantics), offset
    )
    return replace(found, rest=rest_of_read(log, offset, isolation, max_bytes, read))


def partitions_read(
    state: State, fetch: ShareFetch, partitions: Sequence[int], rules: Rules
) -> tuple[int, ...]:
    """The share partitions that a fetch reads, of its own and in their order: none where it asks
    for nothing, and none that is at its lock limit (SHR-102).
    """
    asks = (
        wanted_records(fetch, rules.lock).max_records
        or rules.semantics.of(ShareSemantics).empty_fetch_reads
    )
    if not asks or not fetch.max_bytes:
        return ()
    found = []
    for number in partitions:
        if unknown_error(number, len(state.logs)):
            continue
        records = records_of(state.partitions[number], state.logs[number], rules.settings)
        if records is None or may_read(records, rules.settings):
            found.append(number)
    return tuple(found)


def place_unknown(
    state: State, partitions: Sequence[int], settings: Settings
) -> tuple[tuple[int, int], ...]:
    """The share partitions whose next read begins where the broker has not looked up the place in
    the log, each with that offset.
    """
    found = []
    for number in partitions:
        partition = state.partitions[number]
        records = records_of(partition, state.logs[number], settings)
        if records is not None and partition.located != records.next_fetch_offset:
            found.append((number, records.next_fetch_offset))
    return tuple(found)


def note_places(state: State, places: Sequence[tuple[int, int]]) -> State:
    """The state after places in the log were looked up; a read outside it finds none."""
    for number, offset in places:
        if state.logs[number].in_range(offset):
            state = state.with_partition(number, replace(state.partitions[number], located=offset))
    return state


def fetch_partitions(
    state: State, fetch: ShareFetch, partitions: Sequence[int], rules: Rules
) -> tuple[FetchedPartition, ...]:
    """Acquire from partitions: each gets what those before it have left of MaxRecords (SHR-142)
    and of MaxBytes. Only the first of a read that gives something may give a batch above its share.

    They are served in this order. Where there is enough to read at once, those whose place in the
    log has to be looked up first are read on that occasion, by a read of their own, and served
    after the others. Source: DelayedShareFetch.java, `tryComplete` and `combineLogReadResponse`.
    """
    reads = partitions_read(state, fetch, partitions, rules)
    looked_up = {number for number, _ in place_unknown(state, reads, rules.settings)}
    if not has_enough_to_read(state, fetch, partitions, rules):
        looked_up = set()
    wanted = wanted_records(fetch, rules.lock)
    found = [
        FetchedPartition(number, error)
        for number in partitions
        if (error := unknown_error(number, len(state.logs)))
    ]
    for group in (
        [number for number in reads if number not in looked_up],
        [number for number in reads if number in looked_up],
    ):
        read = 0
        for number in group:
            log = state.logs[number]
            records = records_of(state.partitions[number], log, rules.settings)
            if records is None:
                found.append(FetchedPartition(number, 0, log))
                continue
            most = max_bytes_of(fetch, number, rules.semantics)
            share = min(share_of_bytes(most, len(reads)), most - read)
            acquisition = acquire_from(records, log, wanted, share, rules, at_least_one=not read)
            read += acquisition.read_bytes
            taken = sum([one.last - one.first + 1 for one in acquisition.ranges])
            wanted = replace(wanted, max_records=max(0, wanted.max_records - taken))
            found.append(FetchedPartition(number, 0, log, acquisition))
    return tuple(found)


def has_enough_to_read(
    state: State, fetch: ShareFetch, partitions: Sequence[int], rules: Rules
) -> bool:
    """Whether a fetch is answered without waiting, whatever it acquires.

    It waits while fewer than MinBytes (or MaxBytes, if that is less) can be read from where its
    partitions' next reads begin, of each partition its share of MaxBytes at most. One that can
    read nothing at all does not wait: without MaxRecords, MaxBytes or known partitions. A read
    below the log start or past the log's end fails, and is answered; so is one that begins in an
    older segment.
    """
    known = [number for number in partitions if not unknown_error(number, len(state.logs))]
    if not known or fetch.max_bytes <= 0 or wanted_records(fetch, rules.lock).max_records <= 0:
        return True
    reads = partitions_read(state, fetch, partitions, rules)
    sizes = []
    for number in reads:
        log = state.logs[number]
        records = records_of(state.partitions[number], log, rules.settings)
        if records is None:
            continue
        offset = records.next_fetch_offset
        if not log.in_range(offset):
            return True
        readable = log.readable(offset, rules.settings.isolation)
        if readable and readable[-1].last + 1 < log.bound(rules.settings.isolation):
            return True
        share = share_of_bytes(max_bytes_of(fetch, number, rules.semantics), len(reads))
        sizes.append(min(sum([batch.size for batch in readable]), share))
    return bool(sizes) and sum(sizes) >= min(fetch.min_bytes, fetch.max_bytes)
