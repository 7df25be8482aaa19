"""The records that a fetch returns under a limit of records and a profile: the read path of today,
then a walk over the batches it found.

The first formulation; `drafts.max_records.stream` computes the same batch by batch, and tests hold
the two against each other.
"""

from collections.abc import Mapping, Sequence

from drafts.max_records.counting import within_count
from drafts.max_records.profile import (
    Empty,
    Exact,
    MinBytes,
    Mixed,
    Negative,
    Oversize,
    Profile,
    Progress,
    Scope,
    Stop,
    Tail,
    Zero,
)
from drafts.max_records.units import View, counts_one, units_of
from spec.fetch.model import reference
from spec.fetch.model.read import Read
from spec.fetch.model.request import Ask
from spec.fetch.releases import FetchSemantics
from spec.frozen import frozen
from spec.kafka import BATCH_HEADER, Error
from spec.layout import Codec
from spec.log import Log, Stored, bytes_of

Counts = tuple[int, int]
"""Records, and batches that count one by themselves (`mixed=separate`)."""


@frozen
class Walked:
    """The reads of the partitions.

    Attributes:
        reads: of each, in service order.
        reached: the limit was reached, or kept a batch back.
    """

    reads: tuple[Read, ...]
    reached: bool = False


@frozen
class _UsedLimits:
    """The amounts that the partitions before have used up: both counts, the right of a first batch,
    and how the first one is counted.
    """

    counts: Counts = (0, 0)
    right: bool = True
    decided: bool | None = None


@frozen
class _Share:
    """The read of one partition, and the amounts used up after it."""

    read: Read
    spent: _UsedLimits
    reached: bool


def limit_of(value: int | None, profile: Profile) -> int | None:
    """The limit that a field's value stands for; None where there is none."""
    if value is None or (value == 0 and profile.zero is Zero.UNLIMITED) or value < 0:
        return None
    return value


def refusal_error(value: int | None, profile: Profile) -> int:
    """The error that the whole request is answered with; 0 where it is taken."""
    zero = value == 0 and profile.zero is Zero.INVALID
    negative = value is not None and value < 0 and profile.negative is Negative.INVALID
    return Error.INVALID_REQUEST if zero or negative else 0


def read_all(
    asks: Sequence[Ask],
    logs: Mapping[int, Log],
    limit: int,
    isolation: int,
    semantics: FetchSemantics,
    value: int | None,
    profile: Profile,
) -> Walked:
    """Read the partitions in service order under one limit of bytes for them all, and a limit of
    records.

    `limit` is in bytes; `value` is what the field says, None where it is absent.
    """
    most = limit_of(value, profile)
    if most is None:
        reads = reference.read_all(asks, logs, limit, isolation, semantics)
        if value is not None and value < 0 and profile.negative is Negative.FAILED:
            reads = [
                Read(error=Error.UNKNOWN_SERVER_ERROR, offsets_known=False) if read.size else read
                for read in reads
            ]
        return Walked(tuple(reads))
    reads, spent, progress, reached = [], _UsedLimits(), True, False
    for ask in asks:
        log = logs[ask.partition]
        read = reference.read_one(
            log, ask, min(ask.max_bytes, limit), isolation, semantics, progress=progress
        )
        if read.size:
            if profile.scope is Scope.PARTITION:
                spent = _UsedLimits(right=spent.right or profile.progress is Progress.PARTITION)
            share = _share(read, View(log, ask.offset, isolation), most, profile, spent)
            read, spent, reached = share.read, share.spent, reached or share.reached
        reads.append(read)
        progress = progress and not read.size
        limit = max(0, limit - read.size)
    return Walked(tuple(reads), reached)


def _share(read: Read, view: View, most: int, profile: Profile, spent: _UsedLimits) -> _Share:
    """The part of one partition's read within the limit."""
    batches = view.log.batches[read.first :]
    units = units_of(batches[: read.whole + 1], view, profile, spent.decided)
    left = most - spent.counts[0], most - spent.counts[1]
    right = _right(units, read.whole, profile) if spent.right and most > 0 else 0
    before = profile.stop is Stop.BEFORE
    kept = min(
        [
            within_count(each[: read.whole], room, before=before, right=right)
            for each, room in zip(units, left, strict=True)
        ]
    )
    counted, tail = kept, 0
    if (
        profile.exact is Exact.CUT
        and (crossing := _crossing(units[0], left[0], kept - (not before), read.whole)) is not None
    ):
        tail = _cut_size(batches[crossing], left[0] - sum(units[0][:crossing]), units[0][crossing])
        kept, counted = (crossing, crossing + 1) if tail else (kept, kept)
    elif kept == read.whole and _takes_tail(units, left, kept, profile):
        tail = read.size - bytes_of(batches[:kept])
        counted += bool(tail) and profile.tail is Tail.COUNTED
    counts = spent.counts[0] + sum(units[0][:counted]), spent.counts[1] + sum(units[1][:counted])
    used_right = kept and (
        profile.empty is Empty.USES or any(units[0][:kept]) or any(units[1][:kept])
    )
    decided = (
        counts_one(batches[0], profile)
        if profile.mixed is Mixed.FIRST and spent.decided is None
        else spent.decided
    )
    found = (
        Read(first=read.first, size=bytes_of(batches[:kept]) + tail, whole=kept) if kept else Read()
    )
    return _Share(
        found,
        _UsedLimits(counts, spent.right and not used_right, decided),
        max(counts) >= most or kept < read.whole,
    )


def _right(units: tuple[list[int], list[int]], whole: int, profile: Profile) -> int:
    """How many batches at the start may pass the limit: the first, and where empty ones keep the
    right, those before it.
    """
    if profile.stop is Stop.AFTER or profile.oversize is Oversize.REFUSED:
        return 0
    if profile.empty is Empty.USES:
        return min(1, whole)
    return next(
        (number + 1 for number in range(whole) if units[0][number] or units[1][number]), whole
    )


def _takes_tail(
    units: tuple[list[int], list[int]], left: Counts, kept: int, profile: Profile
) -> bool:
    """Whether the first bytes of the batch after those kept, which a byte limit falls into, are
    sent.
    """
    if not kept or profile.tail is Tail.LEFT_OUT:
        return False
    used = sum(units[0][:kept]), sum(units[1][:kept])
    if profile.stop is Stop.AFTER:
        return used[0] < left[0] and used[1] < left[1]
    next_one = [
        each[kept] if profile.tail is Tail.COUNTED and kept < len(each) else 0 for each in units
    ]
    return used[0] + next_one[0] <= left[0] and used[1] + next_one[1] <= left[1]


def _crossing(units: Sequence[int], left: int, last: int, whole: int) -> int | None:
    """The number of the batch that the count falls into, past the first of the partition and not
    after `last`; None for none.
    """
    fitting = within_count(list(units[:whole]), left, before=True, right=0)
    return fitting if 0 < fitting < whole and fitting <= last else None


def _cut_size(batch: Stored, room: int, units: int) -> int:
    """Bytes of an uncompressed batch up to and with the record that fills the limit, its records
    taken as equally long; 0: not cut, as one without records can't be.
    """
    whole = batch.codec is not Codec.NONE or batch.control or not batch.records
    if whole or not 0 < room < units:
        return 0
    return BATCH_HEADER + (batch.size - BATCH_HEADER) * room // units


def waits(
    asks: Sequence[Ask],
    logs: Mapping[int, Log],
    walked: Walked,
    min_bytes: int,
    max_wait_ms: int,
    isolation: int,
    profile: Profile,
) -> bool:
    """Whether the answer is held back: as without a limit of records, unless that was reached."""
    if not walked.reached:
        return reference.waits(asks, logs, walked.reads, min_bytes, max_wait_ms, isolation)
    enough = sum(read.size for read in walked.reads) >= min_bytes
    failed = any(read.error for read in walked.reads)
    return profile.min_bytes is MinBytes.WAITS and max_wait_ms > 0 and not enough and not failed
