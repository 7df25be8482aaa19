"""A share partition in the hands of a test: one log, one state, members by number, no broker and no
clock.
"""

from dataclasses import replace
from typing import Any

from spec.kafka import INT32_MAX
from spec.layout import Batch, Partition
from spec.log import log_of
from spec.share.model.acknowledge import acknowledge
from spec.share.model.acquire import AcquireRequest, acquire, may_read, read_from
from spec.share.model.partition import (
    ShareState,
    close_session,
    empty_state,
    expire,
    move_log_start,
    reload,
    settle,
)
from spec.share.model.records import Lock
from spec.share.model.settings import Settings
from spec.share.releases import ClosedCount, ShareSemantics
from spec.share.steps import AcknowledgementBatch


class PartitionFixture:
    """One share partition; its methods are what a member, a clock or the broker does to it."""

    def __init__(
        self,
        partition: Partition,
        start: int = 0,
        semantics: ShareSemantics | None = None,
        **settings: Any,
    ) -> None:
        self.semantics = semantics or ShareSemantics()
        known = Settings(
            self.semantics.max_record_locks,
            self.semantics.delivery_count_limit,
            self.semantics.lock_duration_ms,
        )
        self.settings = replace(known, **settings)
        self.log = log_of(partition)
        self.state: ShareState = empty_state(start)
        self.data: list[tuple[int, int]] = []

    def fetch(
        self, mr: int = 500, bs: int = 500, mode: int = 0, member: int = 0, size: int = INT32_MAX
    ) -> list[tuple[int, int, int]]:
        """Fetch for a member; what it acquires as (first, last, count)."""
        if self.state.next_fetch_offset < self.log.start:
            self.state = move_log_start(self.state, self.log.start)
            return []
        if not may_read(self.state, self.settings):
            return []
        read = read_from(self.log, self.state.next_fetch_offset, self.settings.isolation, size)
        found = acquire(
            self.state,
            AcquireRequest(mr, bs, mode, Lock(member)),
            read,
            self.log,
            self.settings,
            self.semantics,
        )
        self.state = found.state
        return [(one.first, one.last, one.count) for one in found.ranges]

    def ack(
        self,
        *batches: tuple[int, int] | tuple[int, int, tuple[int, ...]],
        member: int = 0,
        kind: int = 1,
    ) -> int:
        """Acknowledge, and wait until it is written; the error code."""
        named = [
            AcknowledgementBatch(batch[0], batch[1], batch[2] if len(batch) > 2 else (kind,))
            for batch in batches
        ]
        found = acknowledge(self.state, Lock(member), named, self.settings)
        self.state = settle(found.state) if not found.error else found.state
        return found.error

    def release(self, first: int, last: int, member: int = 0) -> int:
        return self.ack((first, last), member=member, kind=2)

    def expire(self, member: int = 0) -> None:
        self.state = expire(self.state, Lock(member), self.settings.delivery_count_limit)

    def close(self, member: int = 0) -> None:
        taken_back = self.semantics.closed_count is ClosedCount.TAKEN_BACK
        self.state = close_session(
            self.state, member, self.settings.delivery_count_limit, taken_back=taken_back
        )

    def reload(self) -> None:
        self.state = reload(self.state)


def compacted() -> Partition:
    """0-4 of which 0, 2 and 4 are left, a hole from 5 to 9, then 10-14 and 15-19."""
    return Partition(
        ((Batch(100, records=3, span=5), Batch(100, records=5, gap=5), Batch(100, records=5)),)
    )
