"""Changes of a topic's configs on brokers that show them, or not."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from conformance.play.topic_changes import SETTLED, alter_topic

if TYPE_CHECKING:
    from conformance.cluster import Cluster
    from conformance.play.connection import AsyncConnection
    from spec.outcomes import NotSent

CHANGE = {"max.message.bytes": "1000"}


@dataclass
class Topic:
    """A broker with one topic, as a cluster and as a connection.

    Attributes:
        hides: the configs that it takes and does not show.
    """

    hides: frozenset[str] = frozenset()
    timeout: float = 0.01
    configs: dict[str, str] = field(default_factory=dict)

    def version(self, api: str, newest: int) -> int:
        """The newest version."""
        del api
        return newest

    async def ask(self, api: str, version: int, value: dict[str, Any], _: float) -> dict[str, Any]:
        """Take a change, or show the configs."""
        del version
        (resource,) = value["resources"]
        if api == "IncrementalAlterConfigs":
            self.configs |= {one["name"]: one["value"] for one in resource["configs"]}
            return {"responses": [{"error_code": 0, "error_message": None}]}
        asked = set(resource["configuration_keys"]) - self.hides
        shown = [{"name": key, "value": self.configs[key]} for key in asked if key in self.configs]
        return {"results": [{"configs": shown}]}


def alter(topic: Topic) -> NotSent | None:
    """What becomes of the change."""
    cluster, connection = cast("Cluster", topic), cast("AsyncConnection", topic)
    return asyncio.run(alter_topic(cluster, connection, "t", CHANGE, 1))


def test_a_config_that_settles_the_change_need_not_be_shown() -> None:
    for topic in (Topic(), Topic(frozenset([SETTLED]))):
        assert alter(topic) is None
        assert topic.configs.keys() == {*CHANGE, SETTLED}


def test_a_change_that_is_not_shown_ends_its_scenario_and_not_the_run() -> None:
    refused = alter(Topic(frozenset(CHANGE)))
    assert refused is not None
    assert "expected the broker to show the topic configs" in refused.reason
