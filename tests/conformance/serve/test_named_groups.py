"""Who is given which partitions in consumer and share groups, and that no partition has two owners
in a consumer group.
"""

from collections.abc import Iterable

from conformance.serve.named import Brought, HeartbeatResult, MemberTable, expired, handle_heartbeat
from spec.groups.model.assigned import HeartbeatRequest
from spec.groups.model.group import Group, Kind
from spec.groups.releases import GroupSemantics
from spec.kafka import Error

TOPIC = bytes(16)
PARTITIONS = {"orders": [(TOPIC, number) for number in range(4)]}
LIMIT = 3


class Room:
    """A group to which heartbeats come."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.group = Group()
        self.member_table = MemberTable()

    def heartbeat(
        self, member: str, epoch: int, owned: Iterable[int] | None = None, now: float = 0.0
    ) -> HeartbeatResult:
        """A heartbeat, with what the member owns where that is given."""
        brought = Brought(
            ("orders",) if epoch == 0 else None,
            None if owned is None else frozenset([(TOPIC, one) for one in owned]),
        )
        ask = HeartbeatRequest(self.kind, member, epoch)
        result = handle_heartbeat(
            self.group, self.member_table, ask, brought, (LIMIT, GroupSemantics()), PARTITIONS, now
        )
        self.group = result.group
        return result


def numbers(result: HeartbeatResult) -> list[int] | None:
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
    room.group = expired(room.group, room.member_table, 46_000)
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
        assert set(room.member_table.members) == set("abc")
