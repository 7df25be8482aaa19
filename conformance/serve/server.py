"""The socket side of a served model: frames in, frames out, one request of a connection at a time,
in order.
"""

from __future__ import annotations

import asyncio
import inspect
import struct
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any

from conformance.facts import REQUEST_MAX_BYTES
from conformance.serve.peers import ORDINARY
from conformance.serve.settings import MAX_CONNECTIONS, Settings
from conformance.serve.shares import forget_connections, lose_connection, restart
from conformance.serve.table import API_VERSIONS, APIS, NEWEST_API_VERSIONS, advertised_versions
from conformance.wire.codec import REQUEST_HEADER, EncodeError, Malformed
from spec.kafka import Error

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.serve.broker_state import BrokerState
    from conformance.wire.codec import Codec, Request
    from conformance.wire.definitions import Definitions

FEATURES_SINCE = 3
API_AND_VERSION = struct.Struct(">hh")


class Refused(Exception):  # noqa: N818 - it describes the request
    """A request that no answer is given to: the connection is closed, as Kafka does."""


class Server:
    """Serves the state of a broker on one address.

    Args:
        state: the state.
        codec: Kafka's messages.
        definitions: those of the release that is stood for; what is advertised follows them.

    Attributes:
        heard: is called with every request that could be read, before it is answered; what a client
            has sent can be looked at there.
    """

    def __init__(self, state: BrokerState, codec: Codec, definitions: Definitions) -> None:
        self.heard: Callable[[Request], None] = lambda _: None
        self.state = state
        self.codec = codec
        self.versions = {
            api: state.peer.offered(api, versions)
            for api, versions in advertised_versions(definitions).items()
        }
        self._keys = codec.api_keys
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._server: asyncio.Server | None = None
        self._answered = count()

    async def start(self, host: str, port: int) -> int:
        """Listen; the port.

        Raises:
            OSError: the address can't be listened on.
        """
        self._server = await asyncio.start_server(self._serve, host, port, limit=1 << 20)
        self.state.host = host
        self.state.port = self._server.sockets[0].getsockname()[1]
        return self.state.port

    async def restart(self, settings: Settings) -> None:
        """Close every connection and continue with the same topics under other settings."""
        forget_connections(self.state)
        await self._drop()
        self.state.restart(settings)
        restart(self.state)

    async def stop(self) -> None:
        """Listen no more, and close every connection."""
        if self._server is not None:
            self._server.close()
        await self._drop()

    async def _drop(self) -> None:
        tasks = list(self._connections)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections[task] = writer
        try:
            if len(self._connections) <= self.state.settings.number(MAX_CONNECTIONS):
                await self._answer_all(reader, writer)
        except (
            asyncio.IncompleteReadError,
            ConnectionError,
            Refused,
            Malformed,
            EncodeError,
            asyncio.CancelledError,
        ):
            pass
        finally:
            del self._connections[task]
            lose_connection(self.state, task)
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _answer_all(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            length = int.from_bytes(await reader.readexactly(4), "big", signed=True)
            largest = self.state.leader.longest(self.state.settings.number(REQUEST_MAX_BYTES))
            if not 0 < length <= largest:
                raise Refused(f"a request of {length} bytes; at most {largest} are taken")
            frame = await self._odd_answer(await reader.readexactly(length))
            if frame is not None:
                writer.write(len(frame).to_bytes(4, "big") + frame)
                await writer.drain()

    async def _odd_answer(self, frame: bytes) -> bytes | None:
        """What the peer that this is sends; see `answer`."""
        peer = self.state.peer
        if peer is ORDINARY:
            return await self.answer(frame)
        asked = peer.request(self.codec, frame)
        answer = await self.answer(asked)
        if answer is None:
            return None
        key, version = API_AND_VERSION.unpack_from(frame)
        await asyncio.sleep(peer.delay(next(self._answered)))
        return peer.answer(self.codec, self.codec.api_names[key], version, answer)

    async def answer(self, frame: bytes) -> bytes | None:
        """The response frame to a request frame, both without their length; None where no answer is
        due.

        Raises:
            Refused, Malformed, EncodeError: the connection is to be closed.
        """
        if len(frame) < REQUEST_HEADER.size:
            raise Refused("a request shorter than its header")
        key, version, correlation_id, _ = REQUEST_HEADER.unpack_from(frame)
        name = self.codec.api_names.get(key, "")
        if name == API_VERSIONS:
            return self._api_versions(version, correlation_id)
        if version not in self.versions.get(name, ()):
            raise Refused(f"{name or key} v{version} is not offered")
        request = self.codec.decode_request(frame)
        self.heard(request)
        value = await self._value(request)
        return (
            None
            if value is None
            else self.codec.request(name, version).encode_response(correlation_id, value)
        )

    async def _value(self, request: Request) -> dict[str, Any] | None:
        answer = APIS[request.api].answer(self.state, request)
        return await answer if inspect.isawaitable(answer) else answer

    def _api_versions(self, version: int, correlation_id: int) -> bytes:
        """Answer the offered versions; to one that is not offered, error 35 in version 0, so that
        the client can choose again (KIP-511).
        """
        value: dict[str, Any] = {
            "error_code": 0 if 0 <= version <= NEWEST_API_VERSIONS else Error.UNSUPPORTED_VERSION,
            "api_keys": [
                {
                    "api_key": self._keys[name],
                    "min_version": versions.start,
                    "max_version": versions.stop - 1,
                }
                for name, versions in sorted(
                    self.versions.items(), key=lambda item: self._keys[item[0]]
                )
                if versions
            ],
        }
        if value["error_code"]:
            return self.codec.request(API_VERSIONS, 0).encode_response(correlation_id, value)
        if version >= FEATURES_SINCE:
            value |= self._features({"metadata.version": self.state.settings.metadata_level})
        return self.codec.request(API_VERSIONS, version).encode_response(correlation_id, value)

    @staticmethod
    def _features(levels: Mapping[str, int]) -> dict[str, Any]:
        supported = [
            {"name": name, "min_version": 1, "max_version": level} for name, level in levels.items()
        ]
        finalized = [
            {"name": name, "max_version_level": level, "min_version_level": level}
            for name, level in levels.items()
        ]
        return {
            "supported_features": supported,
            "finalized_features": finalized,
            "finalized_features_epoch": 1,
        }
