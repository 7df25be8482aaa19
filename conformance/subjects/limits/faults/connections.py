"""Faults in how many connections of one address are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.limits.faults.fault import DEVIATES, VIOLATES, LimitFault
from spec.limits.connections import PER_ADDRESS, ConnectionRules
from spec.limits.model import Controller

if TYPE_CHECKING:
    from spec.limits.connections import Serves


def _change_serving(serves: Serves) -> Controller:
    return Controller(connections=ConnectionRules(serves=serves))


FAULTS: tuple[LimitFault, ...] = (
    LimitFault(
        "connection-beyond-the-limit",
        "LIM-080",
        VIOLATES,
        "An address has one connection more than max.connections.per.ip.",
        _change_serving(lambda own, _: own.held < own.most + (own.limit is None)),
    ),
    LimitFault(
        "last-connection-closed",
        "LIM-080",
        VIOLATES,
        "An address has one connection less than max.connections.per.ip.",
        _change_serving(lambda own, _: own.held < own.most - (own.limit is None)),
    ),
    LimitFault(
        "connection-beyond-an-own-limit",
        "LIM-081",
        VIOLATES,
        "An address with a limit of its own has one connection more than that.",
        _change_serving(lambda own, _: own.held < own.most + (own.limit is not None)),
    ),
    LimitFault(
        "own-limit-ignored",
        "LIM-081",
        VIOLATES,
        "The limit of a single address is ignored: all have max.connections.per.ip.",
        _change_serving(lambda own, _: own.held < PER_ADDRESS),
    ),
    LimitFault(
        "own-limit-raises-only",
        "LIM-081",
        VIOLATES,
        "The limit of a single address counts only where it is above max.connections.per.ip.",
        _change_serving(lambda own, _: own.held < max(own.most, PER_ADDRESS)),
    ),
    LimitFault(
        "closed-connections-count",
        "LIM-082",
        VIOLATES,
        "Connections that were closed count for their address.",
        _change_serving(lambda own, _: own.held + own.closed < own.most),
    ),
    LimitFault(
        "connections-of-all-addresses-count",
        "LIM-083",
        VIOLATES,
        "Connections of all addresses count for each.",
        _change_serving(lambda own, others: own.held + others < own.most),
    ),
    LimitFault(
        "lower-limit-closes",
        "LIM-084",
        DEVIATES,
        "A limit that is lowered closes the connections that are too many.",
        Controller(connections=ConnectionRules(closes_excess=True)),
    ),
)
