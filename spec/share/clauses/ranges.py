"""How what was acquired is cut into ranges: by BatchSize for new records, by cached batch for those
that are delivered again.
"""

from collections.abc import Sequence

from spec.clause import KIP, Chapter, Code, Held, Reading, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.frozen import replace
from spec.in_words import spans_in_words
from spec.scenario import Scenario
from spec.share.answered import answered_in_ranges
from spec.share.examples import FIVES, confirm, fetch, fetch_again, history
from spec.share.outcomes import Acquired
from spec.share.steps import BATCH_OPTIMIZED, AcknowledgeType, ShareFetch
from spec.share.turn import Served, Turn
from spec.verdict import NO_SIDE, LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter()


def _fresh(served: Served, ranges: Sequence[Acquired]) -> list[tuple[int, int]]:
    """The ranges of offsets that were not cached before."""
    assert served.before is not None
    return [
        (one.first, one.last)
        for one in ranges
        if one.first <= one.last and served.before.record(one.first) is None
    ]


def _pieces(step: ShareFetch, found: Acquired) -> list[Acquired]:
    """A range in pieces of at most BatchSize offsets."""
    return [
        replace(found, first=first, last=min(first + step.batch_size - 1, found.last))
        for first in range(found.first, found.last + 1, step.batch_size)
    ]


@chapter.clause(
    "SHR-122",
    Strength.REFERENCE,
    LimitClass.SOFT,
    KIP(932, "ShareFetch API, BatchSize"),
    Code("SharePartition.java", "1797"),
    slug="share/ranges/batch-size",
    fence=Fence("the length of the first range of new records", Unit.RECORDS, "BatchSize"),
    readings=(
        Reading(
            "at_least",
            "A range ends with the first batch that brings it to BatchSize or past it; no batch "
            "is split.",
        ),
        Reading(
            "split",
            "A range holds at most BatchSize offsets; batches are split.",
            answered=answered_in_ranges(_pieces),
        ),
        Reading("ignored", "New records come in one range."),
    ),
    aliases=("DIV-02",),
)
def ranges_end_with_a_batch_that_reaches_batch_size(turn: Turn) -> Held | None:
    """In batch_optimized mode a range of new records that begins at offset f ends before the first
    batch of the log whose base offset is at least f + BatchSize, so that each range but the last
    has at least BatchSize offsets and no batch is split. In record_limit mode new records are one
    range, whatever BatchSize is.

    It is looked at where the partition acquired what the reference acquires.
    """
    where = NO_SIDE
    for served in turn.followed_partitions:
        if served.expected is None or not served.matches:
            continue
        expected, found = (
            _fresh(served, served.expected.ranges),
            _fresh(served, served.acquired_ranges),
        )
        if not expected or turn.fetch is None:
            continue
        where |= side(expected[0][1] - expected[0][0] + 1, turn.fetch.batch_size)
        if expected != found:
            return breaks(
                where,
                f"partition {served.partition}: expected the ranges {spans_in_words(expected)}, "
                f"found {spans_in_words(found)}",
                "ranges of new records",
            )
    return holds(where) if where else None


@ranges_end_with_a_batch_that_reaches_batch_size.fits
def splitting_fits(turn: Turn) -> dict[str, bool]:
    """For each reading of SHR-122, whether the turn fits it; empty where the readings do not
    differ.
    """
    if turn.fetch is None or turn.mode != BATCH_OPTIMIZED or turn.fetch.batch_size <= 0:
        return {}
    for served in turn.followed_partitions:
        if served.expected is None or not served.matches:
            continue
        expected, found = (
            _fresh(served, served.expected.ranges),
            _fresh(served, served.acquired_ranges),
        )
        total = sum(last - first + 1 for first, last in expected)
        if expected and total > turn.fetch.batch_size:
            split = all(last - first + 1 <= turn.fetch.batch_size for first, last in found)
            return {"at_least": found == expected, "split": split, "ignored": len(found) == 1}
    return {}


@ranges_end_with_a_batch_that_reaches_batch_size.example("batches of five, BatchSize 6")
def _batch_size() -> Scenario:
    return history((FIVES,), fetch(0, batch_size=6))


def _ends(ranges: Sequence[Acquired]) -> str:
    return spans_in_words([(one.first, one.last) for one in ranges])


@chapter.clause(
    "SHR-117",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ShareFetchUtils.java", "271"),
    slug="share/ranges/neighbours",
    aliases=("S15",),
)
def neighbours_delivered_again_are_one_range(turn: Turn) -> Held | None:
    """Records that are delivered again are in one range if and only if they are neighbours in one
    cached batch and have one DeliveryCount. Before 4.2 a cached batch of which only a part is
    available comes in one range for each record.

    A cached batch is what one acquisition took in one range, in record_limit mode with the rest of
    its last batch.
    """
    arose = False
    for served in turn.followed_partitions:
        if (
            served.expected is None
            or not served.matches
            or served.before is None
            or served.slot.reloaded
        ):
            continue
        expected = [
            one for one in served.expected.ranges if served.before.record(one.first) is not None
        ]
        found = [
            one for one in served.acquired_ranges if served.before.record(one.first) is not None
        ]
        if not expected:
            continue
        arose = True
        if expected != found:
            why = f"partition {served.partition}: expected {_ends(expected)}, found {_ends(found)}"
            return fails(why, "ranges of records that come again")
    return holds() if arose else None


@neighbours_delivered_again_are_one_range.example("five of ten released")
def _neighbours() -> Scenario:
    return history(
        (FIVES,),
        fetch(0, max_records=6),
        confirm(5, 9, AcknowledgeType.RELEASE),
        fetch_again(max_records=1),
    )
