"""Brokers that show late, or never, what their controller has decided."""

from typing import TYPE_CHECKING, Any, cast

from conformance.play.request import Request
from conformance.subjects.limits.history import LimitHistory
from conformance.subjects.limits.patience import OFTEN, SHORTENED_S, SHOWN_S, Patience
from spec.kafka import Error
from spec.layout import Layout, Partition
from spec.limits.outcomes import TopicEntry, TopicsAnswer
from spec.limits.steps import CreateTopics, DescribeTopics, Name, NewTopic
from spec.scenario import Scenario

if TYPE_CHECKING:
    from conformance.cluster import Cluster

NAME = Name("a")
ASKED = DescribeTopics((NAME,))
MADE = CreateTopics((NewTopic(NAME),))
ABSENT = TopicsAnswer((TopicEntry(0, Error.UNKNOWN_TOPIC_OR_PARTITION),))
SHOWN = TopicsAnswer((TopicEntry(0, 0, 1),))


def _history(patience: Patience) -> LimitHistory:
    scenario = Scenario(Layout((Partition(),)), (MADE, ASKED))
    history = LimitHistory(cast("Cluster", None), scenario, patience=patience)
    history._partition_counts[NAME.with_prefix(history.own)] = 1
    return history


def _asks_again(history: LimitHistory, answer: TopicsAnswer, waited_s: float) -> bool:
    request = Request("Metadata", 12, cast("dict[str, Any]", {}), 1.0)
    return history.retry(ASKED, request, answer, waited_s) is not None


def test_a_topic_that_is_not_shown_yet_is_asked_for_as_long_as_an_answer_may_take() -> None:
    history = _history(Patience())
    assert _asks_again(history, ABSENT, SHOWN_S - 1)
    assert not _asks_again(history, SHOWN, SHOWN_S - 1)
    assert not _asks_again(history, ABSENT, SHOWN_S)


def test_a_broker_that_never_shows_it_is_given_all_that_time_a_few_times() -> None:
    patience = Patience()
    for _ in range(OFTEN):
        assert not _asks_again(_history(patience), ABSENT, SHOWN_S)
    assert patience.ran_out == OFTEN
    assert _asks_again(_history(patience), ABSENT, SHORTENED_S - 1)
    assert not _asks_again(_history(patience), ABSENT, SHORTENED_S)
