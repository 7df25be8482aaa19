"""The state of a broker, its codec and its fault, put together and made to listen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from conformance.drafts import patch_definitions
from conformance.serve.broker_state import BrokerState
from conformance.serve.server import Server
from conformance.systems.jars import available_versions, clients_jar
from conformance.wire.codec import Codec
from conformance.wire.definitions import Definitions

if TYPE_CHECKING:
    from conformance.serve.settings import Settings


class ModelFault(Protocol):
    """A way for a served model to be wrong."""

    def plant(self, state: BrokerState) -> None:
        """Put it into a model that is not served yet."""
        ...


async def listening(settings: Settings, host: str, port: int, fault: ModelFault | None) -> Server:
    """A server that listens on an address; port 0 takes a free one.

    Raises:
        OSError: the address can't be listened on.
    """
    versions = available_versions()
    messages = patch_definitions(
        Definitions.from_jars([clients_jar(versions[-1]), clients_jar(versions[0])]), settings.draft
    )
    offered = patch_definitions(
        Definitions.from_jars([clients_jar(settings.kafka)]), settings.draft
    )
    codec = Codec(messages)
    state = BrokerState(settings)
    if fault is not None:
        fault.plant(state)
    server = Server(state, codec, offered)
    await server.start(host, port)
    return server
