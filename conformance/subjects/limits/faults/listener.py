"""Faults in how many connections of a listener are served."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.limits.faults.fault import DEVIATES, VIOLATES, LimitFault
from spec.limits.listener import ListenerRules
from spec.limits.model import Controller

if TYPE_CHECKING:
    from spec.limits.listener import Listener


def _one_more(listener: Listener) -> bool:
    return listener.served <= listener.limit


def _one_less(listener: Listener) -> bool:
    return listener.served < listener.limit - 1


FAULTS: tuple[LimitFault, ...] = (
    LimitFault(
        "listener-serves-beyond-its-limit",
        "LIM-085",
        VIOLATES,
        "A listener serves one connection more than its max.connections.",
        Controller(listener=ListenerRules(serves=_one_more)),
    ),
    LimitFault(
        "last-connection-of-a-listener-waits",
        "LIM-085",
        VIOLATES,
        "A listener serves one connection less than its max.connections.",
        Controller(listener=ListenerRules(serves=_one_less)),
    ),
    LimitFault(
        "connection-beyond-a-listeners-limit-closed",
        "LIM-086",
        DEVIATES,
        "A connection that a listener has no room for is closed.",
        Controller(listener=ListenerRules(keeps_excess=False)),
    ),
    LimitFault(
        "waiting-connection-forgotten",
        "LIM-087",
        DEVIATES,
        "A connection that waits for its listener is not served where another one is closed.",
        Controller(listener=ListenerRules(serves_waiting=False)),
    ),
    LimitFault(
        "lower-limit-of-a-listener-closes",
        "LIM-088",
        DEVIATES,
        "A max.connections that is lowered closes the connections that are too many.",
        Controller(listener=ListenerRules(closes_excess=True)),
    ),
)
