"""Topics after CreateTopics and CreatePartitions, as Metadata and DescribeConfigs show them: what
was accepted is there, what was refused or only validated is not.
"""

from spec.clause import Chapter, Doc, Held, fails, holds
from spec.kafka import error_name
from spec.limits.examples import create, grow, history, look, validate
from spec.limits.steps import DescribeTopics
from spec.limits.turn import Turn
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength

chapter: Chapter[Turn] = Chapter()
looks = chapter.under(lambda turn: turn.place is not None and isinstance(turn.step, DescribeTopics))


@looks.clause(
    "LIM-050",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, CreateTopics: validate_only"),
    slug="limits/topics/there",
)
def a_topic_is_there_once_it_was_accepted(turn: Turn) -> Held | None:
    """Metadata has a topic, 30 s later at most, if and only if a CreateTopics request for it was
    answered without an error that did more than validate. A topic that was refused is not made,
    also where others of the same request are.

    It is asked again for 30 s, until it shows so: nothing promises when a broker shows what its
    controller has decided.
    """
    there, found = turn.topic_before is not None, not turn.response_entry.error
    if there == found:
        return holds()
    if there:
        return fails(
            f"expected the topic, found {error_name(turn.response_entry.error)}", "missing"
        )
    return fails("expected no such topic, found one", "made")


@a_topic_is_there_once_it_was_accepted.example("one that was made, and one that was validated")
def _there() -> Scenario:
    return history(create("a"), validate(1), look("a", "t0"))


@looks.clause(
    "LIM-051",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, CreateTopics, CreatePartitions: validate_only"),
    slug="limits/topics/partitions",
)
def a_topic_has_the_partitions_that_were_asked_for(turn: Turn) -> Held | None:
    """Metadata has, 30 s later at most (LIM-050), exactly as many partitions of a topic as it was
    made with, or as the last CreatePartitions request that was answered without an error, and did
    more than validate, asked for: a request that was refused takes none away, and adds none.
    """
    known, found = turn.topic_before, turn.response_entry.partitions
    if known is None or turn.response_entry.error or found is None:
        return None
    if found == known.partitions:
        return holds()
    return fails(
        f"expected {known.partitions} partitions, found {found}",
        "fewer" if found < known.partitions else "more",
    )


@a_topic_has_the_partitions_that_were_asked_for.example("a topic grows, and does not shrink")
def _grown_example() -> Scenario:
    return history(
        create("a", 2),
        grow("a", 1),
        look("a"),
        grow("a", 4, validate_only=True),
        grow("a", 3),
        look("a"),
    )
