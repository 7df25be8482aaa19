"""The numbers of a new topic: partitions and replication factor."""

from spec.clause import KIP, Chapter, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.limits.examples import create, history, look, validate
from spec.limits.steps import CreateTopics
from spec.limits.turn import TopicProblem, Turn
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength, side, side_of_range

chapter: Chapter[Turn] = Chapter()
new_topics = chapter.under(
    lambda turn: (
        turn.place is not None
        and isinstance(turn.step, CreateTopics)
        and turn.names.count(turn.name) == 1
    )
)


@new_topics.clause(
    "LIM-016",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, error code 37: number of partitions is below 1"),
    slug="limits/create/partitions",
    fence=Fence("the number of partitions", Unit.PARTITIONS, "1"),
)
def a_topic_has_at_least_one_partition(turn: Turn) -> Held | None:
    """A new topic that its request names once, with a number of partitions below 1, other than -1,
    is refused.
    """
    count = turn.wanted_topic.partitions
    if count == -1:
        return None
    where = side(count, 1)
    if TopicProblem.COUNT in turn.reasons:
        if turn.response_entry.error:
            return holds(where)
        return breaks(where, f"{count} partitions: expected an error, found none", "none")
    return None if turn.reasons or turn.response_entry.error else holds(where)


@a_topic_has_at_least_one_partition.example("none, one and two, and a negative number")
def _counts() -> Scenario:
    return history(validate(0), validate(1), validate(2), validate(-2))


@new_topics.clause(
    "LIM-017",
    Strength.MUST,
    LimitClass.HARD,
    Doc(
        "protocol guide, error code 38: replication factor is below 1 or larger than the number of "
        "available brokers"
    ),
    slug="limits/create/replication",
    fence=Fence(
        "the replication factor",
        Unit.VALUES,
        "the range from 1 to the number of brokers",
        "at: inside of the range",
    ),
)
def a_topic_has_no_more_replicas_than_there_are_brokers(turn: Turn) -> Held | None:
    """A new topic that its request names once, with a replication factor below 1, other than -1, or
    above the number of brokers, is refused.
    """
    factor = turn.wanted_topic.replication
    if factor == -1:
        return None
    where = side_of_range(factor, 1, turn.semantics.brokers)
    if TopicProblem.REPLICATION in turn.reasons:
        if turn.response_entry.error:
            return holds(where)
        return breaks(where, f"replication factor {factor}: expected an error, found none", "taken")
    return None if turn.reasons or turn.response_entry.error else holds(where)


@a_topic_has_no_more_replicas_than_there_are_brokers.example("none, one, and 1,000")
def _factors() -> Scenario:
    return history(*[create(f"t{factor}", 1, factor) for factor in (0, 1, 1000)])


@new_topics.clause(
    "LIM-018",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(464, "Proposed Changes"),
    Doc("broker config num.partitions"),
    slug="limits/create/default-partitions",
)
def no_number_stands_for_the_brokers_own(turn: Turn) -> Held | None:
    """A new topic with -1 partitions has `num.partitions` (1) of them, as its entry of the answer
    says (v5+).
    """
    found = turn.response_entry.partitions
    if (
        turn.wanted_topic.partitions != -1
        or not turn.semantics.knows_default_partitions
        or turn.reasons
        or turn.response_entry.error
        or found is None
    ):
        return None
    expected = turn.semantics.default_partitions
    if found == expected:
        return holds()
    return fails(f"-1 partitions: expected {expected}, found {found}", "other default")


@no_number_stands_for_the_brokers_own.example("a topic without a number of partitions")
def _default() -> Scenario:
    return history(create("a", -1), look("a"))


@new_topics.clause(
    "LIM-019",
    Strength.MUST,
    LimitClass.HARD,
    KIP(525, "Public Interfaces"),
    slug="limits/create/answered-partitions",
)
def the_answer_says_how_many_partitions(turn: Turn) -> Held | None:
    """The entry of a topic that is accepted, also where it is only validated, has the number of
    partitions that the request asks for (v5+).
    """
    found, asked = turn.response_entry.partitions, turn.wanted_topic.partitions
    if turn.response_entry.error or asked < 1 or found is None:
        return None
    if found == asked:
        return holds()
    return fails(f"expected {asked} partitions, found {found}", "other number")


@the_answer_says_how_many_partitions.example("three partitions, validated and made")
def _three() -> Scenario:
    return history(validate(3), create("a", 3))
