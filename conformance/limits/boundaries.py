"""Boundary values of configs, tried on a running broker: at creation and by alteration.

Topics are only validated at creation and altered on a topic that is made for it; configs of
brokers are validated, not set; configs of groups are set on a group that nobody joins, and taken
away again.
"""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

from conformance.ledger import Kind
from conformance.limits.admin import BROKER, GROUP, TOPIC, Admin
from conformance.limits.probes import scratch_topic
from spec.frozen import frozen
from spec.kafka import Error, error_name
from spec.limits.boundaries import Boundary, boundaries
from spec.limits.configs import ConfigScope, configs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


class ConfigRequest(StrEnum):
    """How a value is given to a broker."""

    CREATE = "CreateTopics"
    ALTER = "IncrementalAlterConfigs"

    __hash__ = str.__hash__


@frozen
class TriedBoundary:
    """A boundary value that was tried.

    Attributes:
        boundary: the value.
        way: how it was given.
        code: the error code of the answer.
    """

    boundary: Boundary
    way: ConfigRequest
    code: int

    @property
    def accepted(self) -> bool:
        """Whether the broker took it."""
        return self.code == Error.NONE

    @property
    def differs(self) -> str:
        """How the broker differs from the definition; empty where it does not. A broker may have
        more checks than its definitions state.
        """
        if self.accepted == self.boundary.within:
            return ""
        return "accepted outside" if self.accepted else "refused within"

    def __str__(self) -> str:
        """`topic/segment.bytes = 13 (min - 1), CreateTopics: INVALID_CONFIG`."""
        one = self.boundary
        return f"{one.config.key} = {one.value} ({one.place}), {self.way}: {error_name(self.code)}"


def try_topic_boundaries(admin: Admin) -> Iterator[TriedBoundary]:
    """Each boundary value of each topic config, at creation and by alteration."""
    tried = list(_of(admin, ConfigScope.TOPIC))
    for one in tried:
        name = f"{admin.own}boundary"
        codes = admin.create_topics({name: 1}, {one.config.name: one.value})
        yield TriedBoundary(one, ConfigRequest.CREATE, codes[name])
    with scratch_topic(admin, "altered", 1) as topic:
        for one in tried:
            yield _alter(admin, one, TOPIC, topic)


def try_broker_boundaries(admin: Admin) -> Iterator[TriedBoundary]:
    """Each boundary value of each config of brokers that can be changed while they run, validated
    as the default of the cluster.
    """
    for one in _of(admin, ConfigScope.BROKER):
        if one.config.mode == "cluster-wide":
            change = one.config.name, one.value
            code = admin.set_config(BROKER, "", *change, validate_only=True)
            yield TriedBoundary(one, ConfigRequest.ALTER, code)


def try_group_boundaries(admin: Admin) -> Iterator[TriedBoundary]:
    """Each boundary value of each config of groups; the broker's own bounds may be narrower."""
    group = f"{admin.own}group"
    admin.cluster.ledger.will_make(Kind.GROUP_CONFIG, group)
    for one in _of(admin, ConfigScope.GROUP):
        yield _alter(admin, one, GROUP, group)


def _of(admin: Admin, plane: ConfigScope) -> Iterator[Boundary]:
    for config in configs(admin.version).values():
        if config.plane is plane and not config.internal:
            yield from boundaries(config)


def _alter(admin: Admin, one: Boundary, resource: int, name: str) -> TriedBoundary:
    """Set a value, and take it away again."""
    code = admin.set_config(resource, name, one.config.name, one.value, validate_only=False)
    if code == Error.NONE:
        admin.set_config(resource, name, one.config.name, None, validate_only=False)
    return TriedBoundary(one, ConfigRequest.ALTER, code)


EVERY: Mapping[ConfigScope, Callable[[Admin], Iterator[TriedBoundary]]] = MappingProxyType(
    {
        ConfigScope.TOPIC: try_topic_boundaries,
        ConfigScope.BROKER: try_broker_boundaries,
        ConfigScope.GROUP: try_group_boundaries,
    }
)
"""What tries the boundary values of each plane."""
