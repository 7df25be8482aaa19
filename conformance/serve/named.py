"""Consumer and share groups of a served model: `spec.groups` says who may join; here members are
given partitions (KIP-848, KIP-932).

All members of a share group share all partitions of the topics that they subscribe to. A consumer
group deals them out one by one, and a member is given what another one had only after that one has
let go of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spec.groups.model.assigned import (
    JOIN,
    HeartbeatRequest,
    apply_heartbeat,
    decide_heartbeat,
    run_out,
)
from spec.groups.model.group import Group, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spec.groups.releases import GroupSemantics

Address = tuple[bytes, int]
"""Topic id and partition."""


@dataclass(slots=True)
class MemberDetails:
    """A member's last data and answers.

    Attributes:
        topics: the names that it subscribes to.
        host: its client id.
        epoch: the member epoch that it was answered last.
        held: what it may be working on.
        assignment: the assignment that it was sent last; None where it was sent none.
    """

    topics: frozenset[str] = frozenset()
    host: str = ""
    epoch: int = 0
    held: frozenset[Address] = frozenset()
    assignment: frozenset[Address] | None = None


@dataclass(slots=True)
class MemberTable:
    """A group's members, and how often what they are to have has changed."""

    epoch: int = 0
    members: dict[str, MemberDetails] = field(default_factory=dict)
    target: dict[str, frozenset[Address]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Brought:
    """The content of a heartbeat beside the member and its epoch; None where it is as before."""

    topics: Iterable[str] | None = None
    owned: frozenset[Address] | None = None
    host: str = ""


@dataclass(frozen=True, slots=True)
class HeartbeatResult:
    """The result of a heartbeat: the group, the error, the member's epoch, and its assignment where
    that is to be sent.
    """

    group: Group
    error: int
    epoch: int = 0
    assignment: frozenset[Address] | None = None


def handle_heartbeat(
    group: Group,
    member_table: MemberTable,
    ask: HeartbeatRequest,
    brought: Brought,
    rules: tuple[int, GroupSemantics],
    partitions: Mapping[str, Iterable[Address]],
    now: float,
) -> HeartbeatResult:
    """Let a heartbeat happen.

    Args:
        group: before.
        member_table: its members; changed.
        ask: the heartbeat.
        brought: the rest of it.
        rules: the limit of members, and the decisions in force.
        partitions: of every topic by name.
        now: the time in milliseconds.
    """
    error = decide_heartbeat(group, ask, *rules)
    after = apply_heartbeat(group, ask, error, now)
    if error:
        return HeartbeatResult(after, error)
    _enrol(after, member_table, ask, brought)
    deal(after.kind, member_table, partitions)
    member = member_table.members.get(ask.member)
    if ask.epoch < JOIN or member is None:
        return HeartbeatResult(after, 0, ask.epoch)
    assignment = _given(after.kind, member_table, ask.member, brought.owned)
    news = assignment if ask.epoch == JOIN or assignment != member.assignment else None
    member.assignment = assignment
    return HeartbeatResult(after, 0, member.epoch, news)


def _enrol(
    group: Group, member_table: MemberTable, ask: HeartbeatRequest, brought: Brought
) -> None:
    """Keep the member table as the group is; whoever takes a static member's place takes over what
    it had.
    """
    staying = {member.id for member in group.members}
    if ask.member in staying and ask.member not in member_table.members:
        member_table.members[ask.member] = MemberDetails()
    for gone in [member for member in member_table.members if member not in staying]:
        del member_table.members[gone]
    member = member_table.members.get(ask.member)
    if member is not None:
        member.host = brought.host
        if brought.topics is not None:
            member.topics = frozenset(brought.topics)
        if ask.epoch == JOIN:
            member.held = frozenset()


def deal(
    kind: Kind, member_table: MemberTable, partitions: Mapping[str, Iterable[Address]]
) -> None:
    """Say who is to have what; where that changes, the group's epoch is raised."""
    target: dict[str, set[Address]] = {name: set() for name in member_table.members}
    for topic in sorted(
        {topic for member in member_table.members.values() for topic in member.topics}
    ):
        names = [name for name, member in member_table.members.items() if topic in member.topics]
        for number, address in enumerate(partitions.get(topic, ())):
            for name in names if kind is Kind.SHARE else [names[number % len(names)]]:
                target[name].add(address)
    dealt = {name: frozenset(addresses) for name, addresses in target.items()}
    if dealt != member_table.target or not member_table.epoch:
        member_table.epoch, member_table.target = member_table.epoch + 1, dealt


def _given(
    kind: Kind, member_table: MemberTable, name: str, owned: frozenset[Address] | None
) -> frozenset[Address]:
    """The partitions that a member is to have now. In a consumer group what it must give up goes
    first, and nothing comes that another one still has.
    """
    member, target = member_table.members[name], member_table.target[name]
    if kind is Kind.CONSUMER:
        if owned is not None and member.assignment is not None and owned <= member.assignment:
            member.held = member.assignment
        if member.assignment is not None and not member.held <= target:
            return member.held & target
        target -= frozenset[Address]().union(
            *[other.held for known, other in member_table.members.items() if known != name]
        )
    member.epoch, member.held = member_table.epoch, target
    return target


def expired(group: Group, member_table: MemberTable, now: float) -> Group:
    """The group without the members that were not heard of for so long that their sessions are
    over.
    """
    after = run_out(group, now)
    for gone in [name for name in member_table.members if after.member(name) is None]:
        del member_table.members[gone]
    return after
