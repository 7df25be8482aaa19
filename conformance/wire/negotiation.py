"""The versions that a broker supports: the ApiVersions exchange."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from conformance.wire.outcomes import NoAnswer, Silent
from spec.frozen import frozen, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from conformance.wire.codec import Codec
    from conformance.wire.connection import Connection

API_VERSIONS = 18
UNSUPPORTED_VERSION = 35
NEWEST = 4
"""The ApiVersions version to begin with: version 5 would have the broker check a cluster and node
id (KIP-1242).
"""
TRIED = (NEWEST, 2, 0)
"""The versions to try, each on a connection of its own, where the one before has no answer that can
be read: the newest, the newest without tagged fields, the oldest.
"""

ASK_VERSIONS = struct.pack(">ihhih", 10, API_VERSIONS, 0, 1, -1)
"""The frame of an ApiVersions request of version 0 without a client id."""
KIP_511 = (
    "A broker that does not know the version of ApiVersions answers in version 0 with error "
    f"{UNSUPPORTED_VERSION} (UNSUPPORTED_VERSION) and names the versions that it has (KIP-511); "
    "see whether this is the port of a Kafka broker, and whether it wants TLS or SASL "
    "(--command-config)"
)


class NoApiVersions(NoAnswer):
    """ApiVersions has no answer that can be read in any version."""

    def __init__(self, tried: Sequence[NoAnswer]) -> None:
        first, *others = tried
        super().__init__(first.api, first.version, first.outcome)
        found = "".join([f"; to v{one.version}: {one.outcome}" for one in others])
        self.args = (f"{self}{found}. {KIP_511}",)


@frozen
class ApiVersions:
    """A broker's answer.

    Attributes:
        error_code: of the answer that counted; 0 where all is well.
        version: the ApiVersions version that it was asked with.
        ranges: API key to (lowest, highest) version, both inclusive.
        supported, finalized: feature name to (lowest, highest) level, both inclusive.
        finalized_epoch: -1 where unknown.
        unread: the versions tried before, whose answers could not be read, with what came; empty
            where the first one could.
    """

    error_code: int
    version: int
    ranges: Mapping[int, tuple[int, int]]
    supported: Mapping[str, tuple[int, int]]
    finalized: Mapping[str, tuple[int, int]]
    finalized_epoch: int
    unread: tuple[str, ...] = ()

    def usable(self, codec: Codec, api: str) -> range:
        """The versions of an API that both the broker and our definitions have; empty where
        none.
        """
        known, offered = codec.versions(api), self.advertised(codec, api)
        return range(max(offered.start, known.start), min(offered.stop, known.stop))

    def advertised(self, codec: Codec, api: str) -> range:
        """The versions of an API that the broker has, as it says; empty where none."""
        low, high = self.ranges.get(codec.api_keys.get(api, -1), (0, -1))
        return range(low, high + 1)


def negotiate_by(connect: Callable[[], Connection]) -> ApiVersions:
    """Ask what the broker supports, in lower versions too where it closes the connection or sends
    what can't be read, each on a new connection.

    Raises:
        NotConnected: no connection could be made.
        NoAnswer: it stayed silent.
        NoApiVersions: no version has an answer that can be read.
    """
    failed: list[NoAnswer] = []
    for version in TRIED:
        with connect() as connection:
            try:
                found = negotiate(connection, version)
            except NoAnswer as no_answer:
                failed.append(no_answer)
                if isinstance(no_answer.outcome, Silent):
                    break
            else:
                unread = tuple([f"v{one.version}: {one.outcome}" for one in failed])
                return replace(found, unread=unread)
    if len(failed) == 1:
        raise failed[0]
    raise NoApiVersions(failed)


def negotiate(connection: Connection, newest: int = NEWEST) -> ApiVersions:
    """Ask what the broker supports, as a client that doesn't know it yet does (KIP-511).

    The first question is version `newest`; to UNSUPPORTED_VERSION (35) follows a second one, in the
    highest version that the answer names, otherwise in version 0.

    Raises:
        NoAnswer: the broker closed the connection, stayed silent or sent something else.
    """
    version = min(newest, connection.codec.versions("ApiVersions").stop - 1)
    answer = _ask(connection, version)
    if answer["error_code"] == UNSUPPORTED_VERSION:
        named = {each["api_key"]: each["max_version"] for each in answer["api_keys"]}
        version = max(0, min(version, named.get(API_VERSIONS, 0)))
        answer = _ask(connection, version)
    return ApiVersions(
        error_code=answer["error_code"],
        version=version,
        ranges={
            each["api_key"]: (each["min_version"], each["max_version"])
            for each in answer["api_keys"]
        },
        supported={
            each["name"]: (each["min_version"], each["max_version"])
            for each in answer.get("supported_features", ())
        },
        finalized={
            each["name"]: (each["min_version_level"], each["max_version_level"])
            for each in answer.get("finalized_features", ())
        },
        finalized_epoch=answer.get("finalized_features_epoch", -1),
    )


def _ask(connection: Connection, version: int) -> dict[str, Any]:
    software = (
        {"client_software_name": "fencepost", "client_software_version": "1"}
        if version >= 3
        else {}
    )
    return connection.ask("ApiVersions", version, software)
