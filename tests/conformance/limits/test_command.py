"""`fencepost limits`: lists, shows, computes and compares."""

import json

import pytest
from click.testing import CliRunner

from conformance.cli import main
from spec.limits.entries import LIMITS


def limits(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(main, ["limits", *arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_the_list_has_every_entry_in_both_forms() -> None:
    lines = limits("--kafka", "4.2.2").splitlines()
    form = json.loads(limits("--kafka", "4.2.2", "--json"))
    assert form["kafka"] == "4.2.2"
    assert [one["name"] for one in form["limits"]] == [limit.name for limit in LIMITS]
    assert [line.split()[1] for line in lines[: len(LIMITS)]] == [limit.name for limit in LIMITS]
    assert all(one["settled"] and one["rows"] is not None for one in form["limits"])


def test_all_lists_the_other_configs_too() -> None:
    form = json.loads(limits("--all", "--json"))
    names = [one["name"] for one in form["limits"]]
    assert "topic/retention.bytes" in names
    assert len(names) == len(set(names)) > 640
    assert "topic/retention.bytes" in limits("--all")


def test_one_shows_what_settles_it_and_where_releases_differ() -> None:
    page = limits("segment.bytes")
    assert "Kafka 4.0.2: 1,073,741,824 B (1 GiB), 14 to 2,147,483,647" in page
    assert "settled by DescribeConfigs of a running broker: topic/segment.bytes" in page
    assert json.loads(limits("segment.bytes", "--json"))["bounds"]["least"] == 1048576
    assert "not in 4.3.1" in limits("max.decompressed.message.bytes", "--kafka", "4.3.1", code=0)
    assert "falls back to: log.retention.bytes" in limits("topic/retention.bytes")


def test_a_limit_is_computed_with_what_is_given() -> None:
    assert "131,072 partitions" in limits("mmap-partitions", "--set", "max_map_count=262144")
    form = json.loads(
        limits(
            "topic-throughput", "--set", "partitions=20", "--set", "per_partition=50MB/s", "--json"
        )
    )
    assert form["value"] == 1_000_000_000


def test_what_moved_between_releases_is_listed() -> None:
    assert "removed     broker/group.share.max.groups" in limits("--diff", "4.0.2", "4.3.1")
    form = json.loads(limits("--diff", "4.3.1", "4.2.2", "--json"))
    added = {one["name"] for one in form["moves"] if one["what"] == "added"}
    assert "topic/max.decompressed.message.bytes" in added


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nothing",), "expected the name of a limit"),
        (("segment.bytes", "--set", "x=1"), "expected a limit that is computed"),
        (("mmap-partitions", "--set", "x=1"), "expected max_map_count"),
        (("mmap-partitions", "--set", "max_map_count"), "expected QUANTITY=VALUE"),
        (("mmap-partitions", "--set", "max_map_count=1 GiB"), "expected a number"),
        (("--set", "x=1"), "name it"),
        (("segment.bytes", "--diff", "4.0.2", "4.3.1"), "leave NAME"),
        (("--kafka", "4.3"), "4.3"),
    ],
)
def test_wrong_use_is_named(arguments: tuple[str, ...], message: str) -> None:
    assert message in limits(*arguments, code=2)
