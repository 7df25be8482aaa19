"""A world, its codec and its fault put together and made to listen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.drafts import patched
from conformance.serve.server import Server
from conformance.serve.world import World
from conformance.subjects.fetch.faults.fault import Fault
from conformance.subjects.share.fault import ShareFault
from conformance.systems.jars import available_versions, clients_jar
from conformance.wire.codec import Codec
from conformance.wire.definitions import Definitions

if TYPE_CHECKING:
    from conformance.faults.planted import PlantedFault
    from conformance.serve.settings import Settings


async def listening(settings: Settings, host: str, port: int, fault: PlantedFault | None) -> Server:
    """A server that listens on an address; port 0 takes a free one.

    Raises:
        OSError: the address can't be listened on.
    """
    versions = available_versions()
    messages = patched(Definitions.from_jars([clients_jar(versions[-1]), clients_jar(versions[0])]), settings.draft)
    offered = patched(Definitions.from_jars([clients_jar(settings.kafka)]), settings.draft)
    codec = Codec(messages)
    world = World(settings)
    if isinstance(fault, ShareFault):
        world.shares.sharing = fault.sharing
    elif isinstance(fault, Fault):
        world.answering = fault.answering
    server = Server(world, codec, offered)
    await server.start(host, port)
    return server
