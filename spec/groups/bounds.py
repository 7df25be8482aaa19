"""What the steps of a history of groups may hold."""

from collections.abc import Mapping

from spec.groups import steps
from spec.ranges import ACTOR, COUNT, GROUP, INT32, ONLY_ACTOR, TIME, VERSION, Fields, Words

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
    steps.DescribeGroup: {"actor": ACTOR, "members": COUNT, "patience_ms": TIME, "group": GROUP},
    steps.ConsumerGroupHeartbeat: _NAMED_MEMBER,
    steps.ShareGroupHeartbeat: _NAMED_MEMBER,
    steps.StreamsGroupHeartbeat: _NAMED_MEMBER,
    steps.AlterBrokerConfig: ONLY_ACTOR,
    steps.RestartWith: ONLY_ACTOR,
    steps.WaitFor: {"ms": TIME, "actor": ACTOR},
}

_MEMBER_WORDS = (steps.OWN, steps.NEW, steps.STRANGER)
WORDS: Mapping[type, Words] = {
    **{kind: {"member": _MEMBER_WORDS} for kind in (steps.JoinGroup, steps.SyncGroup, steps.Heartbeat, steps.LeaveGroup)},
    **{
        kind: {"member": _MEMBER_WORDS, "epoch": (steps.OWN,)}
        for kind in (steps.ConsumerGroupHeartbeat, steps.ShareGroupHeartbeat, steps.StreamsGroupHeartbeat)
    },
}
