"""What was acquired, partition by partition, beside what Apache Kafka acquires, and which clause a
difference breaks.
"""

from collections.abc import Callable, Sequence

from spec.clause import Code, Held, breaks, holds
from spec.share.outcomes import Acquired
from spec.share.releases import ShareSemantics
from spec.share.turn import Served, Turn, counts_of
from spec.verdict import NO_SIDE, Side, side

NOTHING = "nothing"
"""The signature where nothing came. It is timing-sensitive: a broker answers before it lets go of
the share partition's fetch lock (DelayedShareFetch.java), and a fetch with no time to wait that
comes in between finds nothing."""


def no_fence(turn: Turn, served: Served) -> Side:
    """No side: of a clause without a fence."""
    del turn, served
    return NO_SIDE


def compare_with_reference(
    turn: Turn, clause_id: str, side_of: Callable[[Turn, Served], Side] = no_fence
) -> Held | None:
    """Whether each partition whose `situation` is this clause's gave exactly what the reference
    gives; None where there is none.

    Args:
        turn: the fetch and its answer.
        clause_id: which clause.
        side_of: on which side of the clause's fence a partition stood.
    """
    arose, where = False, NO_SIDE
    for served, situation in turn.compared_partitions:
        if situation != clause_id or served.expected is None:
            continue
        expected = counts_of(served.expected.ranges)
        if _is_left_open(served, expected, turn.semantics.of(ShareSemantics)):
            continue
        if clause_id == "SHR-421" and _noticed_before(served):
            continue
        arose = True
        where |= side_of(turn, served)
        if not served.matches and turn.quiet:
            what = (
                f"partition {served.partition}: expected {_ranges(served.expected.ranges)}, found "
                f"{_ranges(served.acquired_ranges)}"
            )
            return breaks(where, what, _difference(expected, served))
    return holds(where) if arose else None


def _is_left_open(served: Served, expected: dict[int, int], semantics: ShareSemantics) -> bool:
    """Whether nothing is said of a partition, since its state is not known well enough on a release
    that may give less there, or more.
    """
    found = served.counts
    closed = served.slot.closed and not semantics.closed_records_come_back
    if closed and not set(expected) <= set(found):
        return True
    if served.slot.reloaded and found and set(found) < set(expected):
        return True
    if found:
        return reads_deleted(served) and not semantics.archives_all_deleted
    if not semantics.cut_batches_come and (is_cut(served) or _was_cut(served)):
        return True
    return semantics.empty_fetch_may_not_read and _starts_with_the_log(served)


def is_cut(served: Served) -> bool:
    """Whether the log starts inside a batch that is cached."""
    state, log = served.before, served.log
    return (
        state is not None
        and log is not None
        and any(one.first < log.start <= one.last for one in state.cached)
    )


def _starts_with_the_log(served: Served) -> bool:
    """Whether the start offset is a log start that has moved, as where a read has found that out:
    a fetch of no records, perhaps, which did not (seen on 4.2.2).
    """
    state, log = served.before, served.log
    return state is not None and log is not None and state.start == log.start > 0


def reads_deleted(served: Served) -> bool:
    """Whether Apache Kafka's next read begins at a deleted record though the start offset lies past
    it, so that it fails time and again.
    """
    state, log = served.before, served.log
    return (
        state is not None and log is not None and state.next_fetch_offset < log.start <= state.start
    )


def _was_cut(served: Served) -> bool:
    """Whether the start offset lies inside a cached batch, as where a log start that was noticed
    cut it, and the log starts later by now: the next read may still begin before both.
    """
    state, log = served.before, served.log
    return (
        state is not None
        and log is not None
        and state.start < log.start
        and any(one.first < state.start <= one.last for one in state.cached)
    )


def _noticed_before(served: Served) -> bool:
    """Whether the answer fits a log start that was noticed earlier, though the state does not say
    so.

    A batch that was acquired whole though the log starts inside of it (SHR-128) has two pasts: the
    start offset had moved there, or had been brought back to the batch by a session that closed.
    Only its records from the log start on, once more each, show the first.
    """
    state, log = served.before, served.log
    if state is None or log is None or not served.counts or not is_cut(served):
        return False
    known = {offset: state.record(offset) for offset in served.counts}
    return all(
        offset >= log.start
        and (record := known[offset]) is not None
        and record.available
        and count == record.count + 1
        for offset, count in served.counts.items()
    )


def _ranges(ranges: Sequence[Acquired]) -> str:
    return (
        ", ".join([f"{one.first} to {one.last} (delivery {one.count})" for one in ranges])
        or "nothing"
    )


def _difference(expected: dict[int, int], served: Served) -> str:
    if set(expected) == set(served.counts):
        return "other counts"
    if set(served.counts) < set(expected):
        return "fewer offsets" if served.counts else NOTHING
    return "more offsets" if set(expected) < set(served.counts) else "other offsets"


def acquiring(lines: str) -> Code:
    """The lines of Kafka's code that acquire records."""
    return Code("SharePartition.java", lines)


def by_max_records(turn: Turn, served: Served) -> Side:
    """The offsets that a partition acquired, against what it may of MaxRecords."""
    return side(len(served.counts), max(0, min(served.left, turn.max_records)))
