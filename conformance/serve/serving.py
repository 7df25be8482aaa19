"""A world, its codec and its fault put together and made to listen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.draft.definitions import with_max_records
from conformance.serve.server import Server
from conformance.serve.world import World
from conformance.systems.jars import available_versions, clients_jar
from conformance.wire.codec import Codec
from conformance.wire.definitions import Definitions

if TYPE_CHECKING:
    from conformance.serve.settings import Settings


async def listening(settings: Settings, host: str, port: int, fault: str | None) -> Server:
    """A server that listens on an address; port 0 takes a free one.

    Raises:
        UnknownFaultError: no fault has that name.
        OSError: the address can't be listened on.
    """
    from conformance.faults import find  # noqa: PLC0415 - not needed by a faultless model
    from conformance.subjects.share.fault import ShareFault  # noqa: PLC0415

    versions = available_versions()
    messages = Definitions.from_jars([clients_jar(versions[-1]), clients_jar(versions[0])])
    offered = Definitions.from_jars([clients_jar(settings.kafka)])
    if settings.draft is not None:
        messages, offered = with_max_records(messages, settings.draft), with_max_records(offered, settings.draft)
    codec = Codec(messages)
    world = World(settings)
    if fault is not None:
        planted = find(fault)
        if isinstance(planted, ShareFault):
            world.shares.sharing = planted.sharing
        else:
            world.answering = planted.answering
    server = Server(world, codec, offered)
    await server.start(host, port)
    return server
