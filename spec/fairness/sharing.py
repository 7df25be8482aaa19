"""What is known of the records that a share group acquired for a client: which it holds, and what
became of each.
"""

from collections.abc import Iterator, Mapping

from spec.fairness.model.visible import visible
from spec.fairness.outcomes import Acknowledged, PollReturned, ServedFetch
from spec.frozen import frozen, replace
from spec.kafka import READ_UNCOMMITTED
from spec.log import Log
from spec.share.steps import AcknowledgeType

Place = tuple[int, int]
"""A record, as (partition, offset)."""


@frozen
class HeldRecord:
    """A record since it was acquired.

    Attributes:
        batch: number of the response, of the partition in it, and of the range in that.
        deliveries: its delivery count, as the response has it.
        delivered: whether a poll returned it.
        way: how the application acknowledged it; None where it did not yet.
        sent: the type with which the client acknowledged it; None where it did not yet.
        refused: the error code with which the last ShareAcknowledge of it was answered.
    """

    batch: tuple[int, int, int]
    deliveries: int
    delivered: bool = False
    way: AcknowledgeType | None = None
    sent: int | None = None
    refused: int = 0


Held = Mapping[Place, HeldRecord]


class Sharing:
    """What a share consumer holds, up to some step.

    Args:
        explicit: whether its application acknowledges records; otherwise the next poll, or the next
            commit, accepts what the last poll returned.

    Attributes:
        explicit: see above.
        held: by partition and offset.
        last: what the last poll returned, in order.
        idle: how many polls in a row returned nothing though something was to be delivered.
    """

    def __init__(self, *, explicit: bool = False) -> None:
        self.explicit = explicit
        self.held: dict[Place, HeldRecord] = {}
        self.last: tuple[Place, ...] = ()
        self.idle = 0
        self._responses = 0

    def accept_last(self) -> None:
        """The application polls again, or commits: where it acknowledges nothing itself, what the
        last poll returned is accepted.
        """
        if not self.explicit:
            self.acknowledge(AcknowledgeType.ACCEPT)

    def acknowledge(self, way: AcknowledgeType) -> None:
        """The application acknowledges what the last poll returned."""
        for place in self.last:
            if place in self.held:
                self.held[place] = replace(self.held[place], way=way)

    def exchange(self, served: ServedFetch) -> None:
        """The client sent a request, and got its response."""
        refused = {part.partition: part.refused for part in served.parts}
        for place, kind in sent_in(served.acknowledged):
            if place in self.held:
                error = refused.get(place[0], 0) if served.is_acknowledge else 0
                self.held[place] = replace(self.held[place], sent=kind, refused=error)
        self._responses += 1
        for number, part in enumerate(served.parts):
            for order, acquired in enumerate(part.acquired):
                batch = (self._responses, number, order)
                for offset in range(acquired.first, acquired.last + 1):
                    self.held[part.partition, offset] = HeldRecord(batch, acquired.count)

    def deliver(self, returned: PollReturned) -> None:
        """A poll returned."""
        self.last = tuple([(one.partition, one.offset) for one in returned.records])
        for place in self.last:
            if place in self.held:
                self.held[place] = replace(self.held[place], delivered=True)

    def owed_places(self, logs: Mapping[int, Log]) -> tuple[Place, ...]:
        """The records that the client has to deliver, or to release, in the order of their
        offsets.
        """
        return tuple(sorted(undelivered_records(self.held, logs)))


def undelivered_records(held: Held, logs: Mapping[int, Log]) -> Iterator[Place]:
    """The records that were neither delivered nor acknowledged. A marker, and an offset without a
    record, is none.
    """
    for (partition, offset), record in held.items():
        open_yet = not record.delivered and record.sent is None
        if open_yet and offset in visible(logs[partition], READ_UNCOMMITTED).certain:
            yield partition, offset


def sent_in(acknowledged: tuple[Acknowledged, ...]) -> Iterator[tuple[Place, int]]:
    """Each record that a request acknowledges, with the type; a range with a wrong number of types
    has the last of them for what is over.
    """
    for one in acknowledged:
        for offset in range(one.first, one.last + 1):
            number = min(offset - one.first, len(one.types) - 1)
            yield (one.partition, offset), one.types[number] if one.types else -1
