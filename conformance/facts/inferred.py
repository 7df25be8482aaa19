"""The release that a broker is nearest to, by what it advertises."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from spec.frozen import frozen
from spec.kafka import FETCH_API

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.wire.negotiation import ApiVersions

METADATA_LEVELS: Mapping[int, str] = {25: "4.0", 27: "4.1", 29: "4.2", 30: "4.3", 33: "4.4"}
"""The highest `metadata.version` level that a release supports, measured on 4.0.2, 4.1.2, 4.2.2,
4.3.1 and 4.4.0.
"""
LIST_OFFSETS_API = 2


@frozen
class Inferred:
    """The release that the advertised versions and features point to.

    Attributes:
        release: the release of the catalogue that is nearest.
        as_kafka: it advertises a `metadata.version` as Apache Kafka does. Others copy that, so it
            does not say who wrote it.
        note: what is doubtful about the release.
    """

    release: str
    as_kafka: bool
    note: str = ""


def infer(api_versions: ApiVersions) -> Inferred:
    """The release that a broker is nearest to, by what it advertises.

    The level of the feature `metadata.version` names an Apache release; one between two releases is
    the older one's. A broker without it is placed by its newest Fetch version, then ListOffsets,
    then `share.version`.
    """
    level = api_versions.supported.get("metadata.version", (0, 0))[1]
    if level in METADATA_LEVELS:
        return Inferred(METADATA_LEVELS[level], as_kafka=True)
    if level >= min(METADATA_LEVELS):
        known = sorted(METADATA_LEVELS)
        release = METADATA_LEVELS[known[bisect_right(known, level) - 1]]
        note = (
            f"judged as Kafka {release}, inferred: metadata.version {level} is that of no release "
            "known here"
        )
        return Inferred(release, as_kafka=True, note=note)
    release = _by_versions(api_versions)
    newest = api_versions.ranges.get(FETCH_API, (0, -1))[1]
    note = (
        f"judged as Kafka {release}, inferred from Fetch v{newest}: the broker names no known "
        "metadata.version"
    )
    return Inferred(
        release, as_kafka=False, note=f"{note}; a facts file (--facts) can name the release"
    )


def _by_versions(api_versions: ApiVersions) -> str:
    if api_versions.ranges.get(FETCH_API, (0, -1))[1] < 18:
        return "4.0"
    if api_versions.supported.get("share.version", (0, 0))[1] >= 2:
        return "4.4"
    return "4.2" if api_versions.ranges.get(LIST_OFFSETS_API, (0, -1))[1] >= 11 else "4.1"
