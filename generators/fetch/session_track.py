"""The state of a fetch session after each request, by arithmetic alone (KIP-227): enough to aim at
the right or a wrong epoch.
"""

from dataclasses import dataclass, field

from spec.fetch.steps import OWN, Fetch, FetchPartition
from spec.kafka import FULL_EPOCH, INT32_MAX, SESSIONLESS_EPOCH, SESSIONS_SINCE, TOPIC_IDS_SINCE

FULL = "full"
SESSIONLESS = "sessionless"
CLOSING = "closing"
ACCEPTED = "accepted"
UNKNOWN_ID = "unknown-id"
GONE = "gone"
BELOW = "epoch-below"
ABOVE = "epoch-above"
MISMATCH = "topic-ids"
KINDS = (FULL, SESSIONLESS, CLOSING, ACCEPTED, UNKNOWN_ID, GONE, BELOW, ABOVE, MISMATCH)


@dataclass
class Track:
    """The scenario's own session, as a broker with room for it keeps it.

    Attributes:
        epoch: the epoch that the next incremental request must have.
        alive: whether there is a session.
        topic_ids: whether it was made by a version that names topics by id.
        partitions: what is fetched, by partition number, in the order in which they were added.
    """

    epoch: int = 0
    alive: bool = False
    topic_ids: bool = False
    partitions: dict[int, FetchPartition] = field(default_factory=dict)

    def kind(self, fetch: Fetch) -> str:
        """The kind of the request in the session, one of `KINDS`; the session stays as it is."""
        if fetch.version < SESSIONS_SINCE or fetch.epoch == SESSIONLESS_EPOCH:
            return CLOSING if fetch.session == OWN and self.alive else SESSIONLESS
        if fetch.epoch == FULL_EPOCH:
            return FULL
        if fetch.session != OWN:
            return UNKNOWN_ID
        if not self.alive:
            return GONE
        if fetch.epoch != self.epoch:
            return BELOW if fetch.epoch < self.epoch else ABOVE
        return ACCEPTED if self.topic_ids == (fetch.version >= TOPIC_IDS_SINCE) else MISMATCH

    def send(self, fetch: Fetch) -> str:
        """The same, and the session becomes what it is after the request."""
        kind = self.kind(fetch)
        if kind == FULL:
            self.partitions = {ask.partition: ask for ask in fetch.partitions}
            self.alive = True
            self.epoch = 1
            self.topic_ids = fetch.version >= TOPIC_IDS_SINCE
        elif kind == CLOSING:
            self.alive = False
        elif kind == ACCEPTED:
            self.partitions.update({ask.partition: ask for ask in fetch.partitions})
            for partition in fetch.forgotten:
                self.partitions.pop(partition, None)
            self.alive = bool(self.partitions)
            self.epoch = 1 if self.epoch == INT32_MAX else self.epoch + 1
        return kind
