"""A request that asks for no answer: whether one comes, or the connection is closed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from conformance.play.connection import authenticate
from conformance.play.silence import CONTROL_S, answers_control
from conformance.wire.encoding import unsigned_varint
from spec.outcomes import Closed, Garbled, Outcome, Silent
from spec.produce.outcomes import NoAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.cluster import Cluster
    from spec.produce.steps import Produce

PRODUCE_ID, CONTROL_ID = 1, 2
"""Correlation ids of the request and of the one that is sent behind it on the same connection."""
CLIENT_ID = "fencepost"
TAGS = (10_000, 3_000_000)
"""Tags of fields that no message has; one of them gives each length."""
CHUNK = 1 << 16
ALONE_S = 60.0
"""How long a request that may be very long is waited for, seconds."""
LARGEST_ANSWER = 1 << 20


def pad_request(frame: bytes, length: int) -> tuple[bytes, int]:
    """A flexible request that has so many bytes: a tagged field that no broker knows is put behind
    the others, of which there are none.

    Returns:
        Its first bytes, and how many zeros follow them.

    Raises:
        ValueError: it is too long already.
    """
    body = frame[:-1]
    for tag in TAGS:
        for wide in range(1, 6):
            head = body + unsigned_varint(1) + unsigned_varint(tag)
            size = length - len(head) - wide
            if size >= 0 and len(unsigned_varint(size)) == wide:
                return head + unsigned_varint(size), size
    raise ValueError(f"expected fewer than {length} bytes, found {len(frame)}")


async def send_alone(
    cluster: Cluster,
    step: Produce,
    value: Mapping[str, Any],
    read: Callable[[Mapping[str, Any]], Outcome],
) -> Outcome:
    """Send a Produce request on a connection of its own, which may be closed for its length; the
    answer to it goes through `read`.
    """
    request = cluster.codec.request("Produce", step.version)
    frame, zeros = request.encode(value, PRODUCE_ID, CLIENT_ID), 0
    if step.length:
        frame, zeros = pad_request(frame, step.length)
    try:
        async with asyncio.timeout(ALONE_S):
            answer = await _first_answer(cluster, (frame,), zeros)
    except TimeoutError:
        return Silent(round(ALONE_S * 1000), control_answered=await answers_control(cluster))
    except (OSError, asyncio.IncompleteReadError) as ended:
        reason = type(ended).__name__
        return Closed(reason, control_answered=await answers_control(cluster))
    return read(request.decode_response(answer)[1].value)


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


async def _first_answer(cluster: Cluster, frames: tuple[bytes, ...], zeros: int = 0) -> bytes:
    """The first frame that comes back of these, the last of which is continued by zeros."""
    reader, writer = await asyncio.open_connection(
        cluster.host, cluster.port, ssl=cluster.security.ssl_context, limit=LARGEST_ANSWER
    )

    async def send(data: bytes) -> None:
        writer.write(data)
        await writer.drain()

    try:
        if cluster.security.sasl is not None:
            await authenticate(cluster, send, reader.readexactly)
        for frame in frames:
            length = len(frame) + (zeros if frame is frames[-1] else 0)
            writer.write(length.to_bytes(4, "big") + frame)
        await writer.drain()
        for start in range(0, zeros, CHUNK):
            writer.write(bytes(min(CHUNK, zeros - start)))
            await writer.drain()
        size = int.from_bytes(await reader.readexactly(4), "big")
        return await reader.readexactly(min(size, LARGEST_ANSWER))
    finally:
        writer.close()
