"""What Apache Kafka acquires to the offset, where the promise leaves room: legal to do otherwise,
but a user will notice.

One and the same comparison (`spec.share.clauses.comparing`), divided by what decides: a break
names the rule that it is about.
"""

from spec.clause import KIP, Chapter, Code, Held, Reading, Report
from spec.fence import Fence, Unit, UnreachableSides
from spec.layout import Batch, Layout, Partition
from spec.scenario import Scenario
from spec.semantics import decision_change
from spec.share.clauses.comparing import compare_with_reference
from spec.share.examples import (
    FIVES,
    confirm,
    fetch,
    fetch_again,
    history,
    plain,
    release,
    transactions,
)
from spec.share.model.counting import part_of_throttled, throttled_from
from spec.share.model.records import Cached
from spec.share.releases import ShareSemantics, Throttling
from spec.share.situation import GAPS
from spec.share.steps import (
    RECORD_LIMIT,
    AlterGroupConfig,
    AlterShareGroupOffsets,
    Pause,
    ShareAcknowledge,
    ShareFetch,
)
from spec.share.turn import Served, Turn
from spec.steps import DeleteRecords
from spec.verdict import BELOW, LimitClass, Side, Strength, side

chapter: Chapter[Turn] = Chapter()


def _acquiring(lines: str) -> Code:
    return Code("SharePartition.java", lines)


def by_max_records(turn: Turn, served: Served) -> Side:
    """The offsets that a partition acquired, against what it may of MaxRecords."""
    return side(len(served.counts), max(0, min(served.left, turn.max_records)))


def by_locks_left(turn: Turn, served: Served) -> Side:
    """The offsets that a partition acquired, against what was left of its record locks."""
    assert served.before is not None
    return side(
        len(served.counts), max(0, turn.settings.max_record_locks - served.before.in_flight)
    )


def by_deliveries(turn: Turn, served: Served) -> Side:
    """The greatest delivery count of an available record, against the count from which batches come
    in parts.
    """
    assert served.before is not None
    counts = [
        record.count
        for batch in served.before.cached
        for record in batch.records
        if record.available
    ]
    return side(max(counts), throttled_from(turn.settings.delivery_count_limit))


@chapter.clause(
    "SHR-421",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("ShareFetchUtils.java", "91"),
    _acquiring("1202"),
    slug="share/acquire/log-start-noticed",
    aliases=("SHR-422",),
)
def the_log_start_is_noticed_by_a_failing_read(turn: Turn) -> Held | None:
    """A fetch of a share partition whose next fetch offset is below the log start offset acquires
    nothing of it.

    Its read fails, and moves the share-partition start offset to the log start offset or past it,
    as the next acquisition shows. Where what is acquired shows that an earlier read has moved it,
    nothing is said. An error in the answer is a matter of SHR-503.
    """
    return compare_with_reference(turn, "SHR-421")


@the_log_start_is_noticed_by_a_failing_read.example("records deleted that were not fetched yet")
def _deleted_example() -> Scenario:
    return history(
        (FIVES,),
        fetch(0, max_records=1),
        confirm(0, 4),
        DeleteRecords(0, 7),
        ShareFetch(version=2),
        fetch_again(),
    )


@chapter.clause(
    "SHR-502",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    KIP(932, "AlterShareGroupOffsets"),
    _acquiring("572"),
    slug="share/acquire/start-past-end",
)
def a_start_past_the_end_gives_nothing(turn: Turn) -> Held | None:
    """A fetch of a share partition whose next fetch offset is past the end of the log acquires
    nothing of it.

    So it is where the share-partition start offset was set there. Once the log has reached it, the
    first acquisition begins at it (SHR-113, SHR-121, SHR-123). An error in the answer is a matter
    of SHR-503.
    """
    return compare_with_reference(turn, "SHR-502")


@a_start_past_the_end_gives_nothing.example("a start offset past the end")
def _past_the_end() -> Scenario:
    return history(
        (FIVES,),
        fetch(0, patience_ms=0),
        Pause(500),
        confirm(0, 4),
        fetch_again(patience_ms=0),
        start=100,
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
    _acquiring("1678"),
    slug="share/acquire/locks-left",
    fence=Fence(
        "the offsets that a partition acquires", Unit.RECORDS, "what is left of its record locks"
    ),
    aliases=("SHR-102", "SHR-412"),
)
def what_is_left_of_the_record_locks_bounds_a_fetch(turn: Turn) -> Held | None:
    """Let free be the limit of record locks minus the offsets from the share-partition start
    offset to its end offset. Where free is above 0, a fetch acquires what it would with the
    MaxRecords min(MaxRecords, free). Where it is 0 or below, it acquires only records that are
    available again. Before 4.2 the limit is looked at before reading alone: where free is above
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
    _acquiring("3060-3150"),
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
    "SHR-170",
    Strength.REFERENCE,
    LimitClass.SOFT,
    _acquiring("880-930,1918-2010,2063"),
    Report("KAFKA-17541"),
    slug="share/delivery/last-deliveries",
    fence=Fence(
        "the greatest delivery count of an available record",
        Unit.DELIVERIES,
        "max(2, ceil(limit / 2)), from which a batch comes in parts",
        never=UnreachableSides(BELOW, "below it a batch comes whole: SHR-115"),
    ),
    readings=(
        Reading(
            "halved",
            "A batch near its last deliveries comes in ever smaller parts, so that one bad record "
            "does not take it along.",
            decision_change(ShareSemantics, throttling=Throttling.HALVED),
        ),
        Reading(
            "whole",
            "It comes whole until the delivery limit is reached.",
            decision_change(ShareSemantics, throttling=Throttling.NONE),
        ),
    ),
    aliases=("SHR-171", "SHR-172", "DIV-15", "S04"),
)
def records_near_their_last_delivery_come_in_parts(turn: Turn) -> Held | None:
    """Let L be the delivery count limit, t = max(2, ceil(L / 2)), and a worn batch a cached batch
    with an available record whose DeliveryCount is t or above. It is acquired of only where
    nothing else of its partition comes in the answer, at most max(1, size >> (c - t + 1)) of
    its records, with c the DeliveryCount of the first such record; and where L is above 2, a
    record with the DeliveryCount L - 1 comes alone. Before 4.2 such a batch comes whole.
    """
    return compare_with_reference(turn, "SHR-170", by_deliveries)


@records_near_their_last_delivery_come_in_parts.fits
def parts_fit(turn: Turn) -> dict[str, bool]:
    """For each reading of SHR-170, whether the turn fits it; empty where what is near its last
    delivery is no more than a part.
    """
    limit = turn.settings.delivery_count_limit
    for served in turn.followed_partitions:
        batch = _worn_batch(turn, served)
        if batch is None or turn.mode == RECORD_LIMIT:
            continue
        found = sum(batch.first <= offset <= batch.last for offset in served.counts)
        part = part_of_throttled(batch.size, batch.at(batch.first).count, throttled_from(limit))
        if found and part < batch.size:
            return {"halved": found <= part, "whole": found == batch.size}
    return {}


@records_near_their_last_delivery_come_in_parts.example(
    "one batch of eight, released again and again"
)
def _throttled_example() -> Scenario:
    return _released_again()


@records_near_their_last_delivery_come_in_parts.example(
    "one batch of eight under a delivery limit of 4, released again and again"
)
def _throttled_at_two() -> Scenario:
    return _released_again((("group.share.delivery.count.limit", "4"),))


def _released_again(config: tuple[tuple[str, str], ...] = ()) -> Scenario:
    rounds = [step for _ in range(4) for step in (release(0, 7), fetch_again())]
    return history((plain(8),), fetch(0), *rounds, config=config)


@chapter.clause(
    "SHR-115",
    Strength.REFERENCE,
    LimitClass.SOFT,
    _acquiring("835-950"),
    slug="share/acquire/available-first",
    fence=Fence("the offsets that a partition acquires", Unit.RECORDS, "MaxRecords"),
    aliases=("SHR-101", "SHR-116"),
)
def records_that_are_available_again_come_first(turn: Turn) -> Held | None:
    """Available records of cached batches are acquired before new ones, in the order of their
    offsets, each with its DeliveryCount plus one. In batch_optimized mode each cached batch gives
    all that is available of it, until n offsets with n at or above MaxRecords are acquired; in
    record_limit mode n is at most MaxRecords. Where n is below MaxRecords, new offsets that were
    read follow, as many as SHR-121 or SHR-123 say for MaxRecords - n.
    """
    return compare_with_reference(turn, "SHR-115", by_max_records)


@records_that_are_available_again_come_first.example("released records, then new ones")
def _again_first() -> Scenario:
    return history(
        (FIVES,), fetch(0, max_records=5), release(1, 1), release(3, 3), fetch_again(max_records=3)
    )


@chapter.clause(
    "SHR-113",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    _acquiring("775-795"),
    slug="share/acquire/start-inside-a-batch",
)
def a_start_inside_a_batch_is_where_acquiring_begins(turn: Turn) -> Held | None:
    """Where nothing is available again and the next fetch offset lies inside a batch of the log, an
    acquisition begins at the next fetch offset, not at the batch's base offset. It ends where
    SHR-121 or SHR-123 say.
    """
    return compare_with_reference(turn, "SHR-113")


@a_start_inside_a_batch_is_where_acquiring_begins.example("a start offset of 3, MaxRecords 1")
def _inside() -> Scenario:
    return history((FIVES,), fetch(0, max_records=1), start=3)


@chapter.clause(
    "SHR-123",
    Strength.REFERENCE,
    LimitClass.SOFT,
    KIP(1206, "record_limit"),
    _acquiring("1840-1870"),
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
    """In record_limit mode a fetch of r new offsets that were read (SHR-121) acquires the first
    min(MaxRecords, r) of them, holes among them, with the DeliveryCount 1.

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
    _acquiring("1726-1795,2763"),
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


def _worn_batch(turn: Turn, served: Served) -> Cached | None:
    """The cached batch that comes next, where all of it is available with one count that is near
    the delivery limit.
    """
    state, limit = served.before, turn.settings.delivery_count_limit
    batch = state.floor(state.next_fetch_offset) if state is not None else None
    if state is None or batch is None or batch.first != state.next_fetch_offset:
        return None
    counts = {record.count if record.available else 0 for _, record in batch.offsets()}
    return batch if len(counts) == 1 and max(counts) >= throttled_from(limit) else None


chapter.exclude(
    GAPS,
    Strength.REFERENCE,
    LimitClass.HARD,
    _acquiring("483-540,597-640,850-880"),
    slug="share/reload/gaps",
    statement=(
        "After a reload, offsets between the start offset and the end offset that no written state "
        "covers are acquired as new ones, before any offset past the end offset."
    ),
    reason=(
        "whatever takes the broker's memory from it in a history lets it write first what members "
        "hold, so that no gap is left"
    ),
)
chapter.exclude(
    "SHR-111",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    _acquiring("1265"),
    Report("KAFKA-17351"),
    slug="share/reload/compacted",
    statement=(
        "Available records whose offsets compaction has taken out of the log are archived by the "
        "next read that begins past them. On 4.0 they stay available."
    ),
    reason=(
        "the observer follows it where a hole is released, and any break shows in what is acquired "
        "next"
    ),
)
chapter.exclude(
    "SHR-411",
    Strength.REFERENCE,
    LimitClass.HARD,
    _acquiring("2690"),
    slug="share/offsets/described",
    statement=(
        "The StartOffset of DescribeShareGroupOffsets is the share-partition start offset as it "
        "was before the move that the last write caused."
    ),
    reason="histories do not describe offsets; the next acquisition shows the start offset better",
)
chapter.exclude(
    "SHR-420",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(932, "share.auto.offset.reset"),
    slug="share/offsets/reset",
    statement=(
        "A share partition without a start offset begins, when it is first loaded, where the "
        "group's share.auto.offset.reset says: at the high watermark (latest), at the log start "
        "offset (earliest), or at the first record that is no older than a duration "
        "(by_duration:...)."
    ),
    reason=(
        "the observer follows latest and earliest, and any break shows in what is acquired; a "
        "duration depends on record timestamps"
    ),
)
chapter.exclude(
    "SHR-501",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ShareCoordinatorShard.java", "readStateAndMaybeUpdateLeaderEpoch"),
    slug="share/offsets/not-initialised",
    statement=(
        "A fetch of a share partition whose state was never initialised at the share coordinator "
        "is answered with the partition's error UNKNOWN_SERVER_ERROR. On 4.0 it is loaded all the "
        "same."
    ),
    reason="while it is being initialised the same error comes and goes; the observer takes either",
)
