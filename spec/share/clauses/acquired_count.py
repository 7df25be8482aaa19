"""How many offsets a fetch acquires, to the offset: what Apache Kafka does where the promise leaves
room.
"""

from spec.clause import KIP, Chapter, Code, Held, Reading
from spec.fence import Fence, Unit
from spec.layout import Batch, Layout, Partition
from spec.scenario import Scenario
from spec.share.clauses.comparing import acquiring, by_max_records, compare_with_reference
from spec.share.examples import (
    FIVES,
    fetch,
    fetch_again,
    history,
    plain,
    release,
    transactions,
)
from spec.share.steps import (
    RECORD_LIMIT,
    AlterGroupConfig,
    AlterShareGroupOffsets,
    ShareAcknowledge,
)
from spec.share.turn import Served, Turn
from spec.verdict import LimitClass, Side, Strength, side

chapter: Chapter[Turn] = Chapter()


def by_locks_left(turn: Turn, served: Served) -> Side:
    """The offsets that a partition acquired, against what was left of its record locks."""
    assert served.before is not None
    return side(
        len(served.counts), max(0, turn.settings.max_record_locks - served.before.in_flight)
    )


@chapter.clause(
    "SHR-142",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code("ShareFetchUtils.java", "75-125"),
    slug="share/acquire/shared-max-records",
    fence=Fence(
        "the offsets that a partition acquires",
        Unit.RECORDS,
        "what those before it left of MaxRecords",
    ),
    aliases=("DIV-20",),
)
def partitions_share_max_records(turn: Turn) -> Held | None:
    """The partitions of one fetch are served one after the other. With n offsets acquired in those
    before it, a partition gives what it would give alone to a fetch with MaxRecords - n, and
    nothing where that is 0 or below.

    In which order, and how MaxBytes is shared among them, is not said: the order and the shares are
    taken that explain the answer best.
    """
    return compare_with_reference(turn, "SHR-142", by_max_records)


@partitions_share_max_records.example("three partitions of fifteen records, MaxRecords 20")
def _shared_example() -> Scenario:
    return history((FIVES, FIVES, FIVES), fetch(0, 1, 2, max_records=20))


FEW_LOCKS = (("group.share.partition.max.record.locks", "100"),)


@chapter.clause(
    "SHR-132",
    Strength.REFERENCE,
    LimitClass.SOFT,
    acquiring("1678"),
    slug="share/acquire/locks-left",
    fence=Fence(
        "the offsets that a partition acquires", Unit.RECORDS, "what is left of its record locks"
    ),
    aliases=("SHR-102", "SHR-412"),
)
def what_is_left_of_the_record_locks_bounds_a_fetch(turn: Turn) -> Held | None:
    """Let `free` be the limit of record locks minus the offsets from the share-partition start
    offset to its end offset. Where `free` is above 0, a fetch acquires what it would with the
    MaxRecords `min(MaxRecords, free)`. Where it is 0 or below, it acquires only records that are
    available again. Before 4.2 the limit is looked at before reading alone: where `free` is above
    0, it bounds nothing.
    """
    return compare_with_reference(turn, "SHR-132", by_locks_left)


@what_is_left_of_the_record_locks_bounds_a_fetch.example(
    "batches of thirty under a limit of 100 locks, thirty of them released"
)
def _full() -> Scenario:
    rounds = (
        fetch(0, max_records=90),
        fetch(0, max_records=90, actor=1),
        release(0, 29),
        fetch(0, max_records=1000, actor=2),
    )
    return history((plain(*[30] * 6),), *rounds, config=FEW_LOCKS)


@what_is_left_of_the_record_locks_bounds_a_fetch.example(
    "exactly 100 records under a limit of 100 locks, the first ten of them released"
)
def _at_the_limit() -> Scenario:
    return _all_locked(release(0, 9))


@what_is_left_of_the_record_locks_bounds_a_fetch.example(
    "exactly 100 records under a limit of 100 locks, the last one of them released"
)
def _last_of_the_limit() -> Scenario:
    return _all_locked(release(99, 99))


def _all_locked(returned: ShareAcknowledge) -> Scenario:
    """All locks are held, some are given back, and another member fetches."""
    steps = (fetch(0, max_records=100), returned, fetch(0, actor=1))
    return history((plain(*[25] * 6),), *steps, config=FEW_LOCKS)


@chapter.clause(
    "SHR-425",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    acquiring("3060-3150"),
    slug="share/acquire/aborted-data",
    aliases=("SHR-426", "SHR-427", "DIV-17"),
)
def aborted_data_is_not_acquired_under_read_committed(turn: Turn) -> Held | None:
    """With share.isolation.level read_committed, a fetch acquires what SHR-115, SHR-121 and SHR-123
    say, less the offsets of data batches of aborted transactions. These are taken off afterwards,
    so that it may acquire fewer offsets than MaxRecords. Control batches are acquired as records
    are.

    The offsets taken off count as archived, as later fetches show.
    """
    return compare_with_reference(turn, "SHR-425")


@aborted_data_is_not_acquired_under_read_committed.example(
    "one transaction committed, one aborted, one open"
)
def _committed_example() -> Scenario:
    setting = AlterGroupConfig((("share.isolation.level", "read_committed"),))
    starts = AlterShareGroupOffsets(((0, 0),))
    return Scenario(Layout((transactions(),)), (setting, starts, fetch(0)))


@chapter.clause(
    "SHR-123",
    Strength.REFERENCE,
    LimitClass.SOFT,
    KIP(1206, "record_limit"),
    acquiring("1840-1870"),
    slug="share/acquire/record-limit-exact",
    fence=Fence("the offsets that a partition acquires", Unit.RECORDS, "MaxRecords"),
    since="4.2",
    readings=(
        Reading("offsets", "MaxRecords counts offsets, holes among them."),
        Reading("records", "It counts the records that there are."),
    ),
    aliases=("DIV-08", "A08"),
)
def record_limit_takes_exactly_max_records(turn: Turn) -> Held | None:
    """In record_limit mode a fetch of `r` new offsets that were read (SHR-121) acquires the
    first `min(MaxRecords, r)` of them, holes among them, with the DeliveryCount 1.

    The rest of the batch that holds the last of them becomes available with the DeliveryCount 0,
    and comes first with the next fetch (SHR-115). That they are one range is SHR-122.
    """
    return compare_with_reference(turn, "SHR-123", by_max_records)


@record_limit_takes_exactly_max_records.fits
def counting_fits(turn: Turn) -> dict[str, bool]:
    """For each reading of SHR-123, whether the turn fits it; empty where no hole was acquired."""
    if turn.mode != RECORD_LIMIT or not turn.total or turn.total > turn.max_records:
        return {}
    stored = 0
    for served in turn.followed_partitions:
        batches = served.log.batches if served.log is not None else ()
        stored += sum(
            any(batch.base <= offset <= batch.last for batch in batches) for offset in served.counts
        )
    holes = turn.total - stored
    return (
        {"offsets": turn.total == turn.max_records, "records": stored == turn.max_records}
        if holes
        else {}
    )


@record_limit_takes_exactly_max_records.example("MaxRecords 6 in record_limit mode, three times")
def _limited_example() -> Scenario:
    return history(
        (FIVES,),
        fetch(0, max_records=6, mode=RECORD_LIMIT),
        *[fetch_again(max_records=6, mode=RECORD_LIMIT)] * 2,
    )


@record_limit_takes_exactly_max_records.example(
    "the same log, MaxRecords 8 in record_limit mode: it ends in the hole, which counts (DIV-08)"
)
def _limited_by_a_hole() -> Scenario:
    log = Partition(
        ((Batch(100, records=3, span=5), Batch(100, records=5, gap=5), Batch(100, records=5)),)
    )
    return history(
        (log,),
        fetch(0, max_records=8, mode=RECORD_LIMIT),
        fetch_again(max_records=8, mode=RECORD_LIMIT),
    )


@chapter.clause(
    "SHR-121",
    Strength.REFERENCE,
    LimitClass.SOFT,
    KIP(932, "ShareFetch API, MaxRecords"),
    acquiring("1726-1795,2763"),
    slug="share/acquire/whole-batches",
    fence=Fence("the offsets that a partition acquires", Unit.RECORDS, "MaxRecords"),
    aliases=("SHR-124", "SHR-424", "DIV-09"),
)
def batch_optimized_takes_whole_batches(turn: Turn) -> Held | None:
    """In batch_optimized mode a fetch that begins at the new offset f acquires, with the
    DeliveryCount 1, each offset from f to the end of the batch that holds f + MaxRecords - 1, or to
    that offset itself where no batch holds it. It ends with the last batch that was read where that
    comes first: the whole batches below the readable end (SHR-129) that fit in the partition's
    share of MaxBytes, and the first one in any case. Offsets of holes count.
    """
    return compare_with_reference(turn, "SHR-121", by_max_records)


@batch_optimized_takes_whole_batches.example(
    "the same log under read_uncommitted: control and aborted records come too"
)
def _uncommitted_example() -> Scenario:
    return history((transactions(),), fetch(0))


@batch_optimized_takes_whole_batches.example(
    "a compacted batch, a hole, two more batches: MaxRecords 6 ends in the hole (DIV-08, DIV-09)"
)
def _hole() -> Scenario:
    log = Partition(
        ((Batch(100, records=3, span=5), Batch(100, records=5, gap=5), Batch(100, records=5)),)
    )
    return history((log,), fetch(0, max_records=6), fetch_again(max_records=6))
