"""The ranges of the numbers in histories of clients."""

from collections.abc import Mapping

from spec.fairness.steps import (
    AcknowledgeRecords,
    AskPosition,
    AssignPartitions,
    CloseClient,
    CommitPositions,
    CutResponse,
    DamageBatch,
    EndLocks,
    FailPartition,
    FailSessions,
    GiveOtherwise,
    Idle,
    LimitMessages,
    MoveLeader,
    PausePartitions,
    Poll,
    RefuseMembers,
    ResumePartitions,
    SeekTo,
    SendRecords,
    StartClient,
    SubscribeTopics,
    TruncateLog,
)
from spec.kafka import INT32_MAX
from spec.ranges import ACTOR, IN_LAYOUT, INT64, ONLY_ACTOR, Fields, Range

LONGEST_POLL_MS = 10_000
ISOLATION = Range(0, 1, "an isolation level")
ERROR = Range(-1, 200, "an error code")
RESPONSES = Range(0, 1_000, "a number of responses")
VALUE = Range(8, 1_000_000, "the bytes of a value, which begins with a number of eight digits")
BATCH = Range(0, 99_999, "the number of a batch")
NODE = Range(0, 1, "the number of a node")
POSITIVE = Range(1, INT32_MAX, "a positive int32")
BYTES = Range(0, INT32_MAX, "a count of bytes")
WAITED = Range(0, LONGEST_POLL_MS, "a wait in milliseconds")

NUMBERS: Mapping[type, Fields] = {
    StartClient: {
        "max_poll_records": POSITIVE,
        "fetch_max_bytes": BYTES,
        "partition_max_bytes": BYTES,
        "fetch_min_bytes": BYTES,
        "max_wait_ms": WAITED,
        "isolation": ISOLATION,
        "batch_size": BYTES,
        "max_request_size": BYTES,
        "actor": ACTOR,
    },
    AssignPartitions: {"partitions": IN_LAYOUT, "actor": ACTOR},
    SubscribeTopics: ONLY_ACTOR,
    Poll: {"timeout_ms": WAITED, "actor": ACTOR},
    PausePartitions: {"partitions": IN_LAYOUT, "actor": ACTOR},
    ResumePartitions: {"partitions": IN_LAYOUT, "actor": ACTOR},
    SeekTo: {"partition": IN_LAYOUT, "offset": INT64, "actor": ACTOR},
    AskPosition: {"partition": IN_LAYOUT, "actor": ACTOR},
    CommitPositions: ONLY_ACTOR,
    AcknowledgeRecords: ONLY_ACTOR,
    Idle: {"idle_ms": WAITED, "actor": ACTOR},
    SendRecords: {"partitions": IN_LAYOUT, "sizes": VALUE, "actor": ACTOR},
    LimitMessages: {"size": BYTES, "actor": ACTOR},
    CloseClient: ONLY_ACTOR,
    EndLocks: ONLY_ACTOR,
    DamageBatch: {
        "partition": IN_LAYOUT,
        "batch": BATCH,
        "responses": RESPONSES,
        "actor": ACTOR,
    },
    CutResponse: {
        "partition": IN_LAYOUT,
        "size": BYTES,
        "responses": RESPONSES,
        "actor": ACTOR,
    },
    FailPartition: {
        "partition": IN_LAYOUT,
        "error": ERROR,
        "responses": RESPONSES,
        "actor": ACTOR,
    },
    FailSessions: {"error": ERROR, "responses": RESPONSES, "actor": ACTOR},
    GiveOtherwise: {"responses": RESPONSES, "actor": ACTOR},
    RefuseMembers: {"responses": RESPONSES, "actor": ACTOR},
    MoveLeader: {
        "partition": IN_LAYOUT,
        "node": NODE,
        "stale": RESPONSES,
        "actor": ACTOR,
    },
    TruncateLog: {
        "partition": IN_LAYOUT,
        "batch": BATCH,
        "node": NODE,
        "actor": ACTOR,
    },
}
