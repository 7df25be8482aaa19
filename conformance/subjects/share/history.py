"""Histories of a share group: each actor is a member with a connection of its own, steps come one
after the other over all of them.

Nothing waits for a parked fetch but the next step of its own member. A group's name and its
members' ids are fresh for each play.
"""

from __future__ import annotations

import asyncio
import base64
import math
import secrets
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from conformance.ledger import PREFIX, Kind
from conformance.placement.coordinated import coordinated_name
from conformance.play.history import Acted, History, Retry
from conformance.play.request import Request
from conformance.play.silence import SILENCE_S
from conformance.subjects.share import admin
from conformance.subjects.share.answers import (
    ShareKeys,
    share_acknowledge_answer,
    share_fetch_answer,
    share_keys,
)
from conformance.subjects.share.patience import HistoryPatience, Patience
from conformance.subjects.share.requests import share_request
from spec.kafka import COORDINATOR_COMES_UP, error_name
from spec.observation import Exchange, Observation
from spec.outcomes import AppendAnswer, NotReady, NotSent, Outcome
from spec.share.model.session import Mode, ShareSession, admit, carried_epoch, session_after
from spec.share.outcomes import Done, GroupChanged, ShareAcknowledgeAnswer, ShareFetchAnswer
from spec.share.steps import (
    AlterGroupConfig,
    AlterShareGroupOffsets,
    DeleteShareGroupOffsets,
    DropConnection,
    FindShareCoordinator,
    GroupQuestion,
    NameGroup,
    Pause,
    RestartBroker,
    ShareAcknowledge,
    ShareFetch,
    asked_again,
    line_of,
)
from spec.share.waiting import slowness
from spec.steps import Append, DeleteRecords

if TYPE_CHECKING:
    from conformance.placement.placed_partition import Placed
    from conformance.play.connection import AsyncConnection
    from conformance.wire.outcomes import Answer
    from spec.share.releases import ShareSemantics
    from spec.steps import Step

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.01, 0.25
"""How long a patient fetch waits before it is sent again: twice as long each time."""
MOST_PATIENCE_MS = 30_000
"""For how long a patient fetch is sent again at most on a slow broker, in milliseconds; one that
would have to wait longer shows nothing (SHR-155).
"""
LONGER_MS = 1
"""A fetch is sent again for this much longer, so that it surely was for as long as is judged."""
NOBODY = -1
"""The actor of steps of which no member learns."""
NO_SHARE_GROUPS = (
    "the broker does not advertise ShareFetch: turn its share groups on, or test another one"
)
TOPIC_IDS_SINCE = 10
"""The first version of Metadata that names topic ids, which share requests go by."""
NO_TOPIC_IDS = (
    f"the broker does not advertise Metadata v{TOPIC_IDS_SINCE}, which names the topic ids that "
    "share requests go by"
)
NO_RESTART = "this system can't be restarted here"
REQUESTS = (ShareFetch, ShareAcknowledge, Append, DeleteRecords)


def fresh_id() -> str:
    """A Kafka Uuid: 16 bytes in base64, which must not begin with a dash."""
    while True:
        found = base64.urlsafe_b64encode(secrets.token_bytes(16)).decode().rstrip("=")
        if not found.startswith("-"):
            return found


@dataclass(slots=True)
class Member:
    """One actor as the share group sees it.

    Attributes:
        id: its member id.
        session: its share session; None where it has none.
        went_empty: its last answer is that to a fetch which went through and acquired nothing.
        pause_s: how long its patient fetch waits before it is sent again.
    """

    id: str = field(default_factory=fresh_id)
    session: ShareSession | None = None
    went_empty: bool = False
    pause_s: float = FIRST_PAUSE_S


@dataclass
class ShareHistory(History):
    """A scenario of a share group's members while it is played.

    Attributes:
        semantics: by which sessions are followed.
        group: the group's name; empty for a fresh one.
        patience: how long its patient fetches are sent again.
    """

    semantics: ShareSemantics = field(kw_only=True)
    patience: HistoryPatience = field(
        kw_only=True, default_factory=lambda: HistoryPatience(Patience(), whole=True)
    )
    group: str = field(kw_only=True, default="")
    holds_by_connection: ClassVar[bool] = True
    _keys: ShareKeys = field(init=False, default_factory=dict)
    _members: dict[int, Member] = field(init=False, default_factory=lambda: defaultdict(Member))
    _initialized: bool = field(init=False, default=False)
    """The broker knows the group's share partitions, by start offsets that were set or by a member
    that joined.
    """
    _strayed: bool = field(init=False, default=False)
    """A patient fetch got nothing: the history goes another way than the model foresaw, and
    patience is over.
    """

    def __post_init__(self) -> None:
        self._keys = share_keys(self._layout)
        self.group = self.group or coordinated_name(self.cluster, PREFIX)

    @property
    def _layout(self) -> Placed:
        assert self.placed is not None
        return self.placed

    async def play(self) -> Observation:
        """Play it, where the broker has share groups and topic ids."""
        if not self.cluster.offers("ShareFetch"):
            return Observation((Exchange(0, NotSent(NO_SHARE_GROUPS)),))
        if not self.cluster.offers("Metadata", TOPIC_IDS_SINCE):
            return Observation((Exchange(0, NotSent(NO_TOPIC_IDS)),))
        return await super().play()

    def actor(self, step: Step) -> int:
        """Over which connection a step is done."""
        return NOBODY if isinstance(step, Pause | NameGroup | RestartBroker) else line_of(step)

    def sends(self, step: Step) -> bool:
        """Whether a step is a member's request, or a write."""
        return isinstance(step, REQUESTS)

    async def prepare(self, step: Step) -> None:
        """Let a member join and leave before the first request of the group, so that the broker
        knows its share partitions.
        """
        connection = await self.connection(line_of(step))
        if self._initialized or not isinstance(step, ShareFetch | ShareAcknowledge):
            return
        self._initialized = True
        self.will_make(Kind.GROUP, self.group)
        if self.cluster.offers("ShareGroupHeartbeat", 1):
            await admin.join_and_leave(
                self.cluster, connection, self.group, fresh_id(), self._layout
            )

    def request(self, step: Step) -> Request | NotSent | None:
        """Make a member's request; it carries the epoch that its session is at."""
        if not isinstance(step, ShareFetch | ShareAcknowledge):
            return None
        member = self._members[step.actor]
        epoch = carried_epoch(step, member.session)
        fetches = isinstance(step, ShareFetch)
        max_wait_s = max(0, step.max_wait_ms) / 1000 if isinstance(step, ShareFetch) else 0.0
        return Request(
            "ShareFetch" if fetches else "ShareAcknowledge",
            step.version,
            share_request(step, epoch, self._layout, self.group, member.id),
            within_s=SILENCE_S + max_wait_s,
            max_wait_s=max_wait_s,
            parked=isinstance(step, ShareFetch) and step.parked,
            carried=epoch,
        )

    def outcome(self, step: Step, request: Request, answer: Answer) -> Outcome:
        """Read an answer, and follow the member's session."""
        assert isinstance(step, ShareFetch | ShareAcknowledge)
        member, epoch = self._members[step.actor], request.carried
        member.went_empty = False
        found: ShareFetchAnswer | ShareAcknowledgeAnswer
        if isinstance(step, ShareFetch):
            found = share_fetch_answer(
                answer.value, answer.trailing, epoch, self._layout, self._keys
            )
        else:
            found = share_acknowledge_answer(answer.value, answer.trailing, epoch, self._keys)
        admission = admit(
            step, epoch, member.session, len(self._layout.placed_partitions), self.semantics
        )
        member.session = session_after(admission, found.error)
        if isinstance(found, ShareFetchAnswer):
            went_through = admission.mode in {Mode.OPENING, Mode.CONTINUING} and not found.error
            member.went_empty = went_through and not any(part.acquired for part in found.partitions)
        return found

    def retry(
        self, step: Step, request: Request, outcome: Outcome, waited_s: float
    ) -> Retry | None:
        """Send a patient fetch again until it acquires something, or its patience is over."""
        del request
        member = self._members[step.actor]
        if (
            not isinstance(step, ShareFetch)
            or not isinstance(outcome, ShareFetchAnswer)
            or step.parked
        ):
            return None
        if member.went_empty and step.patience_ms and not self._strayed:
            allowed_ms = self.patience.allowed_ms(step.patience_ms)
            if allowed_ms == step.patience_ms:
                needed_ms = self._progress_ms(step, outcome)
                allowed_ms = max(allowed_ms, min(math.ceil(needed_ms), MOST_PATIENCE_MS))
            if waited_s * 1000 < allowed_ms + LONGER_MS:
                pause_s, member.pause_s = member.pause_s, min(2 * member.pause_s, LONGEST_PAUSE_S)
                return Retry(asked_again(step), pause_s)
            self._strayed = True
            if allowed_ms < step.patience_ms:
                self.patience.shared.give_up()
        member.pause_s = FIRST_PAUSE_S
        return None

    def _progress_ms(self, step: Step, outcome: Outcome) -> float:
        """How long records that can be acquired may take to come on a broker as slow as this one
        was up to the answer that a step has now.
        """
        steps = self.scenario.steps
        played = [(steps[one.step], one) for some in self._exchanges.values() for one in some]
        now = Exchange(0, outcome, 0.0, self.elapsed_s * 1000)
        return slowness([*played, (step, now)], self.delay_ms).progress_ms

    def continues(self, step: Step, outcome: Outcome) -> bool:
        """Continue after each answer of the group, and after changes that the broker made."""
        if isinstance(outcome, AppendAnswer | GroupChanged) and not outcome.error:
            return True
        if isinstance(outcome, GroupChanged) and isinstance(step, GroupQuestion):
            return True
        return isinstance(outcome, ShareFetchAnswer | ShareAcknowledgeAnswer | Done)

    async def act(self, number: int, step: Step) -> Outcome | Acted:
        """Do what is no single request of a member."""
        match step:
            case Pause():
                await asyncio.sleep(step.ms / 1000)
                return Done()
            case NameGroup():
                self.group = (
                    coordinated_name(self.cluster, f"{PREFIX}{step.text}")
                    if self.cluster.nodes
                    else f"{PREFIX}{step.text}{self.group.removeprefix(PREFIX)}"
                )
                return Done()
            case DropConnection():
                self.drop(step.actor)
                self._members[step.actor].session = None
                return Done()
            case RestartBroker():
                return await self._restart(number)
            case (
                AlterGroupConfig()
                | FindShareCoordinator()
                | AlterShareGroupOffsets()
                | DeleteShareGroupOffsets()
            ):
                return await self._administer(step)
        return await super().act(number, step)

    async def _administer(
        self,
        step: AlterGroupConfig
        | FindShareCoordinator
        | AlterShareGroupOffsets
        | DeleteShareGroupOffsets,
    ) -> Outcome:
        """Do what an administrator does."""
        changed = await self._request_change(step, await self.connection(step.actor))
        if isinstance(changed, GroupChanged) and changed.error in COORDINATOR_COMES_UP:
            why = f"{step.name}: found {error_name(changed.error)} until the time for it was over"
            return NotReady(why)
        return changed

    async def _request_change(
        self,
        step: AlterGroupConfig
        | FindShareCoordinator
        | AlterShareGroupOffsets
        | DeleteShareGroupOffsets,
        connection: AsyncConnection,
    ) -> Outcome:
        match step:
            case AlterGroupConfig():
                self.will_make(Kind.GROUP_CONFIG, self.group)
                return await admin.alter_config(self.cluster, connection, self.group, step)
            case FindShareCoordinator():
                if not self.cluster.offers("ShareGroupHeartbeat", 1):
                    return NotSent("the early access names its share coordinator to no client")
                placed_partition = self._layout.placed_partitions[step.partition]
                return await admin.find_share_coordinator(
                    self.cluster, connection, self.group, placed_partition
                )
            case AlterShareGroupOffsets():
                self._initialized = True
                self.will_make(Kind.GROUP, self.group)
                return await admin.alter_offsets(
                    self.cluster, connection, self.group, step, self._layout
                )
        if not self.cluster.offers("DeleteShareGroupOffsets"):
            return NotSent("the broker does not advertise DeleteShareGroupOffsets")
        self._initialized = False
        return await admin.delete_offsets(self.cluster, connection, self.group, self._layout)

    async def _restart(self, number: int) -> Outcome | Acted:
        """Restart the broker as it is: all sessions are gone with the connections."""
        if self.restart is None:
            return NotSent(NO_RESTART)
        restarted = await self.restart_broker(number, None)
        for member in self._members.values():
            member.session = None
        return Acted(Done(), restarted.began, restarted.ended)
