"""A permission error counts as a missing permission unless the cluster says that the user has it."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import pytest

from conformance.cluster import MissingApiError
from conformance.engine.denied import lacking_permission
from conformance.engine.granted import (
    NOT_SHOWN,
    ON_GROUPS,
    ON_THE_CLUSTER,
    ON_TOPICS,
    Granted,
)
from conformance.engine.play_result import Played
from spec.judge import judge
from spec.kafka import Error
from spec.observation import Exchange, Observation
from spec.offsets.examples import EMPTY, ask, play_on
from spec.offsets.outcomes import Found, ListOffsetsAnswer
from spec.offsets.steps import LATEST
from spec.releases import semantics_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.cluster import Cluster

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
