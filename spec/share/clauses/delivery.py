"""Who may be given which record, and with which delivery count: relations over what was acquired,
whatever made the choice.
"""

from itertools import pairwise

from spec.clause import KIP, Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.scenario import Scenario
from spec.share.examples import (
    FIVES,
    PATIENCE_MS,
    confirm,
    fetch,
    fetch_again,
    history,
    plain,
    release,
)
from spec.share.model.records import RecordState
from spec.share.steps import AcknowledgeType, ShareFetch, SharePartition
from spec.share.turn import Turn
from spec.steps import DeleteRecords
from spec.verdict import NO_SIDE, LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter()

STATES = KIP(932, "in-flight records")


@chapter.clause(
    "SHR-127",
    Strength.MUST,
    LimitClass.HARD,
    KIP(932, "ShareFetch API, AcquiredRecords"),
    slug="share/acquire/ranges",
    fence=Fence(
        "the length of an acquired range",
        Unit.OFFSETS,
        "one",
        meaning="below is a range that ends before it begins",
    ),
    aliases=("DIV-03", "A06"),
)
def acquired_ranges_are_ranges(turn: Turn) -> Held | None:
    """In each range of AcquiredRecords LastOffset is at least FirstOffset, and no offset lies in
    two ranges of one partition.
    """
    if not turn.is_answered_fetch:
        return None
    where = NO_SIDE
    for served in turn.served:
        for one in served.acquired_ranges:
            where |= side(one.last - one.first + 1, 1)
            if one.last < one.first:
                why = (
                    f"partition {served.partition}: {one.first} to {one.last}: expected a range, "
                    "found one that ends before it begins"
                )
                return breaks(where, why, "inverted range")
        for before, one in pairwise(sorted(served.acquired_ranges, key=lambda one: one.first)):
            if one.first <= before.last:
                why = (
                    f"partition {served.partition}: {one.first} to {one.last}: expected each "
                    "offset in one range, found it in two"
                )
                return breaks(where, why, "overlapping ranges")
    return holds(where) if where else None


@acquired_ranges_are_ranges.example("three batches of five, batch size 5")
def _ranges() -> Scenario:
    return history((FIVES,), fetch(0, batch_size=5))


@acquired_ranges_are_ranges.example(
    "batch size 0: Apache Kafka gives a range that ends before it begins (DIV-03)"
)
def _batch_size_zero() -> Scenario:
    return history((FIVES,), fetch(0, batch_size=0))


@chapter.clause(
    "SHR-128",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(932, "share-partition start offset"),
    Code("SharePartition.java", "775-795"),
    slug="share/acquire/start-offset",
    fence=Fence("the first acquired offset", Unit.OFFSETS, "the share-partition start offset"),
    aliases=("DIV-04", "A02"),
)
def nothing_below_the_start_offset_is_acquired(turn: Turn) -> Held | None:
    """Each acquired offset is at or past the share-partition start offset. That begins where the
    group's offset was set or reset to. It moves past all records in front that are acknowledged or
    archived, and to the log start offset once a fetch has found that the records before it are
    deleted.
    """
    where = NO_SIDE
    for served in turn.followed_partitions:
        if not served.acquired_ranges or served.before is None:
            continue
        first, start = min([one.first for one in served.acquired_ranges]), served.before.start
        where |= side(first, start)
        if first < start:
            deleted = served.log is not None and first < served.log.start
            signature = "deleted offsets" if deleted else "below the start offset"
            if served.slot.reloaded and not deleted:
                signature = "below the start offset, once loaded again"
            why = f"partition {served.partition}: expected offsets from {start} on, found {first}"
            return breaks(where, why, signature)
    return holds(where) if where else None


@nothing_below_the_start_offset_is_acquired.example("a start offset inside the first batch")
def _inside() -> Scenario:
    return history((FIVES,), fetch(0), start=3)


@nothing_below_the_start_offset_is_acquired.example(
    "records deleted while the first batch is held: Apache Kafka gives two of the deleted ones "
    "(DIV-04)"
)
def _deleted_example() -> Scenario:
    ask = ShareFetch(version=2, patience_ms=PATIENCE_MS)
    return history(
        (FIVES,), fetch(0, max_records=5), DeleteRecords(0, 12), ShareFetch(version=2), ask
    )


@nothing_below_the_start_offset_is_acquired.example(
    "two members of one session each, the second asks for the same partition"
)
def _same_partition() -> Scenario:
    return history(
        (FIVES,),
        fetch(0, max_records=1),
        ShareFetch((SharePartition(0),), version=2, actor=1, patience_ms=PATIENCE_MS),
    )


@chapter.clause(
    "SHR-129",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(932, "fetching and isolation"),
    Doc("group config share.isolation.level"),
    Code("KafkaApis.scala", "3462"),
    slug="share/acquire/readable-end",
    fence=Fence(
        "the offset after the last acquired",
        Unit.OFFSETS,
        "the high watermark, or under read_committed the last stable offset",
    ),
    aliases=("SHR-423",),
)
def nothing_past_the_readable_end_is_acquired(turn: Turn) -> Held | None:
    """Each acquired offset is below the partition's high watermark, and where the group's
    share.isolation.level is read_committed, below its last stable offset.
    """
    where = NO_SIDE
    for served in turn.followed_partitions:
        if not served.acquired_ranges or served.log is None:
            continue
        bound, last = (
            served.log.bound(turn.settings.isolation),
            max([one.last for one in served.acquired_ranges]),
        )
        where |= side(last + 1, bound)
        if last >= bound:
            why = f"partition {served.partition}: expected offsets below {bound}, found {last}"
            return breaks(where, why, "past the end")
    return holds(where) if where else None


@nothing_past_the_readable_end_is_acquired.example("all that there is")
def _all() -> Scenario:
    return history((FIVES,), fetch(0))


@chapter.clause(
    "SHR-100",
    Strength.MUST,
    LimitClass.HARD,
    STATES,
    Code("SharePartition.java", "1502"),
    slug="share/acquire/one-holder",
)
def a_record_is_held_by_one_member(turn: Turn) -> Held | None:
    """A record that a member has acquired is acquired by nobody, that member included, until it is
    acknowledged or released, its lock (SHR-402) has run out, its session is closed, the broker
    restarted or the group's offset set.
    """
    if not turn.followed_partitions:
        return None
    for served, offset, record, _ in turn.acquired_offsets:
        if record is not None and record.state is RecordState.ACQUIRED:
            owner = record.lock.member if record.lock is not None else -1
            own = turn.request is not None and owner == turn.request.actor
            why = (
                f"partition {served.partition}: offset {offset} is held by member {owner}, "
                "expected it left out, found it acquired"
            )
            return fails(why, "held by itself" if own else "held by another")
    return holds()


@a_record_is_held_by_one_member.example("two members")
def _two() -> Scenario:
    return history((FIVES,), fetch(0, max_records=6), fetch(0, max_records=6, actor=1))


@chapter.clause(
    "SHR-131",
    Strength.MUST,
    LimitClass.HARD,
    STATES,
    Doc("Javadoc of AcknowledgeType"),
    slug="share/acquire/done-with",
)
def a_record_that_is_done_with_is_never_delivered_again(turn: Turn) -> Held | None:
    """A record at or past the share-partition start offset is not acquired again once it was
    accepted, rejected or acknowledged as a gap, or was given back with a DeliveryCount at or above
    the delivery count limit (SHR-401).

    After a closed session either reading of SHR-009 is taken: what would be available by one of the
    two is not done with.
    """
    if not turn.followed_partitions:
        return None
    for served, offset, record, _ in turn.acquired_offsets:
        if record is not None and record.state.terminal and record.otherwise is None:
            why = (
                f"partition {served.partition}: offset {offset} is {record.state}, expected it "
                "left out, found it acquired"
            )
            reloaded = served.slot.reloaded
            return fails(why, "done with, once loaded again" if reloaded else str(record.state))
    return holds()


@a_record_that_is_done_with_is_never_delivered_again.example(
    "a record in the middle rejected, the rest released"
)
def _rejected_example() -> Scenario:
    return history(
        (FIVES,),
        fetch(0, max_records=5),
        confirm(2, 2, AcknowledgeType.REJECT),
        release(0, 1),
        release(3, 4),
        fetch_again(),
    )


@chapter.clause(
    "SHR-400",
    Strength.MUST,
    LimitClass.HARD,
    KIP(932, "delivery count"),
    Code("InFlightState.java", "150"),
    slug="share/delivery/count",
)
def each_delivery_counts_one(turn: Turn) -> Held | None:
    """The DeliveryCount of an acquired record is 1 if it was never acquired before, and otherwise
    its DeliveryCount before plus one. Acknowledging changes nothing in it.

    After a reload (a restart, or the loss of the group's last connection) the count before is the
    last that was written, with an acknowledgement or by a lock's end. After a closed session either
    reading of SHR-009 is taken.
    """
    arose = False
    for served, offset, record, count in turn.acquired_offsets:
        if record is not None and record.state is not RecordState.AVAILABLE:
            continue
        allowed = {1} if record is None else {record.count + 1}
        if record is not None and record.otherwise is not None:
            allowed.add(record.otherwise + 1)
        arose = True
        if count not in allowed:
            why = (
                f"partition {served.partition}, offset {offset}: expected delivery count "
                f"{' or '.join(map(str, sorted(allowed)))}"
            )
            return fails(f"{why}, found {count}", "too high" if count > max(allowed) else "too low")
    return holds() if arose else None


@each_delivery_counts_one.example("released and fetched again")
def _twice() -> Scenario:
    return history((FIVES,), fetch(0, max_records=5), release(0, 4), fetch_again(max_records=5))


@chapter.clause(
    "SHR-401",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(932, "delivery count limit"),
    KIP(1240),
    Doc("config group.share.delivery.count.limit"),
    Code("InFlightState.java", "163"),
    slug="share/delivery/limit",
    fence=Fence(
        "the delivery count of an acquired record", Unit.DELIVERIES, "the delivery count limit"
    ),
)
def deliveries_are_limited(turn: Turn) -> Held | None:
    """The DeliveryCount of an acquired record is at most the delivery count limit: the group's
    share.delivery.count.limit, or where the group has none the broker's
    group.share.delivery.count.limit. A record that is available with a DeliveryCount at or above
    the limit, because the limit was lowered, may be delivered once more.
    """
    limit, where = turn.settings.delivery_count_limit, NO_SIDE
    for served, offset, record, count in turn.acquired_offsets:
        where |= side(count, limit)
        waited = (
            record is not None and record.state is RecordState.AVAILABLE and record.count >= limit
        )
        if count > limit and not waited:
            why = (
                f"partition {served.partition}, offset {offset}: expected at most {limit} "
                f"deliveries, found delivery {count}"
            )
            return breaks(where, why, "over the limit")
    return holds(where) if where else None


@deliveries_are_limited.example("limit 2, released twice")
def _limited_example() -> Scenario:
    rounds = (
        fetch(0, max_records=5),
        release(0, 4),
        fetch_again(max_records=5),
        release(0, 4),
        fetch_again(max_records=5),
    )
    return history((plain(5, 5),), *rounds, config=(("group.share.delivery.count.limit", "2"),))
