"""The groups of a served model: `spec.groups` by the real clock, with the answers of requests that
wait.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING

from conformance.serve.clock import now_ms
from spec.groups.machine import GroupMachine
from spec.groups.model.classic import MemberAnswer
from spec.groups.model.group import Group, Kind
from spec.groups.model.membership import load_group
from spec.groups.model.state import GroupsState
from spec.groups.outcomes import MemberHeartbeatAnswer
from spec.kafka import Error
from spec.semantics import Semantics

if TYPE_CHECKING:
    from spec.groups.machine import GroupStepResult, ReceivedRequest
    from spec.groups.model.epochs import Topics
    from spec.groups.releases import Limits

Protocols = tuple[tuple[str, bytes], ...]


@dataclass(slots=True)
class ServedGroup:
    """One group: its state by `spec`, and what its members have brought.

    Attributes:
        group: the state; a member's `metadata` is the number of its protocols in `known`.
        protocol_type: what its members are, `consumer`.
        protocol: what they agreed on last.
        known: every list of protocols that was brought.
        assignments: by member id, what the leader gave it in this generation.
        hosts: by member id, its client id.
    """

    group: Group = field(default_factory=Group)
    protocol_type: str = ""
    protocol: str = ""
    known: list[Protocols] = field(default_factory=list)
    assignments: dict[str, bytes] = field(default_factory=dict)
    hosts: dict[str, str] = field(default_factory=dict)

    @property
    def named(self) -> bool:
        """Whether its members name themselves: a consumer or share group."""
        return self.group.kind in {Kind.CONSUMER, Kind.SHARE}

    def number(self, protocols: Protocols) -> int:
        """The number of a list of protocols."""
        if protocols not in self.known:
            self.known.append(protocols)
        return self.known.index(protocols)

    def shared_protocols(self) -> list[str]:
        """The protocols that every member has, in the order of the first."""
        lists = [[name for name, _ in self.known[member.metadata]] for member in self.group.members]
        return [name for name in lists[0] if all(name in one for one in lists)] if lists else []

    def metadata(self, member_id: str) -> bytes:
        """A member's metadata for the protocol that was agreed on."""
        member = self.group.member(member_id)
        return (
            dict(self.known[member.metadata]).get(self.protocol, b"") if member is not None else b""
        )


@dataclass(slots=True)
class Groups:
    """All groups of a served model, each a machine's state of its own.

    Attributes:
        served_groups: by name.
        machine: what answers.
        topics: what members of consumer and share groups may subscribe to, as the last heartbeat
            met it.
    """

    served_groups: dict[str, ServedGroup] = field(default_factory=dict)
    machine: GroupMachine = field(default_factory=lambda: GroupMachine(Semantics()))
    topics: Topics = ()
    _waiting: dict[int, asyncio.Future[MemberAnswer]] = field(default_factory=dict)
    _next: int = 0

    def served_group(self, group_id: str, limits: Limits) -> ServedGroup:
        """A group, with everything done that its clock has brought."""
        served = self.served_groups.setdefault(group_id, ServedGroup())
        self._tick(served, limits)
        return served

    async def answer(
        self, served: ServedGroup, limits: Limits, request: ReceivedRequest
    ) -> MemberAnswer:
        """The answer to a request to a group, as late as the group's own clock makes it.

        Nobody who goes by the classic protocol is let into a group whose members name themselves:
        the served model migrates no group (`group.consumer.migration.policy=disabled`).
        """
        if served.named:
            return MemberAnswer(0, Error.UNKNOWN_MEMBER_ID)
        key, self._next = self._next, self._next + 1
        answer: asyncio.Future[MemberAnswer] = asyncio.get_running_loop().create_future()
        self._waiting[key] = answer
        try:
            taken = self.machine.take(self._state(served, limits), key, request, now_ms())
            self._step(served, taken)
            while not answer.done():
                due = self.machine.due(self._state(served, limits))
                with suppress(TimeoutError):
                    async with asyncio.timeout(
                        None if due == inf else max(0.0, due - now_ms()) / 1000
                    ):
                        await asyncio.shield(answer)
                self._tick(served, limits)
            return answer.result()
        finally:
            self._waiting.pop(key, None)

    def heartbeat(
        self, served: ServedGroup, limits: Limits, request: ReceivedRequest, topics: Topics
    ) -> MemberHeartbeatAnswer:
        """The answer to a heartbeat of a member that names itself."""
        self.topics = topics
        stepped = self.machine.take(self._state(served, limits), 0, request, now_ms())
        (served.group,) = stepped.state.groups
        ((_, answer),) = stepped.replies
        assert isinstance(answer, MemberHeartbeatAnswer), answer
        return answer

    def restart(self, limits: Limits) -> None:
        """Restart: load the groups again; what waited is lost with its
        connection.
        """
        self._waiting.clear()
        for served in self.served_groups.values():
            served.group = load_group(served.group, limits.classic, now_ms())

    def _step(self, served: ServedGroup, stepped: GroupStepResult) -> None:
        before, (served.group,) = served.group, stepped.state.groups
        if served.group.generation != before.generation:
            served.assignments.clear()
            served.protocol = next(iter(served.shared_protocols()), "")
        for key, answer in stepped.replies:
            waiting = self._waiting.get(key)
            if waiting is not None and not waiting.done() and isinstance(answer, MemberAnswer):
                waiting.set_result(answer)

    def _tick(self, served: ServedGroup, limits: Limits) -> None:
        """Do what is due."""
        while (due := self.machine.due(self._state(served, limits))) <= now_ms():
            self._step(served, self.machine.fire(self._state(served, limits), due))

    def _state(self, served: ServedGroup, limits: Limits) -> GroupsState:
        """A group as the machine takes it."""
        return GroupsState((served.group,), limits, topics=self.topics)
