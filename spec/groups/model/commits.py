"""Who may commit offsets in a group, and who may ask for them by its member epoch.

A commit of a classic member prolongs its session in a Stable group and in a join phase.

Source: ClassicGroup.java and ConsumerGroup.java, `validateOffsetCommit` and `validateOffsetFetch`,
of Kafka 4.3.1; OffsetMetadataManager.java for groups that are not there.
"""

from spec.frozen import frozen, replace
from spec.groups.model.assigned import LEAVE_FOR_A_MOMENT
from spec.groups.model.group import UNKNOWN_GENERATION, Group, Kind, Member, State
from spec.kafka import Error

CONSUMERS_COMMIT_SINCE = 9
"""The version of OffsetCommit that members of the consumer protocol commit by."""


@frozen
class Sender:
    """Who commits or asks.

    Attributes:
        member: its member id; empty for none.
        epoch: its generation or member epoch; below 0 for none.
        instance: its instance id.
    """

    member: str = ""
    epoch: int = -1
    instance: str | None = None


def commit_error(group: Group, sender: Sender, version: int) -> int:
    """The error of an OffsetCommit; 0 where it may commit. A group that is not there is made for
    who has no epoch.
    """
    if group.kind is Kind.NONE:
        unknown = (
            Error.GROUP_ID_NOT_FOUND
            if version >= CONSUMERS_COMMIT_SINCE
            else Error.ILLEGAL_GENERATION
        )
        return 0 if sender.epoch < 0 else unknown
    if group.kind is Kind.CLASSIC:
        return _classic_error(group, sender)
    if group.kind is Kind.CONSUMER:
        return _consumer_error(group, sender, version)
    return Error.GROUP_ID_NOT_FOUND


def _classic_error(group: Group, sender: Sender) -> int:
    if sender.epoch < 0 and group.state is State.EMPTY:
        return 0
    held = group.instance(sender.instance)
    if sender.instance is not None and held is None:
        return Error.UNKNOWN_MEMBER_ID
    if held is not None and held.id != sender.member:
        return Error.FENCED_INSTANCE_ID
    if group.member(sender.member) is None:
        return Error.UNKNOWN_MEMBER_ID
    if sender.epoch != group.generation:
        return Error.ILLEGAL_GENERATION
    return Error.REBALANCE_IN_PROGRESS if group.state is State.COMPLETING else 0


def _consumer_error(group: Group, sender: Sender, version: int) -> int:
    if sender.epoch < 0 and not group.members:
        return 0
    member = group.member(sender.member)
    if member is None:
        return Error.UNKNOWN_MEMBER_ID
    if version < CONSUMERS_COMMIT_SINCE and not member.classic:
        return Error.UNSUPPORTED_VERSION
    return _epoch_error(group, member, sender.epoch)


def _epoch_error(group: Group, member: Member, epoch: int) -> int:
    """The error of a generation or an epoch that a member of a consumer group sends."""
    if member.classic:
        return _error_of_classic_member(group, member, epoch)
    current = LEAVE_FOR_A_MOMENT if member.gone else member.epoch
    return 0 if epoch == current else Error.STALE_MEMBER_EPOCH


def _error_of_classic_member(group: Group, member: Member, generation: int) -> int:
    """A classic member of a consumer group: one that was in the classic group before keeps that
    one's generation until it joins again. What others were answered is not followed: each counts.
    """
    own = generation == group.generation if member.carried else generation >= 0
    return 0 if own else Error.ILLEGAL_GENERATION


def expected_commit(group: Group, sender: Sender) -> int | None:
    """The same of the newest version, as far as an observer can say; None where it depends on an
    epoch or a generation that no answer has shown.
    """
    member = group.member(sender.member)
    if group.kind is Kind.STREAMS:
        return None
    if group.kind is Kind.CLASSIC and group.generation == UNKNOWN_GENERATION:
        return None
    if group.kind is Kind.CONSUMER and member is not None and not _has_shown_epoch(member):
        return None
    return commit_error(group, sender, CONSUMERS_COMMIT_SINCE)


def _has_shown_epoch(member: Member) -> bool:
    """Whether an answer has shown what a member of a consumer group goes by."""
    return member.carried if member.classic else member.gone or member.epoch > 0


def group_after_commit(group: Group, sender: Sender, now: float) -> Group:
    """The group after an offset was committed: one that was not there is Empty now, without a
    protocol.
    """
    if group.kind is Kind.NONE:
        return replace(group, kind=Kind.CLASSIC, state=State.EMPTY)
    member = group.member(sender.member)
    prolongs = group.kind is Kind.CLASSIC and group.state in {State.STABLE, State.PREPARING}
    if member is None or not prolongs:
        return group
    return group.with_member(replace(member, seen=now))


def fetch_error(group: Group, sender: Sender) -> int:
    """The error of an OffsetFetch for one group: members of a consumer group are looked at where
    they name themselves.
    """
    if group.kind is not Kind.CONSUMER or (not sender.member and sender.epoch < 0):
        return 0
    member = group.member(sender.member)
    if member is None:
        return Error.UNKNOWN_MEMBER_ID
    return _epoch_error(group, member, sender.epoch)


def expected_fetch(group: Group, sender: Sender) -> int | None:
    """The same as far as an observer can say; None where it depends on an epoch or a generation
    that no answer has shown, and where an epoch comes with no member id.
    """
    member = group.member(sender.member)
    if group.kind is Kind.STREAMS:
        return None
    if group.kind is Kind.CONSUMER:
        nameless = not sender.member and sender.epoch >= 0
        if nameless or (member is not None and not _has_shown_epoch(member)):
            return None
    return fetch_error(group, sender)
