"""A request that asks for no answer: whether one comes, or the connection is closed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from conformance.play.silence import CONTROL_S, answers_control
from spec.outcomes import Closed, Garbled, Outcome, Silent
from spec.produce.outcomes import NoAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.cluster import Cluster

PRODUCE_ID, CONTROL_ID = 1, 2
"""Correlation ids of the request and of the one that is sent behind it on the same connection."""
CLIENT_ID = "fencepost"
LARGEST_ANSWER = 1 << 20


async def send_without_answer(
    cluster: Cluster,
    version: int,
    value: Mapping[str, Any],
    read: Callable[[Mapping[str, Any]], Outcome],
) -> Outcome:
    """Send a Produce request with acks=0 on a connection of its own, and a control request behind
    it.

    Returns:
        `NoAnswer` where the control request is answered first, otherwise what became of the
        Produce request; an answer to it goes through `read`.
    """
    produce = cluster.codec.request("Produce", version)
    control = cluster.codec.request("ApiVersions", 0)
    frames = (
        produce.encode(value, PRODUCE_ID, CLIENT_ID),
        control.encode({}, CONTROL_ID, CLIENT_ID),
    )
    try:
        async with asyncio.timeout(CONTROL_S):
            frame = await _first_answer(cluster, frames)
    except TimeoutError:
        return Silent(round(CONTROL_S * 1000), control_answered=await answers_control(cluster))
    except (OSError, asyncio.IncompleteReadError) as ended:
        reason = type(ended).__name__
        return Closed(reason, control_answered=await answers_control(cluster))
    correlation_id = int.from_bytes(frame[:4], "big")
    if correlation_id == CONTROL_ID:
        return NoAnswer()
    if correlation_id != PRODUCE_ID:
        return Garbled(f"an answer with correlation id {correlation_id}")
    return read(produce.decode_response(frame)[1].value)


async def _first_answer(cluster: Cluster, frames: tuple[bytes, ...]) -> bytes:
    """The first frame that comes back of these."""
    reader, writer = await asyncio.open_connection(
        cluster.host, cluster.port, ssl=cluster.ssl_context, limit=LARGEST_ANSWER
    )
    try:
        for frame in frames:
            writer.write(len(frame).to_bytes(4, "big") + frame)
        await writer.drain()
        size = int.from_bytes(await reader.readexactly(4), "big")
        return await reader.readexactly(min(size, LARGEST_ANSWER))
    finally:
        writer.close()
