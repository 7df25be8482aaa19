"""Planted faults of share sessions: which partitions they hold, when their epoch moves, and when
they end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from conformance.subjects.share.faults.fault import ShareFault, misread_fetch
from spec.frozen import replace

if TYPE_CHECKING:
    from spec.share.model.session import ShareSession
    from spec.share.model.state import State


def _forget_added_partitions(before: State, after: State, _: float) -> State:
    """The state once each session that was open before has lost the partitions that a request
    added.
    """
    sessions = [
        (member, _without_added(before.session(member), session))
        for member, session in after.sessions
    ]
    return replace(after, sessions=tuple(sessions))


def _without_added(before: ShareSession | None, after: ShareSession) -> ShareSession:
    """A session without what the request added by which its epoch moved, if one did."""
    if before is None or after.epoch != before.epoch + 1:
        return after
    kept = [number for number in after.partitions if number in before.partitions]
    return replace(after, partitions=tuple(kept))


def _move_epochs_with_answers(before: State, after: State, _: float) -> State:
    """The state where the epoch of a session moves when a fetch that waits is answered, not when it
    comes: a fetch that began to wait is taken back, one that is answered now is counted.
    """
    for parked in after.parked:
        if parked not in before.parked:
            after = after.with_session(parked.fetch.actor, before.session(parked.fetch.actor))
    for parked in before.parked:
        if parked not in after.parked:
            after = after.with_session(parked.fetch.actor, parked.session)
    return after


FAULTS: tuple[ShareFault, ...] = (
    ShareFault(
        "share-session-forgets-nothing",
        "SHR-023",
        Expected.VIOLATES,
        "A share session serves partitions that were taken out of it.",
        misread_fetch(lambda step: replace(step, forgotten=())),
    ),
    ShareFault(
        "share-session-forgets-only-the-first",
        "SHR-023",
        Expected.VIOLATES,
        "Of several partitions that are taken out of a share session at once, only the first is.",
        misread_fetch(lambda step: replace(step, forgotten=step.forgotten[:1])),
    ),
    ShareFault(
        "share-session-keeps-no-added-partitions",
        "SHR-155",
        Expected.VIOLATES,
        "A partition that is added to a share session is served by that fetch alone.",
        timed=_forget_added_partitions,
    ),
    ShareFault(
        "share-session-moves-with-the-answer",
        "SHR-004",
        Expected.VIOLATES,
        "A share fetch that is repeated while the first one waits is taken, not refused.",
        timed=_move_epochs_with_answers,
    ),
    ShareFault(
        "share-session-outlives-its-connection",
        "SHR-026",
        Expected.DEVIATES,
        "A share session is kept when the connection on which it was opened is lost.",
        decided=lambda semantics: replace(semantics, disconnect_closes=False),
    ),
)
