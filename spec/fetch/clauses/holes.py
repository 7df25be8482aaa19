"""What compaction and older releases leave in a log: missing offsets, batches thinned or emptied,
messages of formats 0 and 1.
"""

from spec.clause import KIP, Chapter, Code, Doc, Held, Report, breaks, holds
from spec.fence import Fence, Unit, UnreachableSides
from spec.fetch.steps import Fetch, FetchPartition
from spec.fetch.turn import PLAIN, Turn
from spec.kafka import CURRENT_MAGIC, error_name
from spec.layout import Batch, Layout, Partition
from spec.log import Log
from spec.scenario import Scenario
from spec.verdict import ABOVE, NO_SIDE, LimitClass, Strength, side


def _has_holes(turn: Turn) -> bool:
    """Whether it reads a log that compaction or an older release left something in."""
    return turn.plain and True in [
        served.log is not None and served.log.has_holes for served in turn.served
    ]


chapter: Chapter[Turn] = Chapter(when=_has_holes, stated=PLAIN)


def _starts(log: Log, number: int) -> set[int]:
    """Where a reader may start without missing a record: the batch of this number, or past it while
    only empty ones are left out.
    """
    found = set()
    for batch in log.batches[number:]:
        found.add(batch.base)
        if batch.records:
            break
    return found


@chapter.clause(
    "FET-022",
    Strength.MUST,
    LimitClass.EMERGENT,
    Doc("design documentation, log compaction basics"),
    Code("LogSegment.java", "431-459"),
    Code("LocalLog.java", "488-513"),
    Report("tulios/kafkajs#562"),
    slug="fetch/records/missing-offset",
    fence=Fence(
        "the fetch offset",
        Unit.OFFSETS,
        "the base of the batch behind a hole",
        meaning="below is in the hole",
        never=UnreachableSides(
            ABOVE,
            "past that base an offset lies in the batch, where FET-011 says what is returned",
        ),
    ),
)
def a_missing_offset_reads_as_the_next_one(turn: Turn) -> Held | None:
    """An offset that compaction took out, between the log start and the log end, is a valid fetch
    offset: the answer has error 0, and the first batch returned is the one behind the hole, in
    whatever segment it lies. Batches without records behind the hole may be left out.

    A reader that stands behind a batch whose last offsets are gone would be stuck otherwise, or
    miss records.
    """
    where = NO_SIDE
    for served in turn.served:
        log, got, offset = served.log, served.got, served.ask.offset
        if log is None or got is None or not served.run:
            continue
        number = log.batch_number(offset)
        behind = log.batches[number]
        if not log.hole(number) or offset > behind.base:
            continue
        where |= side(offset, behind.base)
        if got.error:
            why = (
                f"offset {offset} is missing in front of {behind.base}: expected no error, found "
                f"{error_name(got.error)}"
            )
            return breaks(where, why, "missing offset refused")
        if got.batches and got.batches[0].base not in _starts(log, number):
            why = (
                f"offset {offset} is missing: expected the batch from {behind.base} first, found "
                f"{got.batches[0].base}"
            )
            return breaks(
                where,
                why,
                "batch skipped" if got.batches[0].base > behind.base else "earlier batch",
            )
    return holds(where) if where else None


@a_missing_offset_reads_as_the_next_one.example(
    "offsets 4 to 6 are gone from the end of the first segment, asked for at 4"
)
def _hole() -> Scenario:
    return Scenario(_compacted_layout(), (Fetch((FetchPartition(0, 4),)),))


@a_missing_offset_reads_as_the_next_one.example(
    "the same at 7, where the next batch begins, with limit 1"
)
def _behind_the_hole() -> Scenario:
    return Scenario(_compacted_layout(), (Fetch((FetchPartition(0, 7, 1),)),))


@chapter.clause(
    "FET-122",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("LogSegment.java", "431-459"),
    Code("FileRecords.java", "313-343"),
    slug="fetch/records/emptied-batch",
    fence=Fence(
        "the fetch offset",
        Unit.OFFSETS,
        "the base of the emptied batch",
        meaning="above is inside of it",
    ),
)
def an_emptied_batch_is_sent(turn: Turn) -> Held | None:
    """A batch that compaction emptied (61 bytes, no records, its offsets kept) is sent like any
    other: it is among the batches returned where one with a base offset at or above its own is.

    Nothing is lost where it is left out, but a fetch inside it or in front of it then starts
    further on.
    """
    where = NO_SIDE
    for served in turn.served:
        emptied = [stored for stored in served.run if not stored.records]
        if not emptied or served.got is None or not served.got.batches:
            continue
        sent = {batch.base for batch in served.got.batches}
        for stored in emptied:
            if stored.base > max(sent):
                continue
            where |= side(served.ask.offset, stored.base)
            if stored.base not in sent:
                why = (
                    f"expected the empty batch {stored.base}-{stored.last}, found {min(sent)} "
                    "first and none there"
                )
                return breaks(where, why, "empty batch left out")
    return holds(where) if where else None


@an_emptied_batch_is_sent.example("the records from 18 to 22 are gone, asked for at 20")
def _emptied_example() -> Scenario:
    return Scenario(_compacted_layout(), (Fetch((FetchPartition(0, 20),)),))


@chapter.clause(
    "FET-023",
    Strength.REFERENCE,
    LimitClass.HARD,
    KIP(724),
    Code("FileRecords.java", "143-184"),
    slug="fetch/records/old-formats",
    fence=Fence("the partition's limit", Unit.BYTES, "the first old message"),
)
def old_messages_are_sent_as_they_are(turn: Turn) -> Held | None:
    """Messages of formats 0 and 1 that are still in a log, where they are returned, have in every
    version of the request the size and the bytes that they have there.

    None can be written any more, and none is converted on its way out. That none is left out
    between others is FET-070.
    """
    where = NO_SIDE
    for served in turn.served:
        old = [stored for stored in served.run if stored.magic < CURRENT_MAGIC]
        if not old or served.got is None:
            continue
        sent = {batch.base: batch for batch in served.got.batches}
        for stored in old:
            seen = sent.get(stored.base)
            if seen is None:
                continue
            where |= side(served.ask.max_bytes, stored.size)
            if not seen.intact or seen.size != stored.size:
                why = (
                    f"expected the message {stored.base} of format {stored.magic} and "
                    f"{stored.size} bytes as it is"
                )
                return breaks(where, f"{why}, found {seen.size} bytes", "old message changed")
    return holds(where) if where else None


@old_messages_are_sent_as_they_are.example(
    "two messages of format 1 and one of format 0 before a batch of today's"
)
def _old() -> Scenario:
    log = Partition(((Batch(39, magic=1), Batch(39, magic=1), Batch(31, magic=0), Batch(100)),))
    return Scenario(Layout((log,)), (Fetch((FetchPartition(0, 0),), version=4),))


def _compacted_layout() -> Layout:
    """Two segments: offsets 4 to 6 at the end of the first are gone, and in the second all but one
    of a batch's ten records.
    """
    first = (Batch(100, 2), Batch(100, 2))
    second = (Batch(100, gap=3), Batch(120, 1, span=10), Batch(61, 0, span=5), Batch(100))
    return Layout((Partition((first, second)),))
