"""Steps that write to a log or delete from it, the same for every subject."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.placement.stage import PRODUCE_VERSION, produce_request, produced
from conformance.subjects.fetch.lanes import SILENCE_S, observed_end
from conformance.wire import outcomes
from conformance.wire.batches import stamped
from conformance.wire.sizing import batch_of_size
from spec.outcomes import AppendAnswer, Garbled, Outcome

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from conformance.cluster import Cluster
    from conformance.placement.site import Site
    from conformance.wire.connection import Connection
    from spec.steps import Append, DeleteRecords


def append(cluster: Cluster, connection: Connection, step: Append, site: Site, lock: AbstractContextManager[object]) -> Outcome:
    """Produce one batch; `lock` guards what is known of the site's batches."""
    made = batch_of_size(step.batch.size, step.batch.records, step.batch.codec.value)
    sent = stamped(made, base_timestamp=site.timestamp)
    request = produce_request({(site.topic, site.partition): sent})
    with lock:
        expected = max((known.seen.last + site.base for known in site.known.values()), default=site.base - 1) + 1
        site.add(expected, sent, expected + step.batch.records - 1, step.batch.records)
    connection.send("Produce", cluster.version("Produce", PRODUCE_VERSION), request)
    outcome = connection.receive(SILENCE_S)
    if not isinstance(outcome, outcomes.Answer):
        return observed_end(cluster, outcome)
    for _, error, offset in produced(outcome.value):
        return AppendAnswer(error, None if offset < 0 else offset - site.base)
    return Garbled("a Produce answer without partitions")


def delete(cluster: Cluster, connection: Connection, step: DeleteRecords, site: Site) -> Outcome:
    """Move the log start offset."""
    partition = {"partition_index": site.partition, "offset": site.absolute(step.offset)}
    value = {"topics": [{"name": site.topic, "partitions": [partition]}], "timeout_ms": 30_000}
    connection.send("DeleteRecords", cluster.version("DeleteRecords", 2), value)
    outcome = connection.receive(SILENCE_S)
    if not isinstance(outcome, outcomes.Answer):
        return observed_end(cluster, outcome)
    part = outcome.value["topics"][0]["partitions"][0]
    return AppendAnswer(part["error_code"], part["low_watermark"] - site.base)
