"""CreatePartitions: a topic's partitions only ever become more."""

from spec.clause import Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit, UnreachableSides
from spec.kafka import Error, error_name
from spec.limits.examples import create, grow, history, look
from spec.limits.outcomes import TopicsAnswer
from spec.limits.steps import CreatePartitions, Growth, Name
from spec.limits.turn import Turn
from spec.scenario import Scenario
from spec.verdict import ABOVE, LimitClass, Strength, side

PROTOCOL = Doc("protocol guide, CreatePartitions")
OPERATIONS = Doc(
    "operations documentation, modifying topics: Kafka does not currently support reducing the "
    "number of partitions"
)

chapter: Chapter[Turn] = Chapter()
topics = chapter.under(
    lambda turn: turn.place is not None and isinstance(turn.step, CreatePartitions)
)
requests = chapter.under(
    lambda turn: (
        turn.place is None
        and isinstance(turn.step, CreatePartitions)
        and isinstance(turn.outcome, TopicsAnswer)
    )
)


def _fits(turn: Turn) -> bool:
    """Whether a request has no more new partitions than one may have."""
    return sum(turn.added_partitions.values()) <= turn.semantics.most_partitions


@topics.clause(
    "LIM-030",
    Strength.MUST,
    LimitClass.HARD,
    OPERATIONS,
    PROTOCOL,
    slug="limits/grow/only-more",
    fence=Fence(
        "the new number of partitions",
        Unit.PARTITIONS,
        "the present one",
        never=UnreachableSides(ABOVE, "more partitions may be refused for other reasons: LIM-034"),
    ),
)
def partitions_only_become_more(turn: Turn) -> Held | None:
    """A topic that a CreatePartitions request is to give as many partitions as it has, or fewer,
    has an error, whichever it is.
    """
    known = turn.topic_before
    if known is None or turn.count > known.partitions:
        return None
    where = side(turn.count, known.partitions)
    if turn.response_entry.error:
        return holds(where)
    why = f"{turn.count} partitions of a topic of {known.partitions}: expected an error, found none"
    return breaks(where, why, "taken")


@topics.clause(
    "LIM-034",
    Strength.MUST,
    LimitClass.HARD,
    Doc("Javadoc of Admin, createPartitions: increase the number of partitions of the topics"),
    PROTOCOL,
    slug="limits/grow/accepted",
)
def a_topic_may_grow(turn: Turn) -> Held | None:
    """A topic that a CreatePartitions request is to give more partitions than it has is given them:
    it has no error, unless the topics of the request are to get more than 10,000 new partitions in
    all, or a policy of the broker refuses it with POLICY_VIOLATION.
    """
    known = turn.topic_before
    if known is None or turn.count <= known.partitions or not _fits(turn):
        return None
    found = turn.response_entry.error
    if found == Error.POLICY_VIOLATION:
        return None
    if not found:
        return holds()
    why = f"{turn.count} partitions of a topic of {known.partitions}: found {error_name(found)}"
    return fails(why, "refused")


@partitions_only_become_more.example("fewer, as many, and more than two")
@a_topic_may_grow.example("fewer, as many, and more than two")
def _around() -> Scenario:
    return history(create("a", 2), *[grow("a", count) for count in (1, 2, 3)], look("a"))


@topics.clause(
    "LIM-031",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, error code 3: this server does not host this topic-partition"),
    PROTOCOL,
    slug="limits/grow/unknown",
)
def an_unknown_topic_does_not_grow(turn: Turn) -> Held | None:
    """A CreatePartitions request for a topic that does not exist is refused."""
    if turn.topic_before is not None:
        return None
    return holds() if turn.response_entry.error else fails("expected an error, found none", "taken")


@an_unknown_topic_does_not_grow.example("a topic that was never made")
def _unknown() -> Scenario:
    return history(grow("a", 2), look("a"))


@requests.clause(
    "LIM-032",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ReplicationControlManager.java", "1886-1903"),
    slug="limits/grow/most",
    fence=Fence("the new partitions of the request", Unit.PARTITIONS, "10,000"),
)
def a_request_adds_at_most_10000_partitions(turn: Turn) -> Held | None:
    """The topics that one CreatePartitions request enlarges get at most 10,000 new partitions in
    all.

    Such requests are only validated here: up to 4.3 more than 10,000 partitions are made all the
    same.
    """
    most = turn.semantics.most_partitions
    where = side(sum(turn.added_partitions.values()), most)
    taken = _accepted_partitions(turn)
    if taken > most:
        return breaks(where, f"expected at most {most} new partitions, found {taken}", "taken")
    return holds(where)


def _accepted_partitions(turn: Turn) -> int:
    """How many new partitions are accepted."""
    return sum(new for name, new in turn.added_partitions.items() if turn.code_of(name) == 0)


@requests.clause(
    "LIM-035",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ReplicationControlManager.java", "1886-1903"),
    slug="limits/grow/as-many-as-may-be",
)
def exactly_10000_partitions_are_not_too_many(turn: Turn) -> Held | None:
    """Where the topics of one CreatePartitions request are to get exactly 10,000 new partitions in
    all, none of them is refused with POLICY_VIOLATION.

    LIM-034 asks nothing of that code, by which a policy may refuse.
    """
    most = turn.semantics.most_partitions
    if sum(turn.added_partitions.values()) != most:
        return None
    if Error.POLICY_VIOLATION in map(turn.code_of, turn.added_partitions):
        return fails(f"{most} new partitions: found POLICY_VIOLATION", "refused")
    return holds()


@requests.clause(
    "LIM-036",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ReplicationControlManager.java", "1886-1903"),
    slug="limits/grow/what-fits",
)
def only_what_does_not_fit_is_refused(turn: Turn) -> Held | None:
    """Up to 4.3, where topics of one CreatePartitions request are refused for too much growth
    (LIM-033), those that are taken and the largest of those that are refused for it have more than
    10,000 new partitions together, whatever the order in which topics grow.

    From 4.4 on all are refused then.
    """
    if turn.semantics.refuses_all_growth:
        return None
    refused = [
        new
        for name, new in turn.added_partitions.items()
        if turn.code_of(name) == turn.semantics.too_much_growth
    ]
    if not refused:
        return None
    taken, largest = _accepted_partitions(turn), max(refused)
    if taken + largest <= turn.semantics.most_partitions:
        why = f"{taken} new partitions are taken: expected {largest} more to fit, found none"
        return fails(why, "refused though it fits")
    return holds()


@a_request_adds_at_most_10000_partitions.example("10,000 more and one more than that")
@exactly_10000_partitions_are_not_too_many.example("10,000 more and one more than that")
def _most() -> Scenario:
    return history(
        create("a"),
        *[grow("a", count, validate_only=True) for count in (10_000, 10_001, 10_002)],
    )


@a_request_adds_at_most_10000_partitions.example("two topics of which the second does not fit")
@only_what_does_not_fit_is_refused.example("two topics of which the second does not fit")
def _second() -> Scenario:
    both = (Growth(Name("a"), 10_001), Growth(Name("b"), 2))
    return history(create("a"), create("b"), CreatePartitions(both, validate_only=True))


@requests.clause(
    "LIM-033",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ReplicationControlManager.java", "1886-1903"),
    slug="limits/grow/most-code",
)
def too_much_growth_has_its_code(turn: Turn) -> Held | None:
    """Where the topics of one CreatePartitions request are to get more than 10,000 new partitions,
    up to 4.3 each of those that is refused is refused with UNKNOWN_SERVER_ERROR, and one at least
    is; from 4.4 on every topic of the request is refused with POLICY_VIOLATION.
    """
    if _fits(turn):
        return None
    expected = turn.semantics.too_much_growth
    concerned = turn.names if turn.semantics.refuses_all_growth else tuple(turn.added_partitions)
    codes = [turn.code_of(name) for name in concerned]
    found = [error_name(code) for code in codes if code not in {None, 0, expected}]
    some = codes.count(expected)
    if found or not some or (turn.semantics.refuses_all_growth and 0 in codes):
        return fails(
            f"expected {expected.name}, found {', '.join(found) or f'it for {some} topics'}",
            "other code",
        )
    return holds()


@too_much_growth_has_its_code.example("two topics that fit only each by itself")
def _two() -> Scenario:
    both = (Growth(Name("a"), 6_000), Growth(Name("b"), 6_000))
    return history(create("a"), create("b"), CreatePartitions(both, validate_only=True))
