"""A permission error is a missing permission unless the cluster says that the user has it."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import pytest

from conformance.cluster import MissingApiError
from conformance.engine.missing_permission import lacking_permission
from conformance.engine.permissions import (
    NOT_SHOWN,
    ON_GROUPS,
    ON_THE_CLUSTER,
    ON_TOPICS,
    Granted,
)
from conformance.engine.play_result import Played
from spec.judge import judge
from spec.kafka import Error
from spec.layout import Layout
from spec.limits.examples import create_named
from spec.limits.outcomes import TopicEntry, TopicsAnswer
from spec.observation import Exchange, Observation
from spec.offsets.examples import EMPTY, ask, play_on
from spec.offsets.outcomes import Found, ListOffsetsAnswer
from spec.offsets.steps import LATEST
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.share.outcomes import ShareFetchAnswer
from spec.share.steps import OWN, ShareFetch, SharePartition
from spec.subject_registry import subject_named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.cluster import Cluster
    from spec.outcomes import Outcome
    from spec.steps import Step

KAFKA = semantics_for("4.3")
TOPIC, GROUP = Error.TOPIC_AUTHORIZATION_FAILED, Error.GROUP_AUTHORIZATION_FAILED
CLUSTER, TRANSACTION = (
    Error.CLUSTER_AUTHORIZATION_FAILED,
    Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
)


def bits(operations: tuple[int, ...]) -> int:
    """A set of operations as brokers show it."""
    return sum(1 << one for one in operations)


@dataclass
class Shows:
    """A cluster that shows operations."""

    topic: int = bits(ON_TOPICS)
    group: int = bits(ON_GROUPS)
    whole: int = bits(ON_THE_CLUSTER)
    newest: int = 99
    nodes: tuple[()] = ()
    asked: list[str] = field(default_factory=list)

    def version(self, api: str, newest: int) -> int:
        """The newest version that both have."""
        if self.newest < 0:
            raise MissingApiError(f"no {api}")
        return min(newest, self.newest)

    @contextmanager
    def connect(self) -> Iterator[Shows]:
        """Itself, as a connection."""
        yield self

    def ask(self, api: str, version: int, value: dict[str, Any]) -> dict[str, Any]:
        """Answer one of the three APIs that show operations."""
        del version, value
        self.asked.append(api)
        topics = [
            {"name": "fencepost-0", "topic_authorized_operations": self.topic},
            {"name": "theirs", "topic_authorized_operations": 0},
        ]
        return {
            "topics": topics,
            "groups": [{"authorized_operations": self.group}],
            "cluster_authorized_operations": self.whole,
        }


def granted_by(shows: Shows) -> Granted:
    """What is granted by what is shown."""
    return Granted(cast("Cluster", shows))


def test_who_may_do_everything_lacks_no_permission_and_is_asked_about_once() -> None:
    shows = Shows()
    granted = granted_by(shows)
    assert granted.has([TOPIC, GROUP, CLUSTER])
    assert granted.has([TOPIC])
    assert shows.asked == ["Metadata", "DescribeCluster", "DescribeGroups", "DescribeCluster"]


@pytest.mark.parametrize(
    ("shows", "code"),
    [
        (Shows(topic=bits(ON_TOPICS[1:])), TOPIC),
        (Shows(topic=NOT_SHOWN), TOPIC),
        (Shows(whole=0), TOPIC),
        (Shows(group=bits(ON_GROUPS[:-1])), GROUP),
        (Shows(whole=bits(ON_THE_CLUSTER[:-1])), CLUSTER),
        (Shows(newest=2), GROUP),
        (Shows(newest=-1), TOPIC),
        (Shows(), TRANSACTION),
    ],
)
def test_what_is_not_shown_as_granted_is_not(shows: Shows, code: Error) -> None:
    assert not granted_by(shows).has([code])


def refused(steps: tuple[Step, ...], denied: Callable[[Outcome], Outcome]) -> str | None:
    """Which permission a scenario lacked whose first step is denied, though its user may do
    everything on the prefix.
    """
    scenario = Scenario(Layout((EMPTY,)), steps)
    first, *others = subject_named(scenario.subject).answer_all(scenario, KAFKA).exchanges
    changed = replace(first, outcome=denied(first.outcome))
    observation = Observation((changed, *others))
    played = Played(scenario, observation, judge(scenario, observation, KAFKA))
    assert played.judgement.breaks
    return lacking_permission(played, KAFKA, granted_by(Shows()).has)


@pytest.mark.parametrize(("own", "lacks"), [(True, False), (False, True)])
def test_rights_on_the_prefix_are_none_on_a_topic_of_another_name(own: bool, lacks: bool) -> None:
    step = create_named("a", own=own)
    denied = TopicsAnswer((TopicEntry(0, TOPIC),))
    assert (refused((step,), lambda _: denied) is not None) == lacks


@pytest.mark.parametrize(("group", "lacks"), [(OWN, False), ("theirs", True), (None, True)])
def test_rights_on_the_prefix_are_none_on_a_group_of_another_name(
    group: str | None, lacks: bool
) -> None:
    def denied(answer: Outcome) -> Outcome:
        assert isinstance(answer, ShareFetchAnswer)
        return replace(answer, error=GROUP, partitions=())

    steps = (ShareFetch((SharePartition(0),)), ShareFetch((SharePartition(0),), group=group))
    assert (refused(steps, denied) is not None) == lacks


def test_an_error_about_what_the_user_may_do_is_the_brokers_break() -> None:
    scenario = play_on(EMPTY, ask(LATEST))
    answer = ListOffsetsAnswer((Found(0, TOPIC),))
    observation = Observation((Exchange(0, answer),))
    played = Played(scenario, observation, judge(scenario, observation, KAFKA))
    assert played.judgement.breaks
    lacking = lacking_permission(played, KAFKA, granted_by(Shows(topic=0)).has)
    assert lacking is not None
    assert "TOPIC_AUTHORIZATION_FAILED (about a topic)" in lacking
    assert lacking_permission(played, KAFKA, granted_by(Shows()).has) is None
