"""What a broker leaves out of an answer while a layout is laid out is no answer; nothing of ours
fails on it.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest

from conformance.placement.deployment import CLEAN_UP_S, Deployment
from conformance.placement.offsets import await_ends, list_offsets, set_log_starts
from conformance.placement.pool import Pool
from conformance.placement.problem import LeaderAway, PlacementFailed
from conformance.wire.outcomes import NoAnswer
from conformance.wire.single_entry import find_entry, only
from spec.layout import Layout, Partition
from tests.conformance.play.scripted import Peer, broker, silent

OFFERED = {2: (1, 7), 3: (0, 12), 19: (2, 7), 21: (0, 2)}


def answering(value: dict[str, Any]) -> Any:
    async def script(peer: Peer) -> None:
        while True:
            peer.answer(await peer.request(), value)

    return script


@pytest.mark.parametrize("topics", [[], [{"name": "a"}, {"name": "b"}]])
def test_a_topic_that_is_not_the_only_one_in_the_answer(topics: list[dict[str, Any]]) -> None:
    with broker(answering({"topics": topics})) as scripted:
        scripted.cluster.versions.ranges.update(OFFERED)  # type: ignore[attr-defined]
        with (
            scripted.cluster.connect() as connection,
            pytest.raises(NoAnswer, match="expected one entry in topics"),
        ):
            Pool(scripted.cluster, connection, "run").take(1)


def test_a_partition_that_is_left_out_of_its_offsets() -> None:
    with broker(answering({"topics": []})) as scripted:
        scripted.cluster.versions.ranges.update(OFFERED)  # type: ignore[attr-defined]
        with scripted.cluster.connect() as connection:
            with pytest.raises(
                NoAnswer, match=r"ListOffsets .*expected an entry for \('a', 1\), found none"
            ):
                list_offsets(scripted.cluster, connection, [("a", 1)], isolation=0)
            with pytest.raises(
                NoAnswer, match=r"DeleteRecords .*expected an entry for \('a', 1\), found none"
            ):
                set_log_starts(scripted.cluster, connection, {("a", 1): 5})


@pytest.mark.parametrize(("error", "away"), [(7, False), (6, True)])
def test_records_that_a_broker_does_not_delete_in_time_do_not_wait_for_a_leader(
    error: int, away: bool
) -> None:
    part = {"partition_index": 1, "low_watermark": 4, "error_code": error}
    with broker(answering({"topics": [{"name": "a", "partitions": [part]}]})) as scripted:
        scripted.cluster.versions.ranges.update(OFFERED)  # type: ignore[attr-defined]
        with (
            scripted.cluster.connect() as connection,
            pytest.raises(PlacementFailed, match="expected the log start of a at 5") as failed,
        ):
            set_log_starts(scripted.cluster, connection, {("a", 1): 5})
    assert isinstance(failed.value, LeaderAway) == away


def test_the_only_entry_of_nested_arrays() -> None:
    value = {"topics": [{"name": "a", "partitions": [{"index": 3}]}]}
    assert only("Any", 1, value, "topics", "partitions") == {"index": 3}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({}, "in topics, found none"),
        ({"topics": None}, "in topics, found none"),
        ({"topics": [{}]}, "in topics.partitions, found none"),
        ({"topics": [{"partitions": [{}, {}, {}]}]}, "in topics.partitions, found 3 entries"),
    ],
)
def test_an_array_without_its_only_entry_is_named(value: dict[str, Any], said: str) -> None:
    with pytest.raises(
        NoAnswer, match=f"Any v1, found: one that can't be read: expected one entry {said}"
    ):
        only("Any", 1, value, "topics", "partitions")


def test_an_entry_that_is_there() -> None:
    assert find_entry("Any", 1, {"a": 5}, "a") == 5


def test_a_silent_broker_does_not_hold_up_the_end() -> None:
    async def script(peer: Peer) -> None:
        asked = await peer.request()
        if asked.api == "CreateTopics":
            peer.answer(asked, {"topics": [{"name": "t", "error_code": 0}]})
        await silent(peer)

    with broker(script) as scripted:
        scripted.cluster.versions.ranges.update({**OFFERED, 20: (1, 6)})  # type: ignore[attr-defined]
        deployment = Deployment(replace(scripted.cluster, timeout=0.3), "run")
        with pytest.raises(NoAnswer, match="Metadata"):
            deployment.place([Layout((Partition(),))])
        began = time.monotonic()
        deployment.close()
        took = time.monotonic() - began
    assert took < CLEAN_UP_S + 20
    assert [request.api for _, request in scripted.heard] == [
        "CreateTopics",
        "Metadata",
        "DeleteTopics",
    ]


def test_an_end_that_the_broker_refuses_to_report_is_not_waited_for() -> None:
    entry = {"partition_index": 1, "error_code": 29, "timestamp": -1, "offset": -1}
    topics = [{"name": "a", "partitions": [entry]}]
    with broker(answering({"topics": topics})) as scripted:
        scripted.cluster.versions.ranges.update(OFFERED)  # type: ignore[attr-defined]
        cluster = replace(scripted.cluster, timeout=60.0)
        began = time.monotonic()
        with (
            cluster.connect() as connection,
            pytest.raises(PlacementFailed, match=r"to end at 5 .*found .*\(29, -1\)"),
        ):
            await_ends(cluster, connection, {("a", 1): 5}, isolation=0)
        assert time.monotonic() - began < cluster.timeout / 2
