"""Histories in which the broker is restarted, or silence lasts longer than a session."""

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.groups.classic import draw_actions, stable_group
from generators.groups.constants import ADMIN, LONG_MS, NOTICED_MS, SESSIONS_MS, WITNESS, Draw
from generators.groups.named import draw_named_action, heartbeat_of
from generators.weighted import chance
from spec.frozen import replace
from spec.groups.examples import (
    NO_RECORDS,
    size_limits,
)
from spec.groups.steps import (
    NEW,
    OWN,
    DescribeGroup,
    GroupStep,
    Heartbeat,
    JoinGroup,
    RestartWith,
    SyncGroup,
    WaitFor,
)
from spec.scenario import Scenario


def histories_past_each_session(
    sessions_ms: Sequence[int] = SESSIONS_MS,
) -> SearchStrategy[Scenario]:
    """Histories of a classic group in which nothing comes until each session is over, and as much
    longer as a broker may need to notice.

    Args:
        sessions_ms: the session timeouts that members have, one or two.
    """
    return _outlasting(sessions_ms)


@st.composite
def _outlasting(draw: Draw, sessions_ms: Sequence[int]) -> Scenario:
    """A member in either phase, or an id that was given out, on both sides of the end."""
    session_ms = sessions_ms[draw(st.integers(0, 1)) % len(sessions_ms)]
    joins = JoinGroup(0, session_ms=session_ms, rebalance_ms=LONG_MS)
    given, over = draw(st.integers(0, 3)) == 0, draw(st.integers(0, 2)) > 0
    prolonged = (
        [],
        [SyncGroup(0)],
        [SyncGroup(0), Heartbeat(0)],
        [SyncGroup(0), joins],
    )[draw(st.integers(0, 3))]
    came: list[GroupStep] = [] if given else [joins, *prolonged]
    longer_at_first = draw(chance(1, 3))
    if came and longer_at_first:
        came = [replace(joins, session_ms=LONG_MS), SyncGroup(0), *came]
    waits = WaitFor(session_ms + NOTICED_MS if over else session_ms * 6 // 10, WITNESS)
    return Scenario(
        NO_RECORDS,
        (
            replace(joins, member=NEW),
            *came,
            DescribeGroup(WITNESS),
            waits,
            DescribeGroup(WITNESS),
            joins,
            DescribeGroup(WITNESS),
        ),
        size_limits(2),
    )


def heartbeats_in_phases(sessions_ms: Sequence[int] = SESSIONS_MS) -> SearchStrategy[Scenario]:
    """Histories of a classic group in a phase that lasts longer than a session, in which one member
    sends a Heartbeat before each session of its is over, and another one does not.

    Args:
        sessions_ms: the session timeouts that members have, one or two.
    """
    return _draw_kept_up(sessions_ms)


@st.composite
def _draw_kept_up(draw: Draw, sessions_ms: Sequence[int]) -> Scenario:
    """A join phase that a newcomer has begun, or one that waits for the leader's SyncGroup."""
    session_ms = sessions_ms[draw(st.integers(0, 1)) % len(sessions_ms)]
    newcomer = draw(st.booleans())
    leads = JoinGroup(0, session_ms=session_ms, rebalance_ms=LONG_MS)
    follows, comes = replace(leads, actor=1, parked=True), replace(leads, actor=2, parked=True)
    preparing = DescribeGroup(WITNESS, "PreparingRebalance", patience_ms=500)
    phase: list[GroupStep] = [
        replace(leads, member=NEW),
        leads,
        SyncGroup(0),
        replace(follows, member=NEW, parked=False),
        follows,
        preparing,
        leads,
    ]
    if newcomer:
        phase += [
            SyncGroup(0),
            SyncGroup(1),
            replace(comes, member=NEW, parked=False),
            comes,
            preparing,
        ]
    heartbeat = [WaitFor(session_ms * 6 // 10, 0), Heartbeat(0)]
    look = DescribeGroup(WITNESS)
    return Scenario(
        NO_RECORDS, (*phase, *heartbeat, look, *heartbeat, *heartbeat, look), size_limits(3)
    )


def restart_histories(limit: int, after: int) -> SearchStrategy[Scenario]:
    """Histories that meet a restart which brings the limit from `limit` to `after`."""
    return _draw_restarted(limit, after)


@st.composite
def _draw_restarted(draw: Draw, limit: int, after: int) -> Scenario:
    restart = RestartWith(size_limits(after), ADMIN)
    if draw(chance(1, 3)):
        share = draw(st.booleans())
        heartbeats = [heartbeat_of(share, actor) for actor in range(draw(st.integers(1, limit)))]
        more = [step for _ in range(3) for step in draw(draw_named_action(limit, share=share))]
        return Scenario(
            NO_RECORDS,
            (
                *heartbeats,
                restart,
                *[heartbeat_of(share, actor, OWN, OWN) for actor in range(len(heartbeats))],
                *more,
            ),
            size_limits(limit),
        )
    size = 1 + draw(st.integers(0, limit - 1))
    all_heartbeats = [Heartbeat(actor) for actor in range(size)]
    return Scenario(
        NO_RECORDS,
        (*stable_group(size), restart, *all_heartbeats, *draw_actions(draw, limit)),
        size_limits(limit),
    )


def loaded_histories() -> SearchStrategy[Scenario]:
    """Histories in which a member is silent from before a restart until its session is surely over;
    nothing else happens beside them, so that they all reach the restart at once.
    """
    return _draw_loaded()


@st.composite
def _draw_loaded(draw: Draw) -> Scenario:
    session_ms = SESSIONS_MS[draw(st.integers(0, 1))]
    joins = JoinGroup(0, session_ms=session_ms, rebalance_ms=LONG_MS)
    return Scenario(
        NO_RECORDS,
        (
            replace(joins, member=NEW),
            joins,
            SyncGroup(0),
            RestartWith(size_limits(2), ADMIN),
            WaitFor(session_ms + NOTICED_MS, WITNESS),
            DescribeGroup(WITNESS),
            Heartbeat(0),
        ),
        size_limits(2),
    )
