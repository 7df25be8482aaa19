"""What a broker says of itself: the release it is judged as, and its limits."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from conformance.wire.outcomes import NoAnswer
from spec.semantics import NEWEST_RELEASE, RELEASES, Semantics, semantics_for

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from conformance.cluster import Cluster

BROKER = 4
"""The config resource type of a broker."""
FETCH_MAX_BYTES = "fetch.max.bytes"
SESSION_SLOTS = "max.incremental.fetch.session.cache.slots"

METADATA_LEVELS = {25: "4.0", 27: "4.1", 29: "4.2", 30: "4.3", 33: "4.4"}
"""The highest `metadata.version` that each release supports, read off 4.0.2, 4.1.2, 4.2.2, 4.3.1 and 4.4.0."""


class FactsError(Exception):
    """A facts file that can't be used, or a fact that is missing. The message names the mend."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of the broker.

    Attributes:
        release: the Kafka release it is judged as, `4.3`.
        limits: its limits by config name, in Kafka's units.
        notes: what the reader should know of how these were found.
    """

    release: str
    limits: Mapping[str, int]
    notes: tuple[str, ...] = ()
    shown: Mapping[str, str] = field(default_factory=dict)

    @property
    def semantics(self) -> Semantics:
        """The semantics that the broker is judged by."""
        semantics = semantics_for(self.release)
        return replace(
            semantics,
            fetch_max_bytes=self.limits.get(FETCH_MAX_BYTES, semantics.fetch_max_bytes),
            session_slots=self.limits.get(SESSION_SLOTS, semantics.session_slots),
        )


def inferred_release(cluster: Cluster) -> tuple[str, str]:
    """The release that a broker's advertised APIs and features point to, and what was looked at."""
    newest_fetch = cluster.versions.ranges.get(1, (0, -1))[1]
    level = cluster.versions.supported.get("metadata.version", (0, 0))[1]
    if level:
        below = [known for known in METADATA_LEVELS if known <= level]
        release = METADATA_LEVELS[max(below)] if below else "4.0"
        return release, f"metadata.version up to {level}"
    return ("4.0" if newest_fetch < 18 else NEWEST_RELEASE), f"Fetch up to v{newest_fetch}, no metadata.version"


def read_facts(cluster: Cluster, given: Mapping[str, Any] | None = None) -> Facts:
    """Ask the broker for its limits and infer its release; what is `given` (a facts file) counts instead.

    Raises:
        FactsError: the limits can't be read and are not given.
    """
    given = dict(given or {})
    release, evidence = inferred_release(cluster)
    notes = [f"judged as Kafka {given.get('release', release)} ({'given' if 'release' in given else evidence})"]
    limits = {name: int(value) for name, value in given.get("limits", {}).items()}
    missing = [name for name in (FETCH_MAX_BYTES, SESSION_SLOTS) if name not in limits]
    if missing:
        limits |= _described(cluster, missing, notes)
    if FETCH_MAX_BYTES not in limits:
        raise FactsError(
            f"expected DescribeConfigs to tell {FETCH_MAX_BYTES}, it did not; "
            f'give it in a facts file: --facts FILE with [limits] and "{FETCH_MAX_BYTES}" = 57671680'
        )
    judged = str(given.get("release", release))
    newest = cluster.versions.ranges.get(1, (0, -1))[1]
    if newest != semantics_for(judged).newest_fetch:
        notes.append(f"it offers Fetch up to v{newest}, Kafka {judged} up to v{semantics_for(judged).newest_fetch}")
    return Facts(judged, limits, tuple(notes), {name: str(value) for name, value in limits.items()})


def _described(cluster: Cluster, names: list[str], notes: list[str]) -> dict[str, int]:
    try:
        with cluster.connect() as connection:
            metadata = connection.ask("Metadata", cluster.version("Metadata", 12), {"topics": []})
            node = next(iter(metadata["brokers"]), {"node_id": 0})["node_id"]
            resource = {"resource_type": BROKER, "resource_name": str(node), "configuration_keys": names}
            answer = connection.ask("DescribeConfigs", cluster.version("DescribeConfigs", 4), {"resources": [resource]})
    except NoAnswer as failed:
        notes.append(f"DescribeConfigs was not answered: {failed}")
        return {}
    result = answer["results"][0]
    if result["error_code"]:
        notes.append(f"DescribeConfigs was refused with error {result['error_code']}")
    return {entry["name"]: int(entry["value"]) for entry in result["configs"] or () if (entry["value"] or "").lstrip("-").isdigit()}


def read_facts_file(path: Path) -> dict[str, Any]:
    """Read a facts file (TOML): `release = "4.3"` and a table `[limits]` of config names.

    Raises:
        FactsError: unreadable, no TOML, or with keys or values that mean nothing.
    """
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as failed:
        raise FactsError(f"expected a facts file in TOML at {path}, found: {failed}") from failed
    if strange := set(given) - {"release", "limits"}:
        raise FactsError(f"{path}: expected only release and [limits], found {', '.join(sorted(strange))}")
    if "release" in given and given["release"] not in RELEASES:
        raise FactsError(f"{path}: expected a release of {', '.join(RELEASES)}, found {given['release']!r}")
    limits = given.get("limits", {})
    if not isinstance(limits, dict) or not all(isinstance(value, int) and not isinstance(value, bool) for value in limits.values()):
        raise FactsError(f"{path}: expected whole numbers under [limits], found {limits!r:.80}")
    return given
