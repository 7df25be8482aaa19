"""Brokers whose ListOffsets is older than a special timestamp are not asked for it."""

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.placement.placed_partition import PlacedPartition
from conformance.play.request import Request
from conformance.serve.settings import Settings
from conformance.subjects.segments.requests import offset_request
from spec.frozen import replace
from spec.outcomes import NotSent
from spec.segments.steps import EARLIEST, EARLIEST_LOCAL, LARGEST, LATEST
from tests.conformance.serve.listening import serving

WHERE = PlacedPartition("topic", bytes(16), 0, base=0, leader_epoch=0, timestamp=1000)


@pytest.mark.parametrize(
    ("newest", "known"),
    [
        (6, {LATEST, EARLIEST}),
        (7, {LATEST, EARLIEST, LARGEST}),
        (8, {LATEST, EARLIEST, LARGEST, EARLIEST_LOCAL}),
    ],
)
def test_a_special_timestamp_is_asked_for_in_versions_that_know_it(
    newest: int, known: set[int]
) -> None:
    with serving(Settings("4.3.1")) as state:
        cluster = reach(state.host, state.port, make_codec())
    key = cluster.codec.api_keys["ListOffsets"]
    ranges = {**cluster.versions.ranges, key: (1, newest)}
    older = replace(cluster, versions=replace(cluster.versions, ranges=ranges))
    for timestamp in (LATEST, EARLIEST, LARGEST, EARLIEST_LOCAL):
        made = offset_request(older, timestamp, WHERE)
        assert isinstance(made, Request if timestamp in known else NotSent)
