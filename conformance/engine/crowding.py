"""How many connections at a time a broker answers on, where a run was lost that holds many."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from conformance.play.background import SIDE_BY_SIDE
from conformance.wire.outcomes import NoAnswer, NotConnected

if TYPE_CHECKING:
    from conformance.cluster import Cluster

HELD = 2 * SIDE_BY_SIDE
"""Connections that a run may hold at the same time: histories of two actors, side by side."""
ANSWER_S = 5.0


def connections_answered(cluster: Cluster, most: int = HELD) -> int:
    """How many connections to a broker are answered on while all of them are open, up to a number;
    0 where none is, since it is gone.
    """
    with ExitStack() as held:
        for number in range(most):
            try:
                connection = held.enter_context(cluster.connect(timeout=ANSWER_S))
                connection.ask("ApiVersions", 0, {})
            except (NotConnected, NoAnswer):
                return number
    return most


def crowded_note(cluster: Cluster) -> str:
    """What to do about a broker that takes fewer connections than a run holds; empty where it does
    not, or is gone.
    """
    answered = connections_answered(cluster)
    if not 0 < answered < HELD:
        return ""
    return (
        f"the broker is still there, and answers on {answered} connections at a time alone: a run "
        f"holds up to {HELD}; raise max.connections, or max.connections.per.ip, and run again"
    )
