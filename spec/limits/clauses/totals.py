"""How much one CreateTopics request may ask for: partitions, and metadata records."""

from collections.abc import Mapping
from dataclasses import replace

from spec.clause import Chapter, Code, Held, Reading, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.kafka import INT32_MAX, Error
from spec.limits.examples import SHORT, history, validate
from spec.limits.outcomes import TopicsAnswer
from spec.limits.releases import LimitSemantics, PartitionTotal
from spec.limits.steps import CreateTopics, Name, NewTopic
from spec.limits.turn import Turn
from spec.scenario import Scenario
from spec.semantics import decision_change
from spec.verdict import LimitClass, Side, Strength, side

PER_BATCH = Code("ReplicationControlManager.java", "152, 1222-1239")
PER_OPERATION = Code("QuorumController.java", "179-186")

chapter: Chapter[Turn] = Chapter()
requests = chapter.under(
    lambda turn: (
        turn.place is None
        and isinstance(turn.step, CreateTopics)
        and isinstance(turn.outcome, TopicsAnswer)
    )
)


def _split_by_refusal(turn: Turn) -> tuple[list[str], list[str]]:
    """The topics that are refused, and those that are not."""
    codes = {name: turn.code_of(name) for name in dict.fromkeys(turn.names)}
    return (
        [name for name, code in codes.items() if code],
        [name for name, code in codes.items() if code == Error.NONE],
    )


def _too_many(turn: Turn, number: int, most: int, what: str) -> Held:
    """Whether all topics are refused where a number is too large; where it is not, that is another
    clause's.
    """
    where: Side = side(number, most)
    _, accepted = _split_by_refusal(turn)
    if number > most and accepted:
        return breaks(
            where,
            f"{number} {what} with a limit of {most}: expected an error for each topic, found "
            f"none for {len(accepted)} of {len(set(turn.names))}",
            "taken",
        )
    if number == most and any(_is_refused_for_its_share(turn, name) for name in turn.names):
        return breaks(where, f"{number} {what}: found POLICY_VIOLATION", "refused")
    return holds(where)


def _is_refused_for_its_share(turn: Turn, name: str) -> bool:
    """Whether a topic that nothing speaks against is refused as if the request had too much."""
    one = replace(turn, place=turn.names.index(name))
    return not one.reasons and turn.code_of(name) == Error.POLICY_VIOLATION


@requests.clause(
    "LIM-020",
    Strength.REFERENCE,
    LimitClass.HARD,
    PER_BATCH,
    slug="limits/request/partitions",
    fence=Fence("the partitions of the request", Unit.PARTITIONS, "10,000"),
)
def a_request_has_at_most_10000_partitions(turn: Turn) -> Held | None:
    """If the partitions of all topics that a CreateTopics request names once come to more than
    10,000, each of its topics is refused; if they come to exactly 10,000, none against which
    nothing else speaks is refused with POLICY_VIOLATION. Refused topics count too, -1 as
    `num.partitions`, other numbers below 1 as none.

    A total of more than 2147483647 is a matter of LIM-022.
    """
    if turn.wraps or turn.has_unknown_total:
        return None
    return _too_many(turn, turn.total, turn.semantics.most_partitions, "partitions")


@a_request_has_at_most_10000_partitions.example("two topics around 10,000; one is refused anyway")
def _totals() -> Scenario:
    bad = NewTopic(Name("a b"), 5_000)
    return history(
        *[
            CreateTopics((bad, NewTopic(Name("a"), count)), validate_only=True)
            for count in (4_999, 5_000, 5_001)
        ]
    )


@requests.clause(
    "LIM-021",
    Strength.REFERENCE,
    LimitClass.HARD,
    PER_OPERATION,
    slug="limits/request/records",
    fence=Fence("the metadata records of the request", Unit.RECORDS, "10,000"),
)
def a_request_makes_at_most_10000_records(turn: Turn) -> Held | None:
    """If the topics that a CreateTopics request can make come to more than 10,000 metadata records,
    each of its topics is refused; if they come to exactly 10,000, none of them is refused with
    POLICY_VIOLATION. A topic has one record, and one for each of its partitions and each config
    that is set: the largest topic of one request has 9,999 partitions.

    A request of more than 10,000 partitions is a matter of LIM-020.
    """
    if turn.total > turn.semantics.most_partitions or turn.has_unknown_total:
        return None
    return _too_many(turn, turn.records, turn.semantics.most_records, "records")


@a_request_makes_at_most_10000_records.example("9,999 partitions, and 9,998 with configs")
def _records() -> Scenario:
    return history(
        validate(9_998),
        validate(9_999),
        validate(10_000),
        validate(9_998, configs=SHORT),
        validate(9_999, configs=SHORT),
    )


@requests.clause(
    "LIM-022",
    Strength.REFERENCE,
    LimitClass.HARD,
    PER_BATCH,
    slug="limits/request/partitions-in-32-bits",
    readings=(
        Reading(
            "wraps",
            "The partitions are added up in 32 bits.",
            decision_change(LimitSemantics, total=PartitionTotal.WRAPS),
        ),
        Reading(
            "exact",
            "The partitions are added up as they are.",
            decision_change(LimitSemantics, total=PartitionTotal.EXACT),
        ),
    ),
)
def a_total_that_wraps(turn: Turn) -> Held | None:
    """If the partitions of a CreateTopics request come to more than 2147483647, what is compared
    with 10,000 is up to 4.3 what 32 bits with a sign hold of the total, and from 4.4 on the total
    itself: where those 32 bits hold 10,000 or less, up to 4.3 not all topics of the request are
    refused with POLICY_VIOLATION, and from 4.4 on all are.

    So up to 4.3 topics that can be made are accepted. A topic that is larger than 20,000 is asked
    for with a replication factor that is refused: a controller that does not notice the excess
    would look for replicas, in memory, until that ends.
    """
    fits = _totals_that_fit(turn)
    if not fits:
        return None
    expected = turn.semantics.total
    if fits[expected.value]:
        return holds()
    return fails(
        f"{turn.total} partitions, which are added up otherwise than expected ({expected})",
        "other total",
    )


@a_total_that_wraps.fits
def _totals_that_fit(turn: Turn) -> Mapping[str, bool]:
    if turn.place is not None or not isinstance(turn.step, CreateTopics) or not turn.wraps:
        return {}
    if not isinstance(turn.outcome, TopicsAnswer):
        return {}
    codes = [turn.code_of(name) for name in dict.fromkeys(turn.names)]
    if None in codes:
        return {}
    all_refused = all(code == Error.POLICY_VIOLATION for code in codes)
    wrapped = (turn.total + 2**31) % 2**32 - 2**31
    excess = wrapped > turn.semantics.most_partitions
    return {} if excess else {"wraps": not all_refused, "exact": all_refused}


@a_total_that_wraps.example("a topic of 2147483647 partitions, and one of one")
def _wraps() -> Scenario:
    huge = NewTopic(Name("a"), INT32_MAX, replication=-2)
    return history(CreateTopics((huge, NewTopic(Name("b"))), validate_only=True))
