"""A null where a group's answer must have a value is noted, and the rest of the answer is read."""

from __future__ import annotations

import pytest

from conformance.cli.common import make_codec
from conformance.subjects.groups.requests import group_outcome
from conformance.wire.outcomes import Answer
from spec.groups.outcomes import (
    GroupAnswer,
    GroupDescribed,
    GroupOutcome,
    JoinGroupAnswer,
    MemberHeartbeatAnswer,
    MemberId,
)
from spec.groups.steps import (
    ConsumerGroupHeartbeat,
    DescribeGroup,
    JoinGroup,
    MemberStep,
    SyncGroup,
)

CODEC = make_codec()
NULL_MEMBERS = JoinGroupAnswer(
    81, -1, MemberId.NONE, leader=False, members=0, protocol="", nulls=("members",)
)


@pytest.mark.parametrize(
    ("step", "api", "version", "body", "expected"),
    [
        (
            JoinGroup(0),
            "JoinGroup",
            5,
            "00000000 0051 ffffffff 0000 0000 0000 ffffffff",
            NULL_MEMBERS,
        ),
        (
            JoinGroup(0),
            "JoinGroup",
            5,
            "00000000 0051 ffffffff 0000 0000 ffff 00000000",
            JoinGroupAnswer(81, -1, MemberId.NONE, protocol="", nulls=("member_id",)),
        ),
        (
            SyncGroup(0),
            "SyncGroup",
            3,
            "00000000 001b ffffffff",
            GroupAnswer(27, ("assignment",)),
        ),
        (
            DescribeGroup(0),
            "DescribeGroups",
            5,
            "00000000 02 0000 02 67 06 456d707479 01 01 00 80000000 00 00",
            GroupDescribed(0, "Empty", 0, ("groups.members",)),
        ),
        (
            ConsumerGroupHeartbeat(0),
            "ConsumerGroupHeartbeat",
            0,
            "00000000 0000 00 02 6d 00000003 00001388 01 00 00 00",
            MemberHeartbeatAnswer(0, 3, ("assignment.topic_partitions",), assigns=True),
        ),
    ],
)
def test_a_null_is_noted_and_the_rest_is_read(
    step: MemberStep, api: str, version: int, body: str, expected: GroupOutcome
) -> None:
    value, trailing = CODEC.request(api, version).response.decode(bytes.fromhex(body))
    outcome, _ = group_outcome(step, "", Answer(value, trailing, 0, 0.0, 0.0))
    assert outcome == expected
