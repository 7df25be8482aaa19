"""Share groups of a served model: each group's state by `spec`, with partitions and
members under numbers of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from spec.frozen import replace
from spec.log import Log
from spec.share.model.seams import REFERENCE, Sharing
from spec.share.model.state import PartitionState, State

if TYPE_CHECKING:
    import asyncio

    from spec.outcomes import Outcome

Address = tuple[bytes, int]
"""Topic id and partition."""


class Existence(StrEnum):
    """How much of what an address names exists."""

    PARTITION = "partition"
    TOPIC = "topic"
    NOTHING = "nothing"


NOTHING_SEEN = Log((), 0, 0, 0)
UNKNOWN_TOPICS = 1 << 40
"""Partitions of unknown topics have numbers from here on, unknown partitions of known topics
numbers below 0, as `spec.share` has it.
"""


def _kind_of_number(number: int) -> Existence:
    return (
        Existence.TOPIC
        if number < 0
        else Existence.NOTHING
        if number >= UNKNOWN_TOPICS
        else Existence.PARTITION
    )


@dataclass(slots=True)
class ServedShareGroup:
    """One share group.

    Attributes:
        state: its state by `spec`.
        addresses: what each partition's number stands for.
        actors: the number of each member id.
        connections: by member's number, the task that serves the connection on which its session
            was opened.
        outcomes: answers that are still to be sent, by the key of their request.
        last_key: the key of the last step.
    """

    state: State = field(default_factory=lambda: State((), ()))
    addresses: dict[int, Address] = field(default_factory=dict)
    actors: dict[str, int] = field(default_factory=dict)
    connections: dict[int, asyncio.Task[None] | None] = field(default_factory=dict)
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    last_key: int = 0
    _numbers: dict[Address, int] = field(default_factory=dict)

    def actor(self, member_id: str) -> int:
        """A member's number, the same each time."""
        return self.actors.setdefault(member_id, len(self.actors))

    def number(self, address: Address, there: Existence) -> int:
        """A partition's number, the same for as long as so much of it exists; sessions that know it
        by an old number get the new one.
        """
        known = self._numbers.get(address)
        if known is not None and _kind_of_number(known) is there:
            return known
        number = self._new_number(there)
        self.addresses[number], self._numbers[address] = address, number
        for member, session in self.state.sessions:
            renamed = tuple([number if one == known else one for one in session.partitions])
            self.state = self.state.with_session(member, replace(session, partitions=renamed))
        return number

    def _new_number(self, there: Existence) -> int:
        if there is not Existence.PARTITION:
            return (
                UNKNOWN_TOPICS + len(self.addresses)
                if there is Existence.NOTHING
                else -1 - len(self.addresses)
            )
        self.state = replace(
            self.state,
            logs=(*self.state.logs, NOTHING_SEEN),
            partitions=(*self.state.partitions, PartitionState()),
        )
        return len(self.state.logs) - 1

    @property
    def known_addresses(self) -> list[Address]:
        """Every partition that has a number."""
        return list(self._numbers)


@dataclass(slots=True)
class Shares:
    """All share groups of a served model; `sharing` is how they are handled, where a fault is
    planted.
    """

    sharing: Sharing = REFERENCE
    served_groups: dict[str, ServedShareGroup] = field(default_factory=dict)

    def served_group(self, group_id: str) -> ServedShareGroup:
        """A group."""
        return self.served_groups.setdefault(group_id, ServedShareGroup())
