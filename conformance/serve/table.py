"""Which APIs a served model has, in which versions, and what answers each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.serve.apis import (
    cluster,
    configs,
    fetching,
    groups,
    log_dirs,
    lookups,
    named_groups,
    offsets,
    producing,
    records,
    share_offsets,
    sharing,
    topics,
    transactions,
)
from conformance.wire.definitions import version_range
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from conformance.serve.broker_state import BrokerState
    from conformance.wire.codec import Request
    from conformance.wire.definitions import Definitions

Answer = dict[str, Any] | None
"""The response's fields; None where the request gets no answer."""


@frozen
class Api:
    """One API.

    Attributes:
        answer: what answers it.
        newest: the newest version that is understood.
        early: it is offered where a release has it for early access only, too.
    """

    answer: Callable[[BrokerState, Request], Answer | Awaitable[Answer]]
    newest: int
    early: bool = False


APIS: Mapping[str, Api] = {
    "Produce": Api(producing.produce, 13),
    "Fetch": Api(fetching.fetch, 19),
    "ListOffsets": Api(lookups.list_offsets, 11),
    "Metadata": Api(cluster.metadata, 13),
    "OffsetCommit": Api(offsets.offset_commit, 9),
    "OffsetFetch": Api(offsets.offset_fetch, 9),
    "JoinGroup": Api(groups.join_group, 9),
    "SyncGroup": Api(groups.sync_group, 5),
    "Heartbeat": Api(groups.heartbeat, 4),
    "LeaveGroup": Api(groups.leave_group, 5),
    "DescribeGroups": Api(groups.describe_groups, 5),
    "ListGroups": Api(groups.list_groups, 5),
    "DeleteGroups": Api(groups.delete_groups, 2),
    "FindCoordinator": Api(cluster.find_coordinator, 6),
    "CreateTopics": Api(topics.create_topics, 7),
    "DeleteTopics": Api(topics.delete_topics, 6),
    "DeleteRecords": Api(records.delete_records, 2),
    "InitProducerId": Api(transactions.init_producer_id, 5),
    "OffsetForLeaderEpoch": Api(lookups.offset_for_leader_epoch, 4),
    "AddPartitionsToTxn": Api(transactions.add_partitions, 3),
    "AddOffsetsToTxn": Api(transactions.add_offsets, 3),
    "EndTxn": Api(transactions.end_txn, 3),
    "TxnOffsetCommit": Api(transactions.commit_offsets, 3),
    "DescribeConfigs": Api(configs.describe_configs, 4),
    "IncrementalAlterConfigs": Api(configs.alter_configs, 1),
    "CreatePartitions": Api(topics.create_partitions, 3),
    "DescribeLogDirs": Api(log_dirs.describe_log_dirs, 4),
    "DescribeCluster": Api(cluster.describe_cluster, 2),
    "DescribeTopicPartitions": Api(cluster.describe_topic_partitions, 0),
    "ConsumerGroupHeartbeat": Api(named_groups.consumer_heartbeat, 1),
    "ConsumerGroupDescribe": Api(named_groups.describe_consumer_groups, 1),
    "ShareGroupHeartbeat": Api(named_groups.share_heartbeat, 1, early=True),
    "ShareGroupDescribe": Api(named_groups.describe_share_groups, 1, early=True),
    "ShareFetch": Api(sharing.share_fetch, 2, early=True),
    "ShareAcknowledge": Api(sharing.share_acknowledge, 2, early=True),
    "DescribeShareGroupOffsets": Api(share_offsets.describe, 1),
    "AlterShareGroupOffsets": Api(share_offsets.alter, 0),
    "DeleteShareGroupOffsets": Api(share_offsets.delete, 0),
    "InitializeShareGroupState": Api(share_offsets.initialize, 0, early=True),
    "WriteShareGroupState": Api(share_offsets.initialize, 0, early=True),
}
"""Fetch v19 is the draft's (KAFKA-19554), which no release's definitions have.

Transactions go by the protocol before KIP-890's second part, which clients fall back to: its
versions are not advertised."""

API_VERSIONS = "ApiVersions"
NEWEST_API_VERSIONS = 4


def advertised_versions(definitions: Definitions) -> dict[str, range]:
    """The versions of each API that are offered: those of the release whose definitions these are,
    as far as they are understood.
    """
    found = {API_VERSIONS: range(NEWEST_API_VERSIONS + 1)}
    for name, api in APIS.items():
        if f"{name}Request" in definitions.names:
            message = definitions.messages(f"{name}Request")[0]
            valid = version_range(message["validVersions"])
            last = valid.stop - 1 - bool(message.get("latestVersionUnstable") and not api.early)
            found[name] = range(valid.start, min(last, api.newest) + 1)
    return found
