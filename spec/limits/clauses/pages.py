"""DescribeTopicPartitions: the partitions of a topic, page by page."""

from spec.clause import KIP, Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.in_words import in_words
from spec.limits.examples import create, history, pages
from spec.limits.model import page_of
from spec.limits.outcomes import PartitionPage
from spec.limits.steps import ListPartitions
from spec.limits.turn import Turn
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter()
known_topics = chapter.under(
    lambda turn: (
        isinstance(turn.step, ListPartitions)
        and isinstance(turn.outcome, PartitionPage)
        and turn.target is not None
        and not turn.outcome.error
    )
)


def _page(turn: Turn) -> PartitionPage:
    assert isinstance(turn.outcome, PartitionPage)
    return turn.outcome


def _page_asked(turn: Turn) -> tuple[int, int, int]:
    """The limit, where the page begins, and the partitions that are left from there on."""
    assert isinstance(turn.step, ListPartitions)
    assert turn.target is not None
    start = turn.step.start or 0
    return turn.step.limit, start, max(0, turn.target.partitions - start)


@known_topics.clause(
    "LIM-070",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(966, "DescribeTopicPartitions"),
    Doc("broker configs, max.request.partition.size.limit"),
    slug="limits/page/size",
    fence=Fence("the limit of the request", Unit.PARTITIONS, "the partitions that are left"),
)
def a_page_has_no_more_than_the_limits(turn: Turn) -> Held | None:
    """The answer to a DescribeTopicPartitions request with a limit of at least 1 has, from the
    cursor's partition on and in order, at most as many partitions as the request asks for, and at
    most `max.request.partition.size.limit` (2000).
    """
    limit, start, left = _page_asked(turn)
    if limit < 1:
        return None
    where, semantics = side(limit, left), turn.semantics
    found = _page(turn).partitions
    most = min(limit, semantics.page) if semantics.knows_page else limit
    if len(found) > most:
        return breaks(where, f"expected at most {most} partitions, found {len(found)}", "more")
    if found != tuple(range(start, start + len(found))):
        return breaks(
            where, f"expected partitions from {start} on, found {in_words(found)}", "others"
        )
    return holds(where)


@a_page_has_no_more_than_the_limits.example("one fewer than three, three, and more")
def _sizes() -> Scenario:
    return history(create("a", 3), *pages("a", (2, None), (3, None), (4, None), (2, 2)))


@known_topics.clause(
    "LIM-071",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code("DescribeTopicPartitionsRequestHandler.java", "108"),
    slug="limits/page/full",
)
def a_page_is_full(turn: Turn) -> Held | None:
    """The answer to a DescribeTopicPartitions request has as many partitions as are left and as the
    limits allow: `max(1, min(limit, max.request.partition.size.limit))`, so that a limit below 1
    gives one partition. No limit refuses anything.
    """
    if not turn.semantics.knows_page:
        return None
    limit, _, left = _page_asked(turn)
    expected = min(left, page_of(limit, turn.semantics))
    found = len(_page(turn).partitions)
    if found == expected:
        return holds()
    return fails(
        f"expected {expected} partitions, found {found}", "fewer" if found < expected else "more"
    )


@a_page_is_full.example("limits of 0, -1 and 1")
def _small() -> Scenario:
    return history(create("a", 3), *pages("a", (0, None), (-1, 1), (1, 2)))


@known_topics.clause(
    "LIM-072",
    Strength.MUST,
    LimitClass.HARD,
    KIP(966, "DescribeTopicPartitions"),
    slug="limits/page/cursor",
)
def the_cursor_names_the_next_partition(turn: Turn) -> Held | None:
    """The answer to a DescribeTopicPartitions request for one topic, from one of its partitions on,
    has a cursor if and only if it does not have the topic's last partition; the cursor names the
    first one that it does not have.
    """
    _, start, left = _page_asked(turn)
    count = len(_page(turn).partitions)
    if not left:
        return None
    expected = start + count if count < left else None
    found = _page(turn).following
    if found == expected:
        return holds()
    return fails(f"expected the cursor at {in_words(expected)}, found {in_words(found)}", "cursor")


@the_cursor_names_the_next_partition.example("page by page to the last one")
def _pages() -> Scenario:
    return history(create("a", 4), *pages("a", (2, None), (1, 2), (1, 3), (4, 1)))
