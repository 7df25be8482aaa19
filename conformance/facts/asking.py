"""The facts of a broker, as it reports them by ApiVersions, Metadata and DescribeConfigs, or as its
user gives them.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING

from conformance.facts.file import NOTHING_GIVEN, VERSION, FactsError, Given
from conformance.facts.inferred import LIST_OFFSETS_API, infer
from conformance.facts.limits import (
    FETCH_MAX_BYTES,
    MORE_LIMITS,
    QUOTA_SAMPLE_S,
    QUOTA_SAMPLES,
    SESSION_SLOTS,
    SHARE_BOUNDS,
    SHARE_LIMITS,
    SHOWN_CONFIGS,
)
from conformance.systems.base import APACHE_KAFKA
from conformance.systems.broker_config import shareable
from conformance.wire.config_numbers import BROKER_RESOURCE
from conformance.wire.outcomes import NoAnswer
from spec.fetch.releases import FetchSemantics
from spec.frozen import frozen
from spec.groups.releases import BROKER_SETTINGS
from spec.kafka import FETCH_API, error_name
from spec.releases import semantics_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from conformance.cluster import Cluster
    from conformance.wire.connection import Connection
    from conformance.wire.negotiation import ApiVersions

UNKNOWN_IMPLEMENTATION = "unknown"
SHARE_FETCH_API = 78
SHARE_APIS = (SHARE_FETCH_API, 79)
"""ShareFetch and ShareAcknowledge."""
_DEFAULT_FETCH_MAX = 57671680
_UNNAMED = (
    "who wrote this broker is not known, so that no shipped finding is applied; "
    'say it in a facts file (--facts), implementation = "my-broker"'
)
_UNNAMED_AS_KAFKA = (
    "it advertises metadata.version as Apache Kafka does, which others do too, so that the "
    "findings of Apache Kafka are not "
    'applied; if it is one, say so in a facts file (--facts), implementation = "apache-kafka"'
)


@frozen
class Facts:
    """The facts of a broker.

    Attributes:
        release: the release of the catalogue that it is judged as, `4.3`.
        kafka_version: the exact version where the system or the facts file names it; otherwise
            None.
        node_id: of the broker whose limits these are.
        fetch_max_bytes: `fetch.max.bytes`, bytes.
        session_slots: `max.incremental.fetch.session.cache.slots`; None where it does not say.
        quota_window_s: the seconds of a whole quota window: `quota.window.num` less one, times
            `quota.window.size.seconds`; None where it does not say.
        oldest_fetch, newest_fetch: the Fetch versions that it advertises, both inclusive.
        shown: harmless facts by name, for the header of a result.
        implementation: `apache-kafka`, another's name from the facts file, or `unknown`.
        notes: what the reader of a run should know of how these were found.
        share_limits: of share groups, by config name, as far as the broker reports them.
        more_limits: those of `MORE_LIMITS`, likewise.
        group_settings: those of `BROKER_SETTINGS`, likewise.
        brokers: how many the cluster has.
        newest_list_offsets: the newest ListOffsets version that it advertises; None where it has
            none.
        share_versions: the versions that it advertises of ShareFetch and ShareAcknowledge alike,
            both inclusive; None where there are none.
    """

    release: str
    kafka_version: str | None
    node_id: int
    fetch_max_bytes: int
    session_slots: int | None
    quota_window_s: int | None
    oldest_fetch: int
    newest_fetch: int
    shown: Mapping[str, str]
    implementation: str = APACHE_KAFKA
    notes: tuple[str, ...] = ()
    share_limits: Mapping[str, int] = field(default_factory=dict)
    more_limits: Mapping[str, int] = field(default_factory=dict)
    group_settings: Mapping[str, int] = field(default_factory=dict)
    brokers: int = 1
    newest_list_offsets: int | None = None
    share_versions: tuple[int, int] | None = None

    @property
    def limits(self) -> Mapping[str, int]:
        """Its limits by config name, in Kafka's units."""
        slots = {} if self.session_slots is None else {SESSION_SLOTS: self.session_slots}
        return {
            FETCH_MAX_BYTES: self.fetch_max_bytes,
            **slots,
            **self.share_limits,
            **self.more_limits,
            **self.group_settings,
        }


def read_facts(
    cluster: Cluster,
    given: Given | None = None,
    *,
    kafka_version: str | None = None,
    implementation: str | None = None,
) -> Facts:
    """Ask a broker for its facts; what a facts file gives goes before what was found.

    Args:
        cluster: the broker that is asked.
        given: the facts file.
        kafka_version: the exact version, where whoever started the broker knows it.
        implementation: who wrote the broker, where whoever started it knows that. It is never
            guessed: a foreign broker would be excused by the findings of Apache Kafka, and failed
            by those that it does not show.

    Raises:
        FactsError: it does not report its `fetch.max.bytes`, and `given` lacks it.
        NoAnswer, NotConnected, MissingApiError: it doesn't answer Metadata.
    """
    given = given or NOTHING_GIVEN
    api_versions = cluster.versions
    with cluster.connect() as connection:
        node_id, brokers = _node_id(cluster, connection)
        configs, refusal = _configs(cluster, connection, node_id)
    configs |= {name: str(value) for name, value in given.limits.items()}
    notes: list[str] = []
    fetch_max_bytes = _fetch_max_bytes(configs, given, refusal)
    if api_versions.unread:
        unread = "; ".join(api_versions.unread)
        notes.append(
            f"the broker's answer to ApiVersions could not be read ({unread}), so it was asked in "
            f"v{api_versions.version}; expected error 35 in version 0 (KIP-511)"
        )
    if SHARE_FETCH_API in api_versions.ranges:
        notes += _missing_share_limits(configs, refusal)
    inferred = infer(api_versions)
    release = given.release or inferred.release
    version = given.kafka_version or kafka_version
    oldest, newest = api_versions.ranges.get(FETCH_API, (0, -1))
    if inferred.note and not given.release:
        notes.append(inferred.note)
    notes += _version_notes(release, oldest, newest)
    if given.release and given.release != inferred.release:
        notes.append(
            f"judged as Kafka {release} by the facts file; what the broker advertises fits "
            f"{inferred.release}"
        )
    implementation = given.implementation or implementation or UNKNOWN_IMPLEMENTATION
    if implementation == UNKNOWN_IMPLEMENTATION:
        notes.append(_UNNAMED_AS_KAFKA if inferred.as_kafka else _UNNAMED)
    return Facts(
        release=release,
        kafka_version=version,
        node_id=node_id,
        fetch_max_bytes=fetch_max_bytes,
        session_slots=_configured_number(SESSION_SLOTS, configs),
        quota_window_s=_quota_window_s(configs),
        oldest_fetch=oldest,
        newest_fetch=newest,
        shown=_displayed_facts(
            release,
            implementation,
            version,
            api_versions,
            {**configs, FETCH_MAX_BYTES: str(fetch_max_bytes)},
        ),
        implementation=implementation,
        notes=tuple(notes),
        share_limits=_numbers((*SHARE_LIMITS, *SHARE_BOUNDS), configs),
        more_limits=_numbers(MORE_LIMITS, configs),
        group_settings=_numbers(BROKER_SETTINGS, configs),
        brokers=brokers,
        newest_list_offsets=api_versions.ranges.get(LIST_OFFSETS_API, (0, None))[1],
        share_versions=_share_versions(api_versions),
    )


def _share_versions(api_versions: ApiVersions) -> tuple[int, int] | None:
    ranges = [api_versions.ranges.get(api, (0, -1)) for api in SHARE_APIS]
    low, high = max(low for low, _ in ranges), min(high for _, high in ranges)
    return (low, high) if low <= high else None


def _version_notes(release: str, oldest: int, newest: int) -> list[str]:
    expected = semantics_for(release).of(FetchSemantics)
    of_release = f"Kafka {release} has v{expected.oldest_fetch} to v{expected.newest_fetch}"
    if newest > expected.newest_fetch or oldest < expected.oldest_fetch:
        return [
            (
                f"the broker advertises Fetch v{oldest} to v{newest}, more than "
                f"{of_release.replace(' has', ', which has')}"
            )
        ]
    if newest < expected.newest_fetch or oldest > expected.oldest_fetch:
        return [
            (
                f"the broker advertises Fetch v{oldest} to v{newest} only; {of_release}. It is "
                "asked "
                "what it advertises"
            )
        ]
    return []


def _node_id(cluster: Cluster, connection: Connection) -> tuple[int, int]:
    """The id of the broker at the cluster's address, otherwise of the first one named, and how many
    there are.
    """
    brokers = connection.ask("Metadata", cluster.version("Metadata", 12), {"topics": []})["brokers"]
    if not brokers:
        raise FactsError(
            "expected a live broker in the Metadata answer, found none; wait until the cluster is "
            "up and try again"
        )
    here = [
        broker
        for broker in brokers
        if (broker["host"], broker["port"]) == (cluster.host, cluster.port)
    ]
    return int((here or brokers)[0]["node_id"]), len(brokers)


def _configs(cluster: Cluster, connection: Connection, node_id: int) -> tuple[dict[str, str], str]:
    """The broker's configs of the allow-list, and why there are none where there are none."""
    usable = cluster.versions.usable(cluster.codec, "DescribeConfigs")
    if not usable:
        return {}, "it does not have the API DescribeConfigs"
    resource = {
        "resource_type": BROKER_RESOURCE,
        "resource_name": str(node_id),
        "configuration_keys": list(SHOWN_CONFIGS),
    }
    try:
        answer = connection.ask("DescribeConfigs", usable[-1], {"resources": [resource]})
    except NoAnswer as problem:
        return {}, str(problem)
    result = next(iter(answer["results"]), None)
    if result is None:
        return {}, "an answer without any resource"
    if result["error_code"]:
        return {}, error_name(result["error_code"])
    return {
        one["name"]: one["value"]
        for one in result["configs"]
        if one["name"] in SHOWN_CONFIGS and one["value"] is not None and not one["is_sensitive"]
    }, ""


def _configured_number(name: str, configs: Mapping[str, str]) -> int | None:
    value = configs.get(name, "")
    return int(value) if re.fullmatch(r"[0-9]{1,10}", value) else None


def _numbers(names: Iterable[str], configs: Mapping[str, str]) -> dict[str, int]:
    """Those of these configs that are reported, and are numbers."""
    found = {name: _configured_number(name, configs) for name in names}
    return {name: value for name, value in found.items() if value is not None}


def _quota_window_s(configs: Mapping[str, str]) -> int | None:
    """None where the broker does not report it."""
    samples, seconds = (
        _configured_number(QUOTA_SAMPLES, configs),
        _configured_number(QUOTA_SAMPLE_S, configs),
    )
    return None if samples is None or seconds is None else (samples - 1) * seconds


def _fetch_max_bytes(configs: Mapping[str, str], given: Given, refusal: str) -> int:
    value = given.limits.get(FETCH_MAX_BYTES, _configured_number(FETCH_MAX_BYTES, configs))
    if value is not None:
        return value
    found = refusal or (
        "no such config" if FETCH_MAX_BYTES not in configs else f"{configs[FETCH_MAX_BYTES]!r:.40}"
    )
    raise FactsError(
        f"expected the broker to report its {FETCH_MAX_BYTES} by DescribeConfigs, found: {found}. "
        "Allow DescribeConfigs on the cluster, "
        "or give the broker's own value in a facts file: --facts FILE with the line "
        f'"{FETCH_MAX_BYTES}" = '
        f"{_DEFAULT_FETCH_MAX} (that is Kafka's default)"
    )


def require_limits(names: Iterable[str], facts: Facts) -> None:
    """Raise FactsError where neither the broker nor a facts file says one of these limits, by which
    all is judged that follows.
    """
    missing = [name for name in names if name not in facts.limits]
    if missing:
        lines = ", ".join(f'"{name}" = NUMBER' for name in missing)
        raise FactsError(
            f"expected the broker to report {', '.join(missing)} by DescribeConfigs, found no such "
            "config; allow DescribeConfigs on the cluster, or give the broker's own values in a "
            f"facts file: --facts FILE with a line for each, {lines}"
        )


def _missing_share_limits(configs: Mapping[str, str], refusal: str) -> list[str]:
    missing = [name for name in SHARE_LIMITS if _configured_number(name, configs) is None]
    if not missing:
        return []
    why = refusal or "no such config"
    return [
        (
            f"the broker does not report {', '.join(missing)} ({why}); a run on share groups asks "
            "for them in a facts file (--facts)"
        )
    ]


def _displayed_facts(
    release: str,
    implementation: str,
    version: str | None,
    api_versions: ApiVersions,
    configs: Mapping[str, str],
) -> Mapping[str, str]:
    oldest, newest = api_versions.ranges.get(FETCH_API, (0, -1))
    shown = {
        "release": release,
        "implementation": implementation,
        "fetch.versions": f"{oldest}-{newest}",
    }
    if version is not None and VERSION.fullmatch(version):
        shown["kafka.version"] = version
    for feature in ("metadata.version", "share.version"):
        if feature in api_versions.supported:
            shown[f"supported.{feature}"] = str(api_versions.supported[feature][1])
    harmless = shareable({name: configs[name] for name in SHOWN_CONFIGS if name in configs})
    return {**shown, **{f"config.{name}": value for name, value in harmless.items()}}
