"""What the leaders of classic groups assign, and which of it a member is answered with.

A leader gives each member that its JoinGroup was answered an assignment of its own: of no
partitions, with the generation and the member's id as user data (ConsumerProtocolAssignment v0,
which a coordinator reads where the group becomes a consumer group). So a SyncGroup that is repeated
gives the same.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spec.groups.outcomes import Assigned

if TYPE_CHECKING:
    from collections.abc import Mapping

Generation = tuple[str, int]
"""A group's name, and its generation."""


def assignment(generation: int, member: str) -> bytes:
    """The assignment of one member in one generation."""
    named = f"{generation}:{member}".encode()
    return struct.pack(f">hii{len(named)}s", 0, 0, len(named), named)


@dataclass
class Assignments:
    """What leaders have given in a history.

    A generation counts as long as all answers to JoinGroup name one leader for it: a static leader
    that comes back under a new id in a Stable group may send a SyncGroup too, which gives nothing.
    """

    _leaders: dict[Generation, str] = field(default_factory=dict)
    _listed: dict[tuple[Generation, str], tuple[str, ...]] = field(default_factory=dict)
    """The members that a leader was answered first."""
    _given: dict[Generation, tuple[str, ...]] = field(default_factory=dict)
    _open: set[Generation] = field(default_factory=set)
    """Generations of which nothing is said."""

    def take_join(self, group: str, answer: Mapping[str, Any]) -> None:
        """Take in an answer to JoinGroup."""
        leader, generation = answer["leader"], (group, answer["generation_id"])
        if answer["error_code"] or not leader:
            return
        if self._leaders.setdefault(generation, leader) != leader:
            self._open.add(generation)
        if answer["member_id"] == leader:
            members = tuple([member["member_id"] for member in answer["members"]])
            self._listed.setdefault((generation, leader), members)

    def give(self, group: str, generation: int, member: str) -> list[dict[str, Any]]:
        """The assignments in a member's SyncGroup, which counts as sent: none where it does not
        lead.
        """
        key = group, generation
        listed = self._listed.get((key, member), ())
        if listed and self._leaders[key] == member:
            self._given.setdefault(key, listed)
        return [{"member_id": one, "assignment": assignment(generation, one)} for one in listed]

    def classify(self, group: str, generation: int, member: str, answered: bytes) -> Assigned:
        """What a SyncGroup that carried this generation and member id was answered with."""
        key = group, generation
        if key in self._open or member not in self._given.get(key, ()):
            return Assigned.UNKNOWN
        if answered == assignment(generation, member):
            return Assigned.OWN
        if not answered:
            return Assigned.NOTHING
        for (other, given), members in self._given.items():
            if other == group and answered in [assignment(given, one) for one in members]:
                if given == generation:
                    return Assigned.OTHER
                return Assigned.EARLIER if given < generation else Assigned.UNKNOWN
        return Assigned.STRANGE

    def leave_open(self) -> None:
        """Say nothing more of the generations so far: the broker was restarted, and a generation
        whose assignment was not written down may be numbered so once more.
        """
        self._open.update(self._leaders)
