"""The table of configs: what each release has, its bounds, and what moved."""

import pytest

from spec.limits.catalogue import UnknownLimitError, find_limit
from spec.limits.config_table import VERSIONS
from spec.limits.configs import (
    Config,
    ConfigDifference,
    ConfigScope,
    Range,
    UnknownReleaseError,
    configs,
    constants,
    moves,
)
from spec.limits.entries import LIMITS

COUNTS = {
    "4.0.2": (306, 33, 6),
    "4.1.2": (336, 34, 10),
    "4.2.2": (342, 35, 11),
    "4.3.1": (360, 34, 17),
    "4.4.0": (379, 38, 27),
}
"""Configs of brokers, topics and groups, as counted on each release by other means."""


@pytest.mark.parametrize("version", VERSIONS)
def test_a_release_has_so_many_configs(version: str) -> None:
    found = [config.plane for config in configs(version).values()]
    assert (
        tuple(
            found.count(plane)
            for plane in (ConfigScope.BROKER, ConfigScope.TOPIC, ConfigScope.GROUP)
        )
        == COUNTS[version]
    )
    assert found.count(ConfigScope.PRODUCER) > 60
    assert found.count(ConfigScope.CONSUMER) > 60


@pytest.mark.parametrize(
    ("version", "key", "bounds"),
    [
        ("4.0.2", "topic/segment.bytes", Range(14, 2**31 - 1)),
        ("4.1.2", "topic/segment.bytes", Range(2**20, 2**31 - 1)),
        ("4.3.1", "topic/compression.gzip.level", Range(1, 9, -1)),
        ("4.3.1", "topic/compression.zstd.level", Range(-131072, 22)),
        ("4.3.1", "topic/min.cleanable.dirty.ratio", Range(0, 1)),
        ("4.3.1", "topic/retention.ms", Range(-1, 2**63 - 1)),
        ("4.3.1", "topic/retention.bytes", Range(-(2**63), 2**63 - 1)),
        ("4.2.2", "topic/max.decompressed.message.bytes", Range(1, 2**31 - 9)),
        ("4.0.2", "broker/metadata.log.segment.bytes", Range(12, 2**31 - 1)),
        ("4.4.0", "broker/metadata.log.segment.bytes", Range(8388608, 2**31 - 1)),
        ("4.3.1", "broker/fetch.max.bytes", Range(1024, 2**31 - 1)),
        ("4.3.1", "broker/share.coordinator.snapshot.update.records.per.snapshot", Range(0, 500)),
    ],
)
def test_bounds_are_those_of_the_validator_and_the_type(
    version: str, key: str, bounds: Range
) -> None:
    assert configs(version)[key].bounds == bounds


def test_a_younger_release_of_an_older_line_has_what_others_lack() -> None:
    having = {v for v in VERSIONS if "topic/max.decompressed.message.bytes" in configs(v)}
    assert having == {"4.2.2", "4.4.0"}


def test_a_default_lies_within_its_bounds() -> None:
    for version in VERSIONS:
        for config in configs(version).values():
            if config.numeric and config.default is not None:
                assert _holds(config), (version, config)


def _holds(config: Config) -> bool:
    text, bounds = config.default or "0", config.bounds
    number = float(text) if config.type == "DOUBLE" else int(text)
    inside = (bounds.least is None or bounds.least <= number) and (
        bounds.greatest is None or number <= bounds.greatest
    )
    return inside or number == bounds.besides


def test_what_moved_is_named_with_both_sides() -> None:
    found = list(moves("4.0.2", "4.3.1"))
    assert (
        ConfigDifference("topic/segment.bytes", "validator", "[14,...]", "[1048576,...]") in found
    )
    assert (
        ConfigDifference(
            "broker/group.share.max.groups", "removed", "SHORT, default '10', [1,...,100]", ""
        )
        in found
    )
    assert (
        ConfigDifference("broker/group.share.partition.max.record.locks", "default", "200", "2000")
        in found
    )
    assert not list(moves("4.3.1", "4.3.1"))
    back = [(one.key, one.what, one.after, one.before) for one in moves("4.3.1", "4.0.2")]
    turned = {"added": "removed", "removed": "added"}
    assert back == [
        (one.key, turned.get(one.what, one.what), one.before, one.after) for one in found
    ]


def test_a_release_without_a_table_is_refused() -> None:
    with pytest.raises(UnknownReleaseError, match="expected an exact release"):
        configs("4.3")
    with pytest.raises(UnknownReleaseError, match="expected an exact release"):
        constants("9.9.9")


def test_a_limit_is_found_by_its_name_with_or_without_its_plane() -> None:
    assert find_limit("segment-file", "4.3.1") in LIMITS
    assert find_limit("segment.bytes", "4.3.1") is find_limit("topic/segment.bytes", "4.3.1")
    assert find_limit("topic/retention.bytes", "4.3.1") == configs("4.3.1")["topic/retention.bytes"]
    with pytest.raises(UnknownLimitError, match=r"broker/compression.gzip.level, producer/"):
        find_limit("compression.gzip.level", "4.3.1")
    with pytest.raises(UnknownLimitError, match=r"found 'nothing.like.it'$"):
        find_limit("nothing.like.it", "4.3.1")
    with pytest.raises(UnknownLimitError, match=r"max.decompressed"):
        find_limit("broker/max.decompressed.message.bytes", "4.3.1")
