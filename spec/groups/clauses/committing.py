"""Who may commit offsets in a group: members, by the generation or the member epoch they go by, or
anybody where there are none. The exact codes are those of GRP-158.
"""

from spec.clause import KIP, Chapter, Code, Doc, Held, fails, holds
from spec.groups.clauses.sizes import response_of
from spec.groups.examples import alone, first, history, pair, second, upgraded_history
from spec.groups.model.group import UNKNOWN_GENERATION, Group, Kind, Member, State
from spec.groups.steps import (
    NEW,
    STRANGER,
    ConsumerGroupHeartbeat,
    DescribeGroup,
    JoinGroup,
    LeaveGroup,
    MemberCommit,
    SyncGroup,
)
from spec.groups.turn import Turn
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength

chapter: Chapter[Turn] = Chapter()

CODES = Doc("protocol guide, error codes 22, 25, 27 and 113")
FENCES = KIP(848, "OffsetCommit")
CLASSIC = Code("ClassicGroup.java", "validateOffsetCommit")
CONSUMER = Code("ConsumerGroup.java", "validateOffsetCommit")
NO_EPOCH = -1


def _commit(turn: Turn) -> MemberCommit | None:
    """The commit that meets a group of members."""
    meets = turn.arrives and turn.before.kind in {Kind.CLASSIC, Kind.CONSUMER}
    return turn.step if meets and isinstance(turn.step, MemberCommit) else None


def _goes_by(group: Group, member: Member) -> int | None:
    """The generation or epoch that a member goes by; None where no answer has shown it."""
    if group.kind is Kind.CLASSIC or member.carried:
        return None if group.generation == UNKNOWN_GENERATION else group.generation
    return member.epoch if member.epoch and not member.classic and not member.gone else None


@chapter.clause(
    "GRP-046",
    Strength.MUST,
    LimitClass.EMERGENT,
    FENCES,
    CODES,
    CLASSIC,
    CONSUMER,
    slug="groups/commit/member",
)
def a_member_commits(turn: Turn) -> Held | None:
    """An OffsetCommit (v9) of a dynamic member is answered without an error where the group is a
    classic one in the state Stable and the request carries its generation, or where it is a
    consumer group and the request carries the member epoch that the member was answered last.
    """
    step, member = _commit(turn), turn.known_member
    if step is None or member is None or member.instance is not None or step.instance is not None:
        return None
    settled = turn.before.kind is Kind.CONSUMER or turn.before.state is State.STABLE
    if not settled or member.carried or turn.epoch != _goes_by(turn.before, member):
        return None
    if turn.code:
        return fails(f"expected an offset committed, found {response_of(turn)}", "refused")
    return holds() if turn.code == 0 else None


@chapter.clause(
    "GRP-047",
    Strength.MUST,
    LimitClass.EMERGENT,
    FENCES,
    CODES,
    CLASSIC,
    CONSUMER,
    slug="groups/commit/fenced",
)
def others_do_not_commit(turn: Turn) -> Held | None:
    """Where a group has members, an OffsetCommit is not answered without an error if its member id
    is no member's, or if it carries no generation or member epoch (-1), another generation than
    the classic group's, or a higher member epoch than its member's.

    Whether an older member epoch still commits depends on the release (KIP-1251).
    """
    if _commit(turn) is None or not turn.before.members:
        return None
    member = turn.known_member
    if member is not None:
        own = _goes_by(turn.before, member)
        if own is None:
            return None
        classic = turn.before.kind is Kind.CLASSIC or member.carried
        other = turn.epoch != own if classic else turn.epoch > own
        if not other and turn.epoch != NO_EPOCH:
            return None
    who = "who is no member" if member is None else "a member by another generation or epoch"
    if turn.code == 0:
        what = "stranger" if member is None else "stale"
        return fails(f"expected no offset committed of {who}, found no error", what)
    return holds() if turn.code is not None else None


@a_member_commits.example(
    "members of a full classic group commit, and who was refused does not; who has left does not"
)
@others_do_not_commit.example("a member commits by a generation before, after and by none")
def _classic() -> Scenario:
    return history(
        *alone(),
        MemberCommit(0),
        *pair()[3:],
        MemberCommit(0),
        MemberCommit(1),
        MemberCommit(0, epoch=1),
        MemberCommit(0, epoch=3),
        MemberCommit(0, epoch=-1),
        JoinGroup(2, NEW),
        MemberCommit(2),
        MemberCommit(2, NEW, -1),
        MemberCommit(2, STRANGER, 2),
        LeaveGroup(1),
        MemberCommit(1),
        limit=2,
    )


@others_do_not_commit.example(
    "nobody has synced yet, then the group is Stable, begins to rebalance, and is left empty"
)
def _phases() -> Scenario:
    return history(
        MemberCommit(2, NEW, -1),
        MemberCommit(2, NEW, 0),
        first(0),
        MemberCommit(0),
        second(0, parked=False),
        MemberCommit(0),
        MemberCommit(0, epoch=7),
        SyncGroup(0),
        MemberCommit(0),
        first(1),
        second(1),
        DescribeGroup(2, "PreparingRebalance", 2),
        MemberCommit(0),
        MemberCommit(2, 1, 1),
        LeaveGroup(0),
        SyncGroup(1),
        MemberCommit(1),
        LeaveGroup(1),
        MemberCommit(1),
        MemberCommit(1, NEW, -1),
    )


@a_member_commits.example("consumers of a full group commit by their epochs")
@others_do_not_commit.example("a consumer commits by a higher epoch and by none, and once it left")
def _consumers() -> Scenario:
    return history(
        MemberCommit(0, STRANGER, 1),
        ConsumerGroupHeartbeat(0),
        ConsumerGroupHeartbeat(1),
        MemberCommit(0),
        MemberCommit(1),
        MemberCommit(1, epoch=100),
        MemberCommit(1, epoch=-1),
        ConsumerGroupHeartbeat(2),
        MemberCommit(2),
        MemberCommit(2, epoch=-1),
        MemberCommit(2, 0, -1),
        ConsumerGroupHeartbeat(1, epoch=-1),
        MemberCommit(1),
        ConsumerGroupHeartbeat(0, epoch=-1),
        MemberCommit(0),
        MemberCommit(0, epoch=-1),
    )


@others_do_not_commit.example("a static consumer is away for a while")
def _away() -> Scenario:
    return history(
        ConsumerGroupHeartbeat(0, instance="i0"),
        MemberCommit(0),
        ConsumerGroupHeartbeat(0, epoch=-2, instance="i0"),
        MemberCommit(0),
        MemberCommit(0, epoch=-1),
        MemberCommit(1, STRANGER, 1),
    )


@others_do_not_commit.example(
    "a classic group is upgraded: its member commits by its generation, the consumer by its epoch"
)
def _upgrade() -> Scenario:
    return upgraded_history(
        *alone(),
        ConsumerGroupHeartbeat(1),
        MemberCommit(0),
        MemberCommit(0, epoch=0),
        MemberCommit(0, epoch=-1),
        MemberCommit(1),
        MemberCommit(2, STRANGER, 1),
    )
