"""Histories of a share group: each actor is a member with a connection of its own, steps come one after the other over all of them.

Nothing waits for a parked fetch but the next step of its own member. A group's name and its members' ids are fresh for each play.
"""

from __future__ import annotations

import base64
import contextlib
import math
import secrets
import select
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from conformance.play import share_admin
from conformance.play.lanes import SILENCE_S, observed_end
from conformance.play.log_steps import append, delete
from conformance.play.share_answers import ShareKeys, share_acknowledge_answer, share_fetch_answer, share_keys
from conformance.play.share_requests import share_request
from conformance.wire import outcomes
from spec.observation import AppendAnswer, Exchange, Garbled, NotSent, Observation, Outcome
from spec.scenario import Append, DeleteRecords
from spec.share.outcomes import Done, GroupChanged, ShareAcknowledgeAnswer, ShareFetchAnswer
from spec.share.session import Mode, ShareRequest, ShareSession, admit, carried, session_after
from spec.share.steps import (
    AlterGroupConfig,
    AlterShareGroupOffsets,
    DeleteShareGroupOffsets,
    DropConnection,
    GroupQuestion,
    NameGroup,
    Pause,
    RestartBroker,
    ShareAcknowledge,
    ShareFetch,
    asked_again,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future

    from conformance.cluster import Cluster
    from conformance.placement.site import Placed
    from conformance.wire.connection import Connection
    from spec.scenario import Scenario, Step
    from spec.share.semantics import ShareSemantics

SIDE_BY_SIDE = 48
"""Histories played at the same time: they mostly wait."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.01, 0.25
"""How long a patient fetch waits before it is sent again: twice as long each time."""
NO_SHARE_GROUPS = "the broker does not advertise ShareFetch: turn its share groups on, or test another one"
NO_RESTART = "this system can't be restarted here"


@dataclass(slots=True)
class _Sent:
    """A request on its way: the step's number, what was sent, the epoch that it carried, and its ticket."""

    number: int
    step: ShareRequest
    epoch: int
    ticket: outcomes.Ticket


@dataclass(slots=True)
class _Member:
    """One actor: its member id, its connection (None once dropped), its session, and the fetch that it has parked."""

    id: str
    connection: Connection | None = None
    session: ShareSession | None = None
    parked: _Sent | None = None


@dataclass(slots=True)
class _Play:
    """One history under way.

    Attributes:
        strayed: a patient fetch got nothing, so that the history goes another way than the model foresaw, and patience is over.
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
    members: dict[int, _Member] = field(default_factory=dict)
    exchanges: list[Exchange] = field(default_factory=list)

    def member(self, actor: int) -> _Member:
        """The actor, whose connection is open."""
        if actor not in self.members:
            self.members[actor] = _Member(_fresh_id())
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


def play(
    cluster: Cluster,
    scenario: Scenario,
    placed: Placed,
    semantics: ShareSemantics,
    restart: Callable[[], Cluster] | None = None,
    group: str | None = None,
) -> Observation:
    """Play one history; `restart` restarts the broker as it is and reaches it again, `group` names the group, by default a new one."""
    if not cluster.offers("ShareFetch"):
        return Observation((Exchange(0, NotSent(NO_SHARE_GROUPS)),))
    name = group or f"fencepost-{secrets.token_hex(8)}"
    run = _Play(cluster, scenario, placed, semantics, restart, share_keys(placed), name, started=time.monotonic())
    try:
        for number, step in enumerate(scenario.steps):
            _take(run, number, step)
            if run.stopped:
                break
        for member in run.members.values():
            _unpark(run, member)
    except (outcomes.NotConnected, outcomes.NoAnswer) as gone:
        return Observation((), broken=f"the broker is gone: {gone}")
    finally:
        for member in run.members.values():
            if member.connection is not None:
                member.connection.close()
    return Observation(tuple(sorted(run.exchanges, key=lambda exchange: exchange.step)))


def play_all(
    cluster: Cluster, plays: Sequence[tuple[Scenario, Placed]], semantics: ShareSemantics, side_by_side: int = SIDE_BY_SIDE
) -> Iterator[Observation]:
    """Begin to play many histories side by side, each on its own layout, at once; their observations come back in this order."""
    pool = ThreadPoolExecutor(max_workers=side_by_side)
    under_way = [pool.submit(play, cluster, scenario, placed, semantics) for scenario, placed in plays]
    return _finished(pool, under_way)


def _finished(pool: ThreadPoolExecutor, under_way: Sequence[Future[Observation]]) -> Iterator[Observation]:
    try:
        for one in under_way:
            yield one.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _take(run: _Play, number: int, step: Step) -> None:
    """Do one step, and note what came of it."""
    if isinstance(step, ShareFetch | ShareAcknowledge):
        _request(run, number, step)
        return
    sent = time.monotonic()
    outcome = _done(run, step)
    run.note(number, outcome, sent, time.monotonic())


def _done(run: _Play, step: Step) -> Outcome:
    """Do a step that is no member's request."""
    if isinstance(step, RestartBroker):
        return _restarted(run)
    if isinstance(step, Pause | NameGroup):
        return _done_here(run, step)
    member = run.member(step.actor)
    _unpark(run, member)
    if isinstance(step, DropConnection):
        _drop(member)
        return Done()
    connection = member.connection
    assert connection is not None
    if isinstance(step, Append):
        return append(run.cluster, connection, step, run.placed.sites[step.partition], contextlib.nullcontext())
    if isinstance(step, DeleteRecords):
        return delete(run.cluster, connection, step, run.placed.sites[step.partition])
    if isinstance(step, GroupQuestion):
        return _asked(run, connection, step)
    if isinstance(step, AlterShareGroupOffsets):
        run.initialized = True
        return share_admin.alter_offsets(run.cluster, connection, run.group, step, run.placed)
    if isinstance(step, DeleteShareGroupOffsets):
        if not run.cluster.offers("DeleteShareGroupOffsets"):
            return NotSent("the broker does not advertise DeleteShareGroupOffsets")
        run.initialized = False
        return share_admin.delete_offsets(run.cluster, connection, run.group, run.placed)
    return NotSent(f"{type(step).__name__} is no step of share groups")


def _asked(run: _Play, connection: Connection, step: GroupQuestion) -> Outcome:
    """Ask what an administrator asks."""
    if isinstance(step, AlterGroupConfig):
        return share_admin.alter_config(run.cluster, connection, run.group, step)
    if not run.cluster.offers("ShareGroupHeartbeat", 1):
        return NotSent("the early access names its share coordinator to no client")
    return share_admin.find_share_coordinator(run.cluster, connection, run.group, run.placed.sites[step.partition])


def _done_here(run: _Play, step: Pause | NameGroup) -> Done:
    """Do a step of which the broker learns nothing."""
    if isinstance(step, Pause):
        _wait(run, time.monotonic() + step.ms / 1000)
    else:
        run.group = f"{step.text}{run.group}"
    return Done()


def _restarted(run: _Play) -> Outcome:
    if run.restart is None:
        return NotSent(NO_RESTART)
    for member in run.members.values():
        _unpark(run, member)
        _drop(member)
    run.cluster = run.restart()
    return Done()


def _drop(member: _Member) -> None:
    if member.connection is not None:
        member.connection.close()
    member.connection, member.session = None, None


def _request(run: _Play, number: int, step: ShareRequest) -> None:
    """A member's request; a patient fetch is sent again until it acquires something or its patience is over."""
    member = run.member(step.actor)
    _unpark(run, member)
    assert member.connection is not None
    if not run.initialized:
        run.initialized = True
        if run.cluster.offers("ShareGroupHeartbeat", 1):
            share_admin.join_and_leave(run.cluster, member.connection, run.group, _fresh_id(), run.placed)
    begun, pause = time.monotonic(), FIRST_PAUSE_S
    while True:
        sent = _send(run, member, number, step)
        if isinstance(step, ShareFetch) and step.parked:
            member.parked = sent
            return
        _wait(run, _deadline(sent), member)
        fetches = _received(run, member, sent)
        if not fetches or not isinstance(step, ShareFetch) or not step.patience_ms or run.strayed:
            return
        if time.monotonic() - begun >= step.patience_ms / 1000:
            run.strayed = True
            return
        _wait(run, time.monotonic() + pause)
        step, pause = asked_again(step), min(2 * pause, LONGEST_PAUSE_S)


def _send(run: _Play, member: _Member, number: int, step: ShareRequest) -> _Sent:
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
    return _Sent(number, step, epoch, connection.send_frame(request, bytes(frame)))


def _received(run: _Play, member: _Member, sent: _Sent) -> bool:
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


def _unpark(run: _Play, member: _Member) -> None:
    """Wait for the answer to the fetch that a member has parked."""
    if member.parked is not None:
        _wait(run, _deadline(member.parked), member)
        if member.parked is not None:
            parked, member.parked = member.parked, None
            _received(run, member, parked)


def _wait(run: _Play, until: float, member: _Member | None = None) -> None:
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


def _deadline(sent: _Sent) -> float:
    """When an answer is given up."""
    return sent.ticket.sent_at + _max_wait_s(sent.step) + SILENCE_S


def _max_wait_s(step: ShareRequest) -> float:
    return max(0, step.max_wait_ms) / 1000 if isinstance(step, ShareFetch) else 0.0


def _fresh_id() -> str:
    """A Kafka Uuid: 16 bytes in base64, which must not begin with a dash."""
    while True:
        found = base64.urlsafe_b64encode(secrets.token_bytes(16)).decode().rstrip("=")
        if not found.startswith("-"):
            return found
