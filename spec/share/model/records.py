"""Records in flight of a share partition: each one's state, delivery count and
lock, in cached batches.

A cached batch is what one acquisition took in one range. It stays one thing, with one state for all
its offsets, until something is done to a part of it; from then on it is followed offset by offset.
Source: InFlightBatch.java, InFlightState.java of Kafka 4.3.1.
"""

from collections.abc import Callable, Iterator
from enum import StrEnum

from spec.frozen import frozen, replace


class RecordState(StrEnum):
    """The state of a record in flight (KIP-932)."""

    AVAILABLE = "available"
    ACQUIRED = "acquired"
    ACKNOWLEDGED = "acknowledged"
    ARCHIVED = "archived"

    @property
    def terminal(self) -> bool:
        """Whether the record is done with."""
        return self in {RecordState.ACKNOWLEDGED, RecordState.ARCHIVED}


@frozen
class Lock:
    """An acquisition lock: whose it is, and when it runs out.

    Attributes:
        member: the actor that holds it; `departed_member` where that one's closed session is only
            now giving it back.
        from_ms, to_ms: it runs out at some moment from the one to the other; the same where times
            are known.
    """

    member: int
    from_ms: float = 0.0
    to_ms: float = 0.0


def departed_member(member: int) -> int:
    """The holder of what a closed session of the member is giving back: no actor, so that no
    request can acknowledge it or acquire it.
    """
    return -1 - member


@frozen
class Record:
    """One offset, or all offsets of a cached batch that share a state.

    Attributes:
        state: see `RecordState`.
        count: how often it was delivered.
        lock: held while it is acquired.
        busy: a change of its state is being written, until when nothing else may happen to it.
        otherwise: the count that it would have by the other reading of SHR-009, after a closing
            session gave it back.
        unlocked_ms: when its last lock had surely run out, where it is available since then.
    """

    state: RecordState
    count: int = 0
    lock: Lock | None = None
    busy: bool = False
    otherwise: int | None = None
    unlocked_ms: float | None = None

    @property
    def available(self) -> bool:
        """Whether it can be acquired now."""
        return self.state is RecordState.AVAILABLE and not self.busy

    def held_by(self, member: int) -> bool:
        """Whether the member has acquired it and nothing is being written about it."""
        return (
            self.state is RecordState.ACQUIRED
            and not self.busy
            and self.lock is not None
            and self.lock.member == member
        )

    def acquire(self, lock: Lock) -> "Record":
        """Acquired: the delivery counts (SHR-400)."""
        return Record(RecordState.ACQUIRED, self.count + 1, lock)

    def release(self, limit: float, *, busy: bool = False) -> "Record":
        """Available again, or archived once it has been delivered `limit` times (SHR-401)."""
        state = RecordState.ARCHIVED if self.count >= limit else RecordState.AVAILABLE
        return Record(state, self.count, busy=busy)


Change = Callable[[Record], Record]


@frozen
class Cached:
    """One cached batch.

    Attributes:
        first, last: its ends.
        records: one record that stands for all offsets, or one for each offset.
    """

    first: int
    last: int
    records: tuple[Record, ...]

    @property
    def uniform(self) -> bool:
        """Whether it has one state for all its offsets and is not followed offset by offset."""
        return len(self.records) == 1 and self.last > self.first

    @property
    def size(self) -> int:
        """The number of offsets that it covers."""
        return self.last - self.first + 1

    def at(self, offset: int) -> Record:
        """The record of an offset in it."""
        return self.records[0] if len(self.records) == 1 else self.records[offset - self.first]

    def offsets(self) -> Iterator[tuple[int, Record]]:
        """Each offset with its record."""
        if len(self.records) == 1:
            yield from ((offset, self.records[0]) for offset in range(self.first, self.last + 1))
        else:
            yield from enumerate(self.records, self.first)

    def split(self) -> "Cached":
        """The same, followed offset by offset."""
        return replace(self, records=self.records * self.size) if len(self.records) == 1 else self

    def every(self, change: Change) -> "Cached":
        """The same after a change of all its offsets that leaves it as it is followed."""
        return replace(self, records=tuple([change(record) for record in self.records]))

    def within(self, first: int, last: int, change: Change) -> "Cached":
        """The same after a change of the offsets from `first` to `last`; followed offset by offset
        where that is not all of it.
        """
        if first <= self.first and last >= self.last:
            return self.every(change)
        low, high = max(first, self.first) - self.first, min(last, self.last) - self.first
        each = self.split().records
        return replace(
            self,
            records=(
                *each[:low],
                *[change(record) for record in each[low : high + 1]],
                *each[high + 1 :],
            ),
        )
