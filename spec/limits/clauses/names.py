"""The names of topics."""

from spec.clause import Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.in_words import quote
from spec.kafka import error_name
from spec.limits.examples import create, create_named, history
from spec.limits.model import LONGEST_NAME
from spec.limits.steps import CreateTopics, Name, NewTopic
from spec.limits.turn import TopicProblem, Turn
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength, side

FOLDERS = Doc("operations documentation, adding and removing topics: the names of folders")
TOPIC = Code("Topic.java", "39-124")

chapter: Chapter[Turn] = Chapter()
new_topics = chapter.under(
    lambda turn: turn.place is not None and isinstance(turn.step, CreateTopics)
)


def refused_for(turn: Turn, reason: TopicProblem) -> Held | None:
    """Whether a topic is refused for which there is this reason."""
    if reason not in turn.reasons:
        return None
    if turn.response_entry.error:
        return holds()
    return fails(f"{quote(turn.name)}: expected an error, found none", reason.value)


@new_topics.clause(
    "LIM-010",
    Strength.MUST,
    LimitClass.HARD,
    FOLDERS,
    TOPIC,
    slug="limits/name/length",
    fence=Fence("the length of the name", Unit.CHARACTERS, "249"),
)
def a_name_has_at_most_249_characters(turn: Turn) -> Held | None:
    """A new topic whose name is empty or has more than 249 characters is refused. The folder of its
    partition is named by it, a dash and the partition's number, and can have 255 characters.
    """
    where = side(len(turn.name), LONGEST_NAME)
    if TopicProblem.LENGTH in turn.reasons:
        if turn.response_entry.error:
            return holds(where)
        return breaks(
            where,
            f"a name of {len(turn.name)} characters: expected an error, found none",
            "too long" if turn.name else "empty",
        )
    return None if turn.reasons or turn.response_entry.error else holds(where)


@a_name_has_at_most_249_characters.example("249 characters, one more, and none")
def _lengths() -> Scenario:
    return history(
        *[create_named("a", length) for length in (248, 249, 250)],
        create_named("", own=False),
    )


@new_topics.clause(
    "LIM-011",
    Strength.REFERENCE,
    LimitClass.HARD,
    TOPIC,
    slug="limits/name/letters",
)
def a_name_has_legal_letters_only(turn: Turn) -> Held | None:
    """A new topic whose name has another character than the ASCII letters and digits, dot,
    underscore and dash is refused.
    """
    return refused_for(turn, TopicProblem.LETTERS)


@a_name_has_legal_letters_only.example("a space, a slash, a letter that is not ASCII")
def _letters() -> Scenario:
    return history(*[create_named(text) for text in ("a b", "a/b", "\u00e9", "a:b")])


@new_topics.clause(
    "LIM-012",
    Strength.REFERENCE,
    LimitClass.HARD,
    TOPIC,
    slug="limits/name/folders",
)
def a_name_is_no_other_folder(turn: Turn) -> Held | None:
    """New topics named "." and ".." are refused; "..." is a name like any other."""
    return refused_for(turn, TopicProblem.FOLDER)


@a_name_is_no_other_folder.example("one, two and three dots")
def _dots() -> Scenario:
    return history(*[create_named(dots, own=False) for dots in (".", "..", "...")])


@new_topics.clause(
    "LIM-013",
    Strength.REFERENCE,
    LimitClass.HARD,
    TOPIC,
    Code("ReplicationControlManager.java", "validateNewTopicNames"),
    slug="limits/name/collision",
)
def a_name_is_no_others_but_for_dots_and_underscores(turn: Turn) -> Held | None:
    """A new topic is refused if a topic of another name is there whose name becomes the same once
    each dot is an underscore. Topics of one request are not compared with each other: one against
    which nothing else speaks is accepted though another one in the request collides with it.

    Their metrics would have one name.
    """
    if not turn.reasons and turn.collides_in_request:
        if not turn.response_entry.error:
            return holds()
        found = error_name(turn.response_entry.error)
        return fails(
            f"{quote(turn.name)}: expected no error, found {found}", "refused in one request"
        )
    return refused_for(turn, TopicProblem.COLLISION)


@a_name_is_no_others_but_for_dots_and_underscores.example("a dot, then an underscore")
def _collision() -> Scenario:
    return history(create("a.b"), create("a_b"))


@a_name_is_no_others_but_for_dots_and_underscores.example("both in one request")
def _collision_in_request() -> Scenario:
    both = tuple([NewTopic(Name(text)) for text in ("a.b", "a_b")])
    return history(CreateTopics(both))


@new_topics.clause(
    "LIM-014",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, error code 36: topic with this name already exists"),
    slug="limits/name/taken",
)
def a_name_is_free(turn: Turn) -> Held | None:
    """A new topic is refused if a topic of its name is there."""
    return refused_for(turn, TopicProblem.EXISTS)


@a_name_is_free.example("the same topic, made and validated again")
def _same_topic() -> Scenario:
    return history(create("a"), create("a"), create_named("a"))


@new_topics.clause(
    "LIM-015",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ControllerApis.scala", "createTopics"),
    slug="limits/name/twice",
)
def a_name_stands_once_in_a_request(turn: Turn) -> Held | None:
    """A topic that a CreateTopics request names more than once is refused.

    It counts in no total of the request (LIM-020, LIM-021), and its other topics are looked at as
    without it (LIM-004).
    """
    return refused_for(turn, TopicProblem.TWICE)


@a_name_stands_once_in_a_request.example("one topic twice, and another one")
def _twice() -> Scenario:
    same = NewTopic(Name("a"))
    return history(CreateTopics((same, same, NewTopic(Name("b")))))
