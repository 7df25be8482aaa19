"""The error codes that Apache Kafka answers exactly, where no clause before says more."""

from spec.clause import Chapter, Code, Held, fails, holds
from spec.groups.clauses.sizes import response_of
from spec.groups.examples import alone, first, history, mixed_history, pair, second
from spec.groups.releases import SIZE_LIMITS
from spec.groups.steps import (
    NEW,
    STRANGER,
    AlterBrokerConfig,
    ConsumerGroupHeartbeat,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    MemberCommit,
    MemberOffsetFetch,
    ShareGroupHeartbeat,
    StreamsGroupHeartbeat,
    SyncGroup,
)
from spec.groups.turn import Turn
from spec.kafka import Error, error_name
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength

chapter: Chapter[Turn] = Chapter()

NO_EPOCH = -1


def _has_expected_code(turn: Turn) -> bool:
    """Whether it can be said with which error code Apache Kafka answers the request."""
    return turn.arrives and turn.expected is not None


def _finds_its_own_place(turn: Turn) -> bool:
    """Whether Apache Kafka refuses for size who has a place by a promise, and the broker does not:
    GRP-008, GRP-034, GRP-038.
    """
    seated = turn.static_member is not None or (
        turn.streams is not None and turn.known_member is not None
    )
    refuses = turn.expected == Error.GROUP_MAX_SIZE_REACHED
    return refuses and seated and not turn.is_refused_for_size


def _judge_code(turn: Turn, signature: str = "") -> Held:
    if turn.code == turn.expected:
        return holds()
    expected = error_name(turn.expected or 0)
    why = f"expected {expected}, found {response_of(turn)}"
    return fails(why, signature or type(turn.step).__name__)


classic = chapter.under(
    lambda turn: (
        _has_expected_code(turn)
        and isinstance(turn.step, JoinGroup | SyncGroup | Heartbeat | LeaveGroup)
    )
)


@classic.clause(
    "GRP-150",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("GroupMetadataManager.java", "6350-7300"),
    slug="groups/answer/error-codes",
)
def error_codes_are_those_of_the_reference(turn: Turn) -> Held | None:
    """JoinGroup, SyncGroup, Heartbeat and LeaveGroup are answered with the first of the error codes
    listed below whose case it is, or without one where it is none, as Apache Kafka of the release
    answers them in that state of the group.

    JoinGroup to a classic group: GROUP_MAX_SIZE_REACHED (GRP-001 to GRP-013); MEMBER_ID_REQUIRED
    from version 4 on, without a member id and an instance id; FENCED_INSTANCE_ID, where the
    instance id is another member's; UNKNOWN_MEMBER_ID, where the member id is neither a member's
    nor given out, or the instance id no member's.

    SyncGroup and Heartbeat: FENCED_INSTANCE_ID and UNKNOWN_MEMBER_ID likewise; ILLEGAL_GENERATION,
    where the generation is not the group's; REBALANCE_IN_PROGRESS in state PreparingRebalance.
    LeaveGroup: FENCED_INSTANCE_ID, UNKNOWN_MEMBER_ID.

    In a consumer group with members: JoinGroup GROUP_MAX_SIZE_REACHED (GRP-040, GRP-042), then
    MEMBER_ID_REQUIRED as before; the others UNKNOWN_MEMBER_ID of who is no classic member of it,
    and Heartbeat and SyncGroup REBALANCE_IN_PROGRESS of a member that was in the classic group
    which was upgraded and has not joined again, by the generation of that group.

    Where GRP-008 promises a place that Apache Kafka refuses, its refusal is not asked for.
    """
    return None if _finds_its_own_place(turn) else _judge_code(turn)


@error_codes_are_those_of_the_reference.example("a full group is asked in every version")
def _versions() -> Scenario:
    return history(*pair(), *[JoinGroup(2, NEW, version=version) for version in range(2, 10)])


@error_codes_are_those_of_the_reference.example("classic members come to a consumer group")
def _in_a_consumer_group() -> Scenario:
    others = (SyncGroup(2, STRANGER), Heartbeat(2, STRANGER), LeaveGroup(2, STRANGER))
    return mixed_history(ConsumerGroupHeartbeat(0), first(1), second(1, parked=False), *others)


named = chapter.under(
    lambda turn: (
        _has_expected_code(turn) and (turn.heartbeat is not None or turn.streams is not None)
    )
)


@named.clause(
    "GRP-157",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("GroupMetadataManager.java", "1569-1600, 1743-1752"),
    slug="groups/heartbeat/error-codes",
)
def heartbeats_have_the_codes_of_the_reference(turn: Turn) -> Held | None:
    """ConsumerGroupHeartbeat, ShareGroupHeartbeat and StreamsGroupHeartbeat are answered with the
    first of the error codes listed below whose case it is, or without one where it is none, as
    Apache Kafka of the release answers them in that state of the group.

    ConsumerGroupHeartbeat and ShareGroupHeartbeat: INVALID_REQUEST for epoch -2 without an instance
    id; GROUP_ID_NOT_FOUND for any epoch but 0 where the group is not there; FENCED_MEMBER_EPOCH,
    where the epoch is not the member's; GROUP_MAX_SIZE_REACHED (GRP-030, GRP-031, GRP-035);
    UNRELEASED_INSTANCE_ID for epoch 0 with the instance id of a member that has not left;
    FENCED_INSTANCE_ID for any other epoch with the instance id of another member; UNKNOWN_MEMBER_ID
    for any other epoch of no member. StreamsGroupHeartbeat: the same without instance ids (GRP-036,
    GRP-039).

    ConsumerGroupHeartbeat to a classic group with members: INVALID_REQUEST likewise;
    GROUP_ID_NOT_FOUND for any epoch but 0, and where the group has more members than
    group.consumer.max.size; GROUP_MAX_SIZE_REACHED where it has exactly as many. A broker that
    upgrades no group answers GROUP_ID_NOT_FOUND, and conforms.

    Where GRP-034 or GRP-038 promise a place that Apache Kafka refuses, its refusal is not asked
    for.
    """
    if _finds_its_own_place(turn):
        return None
    shares = isinstance(turn.step, ShareGroupHeartbeat)
    failed = shares and turn.code == Error.UNKNOWN_SERVER_ERROR
    return _judge_code(turn, "ShareGroupHeartbeat failed" if failed else "")


@heartbeats_have_the_codes_of_the_reference.example("each kind of group, full and asked by others")
def _heartbeats() -> Scenario:
    kinds = (ConsumerGroupHeartbeat, ShareGroupHeartbeat, StreamsGroupHeartbeat)
    steps = [
        step
        for group, kind in enumerate(kinds)
        for step in (
            kind(3, STRANGER, 7, group=group),
            kind(0, group=group),
            kind(1, group=group),
            kind(2, group=group),
            kind(3, STRANGER, 7, group=group),
            kind(3, STRANGER, -1, group=group),
            kind(0, epoch=-1, group=group),
        )
    ]
    return history(*steps)


@heartbeats_have_the_codes_of_the_reference.example("a consumer comes to a full classic group")
def _to_a_classic_group() -> Scenario:
    return history(*pair(), ConsumerGroupHeartbeat(2), ConsumerGroupHeartbeat(2, STRANGER, 1))


commits = chapter.under(
    lambda turn: _has_expected_code(turn) and isinstance(turn.step, MemberCommit)
)


@commits.clause(
    "GRP-158",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("ClassicGroup.java", "validateOffsetCommit"),
    Code("ConsumerGroup.java", "validateOffsetCommit"),
    slug="groups/commit/error-codes",
)
def commits_have_the_codes_of_the_reference(turn: Turn) -> Held | None:
    """OffsetCommit (v9) is answered with the first of the error codes listed below whose case it
    is, or without one where it is none, as Apache Kafka answers it in that state of the group.

    Where the group is not there, or is a share group: GROUP_ID_NOT_FOUND; but a commit of no epoch
    (-1) makes a group that is not there. In a classic group, unless the commit carries no
    generation and the group is Empty: UNKNOWN_MEMBER_ID, where the member id or the instance id is
    no member's; FENCED_INSTANCE_ID, where the instance id is another member's; ILLEGAL_GENERATION,
    where the generation is not the group's; REBALANCE_IN_PROGRESS in state CompletingRebalance. In
    a consumer group, unless the commit carries no epoch and the group has no members:
    UNKNOWN_MEMBER_ID; STALE_MEMBER_EPOCH, where the epoch is not the one that the member was
    answered last, or not -2 of one that left for a while; for a member that was in the classic
    group which was upgraded, ILLEGAL_GENERATION where the generation is not that group's.

    Nothing is said of a member whose epoch or generation no answer has shown.
    """
    return _judge_code(turn)


@commits_have_the_codes_of_the_reference.example("before the leader's SyncGroup, and after it")
def _before_sync() -> Scenario:
    return history(
        MemberCommit(1, STRANGER, 1),
        first(0),
        second(0, parked=False),
        MemberCommit(0),
        MemberCommit(0, epoch=7),
        SyncGroup(0),
        MemberCommit(0),
        MemberCommit(1, STRANGER, 1),
    )


@commits_have_the_codes_of_the_reference.example("consumers, by a higher epoch and none")
def _by_epochs() -> Scenario:
    return history(
        ConsumerGroupHeartbeat(0),
        MemberCommit(0),
        MemberCommit(0, epoch=100),
        MemberCommit(0, epoch=NO_EPOCH),
        MemberCommit(1, STRANGER, 1),
    )


fetches = chapter.under(
    lambda turn: _has_expected_code(turn) and isinstance(turn.step, MemberOffsetFetch)
)


@fetches.clause(
    "GRP-159",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("ConsumerGroup.java", "validateOffsetFetch"),
    Code("ClassicGroup.java", "validateOffsetFetch"),
    slug="groups/offset-fetch/error-codes",
)
def offset_fetches_have_the_codes_of_the_reference(turn: Turn) -> Held | None:
    """OffsetFetch (v9) with a member id or an epoch is answered without an error, but in a consumer
    group with UNKNOWN_MEMBER_ID, where the member id is no member's; with STALE_MEMBER_EPOCH, where
    the epoch is not the one that the member was answered last, or not -2 of one that left for a
    while; and with ILLEGAL_GENERATION for a member that was in the classic group which was
    upgraded, where the generation is not that group's.

    Nothing is said of an epoch without a member id, of a member whose epoch or generation no answer
    has shown, and of streams groups.
    """
    return _judge_code(turn)


@offset_fetches_have_the_codes_of_the_reference.example("a classic group, which looks at no member")
def _of_a_classic_group() -> Scenario:
    return history(
        *alone(),
        MemberOffsetFetch(0),
        MemberOffsetFetch(0, epoch=100),
        MemberOffsetFetch(1, STRANGER, 1),
    )


@offset_fetches_have_the_codes_of_the_reference.example(
    "a consumer, by an older and a higher epoch"
)
def _of_consumers() -> Scenario:
    return history(
        ConsumerGroupHeartbeat(0),
        ConsumerGroupHeartbeat(1),
        MemberOffsetFetch(1),
        MemberOffsetFetch(1, epoch=0),
        MemberOffsetFetch(1, epoch=100),
        MemberOffsetFetch(2, STRANGER, 1),
    )


changes = chapter.under(
    lambda turn: _has_expected_code(turn) and isinstance(turn.step, AlterBrokerConfig)
)


@changes.clause(
    "GRP-160",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code("ConfigAdminManager.scala", "preprocess"),
    slug="groups/config/read-only-code",
)
def a_limit_is_refused_as_invalid(turn: Turn) -> Held | None:
    """IncrementalAlterConfigs of a running broker answers with INVALID_REQUEST for group.max.size,
    group.consumer.max.size and group.share.max.size (GRP-019).
    """
    return _judge_code(turn)


@a_limit_is_refused_as_invalid.example("each limit, to a value that it could have")
def _each_limit() -> Scenario:
    return history(*[AlterBrokerConfig(key, "5") for key in SIZE_LIMITS])
