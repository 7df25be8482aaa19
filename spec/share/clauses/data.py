"""Which record batches a ShareFetch returns along with the acquired ranges."""

from spec.clause import KIP, Chapter, Code, Held, fails, holds
from spec.in_words import spans_in_words
from spec.log import Log, Stored
from spec.scenario import Scenario
from spec.share.examples import FIVES, fetch, fetch_again, history, release
from spec.share.releases import ShareSemantics, Slicing
from spec.share.steps import RECORD_LIMIT
from spec.share.turn import Served, Turn
from spec.verdict import LimitClass, Strength

chapter: Chapter[Turn] = Chapter()


def _holding(log: Log, offsets: frozenset[int]) -> list[Stored]:
    """The batches of a log that hold some of these offsets."""
    return [
        batch
        for batch in log.batches
        if any(offset in offsets for offset in range(batch.base, batch.last + 1))
    ]


@chapter.clause(
    "SHR-153",
    Strength.MUST,
    LimitClass.HARD,
    KIP(932, "ShareFetch API, Records"),
    slug="share/data/acquired-records",
)
def acquired_records_come_along(turn: Turn) -> Held | None:
    """Each batch of the log that holds an acquired offset is in the Records of its partition, from
    its base offset to its last offset. Beside a range that ends before it begins (SHR-127) other
    ranges may name what was never to be delivered: of such a partition nothing is said.
    """
    arose = False
    for served in turn.served if turn.is_answered_fetch else ():
        if (
            served.log is None
            or served.got is None
            or not served.counts
            or served.has_inverted_range
        ):
            continue
        needed = _holding(served.log, frozenset(served.counts))
        sent = {(batch.base, batch.last) for batch in served.got.batches}
        arose = True
        missing = [batch for batch in needed if (batch.base, batch.last) not in sent]
        if missing:
            what = (
                f"partition {served.partition}: expected the batch {missing[0].base} to "
                f"{missing[0].last} with its acquired records"
            )
            return fails(f"{what}, found {spans_in_words(sorted(sent))}", "data missing")
    return holds() if arose else None


@acquired_records_come_along.example(
    "six records in record_limit mode: two whole batches come along"
)
def _two_batches() -> Scenario:
    return history((FIVES,), fetch(0, max_records=6, mode=RECORD_LIMIT))


@chapter.clause(
    "SHR-154",
    Strength.MUST,
    LimitClass.HARD,
    KIP(932, "ShareFetch API, Records"),
    KIP(98),
    slug="share/data/run-of-the-log",
)
def the_data_is_a_run_of_the_log(turn: Turn) -> Held | None:
    """The whole batches in the Records of a partition are batches of the log as they are stored,
    byte for byte, each the one that follows in the log after the one before it.

    A part of a batch may stand behind the last of them (SHR-150), as in a Fetch response.
    """
    arose = False
    for served in turn.served if turn.is_answered_fetch else ():
        if served.log is None or served.got is None or not served.got.batches:
            continue
        got = served.got.batches
        arose = True
        first = served.log.batch_number(got[0].base)
        stored = served.log.batches[first : first + len(got)]
        for number, (seen, kept) in enumerate(zip(got, stored, strict=False)):
            if (seen.base, seen.last) != (kept.base, kept.last):
                why = (
                    f"batch {number}: expected {kept.base} to {kept.last} as the log has it, found "
                    f"{seen.base} to {seen.last}"
                )
                return fails(f"partition {served.partition}, {why}", "not a run")
            if not seen.intact or seen.size != kept.size:
                why = (
                    f"batch {seen.base} to {seen.last}: expected its {kept.size} bytes as stored, "
                    "found it altered"
                )
                return fails(f"partition {served.partition}, {why}", "altered")
        if len(stored) < len(got):
            return fails(
                f"partition {served.partition}: expected batches of the log, found one past its "
                "end",
                "not a run",
            )
    return holds() if arose else None


@the_data_is_a_run_of_the_log.example("three batches")
def _three_batches() -> Scenario:
    return history((FIVES,), fetch(0))


@chapter.clause(
    "SHR-150",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ShareFetchUtils.java", "211"),
    KIP(1206, "record_limit"),
    slug="share/data/first-to-last",
)
def the_data_reaches_from_the_first_acquired_record_to_the_last(turn: Turn) -> Held | None:
    """With a and z the first and the last acquired offset of a partition, its Records hold exactly
    the batches of the log whose last offset is at or past a and whose base offset is at or below z,
    and none where nothing was acquired. On 4.0 they hold all batches that were read.

    So records in between, or in the same batch, that this member has not acquired come along too.
    Where compaction has left a in no batch, the batch before it comes too if it was read. The
    clause applies where the partition acquired what the reference acquires. Where MaxBytes cuts
    the log after one whole batch, Apache Kafka sends the first bytes of the next one as well; they
    are not looked at, and the model sends none.
    """
    arose = False
    for served in turn.followed_partitions:
        if served.log is None or served.got is None or not served.matches:
            continue
        expected = _sent_by_kafka(turn, served, served.log)
        sent = [(batch.base, batch.last) for batch in served.got.batches]
        arose = True
        if sent != expected:
            why = (
                f"partition {served.partition}: expected the batches {spans_in_words(expected)}, "
                f"found {spans_in_words(sent)}"
            )
            return fails(why, "more data" if len(sent) > len(expected) else "less data")
    return holds() if arose else None


@the_data_reaches_from_the_first_acquired_record_to_the_last.example(
    "the second of two batches released: it comes alone"
)
def _second() -> Scenario:
    return history((FIVES,), fetch(0, max_records=6), release(5, 9), fetch_again(max_records=1))


def _sent_by_kafka(turn: Turn, served: Served, log: Log) -> list[tuple[int, int]]:
    """The base and last offsets of the batches that Apache Kafka returns for what was acquired.

    It begins at the last batch that it read from whose base is not past the first acquired offset.
    Compaction may have left that offset in no batch.
    """
    if not served.counts:
        return []
    if turn.semantics.of(ShareSemantics).slicing is Slicing.READ and served.expected is not None:
        return [(batch.base, batch.last) for batch in served.expected.read]
    first, last = min(served.counts), max(served.counts)
    read = served.expected.read if served.expected is not None else ()
    begin = max([batch.base for batch in read if batch.base <= first], default=first)
    return [
        (batch.base, batch.last)
        for batch in log.batches
        if batch.base <= last and (batch.last >= first or batch.base == begin)
    ]
