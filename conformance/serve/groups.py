"""The groups of a served model: `spec.groups` by the real clock, with the answers of requests that wait."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING

from conformance.serve.clock import now_ms
from conformance.serve.named import Roll, expired
from spec.groups.model.group import Group, Kind, State
from spec.groups.model.membership import loaded
from spec.groups.model.timers import Timer, rung, timers

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.groups.model.classic import Effect, Told
    from spec.groups.releases import Limits

Protocols = tuple[tuple[str, bytes], ...]


@dataclass(slots=True)
class Hall:
    """One group: its state by `spec`, and what its members have brought.

    Attributes:
        group: the state; a member's `metadata` is the number of its protocols in `known`.
        protocol_type: what its members are, `consumer`.
        protocol: what they agreed on last.
        known: every list of protocols that was brought.
        assignments: by member id, what the leader gave it in this generation.
        hosts: by member id, its client id.
        roll: of a consumer or share group, who is given what.
    """

    group: Group = field(default_factory=Group)
    protocol_type: str = ""
    protocol: str = ""
    known: list[Protocols] = field(default_factory=list)
    assignments: dict[str, bytes] = field(default_factory=dict)
    hosts: dict[str, str] = field(default_factory=dict)
    roll: Roll = field(default_factory=Roll)

    @property
    def named(self) -> bool:
        """Whether its members name themselves: a consumer or share group."""
        return self.group.kind in {Kind.CONSUMER, Kind.SHARE}

    def number(self, protocols: Protocols) -> int:
        """The number of a list of protocols."""
        if protocols not in self.known:
            self.known.append(protocols)
        return self.known.index(protocols)

    def shared(self) -> list[str]:
        """The protocols that every member has, in the order of the first."""
        lists = [[name for name, _ in self.known[member.metadata]] for member in self.group.members]
        return [name for name in lists[0] if all(name in one for one in lists)] if lists else []

    def metadata(self, member_id: str) -> bytes:
        """What a member brought for the protocol that was agreed on."""
        member = self.group.member(member_id)
        return dict(self.known[member.metadata]).get(self.protocol, b"") if member is not None else b""


@dataclass(slots=True)
class Groups:
    """All groups of a served model."""

    halls: dict[str, Hall] = field(default_factory=dict)
    _waiting: dict[int, asyncio.Future[Told]] = field(default_factory=dict)
    _next: int = 0

    def hall(self, group_id: str, limits: Limits) -> Hall:
        """A group, with everything done that its clock has brought."""
        hall = self.halls.setdefault(group_id, Hall())
        self._tick(hall, limits)
        return hall

    async def settled(self, hall: Hall, limits: Limits, happen: Callable[[Group, int, float], Effect]) -> Told:
        """Let something happen to a group, and wait for its answer as long as the group's own clock makes it."""
        key, self._next = self._next, self._next + 1
        answer: asyncio.Future[Told] = asyncio.get_running_loop().create_future()
        self._waiting[key] = answer
        try:
            self._settle(hall, happen(hall.group, key, now_ms()))
            while not answer.done():
                due = min([timer.at for timer in _due(hall.group)], default=inf)
                with suppress(TimeoutError):
                    async with asyncio.timeout(None if due == inf else max(0.0, due - now_ms()) / 1000):
                        await asyncio.shield(answer)
                self._tick(hall, limits)
            return answer.result()
        finally:
            self._waiting.pop(key, None)

    def restarted(self, limits: Limits) -> None:
        """What a restart leaves: groups as they are loaded; what waited is lost with its connection."""
        self._waiting.clear()
        for hall in self.halls.values():
            hall.group = loaded(hall.group, limits.classic, now_ms())

    def _settle(self, hall: Hall, effect: Effect) -> None:
        hall.group = effect.group
        if effect.ended is not None:
            hall.assignments.clear()
            hall.protocol = next(iter(hall.shared()), "")
        for told in effect.told:
            waiting = self._waiting.get(told.key)
            if waiting is not None and not waiting.done():
                waiting.set_result(told)

    def _tick(self, hall: Hall, limits: Limits) -> None:
        """Do what is due."""
        if hall.named:
            hall.group = expired(hall.group, hall.roll, now_ms())
        while due := [timer for timer in _due(hall.group) if timer.at <= now_ms()]:
            first = min(due)
            self._settle(hall, rung(hall.group, first, limits.initial_delay_ms, first.at))


def _due(group: Group) -> tuple[Timer, ...]:
    return () if group.state is State.DEAD else timers(group)
