"""Who may commit offsets in a group, and who may ask for them by its member epoch.

Source: ClassicGroup.java and ConsumerGroup.java, `validateOffsetCommit` and `validateOffsetFetch`,
of Kafka 4.3.1; OffsetMetadataManager.java for groups that are not there.
"""

from spec.frozen import frozen
from spec.groups.model.group import Group, Kind, State
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
        return 0 if sender.epoch < 0 else Error.ILLEGAL_GENERATION
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
    if version < CONSUMERS_COMMIT_SINCE:
        return Error.UNSUPPORTED_VERSION
    return 0 if sender.epoch == member.epoch else Error.STALE_MEMBER_EPOCH


def fetch_error(group: Group, member_id: str | None, epoch: int) -> int:
    """The error of an OffsetFetch for one group: members of a consumer group are looked at where
    they name themselves.
    """
    if group.kind is not Kind.CONSUMER or (member_id is None and epoch < 0):
        return 0
    member = group.member(member_id or "")
    if member is None:
        return Error.UNKNOWN_MEMBER_ID
    return 0 if epoch == member.epoch else Error.STALE_MEMBER_EPOCH
