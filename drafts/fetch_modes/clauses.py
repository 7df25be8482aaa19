"""Clauses that hold of the draft under every reading."""

from drafts.fetch_modes.change import (
    BATCH_OPTIMIZED,
    DRAFT_VERSION,
    RECORD_LIMIT,
    limit_fields,
    limit_in,
    mode_in,
    without_fields,
)
from spec.clause import KIP, Chapter, Draft, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.fetch.draft_observer import Earlier
from spec.fetch.outcomes import PartitionAnswer
from spec.fetch.steps import Fetch, FetchPartition
from spec.fetch.turn import Turn as Fetched
from spec.frozen import frozen
from spec.in_words import in_words, spans_in_words
from spec.kafka import error_name
from spec.layout import Batch, Layout, Partition
from spec.scenario import Scenario
from spec.seen_batch import SeenBatch
from spec.verdict import LimitClass, Strength, side

ISSUE = ""
MODES = KIP(1206, "acquire modes, taken over to Fetch")
FIELDS = Draft("fetch-modes", "fields")
PLAIN_VERSION = 17


@frozen(slots=False)
class Turn:
    """One fetch and its answer, with those before it.

    Attributes:
        fetched: the fetch beside what the logs held; its own reads know of no limit of records.
        earlier: the fetches that were answered before, and their answers.
    """

    fetched: Fetched
    earlier: Earlier = ()

    @property
    def limit(self) -> int | None:
        """The limit of records; None where there is none, or the fetch is not a plain read that was
        answered.
        """
        plain = self.fetched.plain and self.fetched.fetch.epoch < 0
        return limit_in(self.fetched.fetch) if plain else None

    @property
    def counts(self) -> list[int]:
        """The records of each batch in the answer, in the order of the answer."""
        return [batch.records for got in self.fetched.answer.partitions for batch in got.batches]


chapter: Chapter[Turn] = Chapter()


@chapter.clause(
    "FMD-103",
    Strength.MUST,
    LimitClass.SOFT,
    FIELDS,
    KIP(74),
    slug="fetch-modes/records/whole-batches",
)
def whole_batches_from_the_first_on(turn: Turn) -> Held | None:
    """Under a limit of records each partition returns the first ones of the batches that lie there
    from its fetch offset on, whole, and no bytes after them.
    """
    if turn.limit is None or not turn.fetched.with_data:
        return None
    for served in turn.fetched.with_data:
        if served.got is None:
            continue
        got = [(batch.base, batch.last) for batch in served.got.batches]
        expected = [(batch.base, batch.last) for batch in served.run[: len(got)]]
        if got != expected or served.got.tail:
            where = f"partition {served.ask.partition}"
            return fails(
                f"{where}: expected the batches {spans_in_words(expected)} and no bytes after "
                f"them, found {spans_in_words(got)} and {served.got.tail} bytes",
                "no prefix",
            )
    return holds()


@chapter.clause(
    "FMD-100",
    Strength.MUST,
    LimitClass.SOFT,
    MODES,
    slug="fetch-modes/limit/record-limit",
    fence=Fence("the limit", Unit.RECORDS, "all records that lie there"),
)
def record_limit_is_kept(turn: Turn) -> Held | None:
    """In record_limit mode the records of all batches in an answer are at most the limit in number,
    unless the answer holds a single batch.
    """
    if turn.limit is None or mode_in(turn.fetched.fetch) != RECORD_LIMIT:
        return None
    counts = turn.counts
    where = side(
        turn.limit, sum(batch.records for served in turn.fetched.with_data for batch in served.run)
    )
    if len(counts) > 1 and sum(counts) > turn.limit:
        return breaks(
            where,
            f"expected at most {turn.limit} records, found {sum(counts)} in {len(counts)} batches",
            "over the limit",
        )
    return holds(where)


@record_limit_is_kept.example("batches of four records, limits 3, 6 and 20 in record_limit mode")
def _strict() -> Scenario:
    return ask_all(FOURS, (3, RECORD_LIMIT), (6, RECORD_LIMIT), (20, RECORD_LIMIT))


@chapter.clause(
    "FMD-101",
    Strength.MUST,
    LimitClass.SOFT,
    MODES,
    slug="fetch-modes/limit/batch-optimized",
    fence=Fence("the limit", Unit.RECORDS, "all records that lie there"),
)
def batch_optimized_stops_with_the_batch_that_crosses(turn: Turn) -> Held | None:
    """In batch_optimized mode the records of all batches in an answer but the last are fewer than
    the limit.
    """
    if turn.limit is None or mode_in(turn.fetched.fetch) != BATCH_OPTIMIZED:
        return None
    counts = turn.counts
    where = side(
        turn.limit, sum(batch.records for served in turn.fetched.with_data for batch in served.run)
    )
    if sum(counts[:-1]) >= turn.limit:
        return breaks(
            where,
            f"expected fewer than {turn.limit} records before the last batch, found "
            f"{sum(counts[:-1])}",
            "past the batch",
        )
    return holds(where)


@chapter.clause("FMD-102", Strength.MUST, LimitClass.SOFT, FIELDS, slug="fetch-modes/field/absent")
def without_the_fields_nothing_changes(turn: Turn) -> Held | None:
    """A Fetch of the draft's version without its fields is answered as the same fetch of a version
    before it: with the same partitions, errors and batches, and as many bytes after the last batch.
    """
    fetch = turn.fetched.fetch
    if fetch.extra or fetch.version < DRAFT_VERSION or not turn.fetched.plain:
        return None
    today = next(
        (
            got
            for before, got in turn.earlier
            if before.version < DRAFT_VERSION and without_fields(before) == without_fields(fetch)
        ),
        None,
    )
    if today is None:
        return None
    expected = [_part(got) for got in today.partitions]
    found = [_part(got) for got in turn.fetched.answer.partitions]
    if found == expected:
        return holds()
    if len(found) != len(expected):
        return fails(f"expected {len(expected)} partitions, found {len(found)}", "changed")
    other = next(
        (wanted, got) for wanted, got in zip(expected, found, strict=True) if wanted != got
    )
    wanted, got = [_part_in_words(one) for one in other]
    return fails(f"expected {wanted}, found {got}", "changed")


Part = tuple[int, int, tuple[SeenBatch, ...], int]
"""A partition of an answer: its number, its error, its batches, and the bytes after them."""


def _part(got: PartitionAnswer) -> Part:
    return got.partition, got.error, got.batches, got.tail


def _part_in_words(part: Part) -> str:
    partition, error, batches, tail = part
    named = error_name(error) if error else "no error"
    return f"partition {partition}: {named}, batches {in_words(batches)}, {tail} bytes after them"


@batch_optimized_stops_with_the_batch_that_crosses.example(
    "batches of four records, limits 3, 6 and 20 in batch_optimized mode"
)
@without_the_fields_nothing_changes.example("the same, asked without the fields before")
@whole_batches_from_the_first_on.example("the same")
def _optimized_example() -> Scenario:
    return ask_all(FOURS, (3, BATCH_OPTIMIZED), (6, BATCH_OPTIMIZED), (20, BATCH_OPTIMIZED))


def ask_all(layout: Layout, *fields: tuple[int | None, int]) -> Scenario:
    """All partitions from the start: by today's version, by the draft's without its fields, and
    with each limit and mode.
    """
    parts = tuple([FetchPartition(number, 0) for number in range(len(layout.partitions))])
    fetches = [Fetch(parts, version=version) for version in (PLAIN_VERSION, DRAFT_VERSION)]
    fetches += [
        Fetch(parts, version=DRAFT_VERSION, extra=limit_fields(records, mode))
        for records, mode in fields
    ]
    return Scenario(layout, tuple(fetches))


FOURS = Layout((Partition((tuple([Batch(100, 4)] * 3),)), Partition((tuple([Batch(100, 4)] * 2),))))
