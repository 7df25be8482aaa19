"""Whether a broker deleted records by itself, as by retention, while scenarios were played."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.placement.offsets import EARLIEST, list_offsets
from conformance.wire.outcomes import NoAnswer, NotConnected
from spec.steps import DeleteRecords

if TYPE_CHECKING:
    from conformance.cluster import Cluster
    from conformance.placement.placed_partition import Placed
    from spec.scenario import Scenario


def log_start_change(cluster: Cluster, placed: Placed, scenario: Scenario) -> str:
    """Read the log starts of a scenario's partitions again.

    The topics that layouts are placed on keep all records for good; a broker that takes its own
    retention all the same may delete them. A partition of which the scenario deletes records
    itself is judged by that.

    Returns:
        What changed since the layout was placed; empty where nothing did, or where the broker can't
        be asked.
    """
    deletes = {step.partition for step in scenario.steps if isinstance(step, DeleteRecords)}
    expected = {
        (one.topic, one.partition): one.base + placed.layout.partitions[number].log_start
        for number, one in enumerate(placed.placed_partitions)
        if number not in deletes
    }
    if not expected:
        return ""
    try:
        with cluster.connect() as connection:
            found = list_offsets(
                cluster, connection, list(expected), isolation=0, timestamp=EARLIEST
            )
    except (NoAnswer, NotConnected):
        return ""
    for key, start in expected.items():
        error, offset = found[key]
        if not error and offset > start:
            return (
                f"expected the log of a partition to start at {start} or below as when its layout "
                f"was placed, found {offset}: as where a broker deletes by its own retention"
            )
    return ""
