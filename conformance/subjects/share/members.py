"""The members of a share group's history: their connections and sessions, and the requests that they have under way."""

from __future__ import annotations

import base64
import math
import secrets
import select
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from conformance.subjects.fetch.lanes import SILENCE_S, observed_end
from conformance.subjects.share import admin as share_admin
from conformance.subjects.share.answers import ShareKeys, share_acknowledge_answer, share_fetch_answer
from conformance.subjects.share.requests import share_request
from conformance.wire import outcomes
from spec.observation import Exchange
from spec.outcomes import AppendAnswer, Garbled, Outcome
from spec.share.model.session import Mode, ShareRequest, ShareSession, admit, carried, session_after
from spec.share.outcomes import Done, GroupChanged, ShareAcknowledgeAnswer, ShareFetchAnswer
from spec.share.steps import GroupQuestion, ShareFetch, asked_again

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.cluster import Cluster
    from conformance.placement.site import Placed
    from conformance.wire.connection import Connection
    from spec.scenario import Scenario
    from spec.share.releases import ShareSemantics

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.01, 0.25
"""How long a patient fetch waits before it is sent again: twice as long each time."""


@dataclass(slots=True)
class Sent:
    """A request on its way: the step's number, what was sent, the epoch that it carried, and its ticket."""

    number: int
    step: ShareRequest
    epoch: int
    ticket: outcomes.Ticket


@dataclass(slots=True)
class Member:
    """One actor: its member id, its connection (None once dropped), its session, and the fetch that it has parked."""

    id: str
    connection: Connection | None = None
    session: ShareSession | None = None
    parked: Sent | None = None


@dataclass(slots=True)
class History:
    """One history under way.

    Attributes:
        cluster: whom it is played on; another one after a restart.
        scenario: what is played.
        placed: where its layout lies.
        semantics: by which sessions are followed.
        restart: restarts the broker as it is and reaches it again; None where it can't be.
        keys: each partition's number by where it lies.
        group: the group's name.
        started: when it began, in seconds of the monotonic clock.
        initialized: the broker knows the group's share partitions, by start offsets that were set or by a member that joined.
        stopped: a step had no answer, or failed, so that nothing more is done.
        strayed: a patient fetch got nothing, so that the history goes another way than the model foresaw, and patience is over.
        members: who has done something so far, by actor.
        exchanges: what came back so far.
    """

    cluster: Cluster
    scenario: Scenario
    placed: Placed
    semantics: ShareSemantics
    restart: Callable[[], Cluster] | None
    keys: ShareKeys
    group: str
    started: float
    initialized: bool = False
    stopped: bool = False
    strayed: bool = False
    members: dict[int, Member] = field(default_factory=dict)
    exchanges: list[Exchange] = field(default_factory=list)

    def member(self, actor: int) -> Member:
        """The actor, whose connection is open."""
        if actor not in self.members:
            self.members[actor] = Member(fresh_id())
        member = self.members[actor]
        if member.connection is None or not member.connection.alive:
            member.connection = self.cluster.connect(timeout=SILENCE_S)
        return member

    def note(self, number: int, outcome: Outcome, sent: float, answered: float) -> None:
        """Keep what became of a step; what is no answer ends the history."""
        self.exchanges.append(Exchange(number, outcome, (sent - self.started) * 1000, (answered - self.started) * 1000))
        fine = isinstance(outcome, ShareFetchAnswer | ShareAcknowledgeAnswer | Done)
        changed = isinstance(outcome, AppendAnswer | GroupChanged) and not outcome.error
        refused = isinstance(outcome, GroupChanged) and isinstance(self.scenario.steps[number], GroupQuestion)
        self.stopped = self.stopped or not (fine or changed or refused)


def ask(run: History, number: int, step: ShareRequest) -> None:
    """A member's request; a patient fetch is sent again until it acquires something or its patience is over."""
    member = run.member(step.actor)
    unpark(run, member)
    assert member.connection is not None
    if not run.initialized:
        run.initialized = True
        if run.cluster.offers("ShareGroupHeartbeat", 1):
            share_admin.join_and_leave(run.cluster, member.connection, run.group, fresh_id(), run.placed)
    begun, pause = time.monotonic(), FIRST_PAUSE_S
    while True:
        sent = _send(run, member, number, step)
        if isinstance(step, ShareFetch) and step.parked:
            member.parked = sent
            return
        wait(run, _deadline(sent), member)
        fetches = _received(run, member, sent)
        if not fetches or not isinstance(step, ShareFetch) or not step.patience_ms or run.strayed:
            return
        if time.monotonic() - begun >= step.patience_ms / 1000:
            run.strayed = True
            return
        wait(run, time.monotonic() + pause)
        step, pause = asked_again(step), min(2 * pause, LONGEST_PAUSE_S)


def unpark(run: History, member: Member) -> None:
    """Wait for the answer to the fetch that a member has parked."""
    if member.parked is not None:
        wait(run, _deadline(member.parked), member)
        if member.parked is not None:
            parked, member.parked = member.parked, None
            _received(run, member, parked)


def drop(member: Member) -> None:
    """Close a member's connection without a word; its session is gone with it."""
    if member.connection is not None:
        member.connection.close()
    member.connection, member.session = None, None


def wait(run: History, until: float, member: Member | None = None) -> None:
    """Wait until a time, or until a member's connection has something; answers to parked fetches are taken as they come."""
    while True:
        watched = {
            one.connection.fileno(): one
            for one in run.members.values()
            if one.connection is not None and one.connection.pending and (one is member or one.parked is not None)
        }
        left = until - time.monotonic()
        if left <= 0:
            return
        poller = select.poll()
        for descriptor in watched:
            poller.register(descriptor, select.POLLIN)
        ready = [watched[descriptor] for descriptor, _ in poller.poll(math.ceil(left * 1000))]
        for one in ready:
            if one.parked is not None:
                parked, one.parked = one.parked, None
                _received(run, one, parked)
        if member in ready:
            return


def _send(run: History, member: Member, number: int, step: ShareRequest) -> Sent:
    connection = member.connection
    assert connection is not None
    epoch = carried(step, member.session)
    api = "ShareFetch" if isinstance(step, ShareFetch) else "ShareAcknowledge"
    known = run.cluster.codec.versions(api)
    version = min(max(step.version, known.start), known.stop - 1)
    request = run.cluster.codec.request(api, version)
    value = share_request(step, epoch, run.placed, run.group, member.id)
    connection.timeout = SILENCE_S + _max_wait_s(step)
    frame = bytearray(request.encode(value, connection.next_correlation_id, connection.client_id))
    frame[2:4] = step.version.to_bytes(2, "big")  # a version that Kafka's definitions lack has the nearest one's fields
    return Sent(number, step, epoch, connection.send_frame(request, bytes(frame)))


def _received(run: History, member: Member, sent: Sent) -> bool:
    """Take the outcome that is there by now, or was waited for too long; whether it is a fetch's that went through empty."""
    assert member.connection is not None
    outcome = member.connection.receive(max(0.0, _deadline(sent) - time.monotonic()))
    if isinstance(outcome, outcomes.Silent):
        outcome = replace(outcome, waited=outcome.at - sent.ticket.sent_at - _max_wait_s(sent.step))
    if not isinstance(outcome, outcomes.Answer):
        run.note(sent.number, observed_end(run.cluster, outcome), sent.ticket.sent_at, outcome.at)
        return False
    told: ShareFetchAnswer | ShareAcknowledgeAnswer
    try:
        if isinstance(sent.step, ShareFetch):
            told = share_fetch_answer(outcome.value, outcome.trailing, sent.epoch, run.placed, run.keys)
        else:
            told = share_acknowledge_answer(outcome.value, outcome.trailing, sent.epoch, run.keys)
    except (KeyError, TypeError) as missing:
        run.note(sent.number, Garbled(f"the answer lacks {missing}"), sent.ticket.sent_at, outcome.received_at)
        return False
    admission = admit(sent.step, sent.epoch, member.session, len(run.placed.sites), run.semantics)
    member.session = session_after(admission, told.error)
    run.note(sent.number, told, sent.ticket.sent_at, outcome.received_at)
    went_on = admission.mode in {Mode.OPENING, Mode.GOING_ON} and not told.error
    return went_on and isinstance(told, ShareFetchAnswer) and not any(part.acquired for part in told.partitions)


def _deadline(sent: Sent) -> float:
    """When an answer is given up."""
    return sent.ticket.sent_at + _max_wait_s(sent.step) + SILENCE_S


def _max_wait_s(step: ShareRequest) -> float:
    return max(0, step.max_wait_ms) / 1000 if isinstance(step, ShareFetch) else 0.0


def fresh_id() -> str:
    """A Kafka Uuid: 16 bytes in base64, which must not begin with a dash."""
    while True:
        found = base64.urlsafe_b64encode(secrets.token_bytes(16)).decode().rstrip("=")
        if not found.startswith("-"):
            return found
