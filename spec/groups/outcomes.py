"""Answers to a group's requests. Member ids are given by what they are, not by their
letters.
"""

from enum import StrEnum

from spec.frozen import frozen
from spec.outcomes import Outcome


class MemberId(StrEnum):
    """Kinds of member ids in an answer."""

    NONE = "none"
    """Empty."""
    SENT = "sent"
    """The one that the request carried."""
    GIVEN = "given"
    """A new one."""


class Assigned(StrEnum):
    """The assignment in the answer to a SyncGroup, by what the leader of the member's generation
    gave in its own SyncGroup.
    """

    UNKNOWN = ""
    """It is not known that the leader gave the member one; or there is an error, or the assignment
    is of a later generation.
    """
    OWN = "own"
    """What the leader gave the member."""
    NOTHING = "nothing"
    """It is empty, though the leader gave the member one."""
    OTHER = "other"
    """What the leader gave another member."""
    EARLIER = "earlier"
    """What a leader gave in an earlier generation."""
    STRANGE = "strange"
    """What no leader gave."""


@frozen
class JoinGroupAnswer(Outcome):
    """A JoinGroup answer that could be decoded.

    Attributes:
        error: error code.
        generation: generation id.
        member: see `MemberId`.
        leader: whether the member that is answered is the leader.
        members: how many members the answer lists.
        protocol: the protocol's name; None for null.
        trailing: bytes after the end of the message.
        nulls: the fields that were null though they must have a value; they are empty here.
    """

    error: int = 0
    generation: int = -1
    member: MemberId = MemberId.NONE
    leader: bool = False
    members: int = 0
    protocol: str | None = ""
    trailing: int = 0
    nulls: tuple[str, ...] = ()


@frozen
class GroupAnswer(Outcome):
    """An answer of which the error code counts: SyncGroup, Heartbeat, OffsetCommit, OffsetFetch,
    LeaveGroup (the member's code goes first).

    Attributes:
        error: error code.
        nulls: as in `JoinGroupAnswer`.
        assigned: of SyncGroup: the assignment in it.
    """

    error: int = 0
    nulls: tuple[str, ...] = ()
    assigned: Assigned = Assigned.UNKNOWN


@frozen
class MemberHeartbeatAnswer(Outcome):
    """An answer to ConsumerGroupHeartbeat, ShareGroupHeartbeat or StreamsGroupHeartbeat.

    Attributes:
        error: error code.
        epoch: member epoch.
        nulls: as in `JoinGroupAnswer`.
        assigns: whether it holds an assignment, perhaps an empty one; None where that is not known,
            as of a streams member.
    """

    error: int = 0
    epoch: int = 0
    nulls: tuple[str, ...] = ()
    assigns: bool | None = None


@frozen
class GroupDescribed(Outcome):
    """A DescribeGroups answer: error code, the state by Kafka's name, the number of members.
    `nulls` as in `JoinGroupAnswer`.
    """

    error: int = 0
    state: str = ""
    members: int = 0
    nulls: tuple[str, ...] = ()


@frozen
class BrokerChanged(Outcome):
    """A broker's config was to be changed: error code."""

    error: int = 0


@frozen
class Passed(Outcome):
    """A step that nobody answers was done: the time is over, the broker up again."""


CodedOutcome = (
    JoinGroupAnswer | GroupAnswer | MemberHeartbeatAnswer | GroupDescribed | BrokerChanged
)
"""Answers, all of which have an error code."""
GroupOutcome = CodedOutcome | Passed
