"""A request that names a topic twice may be answered by two entries (LIM-002): what they leave open
is not held against what is there afterwards.
"""

import pytest

from spec.judge import judge
from spec.kafka import Error
from spec.limits.examples import history
from spec.limits.outcomes import TopicEntry, TopicsAnswer
from spec.limits.steps import CreateTopics, DescribeTopics, Name, NewTopic
from spec.observation import Exchange, Observation
from spec.releases import semantics_for
from spec.verdict import Outcome

NAME = Name("a")
TWICE = history(CreateTopics((NewTopic(NAME), NewTopic(NAME))), DescribeTopics((NAME,)))
REFUSED = TopicEntry(0, Error.TOPIC_ALREADY_EXISTS)
MADE = TopicEntry(0, partitions=1)
GONE = TopicEntry(0, Error.UNKNOWN_TOPIC_OR_PARTITION)


def played(*entries: TopicEntry, seen: TopicEntry) -> Observation:
    """The topic named twice is answered so, and Metadata has it so afterwards."""
    answers = (TopicsAnswer(entries), TopicsAnswer((seen,)))
    return Observation(tuple([Exchange(place, one) for place, one in enumerate(answers)]))


@pytest.mark.parametrize("entries", [(MADE, REFUSED), (REFUSED, MADE), (MADE, MADE)])
@pytest.mark.parametrize("seen", [MADE, GONE], ids=["made", "gone"])
def test_entries_that_differ_say_nothing_of_what_is_there(
    entries: tuple[TopicEntry, ...], seen: TopicEntry
) -> None:
    found = judge(TWICE, played(*entries, seen=seen), semantics_for("4.4"))
    assert list(found.breaks) == []
    assert Outcome.UNSUPPORTED in {verdict.outcome for verdict in found.verdicts}


@pytest.mark.parametrize("entries", [(REFUSED,), (REFUSED, REFUSED)])
def test_a_topic_that_was_refused_alone_is_not_there(entries: tuple[TopicEntry, ...]) -> None:
    there, gone = (
        judge(TWICE, played(*entries, seen=seen), semantics_for("4.4")) for seen in (MADE, GONE)
    )
    assert {one.clause: one.outcome for one in there.breaks}["LIM-050"] is Outcome.VIOLATES
    assert "LIM-050" not in {one.clause for one in gone.breaks}


def test_a_topic_without_an_entry_breaks_that_alone() -> None:
    for seen in (MADE, GONE):
        found = judge(TWICE, played(seen=seen), semantics_for("4.4"))
        assert [one.clause for one in found.breaks] == ["LIM-002"]
