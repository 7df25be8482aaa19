"""The answer of Apache Kafka to a fetch, to the byte: a walk over segment files, as its own read
path does it.

The relations in the other modules of this package say what is permitted. They never call this one,
so that a mistake here and a mistake there can't hide each other; tests hold the two against each
other.
"""

from collections.abc import Mapping, Sequence

from spec.fetch.model.read import Read
from spec.fetch.model.request import Ask
from spec.fetch.model.slicing import length_of_read
from spec.fetch.releases import Crossing, FetchSemantics, Progress
from spec.kafka import Error
from spec.log import Log, Stored

CUT, NO_PROGRESS, FIRST = Crossing.CUT, Progress.NONE, Progress.FIRST
"""By names of this module: on Python 3.11 each look-up in an enum costs more than a comparison."""


def read_one(
    log: Log, ask: Ask, cap: int, isolation: int, semantics: FetchSemantics, *, progress: bool
) -> Read:
    """Read one partition with `cap` bytes left to it; with `progress`, its first batch is returned
    however small the cap.

    Source: LogSegment.java:431-459, LocalLog.java:474-513, UnifiedLog.java:1632-1637 of Kafka
    4.3.1.
    """
    if ask.offset < log.start or ask.offset > log.end:
        return Read(error=Error.OFFSET_OUT_OF_RANGE, offsets_known=False)
    end = log.stable if isolation else log.end
    if ask.offset >= end:
        return Read()
    number = 0
    for batch in log.batches:
        if batch.last >= ask.offset:
            break
        number += 1
    else:
        return Read()
    first = log.batches[number]
    stop = _file_end(log.batches, number, end)
    if first.position >= stop:
        return Read()
    if cap < 0:
        return Read(error=Error.UNKNOWN_SERVER_ERROR, offsets_known=False)
    length = length_of_read(first.size, stop - first.position, cap, progress)
    if not length:
        return Read(cut_first=True) if cap > 0 else Read(first=number)
    return _read_of_length(log.batches, number, length, semantics)


def _file_end(batches: Sequence[Stored], number: int, end: int) -> int:
    """File position that a read from a batch on stops at: of the first batch of its segment at or
    past `end`, otherwise the file's size.
    """
    size, segment = 0, batches[number].segment
    for batch in batches[number:] if number else batches:
        if batch.segment != segment:
            break
        if batch.base >= end:
            return batch.position
        size = batch.position + batch.size
    return size


def _read_of_length(
    batches: Sequence[Stored], number: int, length: int, semantics: FetchSemantics
) -> Read:
    whole, used = 0, 0
    for batch in batches[number:] if number else batches:
        if used + batch.size > length:
            break
        used += batch.size
        whole += 1
    return Read(first=number, size=length if semantics.crossing is CUT else used, whole=whole)


def read_all(
    asks: Sequence[Ask],
    logs: Mapping[int, Log],
    limit: int,
    isolation: int,
    semantics: FetchSemantics,
    took: Mapping[int, int] | None = None,
) -> list[Read]:
    """Read the partitions in service order under one limit for them all.

    Each gets the smaller of its own limit and what is left; what it returns is taken off, down to
    0. The first that returns bytes may pass its limit by a first batch. `took` gives, by partition,
    the bytes that really were returned, so that what follows a permitted deviation is distinguished
    from what was seen.

    Source: ReplicaManager.scala:1759-1770 and 1875-1891 of Kafka 4.3.1.
    """
    reads = []
    progress = semantics.progress is not NO_PROGRESS
    for ask in asks:
        read = read_one(
            logs[ask.partition],
            ask,
            min(ask.max_bytes, limit),
            isolation,
            semantics,
            progress=progress,
        )
        reads.append(read)
        used = read.size if took is None else took.get(ask.partition, 0)
        if used > 0 and semantics.progress is FIRST:
            progress = False
        limit = max(0, limit - used)
    return reads


def available(log: Log, ask: Ask, isolation: int) -> int | None:
    """Bytes that count for `min_bytes` in this partition while a fetch waits; None ends the wait at
    once.

    Bytes between the fetch position and the high watermark (or last stable offset), at most the
    partition's limit. Where these lie in different segments the wait ends, and where the position
    lies past that end (between the last stable offset and the high watermark). A position inside a
    batch stands for the batch's base offset there, as in FET-172. Source: DelayedFetch.scala:68-143
    of Kafka 4.3.1; the last two seen on 4.0.2 and 4.3.1.
    """
    end = log.stable if isolation else log.end
    if ask.offset >= end:
        number = log.batch_number(ask.offset)
        base = log.batches[number].base if number < len(log.batches) else ask.offset
        return None if base > end else 0
    behind = [batch for batch in log.batches if batch.last >= ask.offset and batch.base < end]
    if not behind:
        return 0
    if behind[0].segment != _segment_of(log, end):
        return None
    return min(sum(batch.size for batch in behind), ask.max_bytes)


def _segment_of(log: Log, offset: int) -> int:
    """The segment that the offset lies in, or would."""
    return max([batch.segment for batch in log.batches if batch.base <= offset], default=0)


def waits(
    asks: Sequence[Ask],
    logs: Mapping[int, Log],
    reads: Sequence[Read],
    min_bytes: int,
    max_wait_ms: int,
    isolation: int,
) -> bool:
    """Whether the answer is held back until data comes or `max_wait_ms` has passed.

    Source: ReplicaManager.scala:1697-1746 of Kafka 4.3.1. Partitions that do not exist are set
    aside before and do not count.
    """
    if max_wait_ms <= 0 or not asks or sum(read.size for read in reads) >= min_bytes:
        return False
    if any(read.error for read in reads):
        return False
    counted = [available(logs[ask.partition], ask, isolation) for ask in asks]
    if any(count is None for count in counted):
        return False
    return sum(count or 0 for count in counted) < min_bytes
