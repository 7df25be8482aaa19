"""What every request of an administrator is answered with."""

from spec.clause import KIP, Chapter, Doc, Held, fails, holds
from spec.frozen import replace
from spec.kafka import Error, error_name
from spec.limits.examples import create, history, look, validate
from spec.limits.outcomes import ConfigsAltered, ConfigsDescribed, PartitionPage, TopicsAnswer
from spec.limits.steps import ConnectionStep, CreateTopics, ListenerStep, Name, NewTopic
from spec.limits.turn import Turn
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength

chapter: Chapter[Turn] = Chapter()
requests = chapter.under(
    lambda turn: turn.place is None and not isinstance(turn.step, ConnectionStep | ListenerStep)
)
new_topics = chapter.under(
    lambda turn: turn.place is not None and isinstance(turn.step, CreateTopics)
)


@requests.clause(
    "LIM-001",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide: the requests of administrators"),
    slug="limits/answer/given",
)
def a_request_is_answered(turn: Turn) -> Held | None:
    """A CreateTopics, CreatePartitions, Metadata, IncrementalAlterConfigs, DescribeConfigs or
    DescribeTopicPartitions request of a version that the broker advertises is answered, however
    many partitions and whatever values it asks for: its connection is not closed, the answer is a
    message of that version, and it comes within 30 s as long as other requests are answered.
    """
    if isinstance(turn.outcome, TopicsAnswer | ConfigsAltered | ConfigsDescribed | PartitionPage):
        return holds()
    return fails(f"expected an answer, found {turn.outcome}", "no answer")


@a_request_is_answered.example("a topic of 20,000 partitions")
def _large() -> Scenario:
    return history(validate(20_000))


@requests.clause(
    "LIM-002",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, CreateTopics, CreatePartitions, Metadata: the response's topics"),
    slug="limits/answer/entries",
)
def each_topic_has_one_entry(turn: Turn) -> Held | None:
    """The answer to CreateTopics, CreatePartitions or Metadata has exactly one entry for each topic
    that the request names once, whether it is refused or not, at least one and no more than its
    names for a topic that it names more than once, and none for any other.
    """
    if not isinstance(turn.outcome, TopicsAnswer):
        return None
    answered = [one.topic for one in turn.answer.entries]
    names = turn.names
    for name in dict.fromkeys(names):
        place, times = names.index(name), names.count(name)
        found = answered.count(place)
        if not 1 <= found <= times:
            return fails(
                f"topic {place}: expected one entry, found {found}",
                "missing" if not found else "twice",
            )
    if foreign := answered.count(-1):
        return fails(
            f"expected entries for the topics that were named, found {foreign} others",
            "not asked for",
        )
    return holds()


@each_topic_has_one_entry.example("one topic is refused, the other one accepted")
def _beside() -> Scenario:
    return history(validate(0, 1))


def _accepts(turn: Turn) -> Held | None:
    """Whether a topic against which nothing speaks is accepted, or refused by a policy."""
    if turn.reasons or turn.collides_in_request or turn.has_unknown_total:
        return None
    if turn.response_entry.error == Error.POLICY_VIOLATION:
        return None
    if not turn.response_entry.error:
        return holds()
    return fails(f"expected no error, found {error_name(turn.response_entry.error)}", "refused")


def _is_beside_a_refused_one(turn: Turn) -> bool:
    """Whether something speaks against another topic of the request."""
    others = [replace(turn, place=turn.names.index(name)) for name in {*turn.names} - {turn.name}]
    return any(one.reasons or one.collides_in_request for one in others)


@new_topics.clause(
    "LIM-003",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, CreateTopics"),
    KIP(108, "Error Codes"),
    slug="limits/create/accepted",
)
def what_nothing_speaks_against_is_accepted(turn: Turn) -> Held | None:
    """A new topic has no error, where nothing speaks against it or against any other topic of its
    request. Nothing speaks against a topic if its name is legal, free and no other topic's but for
    dots and underscores, whether that is there or in the request, its configs are known and have
    values in their ranges, its partitions are -1 or at least 1, its replication factor is -1 or
    from 1 to the number of brokers, the request names it once, and has neither more than 10,000
    partitions nor more than 10,000 metadata records in all.

    A broker may have a policy of its own, which refuses with POLICY_VIOLATION. Beside topics that
    something speaks against, LIM-004 says the same.
    """
    return None if _is_beside_a_refused_one(turn) else _accepts(turn)


@what_nothing_speaks_against_is_accepted.example("a topic of one partition, and two at once")
def _one() -> Scenario:
    return history(create("a"), look("a"), validate(1, 2))


@new_topics.clause(
    "LIM-004",
    Strength.MUST,
    LimitClass.HARD,
    KIP(4, "Create Topics Request: the request is not transactional"),
    Doc("Javadoc of Admin, createTopics: it may succeed for some topics and fail for others"),
    slug="limits/create/accepted-beside-refused",
)
def a_refused_topic_takes_no_other_along(turn: Turn) -> Held | None:
    """A new topic against which nothing speaks (LIM-003) has no error beside other topics of its
    request against which something does, whatever becomes of those.

    Too many partitions or records in all speak against each topic of a request. A policy may refuse
    with POLICY_VIOLATION here too.
    """
    return _accepts(turn) if _is_beside_a_refused_one(turn) else None


@a_refused_topic_takes_no_other_along.example("one of no partitions, and one that is named twice")
def _beside_others() -> Scenario:
    twice = NewTopic(Name("a"))
    return history(validate(1, 0), CreateTopics((twice, twice, NewTopic(Name("b")))))
