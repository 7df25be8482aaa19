"""Answers to a group's requests are messages of the protocol."""

from spec.clause import KIP, Chapter, Doc, Held, fails, holds
from spec.groups.examples import history, pair
from spec.groups.outcomes import (
    GroupAnswer,
    GroupDescribed,
    JoinGroupAnswer,
    MemberHeartbeatAnswer,
)
from spec.groups.steps import NEW, DescribeGroup, JoinGroup
from spec.groups.turn import Turn
from spec.outcomes import Garbled
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength

chapter: Chapter[Turn] = Chapter()


@chapter.clause(
    "GRP-022",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide"),
    KIP(482),
    slug="groups/answer/well-formed",
)
def answer_can_be_decoded(turn: Turn) -> Held | None:
    """An answer to JoinGroup, SyncGroup, Heartbeat, LeaveGroup, DescribeGroups, OffsetCommit,
    OffsetFetch or the heartbeat of a consumer, share or streams member is a message of the
    request's version: no byte of it is missing, and no field is null that the message definition
    has as not nullable.
    """
    if turn.step is None or turn.phase is not None:
        return None
    answer = turn.outcome
    if isinstance(answer, Garbled):
        return fails(
            f"expected an answer to {turn.step.name}, found bytes that are none: {answer.reason}",
            "garbled",
        )
    if not isinstance(
        answer, JoinGroupAnswer | GroupAnswer | MemberHeartbeatAnswer | GroupDescribed
    ):
        return None
    if answer.nulls:
        return fails(
            f"expected values in {', '.join(answer.nulls)}, found null, which is not allowed there",
            "null where a value is required",
        )
    return holds()


@answer_can_be_decoded.example("two members of one group, which is described")
def _pair() -> Scenario:
    return history(*pair(), JoinGroup(2, NEW), DescribeGroup(3))
