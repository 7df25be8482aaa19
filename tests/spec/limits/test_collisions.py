"""Two topics of one request that differ in dots and underscores alone: no text promises both."""

from spec.judge import judge
from spec.kafka import Error
from spec.limits.examples import history
from spec.limits.outcomes import TopicEntry, TopicsAnswer
from spec.limits.steps import CreateTopics, Name, NewTopic
from spec.observation import Exchange, Observation
from spec.releases import semantics_for
from spec.verdict import Outcome


def broken(*names: str) -> dict[str, Outcome]:
    """What is broken where the first topic of a request is refused for its name."""
    step = CreateTopics(tuple([NewTopic(Name(name)) for name in names]))
    entries = [TopicEntry(0, Error.INVALID_TOPIC_EXCEPTION)]
    entries += [TopicEntry(place, partitions=1) for place in range(1, len(names))]
    seen = Observation((Exchange(0, TopicsAnswer(tuple(entries))),))
    found = judge(history(step), seen, semantics_for("4.4"))
    return {verdict.clause: verdict.outcome for verdict in found.breaks}


def test_one_of_two_that_collide_may_be_refused() -> None:
    assert broken("a.b", "a_b") == {"LIM-013": Outcome.DEVIATES}


def test_one_beside_another_may_not() -> None:
    assert broken("a.b", "a.c")["LIM-003"] is Outcome.VIOLATES
