"""Bounds of the fields of the steps of a history of groups."""

from collections.abc import Mapping

from spec.groups import steps
from spec.groups.releases import INITIAL_DELAY, SIZE_LIMITS, STREAMS_LIMIT
from spec.kafka import INT32_MAX
from spec.ranges import (
    ACTOR,
    COUNT,
    GROUP,
    INT32,
    LONGEST_MS,
    ONLY_ACTOR,
    TIME,
    VERSION,
    Fields,
    Range,
    Words,
)

_MEMBER = {"actor": ACTOR, "member": ACTOR, "group": GROUP}
_NAMED_MEMBER = {**_MEMBER, "epoch": INT32}

NUMBERS: Mapping[type, Fields] = {
    steps.JoinGroup: {
        **_MEMBER,
        "metadata": INT32,
        "session_ms": INT32,
        "rebalance_ms": INT32,
        "version": VERSION,
        "patience_ms": TIME,
    },
    steps.SyncGroup: _MEMBER,
    steps.Heartbeat: _MEMBER,
    steps.LeaveGroup: _MEMBER,
    steps.MemberCommit: _NAMED_MEMBER,
    steps.MemberOffsetFetch: _NAMED_MEMBER,
    steps.DescribeGroup: {"actor": ACTOR, "members": COUNT, "patience_ms": TIME, "group": GROUP},
    steps.ConsumerGroupHeartbeat: _NAMED_MEMBER,
    steps.ShareGroupHeartbeat: _NAMED_MEMBER,
    steps.StreamsGroupHeartbeat: _NAMED_MEMBER,
    steps.AlterBrokerConfig: ONLY_ACTOR,
    steps.RestartWith: ONLY_ACTOR,
    steps.WaitFor: {"ms": TIME, "actor": ACTOR},
}

CONFIGS: Mapping[str, Range] = {
    **{key: Range(low, high, "a count of members") for key, (low, high, _) in SIZE_LIMITS.items()},
    STREAMS_LIMIT: Range(1, INT32_MAX, "a count of members"),
    INITIAL_DELAY: Range(0, LONGEST_MS, "a time in milliseconds"),
}
_MEMBER_WORDS = (steps.OWN, steps.NEW, steps.STRANGER)
WORDS: Mapping[type, Words] = {
    **{
        kind: {"member": _MEMBER_WORDS}
        for kind in (steps.JoinGroup, steps.SyncGroup, steps.Heartbeat, steps.LeaveGroup)
    },
    **{
        kind: {"member": _MEMBER_WORDS, "epoch": (steps.OWN,)}
        for kind in (
            steps.ConsumerGroupHeartbeat,
            steps.ShareGroupHeartbeat,
            steps.StreamsGroupHeartbeat,
            steps.MemberCommit,
            steps.MemberOffsetFetch,
        )
    },
}
