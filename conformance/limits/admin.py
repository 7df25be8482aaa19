"""Admin requests of the probes: topics, partitions, configs."""

from __future__ import annotations

import secrets
from dataclasses import field
from typing import TYPE_CHECKING, Any

from conformance.ledger import PREFIX, Kind
from conformance.placement.pool import delete_topics
from conformance.retries import tries
from conformance.wire.config_numbers import (
    BROKER_RESOURCE,
    DELETE,
    GROUP_RESOURCE,
    SET,
    TOPIC_RESOURCE,
)
from conformance.wire.single_entry import only
from conformance.wire.topic_names import topics_by_name
from spec.frozen import frozen
from spec.kafka import Error

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.cluster import Cluster
    from conformance.wire.connection import Connection

TIMEOUT_MS = 30_000
TOPIC, GROUP, BROKER = TOPIC_RESOURCE, GROUP_RESOURCE, BROKER_RESOURCE


@frozen
class Admin:
    """A broker that is asked as its administrator.

    Attributes:
        cluster: what it can do.
        connection: to it.
        version: the release whose limits it is held against, `4.3.1`.
        own: what the names of all that it makes begin with.
    """

    cluster: Cluster
    connection: Connection
    version: str
    own: str = field(default_factory=lambda: f"{PREFIX}limits-{secrets.token_hex(6)}-")

    def ask(self, api: str, newest: int, value: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a request of the newest version that both have, at most `newest`.

        Raises:
            NoAnswer, MissingApiError: there is none.
        """
        return self.connection.ask(api, self.cluster.version(api, newest), value)

    def create_topics(
        self,
        topics: Mapping[str, int],
        configs: Mapping[str, str] | None = None,
        *,
        validate_only: bool = True,
    ) -> dict[str, int]:
        """Ask to create topics, or only whether they could be (by default); give the error code of
        each, by name.

        Args:
            topics: by name, how many partitions each gets.
            configs: those of each topic.
            validate_only: ask only whether they could be.

        Raises:
            NoAnswer, MissingApiError: there is no answer.
        """
        given = [{"name": name, "value": value} for name, value in (configs or {}).items()]
        answer = self.ask(
            "CreateTopics",
            7,
            {
                "topics": [
                    {
                        "name": name,
                        "num_partitions": partitions,
                        "replication_factor": -1,
                        "configs": given,
                    }
                    for name, partitions in topics.items()
                ],
                "timeout_ms": TIMEOUT_MS,
                "validate_only": validate_only,
            },
        )
        return {one["name"]: one["error_code"] for one in answer["topics"]}

    def create_partitions(self, topic: str, count: int, *, validate_only: bool = True) -> int:
        """Ask to raise a topic's partitions to a count, or only whether they could be (by default);
        give the error code.

        Raises:
            NoAnswer, MissingApiError: there is no answer.
        """
        asked = {"name": topic, "count": count, "assignments": None}
        value = {"topics": [asked], "timeout_ms": TIMEOUT_MS, "validate_only": validate_only}
        answer = self.ask("CreatePartitions", 3, value)
        return int(only("CreatePartitions", 3, answer, "results")["error_code"])

    def make_topic(
        self, name: str, partitions: int, configs: Mapping[str, str] | None = None
    ) -> None:
        """Create a topic, noted in the ledger first, and wait until each of its partitions has a
        leader.

        Raises:
            ProbeError: it could not be created, or not in time.
            NoAnswer, MissingApiError: there is no answer.
        """
        self.cluster.ledger.will_make(Kind.TOPIC, name)
        code = self.create_topics({name: partitions}, configs, validate_only=False)[name]
        if code:
            raise ProbeError(f"expected to create the topic {name}, found error {code}")
        for _ in tries(TIMEOUT_MS / 1000):
            with_leader = [one for one in self.topic(name)["partitions"] if not one["error_code"]]
            if len(with_leader) == partitions:
                return
        raise ProbeError(f"expected leaders of the topic {name}, found none in {TIMEOUT_MS} ms")

    def topic(self, name: str) -> dict[str, Any]:
        """A topic's entry in the answer to Metadata.

        Raises:
            NoAnswer, MissingApiError: there is no answer.
        """
        answer = self.ask("Metadata", 12, {"topics": topics_by_name([name])})
        found: dict[str, Any] = only("Metadata", 12, answer, "topics")
        return found

    def delete_topic(self, name: str) -> None:
        """Delete a topic; where that is refused, it stays in the ledger.

        Raises:
            NoAnswer, MissingApiError: there is no answer.
        """
        for one in delete_topics(self.cluster, self.connection, [name]):
            if one["error_code"] == Error.NONE:
                self.cluster.ledger.note_removed(Kind.TOPIC, name)

    def describe_configs(self, resource: int, name: str) -> dict[str, dict[str, Any]]:
        """The configs of a resource as DescribeConfigs gives them, by name.

        Raises:
            ProbeError: they are refused.
            NoAnswer, MissingApiError: there is no answer.
        """
        asked = {"resource_type": resource, "resource_name": name, "configuration_keys": None}
        value = {"resources": [asked], "include_synonyms": False, "include_documentation": False}
        answer = self.ask("DescribeConfigs", 4, value)
        found = only("DescribeConfigs", 4, answer, "results")
        if found["error_code"]:
            raise ProbeError(f"expected the configs of {name}, found error {found['error_code']}")
        return {one["name"]: one for one in found["configs"]}

    def set_config(
        self, resource: int, name: str, config: str, value: str | None, *, validate_only: bool
    ) -> int:
        """Ask to set one config of a resource, or with None to remove it; give the error code.

        Raises:
            NoAnswer, MissingApiError: there is no answer.
        """
        change = {
            "name": config,
            "config_operation": DELETE if value is None else SET,
            "value": value,
        }
        asked = {"resource_type": resource, "resource_name": name, "configs": [change]}
        body = {"resources": [asked], "validate_only": validate_only}
        answer = self.ask("IncrementalAlterConfigs", 1, body)
        return int(only("IncrementalAlterConfigs", 1, answer, "responses")["error_code"])


class ProbeError(Exception):
    """What a probe needs before it can ask is refused."""
