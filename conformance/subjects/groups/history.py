"""Histories of groups: each actor has a connection; a step waits for the one before it, unless that
one is parked.
"""

from __future__ import annotations

import asyncio
import math
import uuid
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conformance.engine.emptying import leave_value
from conformance.ledger import NO_LEDGER, PREFIX, Kind
from conformance.placement.coordinated import coordinated_name
from conformance.play.history import Acted, History, Retry
from conformance.play.request import Request
from conformance.subjects.groups.assignments import Assignments
from conformance.subjects.groups.requests import (
    NEWEST,
    OLDEST,
    Names,
    group_outcome,
    group_request,
)
from conformance.wire.outcomes import NoAnswer, NotConnected
from spec.frozen import replace
from spec.groups.history import Identities
from spec.groups.outcomes import CodedOutcome, GroupAnswer, GroupDescribed, Passed
from spec.groups.steps import (
    PATIENCE_MS,
    AlterBrokerConfig,
    DescribeGroup,
    JoinGroup,
    MemberCommit,
    MemberStep,
    RestartWith,
    SyncGroup,
    WaitFor,
)
from spec.kafka import COORDINATOR_COMES_UP, Error
from spec.outcomes import NotSent, Outcome

if TYPE_CHECKING:
    from conformance.wire.outcomes import Answer
    from spec.steps import Step

LEAVER = -1
"""The actor whose connection has members leave at the end."""
AGAIN_S = 0.015
"""Seconds after which a DescribeGroups is sent again until the group is as wanted."""
PATIENCE_S = PATIENCE_MS / 1000
LEAVING_S = 5.0
"""How long members may take to leave in the end, all together, seconds: the ledger has the rest."""


@dataclass
class GroupHistory(History):
    """A scenario of group members while it is played. Groups are named afresh for each play.

    Attributes:
        topic: the topic that members commit offsets of.
    """

    topic: str = field(kw_only=True)

    _prefix: str = field(init=False, default_factory=lambda: f"{PREFIX}{uuid.uuid4().hex[:12]}")
    _names: dict[str, str] = field(init=False, default_factory=dict)
    """Where there are several brokers: each group's name, whose coordinator is the one asked."""
    _who: Identities = field(init=False, default_factory=Identities)
    _assignments: Assignments = field(init=False, default_factory=Assignments)
    _given: dict[str, set[str]] = field(init=False, default_factory=dict)
    """The member ids that JoinGroup has given out, by group."""

    def sends(self, step: Step) -> bool:
        """Whether a member, or who sets the broker's configs, sends it."""
        return isinstance(step, MemberStep | AlterBrokerConfig)

    def request(self, step: Step) -> Request | NotSent | None:
        """Make a member's request. A JoinGroup alone has its own patience, and only once all
        others are over.
        """
        if not isinstance(step, MemberStep | AlterBrokerConfig):
            return None
        group = self._name(str(step.group)) if isinstance(step, MemberStep) else ""
        if group:
            self.will_make(Kind.GROUP, group)
        names = Names(group, self.topic, uuid.uuid4().hex[:22])
        made = group_request(step, names, self._who, self._assignments, self.cluster.node)
        usable = self.cluster.versions.usable(self.cluster.codec, made.api)
        version = (
            made.version
            if made.version is not None
            else min(NEWEST[made.api], max(usable, default=-1))
        )
        oldest = OLDEST.get(made.api, 0)
        if version not in usable or version < oldest:
            wanted = f" v{max(version, oldest)}" if usable else ""
            return NotSent(f"the broker does not offer {made.api}{wanted}")
        parked = getattr(step, "parked", False)
        return Request(
            made.api,
            version,
            made.value,
            within_s=math.inf if parked else PATIENCE_S,
            parked=parked,
            awaited_s=PATIENCE_S,
            finally_s=step.patience_ms / 1000 if isinstance(step, JoinGroup) else PATIENCE_S,
            carried=made.member,
        )

    def _name(self, group: str) -> str:
        plain = f"{self._prefix}-{group}"
        if not self.cluster.nodes:
            return plain
        if group not in self._names:
            self._names[group] = coordinated_name(self.cluster, f"{plain}-")
        return self._names[group]

    def outcome(self, step: Step, request: Request, answer: Answer) -> Outcome:
        """Read an answer, and note which member id and generation it gives."""
        assert isinstance(step, MemberStep | AlterBrokerConfig)
        found, given = group_outcome(step, request.carried, answer)
        group = str(request.value.get("group_id", ""))
        if isinstance(step, JoinGroup):
            self._assignments.take_join(group, answer.value)
            if given:
                self._given.setdefault(group, set()).add(given)
        if isinstance(step, SyncGroup) and isinstance(found, GroupAnswer) and not found.error:
            assigned = self._assignments.classify(
                group,
                request.value["generation_id"],
                request.carried,
                answer.value["assignment"],
            )
            found = replace(found, assigned=assigned)
        if not self.coming_up(step, found):
            self._who.take_answer(step, found, given)
        return found

    def retry(
        self, step: Step, request: Request, outcome: Outcome, waited_s: float
    ) -> Retry | None:
        """Describe a group again until it is as wanted."""
        del request
        if not isinstance(step, DescribeGroup) or not isinstance(outcome, GroupDescribed):
            return None
        as_wanted = step.state in {"", outcome.state} and step.members in {None, outcome.members}
        return (
            None
            if as_wanted or waited_s >= step.patience_ms / 1000
            else Retry(step, AGAIN_S, kept=False)
        )

    def coming_up(self, step: Step, outcome: Outcome) -> int:
        """Whether a broker that has started lately does not know its groups yet, or the topic that
        is committed to.
        """
        if not isinstance(outcome, CodedOutcome):
            return 0
        lacks_topic = (
            isinstance(step, MemberCommit) and outcome.error == Error.UNKNOWN_TOPIC_OR_PARTITION
        )
        return outcome.error if lacks_topic or outcome.error in COORDINATOR_COMES_UP else 0

    def continues(self, step: Step, outcome: Outcome) -> bool:
        """Continue after each answer, whatever its error code."""
        del step
        return isinstance(outcome, CodedOutcome | Passed)

    async def finish(self) -> None:
        """Have classic members leave a broker that someone else runs: one whose id was given out
        alone keeps its group from being deleted, and is in no description of it.
        """
        if self.cluster.ledger is NO_LEDGER or not self.cluster.offers("LeaveGroup", 3):
            return
        version = self.cluster.version("LeaveGroup", 5)
        with suppress(TimeoutError, NoAnswer, NotConnected):
            async with asyncio.timeout(LEAVING_S):
                connection = await self.connection(LEAVER)
                sent = [
                    connection.send(
                        "LeaveGroup", version, leave_value(group, sorted(given)), LEAVING_S
                    )
                    for group, given in self._given.items()
                ]
                for one in sent:
                    await one.answered

    async def act(self, number: int, step: Step) -> Outcome | Acted:
        """Wait, or restart the broker."""
        if isinstance(step, WaitFor):
            await asyncio.sleep(step.ms / 1000)
            return Passed()
        if isinstance(step, RestartWith):
            restarted = await self.restart_broker(number, step.config)
            self._assignments.leave_open()
            return Acted(Passed(), restarted.began, restarted.ended)
        return await super().act(number, step)
