"""Histories of a share group: each actor is a member with a connection of its own, steps come one after the other over all of them.

Nothing waits for a parked fetch but the next step of its own member. A group's name and its members' ids are fresh for each play.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from conformance.play.log_steps import append, delete
from conformance.subjects.share import admin as share_admin
from conformance.subjects.share.answers import share_keys
from conformance.subjects.share.members import History, ask, drop, unpark, wait
from conformance.wire import outcomes
from spec.observation import Exchange, Observation
from spec.outcomes import NotSent, Outcome
from spec.share.outcomes import Done
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
)
from spec.steps import Append, DeleteRecords

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future

    from conformance.cluster import Cluster
    from conformance.placement.site import Placed
    from conformance.wire.connection import Connection
    from spec.scenario import Scenario
    from spec.share.releases import ShareSemantics
    from spec.steps import Step

SIDE_BY_SIDE = 48
"""Histories played at the same time: they mostly wait."""
ADMINISTRATION_S = 120.0
"""How long an administrator's request may take: after a restart the share coordinator first loads what thousands of groups have left."""
NO_SHARE_GROUPS = "the broker does not advertise ShareFetch: turn its share groups on, or test another one"
NO_RESTART = "this system can't be restarted here"


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
    run = History(cluster, scenario, placed, semantics, restart, share_keys(placed), name, started=time.monotonic())
    try:
        for number, step in enumerate(scenario.steps):
            _take(run, number, step)
            if run.stopped:
                break
        for member in run.members.values():
            unpark(run, member)
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
    return finished(pool, under_way)


def finished(pool: ThreadPoolExecutor, under_way: Sequence[Future[Observation]]) -> Iterator[Observation]:
    """What comes of histories that are under way, in their order; what has not begun when no more is wanted never does."""
    try:
        for one in under_way:
            yield one.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _take(run: History, number: int, step: Step) -> None:
    """Do one step, and note what came of it."""
    if isinstance(step, ShareFetch | ShareAcknowledge):
        ask(run, number, step)
        return
    sent = time.monotonic()
    outcome = _done(run, step)
    run.note(number, outcome, sent, time.monotonic())


def _done(run: History, step: Step) -> Outcome:
    """Do a step that is no member's request."""
    if isinstance(step, RestartBroker):
        return _restarted(run)
    if isinstance(step, Pause | NameGroup):
        return _done_here(run, step)
    member = run.member(step.actor)
    unpark(run, member)
    if isinstance(step, DropConnection):
        drop(member)
        return Done()
    connection = member.connection
    assert connection is not None
    connection.timeout = ADMINISTRATION_S
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


def _asked(run: History, connection: Connection, step: GroupQuestion) -> Outcome:
    """Ask what an administrator asks."""
    if isinstance(step, AlterGroupConfig):
        return share_admin.alter_config(run.cluster, connection, run.group, step)
    if not run.cluster.offers("ShareGroupHeartbeat", 1):
        return NotSent("the early access names its share coordinator to no client")
    return share_admin.find_share_coordinator(run.cluster, connection, run.group, run.placed.sites[step.partition])


def _done_here(run: History, step: Pause | NameGroup) -> Done:
    """Do a step of which the broker learns nothing."""
    if isinstance(step, Pause):
        wait(run, time.monotonic() + step.ms / 1000)
    else:
        run.group = f"{step.text}{run.group}"
    return Done()


def _restarted(run: History) -> Outcome:
    if run.restart is None:
        return NotSent(NO_RESTART)
    for member in run.members.values():
        unpark(run, member)
        drop(member)
    run.cluster = run.restart()
    return Done()
