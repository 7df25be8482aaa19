"""A planted fault of a controller: a change of what decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from spec.frozen import frozen
from spec.limits.model import Controller, growth_error, name_error, shape_error

if TYPE_CHECKING:
    from conformance.serve.broker_state import BrokerState
    from spec.kafka import Error
    from spec.limits.releases import LimitSemantics
    from spec.limits.topic import RequestedTopic, Topic, Topics

VIOLATES, DEVIATES, CONFORMS = Expected.VIOLATES, Expected.DEVIATES, Expected.CONFORMS


@frozen
class LimitFault:
    """A way for a controller to be wrong, or different; see `PlantedFault`."""

    name: str
    clause: str
    expected: Expected
    summary: str
    controller: Controller

    def plant(self, state: BrokerState) -> None:
        """Make a served model wrong in this way."""
        state.controller = self.controller


def replace_code(old: Error, new: Error) -> Controller:
    """The controller answers another code."""

    def naming(name: str, topics: Topics) -> Error:
        found = name_error(name, topics)
        return new if found is old else found

    def shaping(wanted: RequestedTopic, semantics: LimitSemantics) -> Error:
        found = shape_error(wanted, semantics)
        return new if found is old else found

    def growing(count: int, topic: Topic | None) -> Error:
        found = growth_error(count, topic)
        return new if found is old else found

    return Controller(naming=naming, shaping=shaping, growing=growing)
