"""Timers of a classic group: the end of a join phase, of the wait for SyncGroups, and of
each session.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from spec.groups.model.classic import Effect
from spec.groups.model.group import Group
from spec.groups.model.membership import join_timer, remove_member, running_out, sync_timer


class Rings(StrEnum):
    """Which timer it is; of several due at one time, the first by name rings first."""

    JOIN = "join"
    OUT = "out"
    SYNC = "sync"


@dataclass(frozen=True, slots=True, order=True)
class Timer:
    """One timer of a group.

    Attributes:
        at: when it rings, ms.
        rings: which it is.
        member: whose session is over, for `OUT`.
    """

    at: float
    rings: Rings
    member: str = ""


def timers(group: Group) -> tuple[Timer, ...]:
    """All timers of a group."""
    phases = ((group.join_due, Rings.JOIN), (group.sync_due, Rings.SYNC))
    return (
        *[Timer(at, rings) for at, rings in phases if at is not None],
        *[Timer(at, Rings.OUT, member) for at, member in running_out(group)],
    )


def rung(
    group: Group,
    timer: Timer,
    initial_delay_ms: int,
    now: float,
    out: Callable[[Group, str, float], Effect] = remove_member,
) -> Effect:
    """The group after a timer rang; `out` is what a session that is over does."""
    match timer.rings:
        case Rings.JOIN:
            return join_timer(group, initial_delay_ms, now)
        case Rings.SYNC:
            return sync_timer(group, now)
        case Rings.OUT:
            return out(group, timer.member, now)
