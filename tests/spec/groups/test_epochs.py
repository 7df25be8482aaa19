"""Who is given which partitions in consumer and share groups, and that no partition has two owners
in a consumer group.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from spec.groups.machine import GroupMachine, ReceivedRequest
from spec.groups.model.assigned import HeartbeatRequest, decide_heartbeat
from spec.groups.model.epochs import HeartbeatContent
from spec.groups.model.group import Address, Group, Kind, Member
from spec.groups.model.state import GroupsState
from spec.groups.outcomes import MemberHeartbeatAnswer
from spec.groups.releases import GroupSemantics, Limits
from spec.groups.steps import ConsumerGroupHeartbeat, ShareGroupHeartbeat
from spec.kafka import Error
from spec.releases import semantics_for

TOPIC = bytes(16)
TOPICS = (("orders", tuple([(TOPIC, number) for number in range(4)])),)
LIMIT = 3
KAFKA = semantics_for("4.3")
MACHINE = GroupMachine(KAFKA.with_part(GroupSemantics(first_epoch=1)))


@dataclass(frozen=True)
class Result:
    """The answer to a heartbeat, and the assignment where it is news."""

    error: int
    epoch: int
    assignment: frozenset[Address] | None


class Room:
    """A group to which heartbeats come."""

    def __init__(self, kind: Kind, machine: GroupMachine = MACHINE) -> None:
        self.step = ConsumerGroupHeartbeat() if kind is Kind.CONSUMER else ShareGroupHeartbeat()
        self.machine = machine
        self.state = GroupsState((Group(),), Limits(consumer=LIMIT, share=LIMIT), topics=TOPICS)

    @property
    def group(self) -> Group:
        return self.state.groups[0]

    def heartbeat(
        self,
        member: str,
        epoch: int,
        owned: Iterable[int] | None = None,
        now: float = 0.0,
        instance: str | None = None,
    ) -> Result:
        """A heartbeat, with what the member owns where that is given."""
        brought = HeartbeatContent(
            frozenset({"orders"}) if epoch == 0 else None,
            None if owned is None else frozenset([(TOPIC, one) for one in owned]),
        )
        step = ConsumerGroupHeartbeat(instance=instance) if instance is not None else self.step
        before = self.group.member(member)
        stepped = self.machine.take(
            self.state, 0, ReceivedRequest(step, member=member, epoch=epoch, brought=brought), now
        )
        self.state = stepped.state
        ((_, answer),) = stepped.replies
        assert isinstance(answer, MemberHeartbeatAnswer)
        after = self.group.member(member)
        assigned = after.assigned if after is not None else None
        same = epoch != 0 and before is not None and before.assigned == assigned
        return Result(answer.error, answer.epoch, None if same else assigned)


def numbers(result: Result) -> list[int] | None:
    return (
        None
        if result.assignment is None
        else sorted([partition for _, partition in result.assignment])
    )


def test_all_members_of_a_share_group_share_all_partitions() -> None:
    room = Room(Kind.SHARE)
    assert numbers(room.heartbeat("a", 0)) == [0, 1, 2, 3]
    assert numbers(room.heartbeat("b", 0)) == [0, 1, 2, 3]
    assert numbers(room.heartbeat("a", 1)) is None


def test_a_consumer_is_given_what_another_had_only_after_that_one_let_go() -> None:
    room = Room(Kind.CONSUMER)
    assert numbers(room.heartbeat("a", 0, ())) == [0, 1, 2, 3]
    assert numbers(room.heartbeat("b", 0, ())) == []
    assert numbers(room.heartbeat("a", 1, range(4))) == [0, 2]
    assert numbers(room.heartbeat("b", 2)) is None
    after = room.heartbeat("a", 1, (0, 2))
    assert (after.epoch, numbers(after)) == (2, None)
    assert numbers(room.heartbeat("b", 2)) == [1, 3]


def test_what_a_consumer_had_is_dealt_out_when_it_leaves_or_is_not_heard_of() -> None:
    room = Room(Kind.CONSUMER)
    room.heartbeat("a", 0, ())
    room.heartbeat("b", 0, ())
    assert room.heartbeat("a", -1).epoch == -1
    assert numbers(room.heartbeat("b", 2)) == [0, 1, 2, 3]
    room.heartbeat("c", 0, (), now=40_000)
    assert room.machine.due(room.state) == 45_000
    room.state = room.machine.fire(room.state, 46_000).state
    assert [member.id for member in room.group.members] == ["c"]
    assert numbers(room.heartbeat("c", 3, (), now=46_000)) == [0, 1, 2, 3]


def test_a_full_group_takes_no_newcomer() -> None:
    for kind in (Kind.CONSUMER, Kind.SHARE):
        room = Room(kind)
        assert [room.heartbeat(name, 0, ()).error for name in "abcd"] == [
            0,
            0,
            0,
            Error.GROUP_MAX_SIZE_REACHED,
        ]
        assert {member.id for member in room.group.members} == set("abc")


def epochs(kind: Kind, *heartbeats: tuple[str, int, str | None]) -> list[int]:
    """The epochs that heartbeats are answered in a group as Kafka 4.3 has it."""
    room = Room(kind, GroupMachine(KAFKA))
    return [
        room.heartbeat(name, epoch, () if epoch == 0 else None, instance=instance).epoch
        for name, epoch, instance in heartbeats
    ]


def test_epochs_follow_who_comes_and_goes() -> None:
    come_and_go = (
        ("a", 0, None),
        ("a", 2, None),
        ("b", 0, None),
        ("a", 2, None),
        ("b", -1, None),
        ("a", 3, None),
        ("a", 0, None),
        ("a", -1, None),
        ("c", 0, None),
    )
    assert epochs(Kind.SHARE, *come_and_go) == [2, 2, 3, 3, -1, 4, 4, -1, 6]


def test_a_static_members_successor_changes_no_epoch() -> None:
    returns = (("a", 0, "i"), ("a", -2, "i"), ("b", 0, "i"), ("b", -1, "i"), ("c", 0, "i"))
    assert epochs(Kind.CONSUMER, *returns) == [2, -2, 2, -1, 4]


def test_older_releases_fence_who_joins_again_after_another_epoch() -> None:
    """Seen on Kafka 4.1.2, for consumer and share groups; not from 4.2 on."""
    older = GroupSemantics(fences_epoch_zero=True)
    for kind in (Kind.CONSUMER, Kind.SHARE):
        group = Group(kind, members=(Member("a", epoch=3, previous=2),), epoch=3)
        again = HeartbeatRequest(kind, "a", current=False)
        assert decide_heartbeat(group, again, LIMIT, older) == Error.FENCED_MEMBER_EPOCH
        assert decide_heartbeat(group, replace(again, current=True), LIMIT, older) == 0
        assert decide_heartbeat(group, again, LIMIT, GroupSemantics()) == 0
