"""Removing from a cluster what a ledger lists, and nothing else."""

from __future__ import annotations

import time
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Any

from conformance.cluster import MissingApiError
from conformance.engine.emptying import empty_groups
from conformance.ledger import Kind, Made
from conformance.placement.coordinated import KeyType, coordinators
from conformance.placement.pool import delete_topics
from conformance.wire.config_numbers import DELETE, GROUP_RESOURCE
from conformance.wire.outcomes import NoAnswer, NotConnected
from spec.frozen import frozen
from spec.kafka import Error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from conformance.cluster import Cluster
    from conformance.ledger import Ledger
    from conformance.wire.connection import Connection

AT_ONCE = 50
"""Names in one request."""
ANSWER_S, ALL_S = 10.0, 60.0
"""Seconds that one answer, and all of them, may take at the end of a run."""
INTERRUPTED_S = 2.0
"""The same for each after an interrupt, or once the broker was lost."""
DYNAMIC_GROUP_CONFIG = 8
CONSUMER_BYTE_RATE = "consumer_byte_rate"

Errors = dict[str, tuple[int, str | None]]
"""By name: the error code and message of its removal."""
GONE: Mapping[Kind, frozenset[int]] = {
    Kind.GROUP: frozenset({0, Error.GROUP_ID_NOT_FOUND}),
    Kind.GROUP_CONFIG: frozenset({0, Error.GROUP_ID_NOT_FOUND}),
    Kind.QUOTA: frozenset({0}),
    Kind.TOPIC: frozenset({0, Error.UNKNOWN_TOPIC_OR_PARTITION}),
}
"""The error codes after which a thing is not there any more."""


@frozen
class NotRemoved:
    """Something that could not be removed.

    Attributes:
        made: what.
        reason: why.
    """

    made: Made
    reason: str


class Cleaning:
    """One attempt to remove all that stands.

    Args:
        cluster: where.
        ledger: what is to be removed; what is gone is noted in it.
        answer_s: seconds that the connection and each answer may take. A broker that is silent for
            so long is asked nothing else.
        all_s: seconds after which nothing else is asked.
    """

    def __init__(
        self,
        cluster: Cluster,
        ledger: Ledger,
        *,
        answer_s: float = ANSWER_S,
        all_s: float = ALL_S,
    ) -> None:
        self._cluster, self._ledger = cluster, ledger
        self._answer_s, self._all_s = answer_s, all_s

    def remove_all(self) -> tuple[NotRemoved, ...]:
        """Remove all that stands; what could not be removed, with the reasons.

        Raises:
            BadLedger: the ledger can't be read.
        """
        remaining = self._ledger.remaining()
        if not remaining:
            return ()
        try:
            with self._cluster.connect(timeout=self._answer_s) as connection:
                return tuple(self._remove_each(connection, remaining))
        except NotConnected as failed:
            return tuple([NotRemoved(made, str(failed)) for made in remaining])

    def _remove_each(
        self, connection: Connection, remaining: Sequence[Made]
    ) -> Iterator[NotRemoved]:
        deadline, lost = time.monotonic() + self._all_s, ""
        for kind, made in groupby(remaining, lambda one: one.kind):
            names = [one.name for one in made]
            for some in (names[at : at + AT_ONCE] for at in range(0, len(names), AT_ONCE)):
                if not lost and time.monotonic() > deadline:
                    lost = f"there was no time for it within {self._all_s:.0f} s"
                reasons = dict.fromkeys(some, lost)
                if not lost:
                    try:
                        reasons = self._request_removal(connection, kind, some)
                    except MissingApiError as missing:
                        reasons = dict.fromkeys(some, str(missing))
                    except (NoAnswer, NotConnected) as failed:
                        lost = str(failed)
                        reasons = dict.fromkeys(some, lost)
                for name, reason in reasons.items():
                    if reason:
                        yield NotRemoved(Made(kind, name), reason)

    def _whom(
        self, connection: Connection, kind: Kind, names: Sequence[str]
    ) -> Iterator[tuple[Connection, Sequence[str]]]:
        """The brokers that remove things of a kind, each with its share of them: of groups, their
        coordinators.
        """
        if kind is not Kind.GROUP or not self._cluster.nodes:
            yield connection, names
            return
        found = coordinators(self._cluster, connection, names, KeyType.GROUP)
        by_node = {node.id: node for node in self._cluster.nodes}
        for node_id in sorted({node for _, node in found.values()}):
            some = [name for name in names if found[name][1] == node_id]
            if node_id == self._cluster.node or node_id not in by_node:
                yield connection, some
                continue
            at = self._cluster.at(by_node[node_id])
            with at.connect(timeout=self._answer_s) as other:
                yield other, some

    def _request_removal(
        self, connection: Connection, kind: Kind, names: Sequence[str]
    ) -> dict[str, str]:
        """Remove things of one kind; by name why it was not, an empty text where it was."""
        errors: Errors = {}
        for asked, some in self._whom(connection, kind, names):
            errors |= REMOVALS[kind](self._cluster, asked, some)
        reasons = {
            name: _reason(*errors[name]) if errors[name][0] not in GONE[kind] else ""
            for name in names
            if name in errors
        }
        unnamed = "the broker's answer does not name it"
        reasons |= {name: unnamed for name in names if name not in reasons}
        self._ledger.note_removed(kind, *[name for name, reason in reasons.items() if not reason])
        return reasons


def _delete_topics(cluster: Cluster, connection: Connection, names: Sequence[str]) -> Errors:
    """Delete topics by their names."""
    return _errors(delete_topics(cluster, connection, names), "name")


def delete_groups(cluster: Cluster, connection: Connection, names: Sequence[str]) -> Errors:
    """Delete groups of any kind; members that are still in one leave first."""
    errors = _delete_groups(cluster, connection, names)
    full = [name for name, (code, _) in errors.items() if code == Error.NON_EMPTY_GROUP]
    if full:
        empty_groups(cluster, connection, full)
        errors |= _delete_groups(cluster, connection, full)
    return errors


def _delete_groups(cluster: Cluster, connection: Connection, names: Sequence[str]) -> Errors:
    version = cluster.version("DeleteGroups", 2)
    answer = connection.ask("DeleteGroups", version, {"groups_names": list(names)})
    return _errors(answer["results"], "group_id")


def delete_group_configs(cluster: Cluster, connection: Connection, names: Sequence[str]) -> Errors:
    """Take away whatever configs groups have of their own."""
    resources = [
        {"resource_type": GROUP_RESOURCE, "resource_name": name, "configuration_keys": None}
        for name in names
    ]
    version = cluster.version("DescribeConfigs", 4)
    shown = connection.ask("DescribeConfigs", version, {"resources": resources})["results"]
    errors = _errors(shown, "resource_name")
    altered = [
        {"resource_type": GROUP_RESOURCE, "resource_name": one["resource_name"], "configs": configs}
        for one in shown
        if (
            configs := [
                {"name": config["name"], "config_operation": DELETE, "value": None}
                for config in one["configs"]
                if config["config_source"] == DYNAMIC_GROUP_CONFIG
            ]
        )
    ]
    if altered:
        version = cluster.version("IncrementalAlterConfigs", 1)
        value = {"resources": altered, "validate_only": False}
        answer = connection.ask("IncrementalAlterConfigs", version, value)
        errors |= _errors(answer["responses"], "resource_name")
    return errors


def delete_quotas(cluster: Cluster, connection: Connection, names: Sequence[str]) -> Errors:
    """Take the consumer byte quotas away that client ids have."""
    version = cluster.version("AlterClientQuotas", 1)
    ops = [{"key": CONSUMER_BYTE_RATE, "value": 0.0, "remove": True}]
    entries = [
        {"entity": [{"entity_type": "client-id", "entity_name": name}], "ops": ops}
        for name in names
    ]
    value = {"entries": entries, "validate_only": False}
    answer = connection.ask("AlterClientQuotas", version, value)["entries"]
    return {
        str(entity["entity_name"]): (entry["error_code"], entry.get("error_message"))
        for entry in answer
        for entity in entry["entity"]
    }


REMOVALS: Mapping[Kind, Callable[[Cluster, Connection, Sequence[str]], Errors]] = {
    Kind.GROUP: delete_groups,
    Kind.GROUP_CONFIG: delete_group_configs,
    Kind.QUOTA: delete_quotas,
    Kind.TOPIC: _delete_topics,
}
"""How things of each kind are removed. Raises `MissingApiError`, `NoAnswer`, `NotConnected`."""


def _errors(answers: Sequence[Mapping[str, Any]], name: str) -> Errors:
    return {str(one[name]): (one["error_code"], one.get("error_message")) for one in answers or ()}


def _reason(code: int, message: str | None) -> str:
    named = Error(code).name if code in set(Error) else f"error {code}"
    return f"the broker says {named}" + (f" ({message})" if message else "")


def left_behind(left: Sequence[NotRemoved], otherwise: str) -> Iterator[str]:
    """Name what could not be removed, a line for each kind and reason, and what to do about it.

    Args:
        left: what could not be removed.
        otherwise: what removes it, once it can be.
    """
    counts = Counter([(one.made.kind, one.reason) for one in left])
    for (kind, reason), count in counts.items():
        names = [one.made.name for one in left if (one.made.kind, one.reason) == (kind, reason)]
        shown = ", ".join(names[:3]) + (f" and {count - 3} more" if count > 3 else "")
        yield f"left on the cluster: {kind} {shown}: {reason}; {otherwise}"
