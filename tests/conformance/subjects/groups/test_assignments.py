"""What leaders give is remembered, and held against what members are answered."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from conformance.play.background import play_alone
from conformance.subjects.groups.assignments import Assignments, assignment
from conformance.subjects.groups.history import GroupHistory
from spec.groups.outcomes import Assigned, GroupAnswer
from spec.groups.steps import NEW, JoinGroup, SyncGroup
from spec.layout import Layout
from spec.scenario import Scenario
from tests.conformance.play.scripted import Peer, broker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

OFFERED = {11: (0, 9), 14: (0, 5), 18: (0, 4)}
LEADER, FOLLOWER = "member-a", "member-b"
BOTH = LEADER, FOLLOWER


def joined(generation: int, member: str, leader: str, members: Sequence[str]) -> dict[str, Any]:
    listed = [{"member_id": one, "group_instance_id": None, "metadata": b""} for one in members]
    return {
        "error_code": 0,
        "generation_id": generation,
        "protocol_type": "consumer",
        "protocol_name": "range",
        "leader": leader,
        "member_id": member,
        "members": listed,
    }


def led(*generations: int) -> Assignments:
    """Both members have joined these generations, and their leader has assigned."""
    made = Assignments()
    for generation in generations:
        made.take_join("g", joined(generation, LEADER, LEADER, BOTH))
        made.take_join("g", joined(generation, FOLLOWER, LEADER, ()))
        made.give("g", generation, LEADER)
    return made


def test_a_leader_gives_each_member_an_assignment_of_its_own_and_a_follower_none() -> None:
    made = led(1)
    given = made.give("g", 1, LEADER)
    assert [one["member_id"] for one in given] == [LEADER, FOLLOWER]
    assert len({one["assignment"] for one in given}) == len(BOTH)
    assert made.give("g", 1, FOLLOWER) == []


def test_a_coordinator_can_read_an_assignment() -> None:
    made = assignment(7, "m")
    version, partitions, length = struct.unpack_from(">hii", made)
    assert (version, partitions, made[10:]) == (0, 0, b"7:m")
    assert length == len(b"7:m")


@pytest.mark.parametrize(
    ("answered", "expected"),
    [
        (assignment(2, FOLLOWER), Assigned.OWN),
        (assignment(2, LEADER), Assigned.OTHER),
        (assignment(1, FOLLOWER), Assigned.EARLIER),
        (assignment(3, FOLLOWER), Assigned.UNKNOWN),
        (b"", Assigned.NOTHING),
        (b"any", Assigned.STRANGE),
    ],
)
def test_what_a_member_is_answered_is_held_against_what_leaders_gave(
    answered: bytes, expected: Assigned
) -> None:
    assert led(1, 2, 3).classify("g", 2, FOLLOWER, answered) is expected


def _has_no_leader_yet(made: Assignments) -> None:
    made.take_join("g", joined(3, LEADER, LEADER, BOTH))


def _has_a_leader_under_a_new_id(made: Assignments) -> None:
    made.take_join("g", joined(2, "member-c", "member-c", ("member-c", FOLLOWER)))
    made.give("g", 2, "member-c")


def _was_restarted(made: Assignments) -> None:
    made.leave_open()


@pytest.mark.parametrize(
    ("happens", "generation", "member"),
    [
        (_has_no_leader_yet, 3, FOLLOWER),
        (_has_a_leader_under_a_new_id, 2, FOLLOWER),
        (_has_a_leader_under_a_new_id, 2, "member-c"),
        (_was_restarted, 2, FOLLOWER),
    ],
)
def test_nothing_is_said_where_it_is_open_who_gave_a_member_what(
    happens: Callable[[Assignments], None], generation: int, member: str
) -> None:
    made = led(1, 2)
    happens(made)
    for answered in (b"", assignment(2, LEADER), assignment(generation, member)):
        assert made.classify("g", generation, member, answered) is Assigned.UNKNOWN


def test_a_generation_after_a_restart_counts_again() -> None:
    made = led(1)
    made.leave_open()
    made.take_join("g", joined(2, LEADER, LEADER, BOTH))
    made.give("g", 2, LEADER)
    assert made.classify("g", 2, LEADER, assignment(2, LEADER)) is Assigned.OWN
    assert made.classify("g", 2, LEADER, b"") is Assigned.NOTHING


@pytest.mark.parametrize(
    ("place", "expected"), [(0, Assigned.OWN), (1, Assigned.OTHER), (None, Assigned.NOTHING)]
)
def test_a_leader_that_is_answered_the_assignment_of_another_member_is_noticed(
    place: int | None, expected: Assigned
) -> None:
    async def script(peer: Peer) -> None:
        while True:
            asked = await peer.request()
            if asked.api == "JoinGroup":
                peer.answer(asked, joined(1, LEADER, LEADER, BOTH))
            elif asked.api == "SyncGroup":
                given = [one["assignment"] for one in asked.body.value["assignments"]]
                assert len(given) == len(BOTH)
                answer = {"error_code": 0, "protocol_type": "consumer", "protocol_name": "range"}
                peer.answer(asked, answer | {"assignment": b"" if place is None else given[place]})

    scenario = Scenario(Layout(()), (JoinGroup(0, NEW), SyncGroup(0)))
    with broker(script) as scripted:
        versions = replace(scripted.cluster.versions, ranges=OFFERED)
        cluster = replace(scripted.cluster, versions=versions)
        observation = play_alone(GroupHistory(cluster, scenario, topic="fencepost-committed"))
    assert observation.broken is None
    assert observation.exchanges[-1].outcome == GroupAnswer(0, assigned=expected)
