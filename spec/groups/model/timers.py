"""Timers of a classic group: the end of a join phase, of the wait for SyncGroups, and of
each session.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from spec.groups.model.classic import Effect
from spec.groups.model.group import Group
from spec.groups.model.membership import join_timer, remove_member, session_deadlines, sync_timer


class TimerKind(StrEnum):
    """Which timer it is; of several due at one time, the first by name expires first."""

    JOIN = "join"
    SESSION = "session"
    SYNC = "sync"


@dataclass(frozen=True, slots=True, order=True)
class Timer:
    """One timer of a group.

    Attributes:
        at: when it expires, ms.
        kind: which it is.
        member: whose session is over, for `SESSION`.
    """

    at: float
    kind: TimerKind
    member: str = ""


def timers(group: Group) -> tuple[Timer, ...]:
    """All timers of a group."""
    phases = ((group.join_due, TimerKind.JOIN), (group.sync_due, TimerKind.SYNC))
    return (
        *[Timer(at, kind) for at, kind in phases if at is not None],
        *[Timer(at, TimerKind.SESSION, member) for at, member in session_deadlines(group)],
    )


def expire_timer(
    group: Group,
    timer: Timer,
    initial_delay_ms: int,
    now: float,
    out: Callable[[Group, str, float], Effect] = remove_member,
) -> Effect:
    """The group after a timer expired; `out` is what a session that is over does."""
    match timer.kind:
        case TimerKind.JOIN:
            return join_timer(group, initial_delay_ms, now)
        case TimerKind.SYNC:
            return sync_timer(group, now)
        case TimerKind.SESSION:
            return out(group, timer.member, now)
