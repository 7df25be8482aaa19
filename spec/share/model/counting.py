"""The number of offsets of one acquisition: pure functions of whole numbers, with contracts that
CrossHair proves.
"""


def acquirable_offsets(
    wanted: int, locks: int, in_flight: int, offset: int, end: int, last: int
) -> tuple[int, int]:
    """The number of offsets that may be acquired, and the last offset that may be among them, under
    the limit of records in flight (SHR-132). Nothing may be acquired where the number is 0 or less.

    Where nothing is left of the limit, only offsets up to the share-partition end offset may be
    acquired: those that are available again are in flight already.

    Args:
        wanted: offsets left of MaxRecords.
        locks: the limit of record locks (group.share.partition.max.record.locks).
        in_flight: offsets from the share-partition start offset to its end offset.
        offset: where the read began.
        end: the share-partition end offset.
        last: the last offset that was read.

    Source: SharePartition.java:1678 of Kafka 4.3.1.

    pre: wanted > 0 and locks > 0 and in_flight >= 0 and 0 <= offset <= last and end >= 0
    post: _[0] <= wanted and _[1] <= last
    post: in_flight >= locks or _[0] <= locks - in_flight
    post: in_flight < locks or offset > end or (_[1] <= end and 0 < _[0] <= end - offset + 1)
    post: in_flight < locks or offset <= end or _[0] <= 0
    """
    left = min(wanted, locks - in_flight)
    if left > 0 or offset > end:
        return left, last
    return min(wanted, end - offset + 1), min(last, end)


def throttled_from(limit: int) -> int:
    """The delivery count from which an acquisition takes only a part of a batch: half of the limit
    (group.share.delivery.count.limit), rounded up, and at least 2 (SHR-170).

    pre: limit >= 1
    post: _ >= 2
    post: 2 * _ >= limit
    post: _ == 2 or 2 * _ <= limit + 1
    """
    return max(2, (limit + 1) // 2)


def part_of_throttled(size: int, count: int, threshold: int) -> int:
    """The number of offsets of a batch of `size` that one acquisition takes at a delivery count of
    the threshold (`throttled_from`) or more: a half, then a quarter and so on, at least one.

    Source: SharePartition.java:1918-2010 of Kafka 4.3.1 (SHR-171).

    pre: 1 <= size <= 100000
    pre: 2 <= threshold <= count <= threshold + 12
    post: 1 <= _ <= max(1, size // 2)
    post: _ == 1 or _ * 2 ** (count - threshold + 1) <= size
    """
    return max(1, size >> (count - threshold + 1))


def new_range_end(first: int, last: int, wanted: int, batch_last: int) -> int:
    """The last offset of the records that become in flight at once, out of `first` to `last`, which
    were not before: that of the batch that brings them to `wanted`, or `last` where no more than
    `wanted` are left.

    Args:
        first: the first offset that can be acquired.
        last: the last offset that can be acquired.
        wanted: offsets left of MaxRecords.
        batch_last: the last offset of the batch that holds offset `first + wanted - 1`, or that
            offset itself in a hole.

    Source: SharePartition.java:1726-1795 of Kafka 4.3.1 (SHR-120).

    pre: 0 <= first <= last and wanted > 0
    pre: batch_last >= first + wanted - 1
    post: _ >= first
    post: _ == last or _ == batch_last
    post: _ >= min(last, first + wanted - 1)
    """
    return last if wanted >= last - first + 1 else batch_last
