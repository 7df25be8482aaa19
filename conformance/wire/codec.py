"""Requests and responses as dicts: the codec for each (API, version), compiled on first use.

A value is a dict keyed by the definition's field names in snake case (`max_wait_ms`,
`partition_max_bytes`); a UUID is 16 bytes, records are bytes. A decoded dict has every field that
the version has, and `"_tags"` (tag to bytes) where a struct carried tagged fields that its
definition doesn't know, and `"_nulls"` where fields of an answer that is judged were null though
they must have a value: they are empty then. Error codes are plain integers.
"""

from __future__ import annotations

from functools import cached_property
from struct import Struct as Packing
from struct import error as StructError  # noqa: N812 - the standard library's name is lower case
from typing import TYPE_CHECKING, Any, NamedTuple

from conformance.wire.decoding import Malformed, decoder
from conformance.wire.encoding import EncodeError, encoder
from conformance.wire.schema import schema
from spec.frozen import frozen
from spec.kafka import Error

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.wire.definitions import Definitions

__all__ = [
    "Codec",
    "Decoded",
    "EncodeError",
    "Encoded",
    "Malformed",
    "MessageCodec",
    "Request",
    "RequestCodec",
]

API_VERSIONS = 18
REQUEST_HEADER = Packing(">hhih")
CORRELATION_ID = Packing(">i")
JUDGED = frozenset(
    {
        "Fetch",
        "ShareFetch",
        "ShareAcknowledge",
        "JoinGroup",
        "SyncGroup",
        "Heartbeat",
        "LeaveGroup",
        "DescribeGroups",
        "ConsumerGroupHeartbeat",
        "ShareGroupHeartbeat",
        "StreamsGroupHeartbeat",
    }
)
"""The APIs whose answers are judged field by field: a null where none is allowed does not keep the
rest of one from being read.
"""
UNSUPPORTED = Error.UNSUPPORTED_VERSION.to_bytes(2, "big")


class Decoded(NamedTuple):
    """A decoded value and the number of bytes left over after it."""

    value: dict[str, Any]
    trailing: int


@frozen
class Request:
    """A request as a server sees it."""

    api: str
    version: int
    correlation_id: int
    client_id: str | None
    body: Decoded


class MessageCodec:
    """One message at one version, without any header."""

    def __init__(
        self, definitions: Definitions, name: str, version: int, *, lenient: bool = False
    ) -> None:
        self.schema = schema(definitions, name, version)
        self._encode = encoder(self.schema)
        self._decode = decoder(self.schema, lenient=lenient)

    def encode(self, value: Mapping[str, Any], prefix: bytes = b"") -> bytes:
        """Encode a value after `prefix`.

        Raises:
            EncodeError: the message can't carry the value at this version.
        """
        return self._encode(value, prefix)

    def decode(self, data: bytes, position: int = 0) -> Decoded:
        """Decode the value that starts at `position`.

        Raises:
            Malformed: the bytes are no such message.
        """
        value, end = self._decode(data, position, len(data))
        return Decoded(value, len(data) - end)


class RequestCodec:
    """A request and its response at one version, with their headers; frames are without the 4 bytes
    of their length.
    """

    def __init__(self, codec: Codec, api: str, version: int) -> None:
        self.api = api
        self.version = version
        self.body = MessageCodec(codec.definitions, f"{api}Request", version)
        self.response = MessageCodec(
            codec.definitions, f"{api}Response", version, lenient=api in JUDGED
        )
        self.api_key = self.body.schema.api_key
        self._codec = codec
        self._flexible = self.body.schema.flexible
        self._tagged_answer = self.response.schema.flexible and self.api_key != API_VERSIONS
        self._client_id: str | None = None
        self._header_tail = b"\0" if self._flexible else b""
        self._client_length = -1

    def encode(self, value: Mapping[str, Any], correlation_id: int, client_id: str | None) -> bytes:
        """A whole request frame: header version 2 where the message is flexible, 1 otherwise, and
        the body.

        Raises:
            EncodeError: the message can't carry the value at this version.
        """
        return self.body.encode(value, self.head(correlation_id, client_id))

    def head(self, correlation_id: int, client_id: str | None) -> bytes:
        """The header of a request frame."""
        if client_id != self._client_id:
            name = (client_id or "").encode()
            self._client_length = -1 if client_id is None else len(name)
            self._header_tail = name + (b"\0" if self._flexible else b"")
            self._client_id = client_id
        head = REQUEST_HEADER.pack(self.api_key, self.version, correlation_id, self._client_length)
        return head + self._header_tail

    def encode_ahead(self, value: Mapping[str, Any]) -> Encoded:
        """A request whose header is not known yet.

        Raises:
            EncodeError: the message can't carry the value at this version.
        """
        return Encoded(self, self.body.encode(value))

    def decode_response(self, frame: bytes) -> tuple[int, Decoded]:
        """Correlation id and body of a response frame.

        An ApiVersions answer always has header version 0, and carries the version 0 body when its
        error is Error.UNSUPPORTED_VERSION (KIP-511).

        Raises:
            Malformed: the bytes are no such response.
        """
        position = 4
        try:
            (correlation_id,) = CORRELATION_ID.unpack_from(frame, 0)
            if self._tagged_answer:
                position = 5 if frame[4] == 0 else _skip_header_tags(self._codec, frame)
        except (StructError, IndexError):
            raise Malformed("response header: the data ends inside it", len(frame)) from None
        response = self.response
        if self.api_key == API_VERSIONS and self.version and frame[4:6] == UNSUPPORTED:
            response = self._codec.request(self.api, 0).response
        return correlation_id, response.decode(frame, position)

    def encode_response(self, correlation_id: int, value: Mapping[str, Any]) -> bytes:
        """A whole response frame, as a server sends it.

        Raises:
            EncodeError: the message can't carry the value at this version.
        """
        head = CORRELATION_ID.pack(correlation_id) + (b"\0" if self._tagged_answer else b"")
        return self.response.encode(value, head)

    def decode_body(self, data: bytes) -> Decoded:
        """The body of a request, as a server reads it."""
        return self.body.decode(data)


@frozen
class Encoded:
    """A request that is encoded before it is known on which connection, and as which request of
    it, it is sent.

    Attributes:
        request: its codec.
        body: the bytes of its body.
    """

    request: RequestCodec
    body: bytes

    def frame(self, correlation_id: int, client_id: str | None) -> bytes:
        """The whole frame, without the 4 bytes of its length."""
        return self.request.head(correlation_id, client_id) + self.body


def _skip_header_tags(codec: Codec, frame: bytes) -> int:
    """The position after a version 1 response header, whose tagged fields nothing uses yet."""
    return len(frame) - codec.message("ResponseHeader", 1).decode(frame).trailing


class Codec:
    """All APIs of some definitions; what is asked for is compiled once and kept."""

    def __init__(self, definitions: Definitions) -> None:
        self.definitions = definitions
        self._requests: dict[tuple[str, int], RequestCodec] = {}
        self._messages: dict[tuple[str, int], MessageCodec] = {}
        self._versions: dict[str, range] = {}

    @property
    def api_names(self) -> Mapping[int, str]:
        """API key to name."""
        return self.definitions.api_names

    def versions(self, api: str) -> range:
        """The versions that the definitions have of an API (`Fetch`), for request and response
        alike.

        Raises:
            DefinitionError: there is no such API.
        """
        known = self._versions.get(api)
        if known is None:
            known = self._versions[api] = self.definitions.versions(f"{api}Request")
        return known

    @cached_property
    def api_keys(self) -> Mapping[str, int]:
        """API name to key."""
        return {name: key for key, name in self.api_names.items()}

    def request(self, api: str, version: int) -> RequestCodec:
        """The codec of one API (`Fetch`) at one version.

        Raises:
            DefinitionError: there is no such API or version.
        """
        known = self._requests.get((api, version))
        if known is None:
            known = self._requests[api, version] = RequestCodec(self, api, version)
        return known

    def message(self, name: str, version: int) -> MessageCodec:
        """The codec of any message by its full name (`EndTxnMarker`, `ConsumerProtocolAssignment`).

        Raises:
            DefinitionError: there is no such message or version.
        """
        known = self._messages.get((name, version))
        if known is None:
            known = self._messages[name, version] = MessageCodec(self.definitions, name, version)
        return known

    def decode_request(self, frame: bytes) -> Request:
        """Read a request frame as a server does.

        Raises:
            Malformed: the header or the body can't be read.
            DefinitionError: an API or version that the definitions don't have.
        """
        if len(frame) < REQUEST_HEADER.size:
            raise Malformed("request header: the data ends inside it", len(frame))
        key, version, _, _ = REQUEST_HEADER.unpack_from(frame)
        request = self.request(self.api_names.get(key, f"(api key {key})"), version)
        header = self.message("RequestHeader", 2 if request.body.schema.flexible else 1).decode(
            frame
        )
        value = header.value
        body = request.body.decode(frame, len(frame) - header.trailing)
        return Request(request.api, version, value["correlation_id"], value["client_id"], body)
