"""Numbers of Kafka's wire protocol that the rules speak of.

Error codes: the protocol guide's table "Error Codes". Sizes: the record batch format of KIP-98.
"""

from enum import IntEnum

INT32_MAX = 2**31 - 1
INT64_MAX = 2**63 - 1
INT64_MIN = -(2**63)

BATCH_PREFIX = 12
"""Bytes of base offset and length, in front of the part that the length field counts."""
BATCH_HEADER = 61
"""Bytes of a v2 batch before its first record."""
CURRENT_MAGIC = 2
"""The format of record batches; the messages of older releases had 0 and 1 (KIP-98, KIP-724)."""
MARKER_SIZE = 78
"""Bytes of the control batch that ends a transaction."""

READ_UNCOMMITTED = 0
READ_COMMITTED = 1

CONSUMER_REPLICA = -1
DEBUG_REPLICA = -2

SESSIONLESS_EPOCH = -1
FULL_EPOCH = 0

FETCH_API = 1
OLDEST_FETCH = 4
TOPIC_IDS_SINCE = 13
SESSIONS_SINCE = 7
LEADER_EPOCH_SINCE = 9
PREFERRED_REPLICA_SINCE = 11
FETCHED_EPOCH_SINCE = 12
FLEXIBLE_SINCE = 12


class Error(IntEnum):
    """Error codes that the rules speak of. A code that is not listed is still just a number."""

    UNKNOWN_SERVER_ERROR = -1
    NONE = 0
    OFFSET_OUT_OF_RANGE = 1
    UNKNOWN_TOPIC_OR_PARTITION = 3
    NOT_LEADER_OR_FOLLOWER = 6
    COORDINATOR_LOAD_IN_PROGRESS = 14
    ILLEGAL_GENERATION = 22
    INCONSISTENT_GROUP_PROTOCOL = 23
    UNKNOWN_MEMBER_ID = 25
    REBALANCE_IN_PROGRESS = 27
    UNSUPPORTED_VERSION = 35
    INVALID_CONFIG = 40
    INVALID_REQUEST = 42
    NON_EMPTY_GROUP = 68
    GROUP_ID_NOT_FOUND = 69
    FETCH_SESSION_ID_NOT_FOUND = 70
    INVALID_FETCH_SESSION_EPOCH = 71
    FENCED_LEADER_EPOCH = 74
    UNKNOWN_LEADER_EPOCH = 75
    MEMBER_ID_REQUIRED = 79
    GROUP_MAX_SIZE_REACHED = 81
    FENCED_INSTANCE_ID = 82
    UNKNOWN_TOPIC_ID = 100
    FETCH_SESSION_TOPIC_ID_ERROR = 106
    FENCED_MEMBER_EPOCH = 110
    UNRELEASED_INSTANCE_ID = 111
    INVALID_RECORD_STATE = 121
    SHARE_SESSION_NOT_FOUND = 122
    INVALID_SHARE_SESSION_EPOCH = 123
    SHARE_SESSION_LIMIT_REACHED = 133


def error_name(code: int) -> str:
    """The name of an error code, or `ERROR_<code>` for one that no rule here speaks of."""
    try:
        return Error(code).name
    except ValueError:
        return f"ERROR_{code}"
