"""What decides how much a share partition gives, as the clause that is about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spec.kafka import READ_COMMITTED
from spec.share.model.counting import throttled_from
from spec.share.steps import RECORD_LIMIT

if TYPE_CHECKING:
    from spec.log import Log
    from spec.share.model.partition import ShareState
    from spec.share.turn import Served, Turn

GAPS = "SHR-160"
"""Offsets that no written state covers: the observer follows them, and no clause is about them."""


def situation(turn: Turn, served: Served) -> str:
    """The clause that is about what decides how much a partition gives: what comes first here goes
    before what comes later.
    """
    state, log = served.before, served.log
    assert state is not None
    assert log is not None
    offset = state.next_fetch_offset
    if offset < log.start:
        return "SHR-421"
    if offset > log.end:
        return "SHR-502"
    if len(turn.followed_partitions) > 1 and served.left < turn.max_records:
        return "SHR-142"
    if state.gap_start is not None:
        return GAPS
    if turn.settings.max_record_locks - state.in_flight < served.left:
        return "SHR-132"
    if turn.settings.isolation == READ_COMMITTED and log.aborted:
        return "SHR-425"
    return _by_record(turn, state, log)


def _by_record(turn: Turn, state: ShareState, log: Log) -> str:
    """The same where no limit decides: by what was given back, otherwise by the first batch that is
    new.
    """
    available = [record for batch in state.cached for record in batch.records if record.available]
    limit = turn.settings.delivery_count_limit
    if any(record.count >= throttled_from(limit) for record in available):
        return "SHR-170"
    if available:
        return "SHR-115"
    first = log.readable(state.next_fetch_offset, turn.settings.isolation)
    if first and first[0].base < state.next_fetch_offset:
        return "SHR-113"
    return "SHR-123" if turn.mode == RECORD_LIMIT else "SHR-121"
