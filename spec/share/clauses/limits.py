"""How much one answer may acquire: MaxRecords in both acquire modes (KIP-1206), and the limit of
records in flight.
"""

from spec.clause import KIP, Chapter, Code, Doc, Held, Reading, Report, breaks, holds
from spec.fence import Fence, Unit
from spec.scenario import Scenario
from spec.semantics import decision_change
from spec.share.examples import FIVES, fetch, fetch_again, history, plain, release
from spec.share.model.records import RecordState
from spec.share.releases import LockBudget, ShareSemantics
from spec.share.steps import BATCH_OPTIMIZED, RECORD_LIMIT
from spec.share.turn import Served, Turn
from spec.verdict import ABOVE, NO_SIDE, LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter()

LOCKS = "group.share.partition.max.record.locks"


@chapter.clause(
    "SHR-126",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(1206, "record_limit"),
    Code("ShareFetchUtils.java", "75-125"),
    slug="share/acquire/record-limit",
    fence=Fence("the offsets acquired in all partitions", Unit.RECORDS, "MaxRecords"),
    since="4.2",
    aliases=("A01",),
)
def record_limit_is_kept_to_the_record(turn: Turn) -> Held | None:
    """In record_limit mode (ShareAcquireMode 1) the offsets that one answer acquires in all its
    partitions are at most `max(0, MaxRecords)` in number.
    """
    if not turn.is_answered_fetch or turn.mode != RECORD_LIMIT:
        return None
    where = side(turn.total, max(0, turn.max_records))
    if where is ABOVE:
        return breaks(
            where,
            f"expected at most {max(0, turn.max_records)} offsets, found {turn.total}",
            "over MaxRecords",
        )
    return holds(where)


@record_limit_is_kept_to_the_record.example(
    "the example of KIP-1206: batches of five, max.poll.records=6, batch.size=2, record_limit"
)
def _record_limit() -> Scenario:
    asks = [
        fetch(0, max_records=6, batch_size=2, mode=RECORD_LIMIT),
        *[fetch_again(max_records=6, batch_size=2, mode=RECORD_LIMIT)] * 2,
    ]
    return history((FIVES,), *asks)


@chapter.clause(
    "SHR-120",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(932, "ShareFetch API, MaxRecords"),
    KIP(1206, "batch_optimized"),
    Report("KAFKA-17863"),
    Code("SharePartition.java", "1726-1795"),
    slug="share/acquire/batch-optimized",
    fence=Fence("the offsets acquired in all partitions", Unit.RECORDS, "MaxRecords"),
    readings=(
        Reading("log_batch", "The batch that crosses MaxRecords is one of the log."),
        Reading(
            "cached_batch",
            "It may be one that an earlier answer made of several batches of the log, and that "
            "is delivered again.",
        ),
    ),
    aliases=("DIV-11", "M06"),
)
def batch_optimized_passes_max_records_by_one_batch(turn: Turn) -> Held | None:
    """In batch_optimized mode (ShareAcquireMode 0) with a MaxRecords above 0, all acquired offsets
    of an answer but those of one last batch are fewer than MaxRecords. With n offsets in all
    partitions and u those of the last batch: n - u < MaxRecords. The last batch holds the last
    acquired offset of some partition; it is a batch of the log, or what an earlier answer acquired
    in one range and so caches as one.
    """
    if (
        not turn.is_answered_fetch
        or turn.mode != BATCH_OPTIMIZED
        or turn.max_records <= 0
        or not _all_known(turn)
    ):
        return None
    where = side(turn.total, turn.max_records)
    smallest = turn.total - max([_last_unit(served) for served in turn.served], default=0)
    if turn.total and smallest >= turn.max_records:
        reloaded = any(served.slot.reloaded for served in turn.served)
        return breaks(
            where,
            f"expected the last batch to cross {turn.max_records}, found {smallest} offsets "
            "before it",
            "past the batch, once loaded again" if reloaded else "past the batch",
        )
    return holds(where)


@batch_optimized_passes_max_records_by_one_batch.fits
def crossing_fits(turn: Turn) -> dict[str, bool]:
    """For each reading of SHR-120, whether the turn fits it; empty where the readings do not
    differ.
    """
    if (
        not turn.is_answered_fetch
        or turn.mode != BATCH_OPTIMIZED
        or turn.max_records <= 0
        or not _all_known(turn)
        or turn.total <= turn.max_records
    ):
        return {}
    by_log = turn.total - max([_of_last_batch(served) for served in turn.served], default=0)
    by_cache = turn.total - max([_last_unit(served) for served in turn.served], default=0)
    return (
        {}
        if by_log == by_cache
        else {"log_batch": by_log < turn.max_records, "cached_batch": by_cache < turn.max_records}
    )


@batch_optimized_passes_max_records_by_one_batch.example(
    "the example of KIP-1206: batches of five, max.poll.records=6, batch.size=2, batch_optimized"
)
def _batch_optimized() -> Scenario:
    return history((FIVES,), fetch(0, max_records=6, batch_size=2))


@batch_optimized_passes_max_records_by_one_batch.example(
    "a range of two batches, released, is delivered again whole for MaxRecords 1 (DIV-11)"
)
def _cached_example() -> Scenario:
    return history((FIVES,), fetch(0, max_records=6), release(0, 9), fetch_again(max_records=1))


def _all_known(turn: Turn) -> bool:
    return all(
        served.before is not None and not served.has_inverted_range
        for served in turn.served
        if served.acquired_ranges
    )


def _of_last_batch(served: Served) -> int:
    """Offsets acquired of the log's batch that holds the last one."""
    if not served.counts or served.log is None:
        return 0
    last = max(served.counts)
    number = served.log.batch_number(last)
    if number == len(served.log.batches):
        return 1
    batch = served.log.batches[number]
    return max(1, sum(batch.base <= offset <= batch.last for offset in served.counts))


def _last_unit(served: Served) -> int:
    """Offsets acquired of the last thing that may be taken whole: a batch of the log, or a cached
    batch.
    """
    if not served.counts or served.before is None:
        return 0
    batch = served.before.floor(max(served.counts))
    cached = (
        sum(batch.first <= offset <= batch.last for offset in served.counts)
        if batch is not None
        else 0
    )
    return max(cached, _of_last_batch(served))


@chapter.clause(
    "SHR-112",
    Strength.MUST,
    LimitClass.SOFT,
    Doc(f"config {LOCKS}"),
    KIP(1240),
    Report("KAFKA-19555"),
    Code("SharePartition.java", "1678"),
    slug="share/acquire/record-locks",
    fence=Fence(
        "the records that are held after the answer", Unit.RECORDS, "the limit of record locks"
    ),
    readings=(
        Reading(
            "batch",
            "The batch that reaches the limit is acquired whole.",
            decision_change(ShareSemantics, lock_budget=LockBudget.EVERY_ACQUISITION),
        ),
        Reading("strict", "No more records are held than the limit says."),
        Reading(
            "gate",
            "The limit is looked at before reading; what one fetch acquires may pass it freely.",
            decision_change(ShareSemantics, lock_budget=LockBudget.GATE),
        ),
    ),
    aliases=("DIV-10", "S02"),
)
def records_in_flight_are_limited(turn: Turn) -> Held | None:
    """Records that were not in flight are acquired only up to the end of the batch that reaches the
    limit of record locks. With h records held in the share partition after the answer, at or past
    its start offset and the log start offset, and u those of them in the batch that holds the last
    acquired offset: h - u < limit. The limit is the group's share.partition.max.record.locks, or
    where the group has none the broker's group.share.partition.max.record.locks.

    The batch is one of the log, or what an earlier answer acquired in one range. An answer that
    acquires nothing new is not bound.
    """
    cap, where = turn.settings.max_record_locks, NO_SIDE
    for served in turn.followed_partitions:
        if not _takes_new(served):
            continue
        held = _in_flight(served)
        after = held + len(served.counts)
        where |= side(after, cap)
        if after - _last_unit_in_flight(served) >= cap:
            why = (
                f"partition {served.partition}: {held} records held, expected the batch that "
                f"reaches {cap} to be the last"
            )
            return breaks(
                where, f"{why}, found {len(served.counts)} more acquired", "over the lock limit"
            )
    return holds(where) if where else None


@records_in_flight_are_limited.fits
def lock_limit_fits(turn: Turn) -> dict[str, bool]:
    """For each reading of SHR-112, whether the turn fits it; empty where the limit was not
    passed.
    """
    cap = turn.settings.max_record_locks
    for served in turn.followed_partitions:
        held = _in_flight(served)
        after = held + len(served.counts)
        if _takes_new(served) and after > cap:
            return {
                "batch": after - _last_unit_in_flight(served) < cap,
                "strict": False,
                "gate": held < cap,
            }
    return {}


@records_in_flight_are_limited.example("batches of thirty under a limit of 100 locks")
def _locks() -> Scenario:
    return history((plain(*[30] * 6),), fetch(0, max_records=1000), config=((LOCKS, "100"),))


def _last_unit_in_flight(served: Served) -> int:
    """Offsets in flight after the answer of the batch that holds the last one acquired: of the
    log's, or of the cached one.

    The batch that reaches the limit may be acquired in more than one answer.
    """
    if not served.counts or served.before is None or served.log is None:
        return 0
    last, number = max(served.counts), served.log.batch_number(max(served.counts))
    ends = [(batch.base, batch.last) for batch in served.log.batches[number : number + 1]]
    cached = served.before.floor(last)
    ends += [(cached.first, cached.last)] if cached is not None and last <= cached.last else []
    held = [_held_in(served, first, end) for first, end in ends]
    return max([_last_unit(served), *held])


def _held_in(served: Served, first: int, last: int) -> int:
    """Offsets of a range that are in flight after the answer."""
    assert served.before is not None
    assert served.log is not None
    start, before = max(served.before.start, served.log.start), served.before
    found = {offset for offset in served.counts if first <= offset <= last}
    for offset in range(max(first, start), last + 1):
        record = before.record(offset)
        if record is not None and record.state is RecordState.ACQUIRED:
            found.add(offset)
    return len(found)


def _takes_new(served: Served) -> bool:
    """Whether something was acquired that was not cached before."""
    return served.before is not None and any(
        served.before.record(offset) is None for offset in served.counts
    )


def _in_flight(served: Served) -> int:
    """Records held in a partition before the fetch, at or after the start offset and the log start.

    When a broker notices that the log start moved is its own matter (SHR-421); from then on the
    records below it are not in flight.
    """
    if served.before is None or served.log is None:
        return 0
    start, held = max(served.before.start, served.log.start), RecordState.ACQUIRED
    return sum(
        record.state is held and offset >= start
        for batch in served.before.cached
        for offset, record in batch.offsets()
    )


@chapter.clause(
    "SHR-110",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("SharePartition.java", "730-760"),
    slug="share/acquire/max-records-zero",
    fence=Fence("MaxRecords", Unit.RECORDS, "0"),
    timing_sensitive=True,
)
def without_max_records_nothing_is_acquired(turn: Turn) -> Held | None:
    """With a MaxRecords of 0 or below an answer acquires nothing. If nothing was acknowledged along
    with it, it comes within 2,000 ms (longer on a busy machine, see SHR-143), whatever MaxWaitMs
    is: there is nothing to wait for.
    """
    if not turn.is_answered_fetch:
        return None
    where = side(turn.max_records, 0)
    if turn.max_records <= 0 and turn.total:
        return breaks(
            where,
            f"MaxRecords {turn.max_records}: expected nothing acquired, found {turn.total} offsets",
            "acquired",
        )
    if turn.max_records <= 0 and turn.elapsed_ms > turn.slack_ms and not turn.confirmed:
        why = f"MaxRecords {turn.max_records}: expected an answer at once"
        return breaks(where, f"{why}, found it after {turn.elapsed_ms:.0f} ms", "held back")
    return holds(where)


@without_max_records_nothing_is_acquired.example("MaxRecords 0")
def _none() -> Scenario:
    return history((FIVES,), fetch(0, max_records=1), fetch(max_records=0, patience_ms=0))


@without_max_records_nothing_is_acquired.example("MaxRecords 0, MaxWaitMs 3000")
def _none_at_once() -> Scenario:
    ask = fetch(max_records=0, max_wait_ms=3000, patience_ms=0)
    return history((FIVES,), fetch(0, max_records=1), ask)
