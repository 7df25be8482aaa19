"""What a broker says it can do: the ApiVersions exchange."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.wire.codec import Codec
    from conformance.wire.connection import Connection

API_VERSIONS = 18
UNSUPPORTED_VERSION = 35
NEWEST = 4
"""The ApiVersions version to begin with: version 5 would have the broker check a cluster and node
id (KIP-1242).
"""


@dataclass(frozen=True, slots=True)
class ApiVersions:
    """A broker's answer.

    Attributes:
        error_code: of the answer that counted; 0 where all is well.
        version: the ApiVersions version that it was asked with.
        ranges: API key to (lowest, highest) version, both inclusive.
        supported, finalized: feature name to (lowest, highest) level, both inclusive.
        finalized_epoch: -1 where unknown.
    """

    error_code: int
    version: int
    ranges: Mapping[int, tuple[int, int]]
    supported: Mapping[str, tuple[int, int]]
    finalized: Mapping[str, tuple[int, int]]
    finalized_epoch: int

    def usable(self, codec: Codec, api: str) -> range:
        """The versions of an API that both the broker and our definitions have; empty where
        none.
        """
        known = codec.versions(api)
        key = next((key for key, name in codec.api_names.items() if name == api), None)
        low, high = self.ranges.get(-1 if key is None else key, (0, -1))
        return range(max(low, known.start), min(high + 1, known.stop))


def negotiate(connection: Connection) -> ApiVersions:
    """Ask what the broker supports, as a client that doesn't know it yet does (KIP-511).

    The first question is version 4; to UNSUPPORTED_VERSION (35) follows a second one, in the
    highest version that the answer names, otherwise in version 0.

    Raises:
        NoAnswer: the broker closed the connection, stayed silent or sent something else.
    """
    version = min(NEWEST, connection.codec.versions("ApiVersions").stop - 1)
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
