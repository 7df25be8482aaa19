"""The observation where no answer came: a control request on another connection says whether the
broker is still there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.play.connection import AsyncConnection
from conformance.wire import outcomes
from spec.outcomes import Closed, Garbled, Outcome, Silent

if TYPE_CHECKING:
    from conformance.cluster import Cluster

SILENCE_S = 30.0
"""How long after a request's own max_wait its answer is given up."""
CONTROL_S = 10.0


async def observed_end(
    cluster: Cluster,
    outcome: outcomes.Closed | outcomes.Silent | outcomes.Garbled,
    max_wait_s: float = 0.0,
) -> Outcome:
    """Report the end of a request without an answer; `max_wait_s` of a silence were the request's
    own.
    """
    if isinstance(outcome, outcomes.Garbled):
        return Garbled(outcome.reason)
    if isinstance(outcome, outcomes.Closed):
        return Closed(outcome.reason, control_answered=await answers_control(cluster))
    waited_ms = round((outcome.waited - max_wait_s) * 1000)
    return Silent(waited_ms, control_answered=await answers_control(cluster))


async def answers_control(cluster: Cluster) -> bool:
    """Whether a plain ApiVersions request on a fresh connection is answered within seconds."""
    try:
        connection = await AsyncConnection.open(cluster, CONTROL_S)
    except outcomes.NotConnected:
        return False
    try:
        await connection.ask("ApiVersions", 0, {}, CONTROL_S)
    except outcomes.NoAnswer:
        return False
    finally:
        connection.close()
    return True
