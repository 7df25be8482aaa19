"""The error codes of topics that are refused."""

from spec.clause import Chapter, Code, Held, fails, holds
from spec.kafka import Error, error_name
from spec.limits.examples import create, create_named, grow, history
from spec.limits.model import create_topics, growth_error
from spec.limits.steps import CreatePartitions, CreateTopics, Name, NewTopic
from spec.limits.turn import Turn
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength

chapter: Chapter[Turn] = Chapter()
new_topics = chapter.under(
    lambda turn: turn.place is not None and isinstance(turn.step, CreateTopics)
)
larger_topics = chapter.under(
    lambda turn: turn.place is not None and isinstance(turn.step, CreatePartitions)
)


def _judge_code(expected: Error, found: int) -> Held:
    if found == expected:
        return holds()
    return fails(f"expected {expected.name}, found {error_name(found)}", expected.name)


@new_topics.clause(
    "LIM-040",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ReplicationControlManager.java", "createTopics"),
    Code("ControllerApis.scala", "createTopics"),
    slug="limits/create/code",
)
def the_code_says_why_a_topic_is_refused(turn: Turn) -> Held | None:
    """A topic that is refused has the error code of the first of these that is so: POLICY_VIOLATION
    (too many partitions or records in the request), INVALID_REQUEST (named twice),
    TOPIC_ALREADY_EXISTS, INVALID_TOPIC_EXCEPTION (the name), INVALID_CONFIG,
    INVALID_REPLICATION_FACTOR (below 1), INVALID_PARTITIONS, INVALID_REPLICATION_FACTOR (more than
    there are brokers).
    """
    if not turn.response_entry.error or not turn.reasons or turn.wraps:
        return None
    errors = create_topics(turn.topics, turn.every_wanted, turn.semantics)
    return _judge_code(errors[turn.name], turn.response_entry.error)


@the_code_says_why_a_topic_is_refused.example("one reason each, and several at once")
def _reasons() -> Scenario:
    same = NewTopic(Name("c"), 0)
    bad = (("retention.ms", "x"),)
    worse = (
        NewTopic(Name("a b"), 0, 0),
        NewTopic(Name("a"), 0, 0),
        NewTopic(Name("b"), 0, 1000),
        NewTopic(Name("d"), 0, 0),
        NewTopic(Name("e"), 0, 0, bad),
        same,
        same,
    )
    return history(
        create("a"), create("a"), create_named("a b"), CreateTopics(worse, validate_only=True)
    )


@larger_topics.clause(
    "LIM-041",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ReplicationControlManager.java", "createPartitions"),
    slug="limits/grow/code",
)
def the_code_says_why_a_topic_does_not_grow(turn: Turn) -> Held | None:
    """A topic that does not grow has UNKNOWN_TOPIC_OR_PARTITION where it does not exist,
    INVALID_PARTITIONS where it has as many partitions already, or more. From 4.4 on, a request for
    more than 10,000 new partitions is left out (LIM-033).
    """
    expected = growth_error(turn.count, turn.topic_before)
    too_much = sum(turn.added_partitions.values()) > turn.semantics.most_partitions
    if (
        not turn.response_entry.error
        or not expected
        or (too_much and turn.semantics.refuses_all_growth)
    ):
        return None
    return _judge_code(expected, turn.response_entry.error)


@the_code_says_why_a_topic_does_not_grow.example("as many, fewer, and an unknown topic")
def _grown_example() -> Scenario:
    return history(create("a", 2), grow("a", 2), grow("a", 0), grow("b", 2))
