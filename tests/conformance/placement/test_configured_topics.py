"""A broker that does not delete records: each partition is used once, and nothing ends."""

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import Cluster, reach
from conformance.placement import configured_topics
from conformance.placement.configured_topics import ConfiguredTopics
from conformance.placement.placed_partition import Placed
from conformance.systems.model import Model
from conformance.wire.connection import Connection
from conformance.wire.outcomes import Closed, NoAnswer
from spec.produce.examples import alone, empty
from spec.scenario import Scenario


@pytest.mark.system
def test_partitions_are_used_once_where_records_can_not_be_deleted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[dict[tuple[str, int], int]] = []

    def refused(_: Cluster, connection: Connection, starts: dict[tuple[str, int], int]) -> None:
        asked.append(starts)
        if any(starts.values()):
            connection.close()
            raise NoAnswer("DeleteRecords", 2, Closed("end of stream", 0, 0.0))

    monkeypatch.setattr(configured_topics, "set_log_starts", refused)
    scenario = Scenario(empty(1), (alone(),))
    with Model() as served:
        cluster = reach(*served.address, make_codec())
        topics = ConfiguredTopics(cluster, "once", lambda _: ())
        (first,) = topics.place([scenario])
        assert isinstance(first, Placed)
        pool = topics._pool_of(scenario)
        (used,) = first.placed_partitions
        pool.give_back(used.topic, used.partition, 5)
        pool._free.reverse()
        (second,) = topics.place([scenario])
        topics.close()
    assert isinstance(second, Placed)
    assert [one.base for one in second.placed_partitions] == [0]
    assert [sorted(starts.values()) for starts in asked] == [[0], [5], [0]]
