"""Steps of a scenario of fetches: Fetch requests, and the writes between them."""

from dataclasses import dataclass, field

from spec.kafka import CONSUMER_REPLICA, INT32_MAX, READ_UNCOMMITTED, SESSIONLESS_EPOCH
from spec.steps import Append, DeleteRecords, Step

OWN = "own"
"""As a session id: the id that the broker gave last in this scenario."""


@dataclass(frozen=True, slots=True)
class FetchPartition:
    """One partition's part of a Fetch request.

    Attributes:
        partition: its number in the layout; a number the layout does not have asks for a partition
            that does not exist.
        offset: fetch offset, relative to the partition's base unless `absolute`; what overflows
            int64 is clamped.
        max_bytes: `partition_max_bytes`, int32.
        absolute: the offset is sent as it stands (for -1, -2 and the ends of int64).
        leader_epoch: relative to the partition's leader epoch (0 is the current one, 1 a newer, -1
            an older one); None: not checked (v9+).
    """

    partition: int
    offset: int
    max_bytes: int = INT32_MAX
    absolute: bool = False
    leader_epoch: int | None = None


@dataclass(frozen=True, slots=True)
class DraftField:
    """A field that a draft adds to a request.

    Attributes:
        name: as the codec names it, `max_records`.
        value: what is sent.
        subject: the draft's subject, whose clauses judge what is asked with it.
    """

    name: str
    value: int
    subject: str


@dataclass(frozen=True, slots=True)
class Fetch(Step):
    """One Fetch request (API key 1).

    Attributes:
        partitions: what is asked for, in request order; a partition may be named twice (FET-009).
        max_bytes, min_bytes, max_wait_ms: the request's limits, int32.
        isolation: 0 read_uncommitted, 1 read_committed; any int8 is sent.
        version: the request version.
        replica_id: -1 consumer, -2 debug consumer, >= 0 a follower.
        session: session id: 0, `OWN`, or a number that is sent as it stands.
        epoch: session epoch: -1 sessionless, 0 full, otherwise incremental (KIP-227).
        forgotten: partitions to take out of the session.
        unknown_tag: bytes of an unknown request-level tagged field (v12+); None: not sent.
        extra: the fields of a draft that it carries; an absent one is not named.
        quota: the `consumer_byte_rate`, bytes a second, of the client id that sends it, which has
            used none of it; None: it has none.
        actor: which connection sends it.
        after_ms: it is not sent earlier than this many milliseconds after the scenario's start.
    """

    partitions: tuple[FetchPartition, ...] = ()
    max_bytes: int = INT32_MAX
    min_bytes: int = 0
    max_wait_ms: int = 0
    isolation: int = READ_UNCOMMITTED
    version: int = 12
    replica_id: int = CONSUMER_REPLICA
    session: int | str = 0
    epoch: int = SESSIONLESS_EPOCH
    forgotten: tuple[int, ...] = ()
    unknown_tag: int | None = None
    extra: tuple[DraftField, ...] = field(default=(), metadata={"spread": True})
    quota: int | None = None
    actor: int = 0
    after_ms: int = 0

    @property
    def subject(self) -> str:
        """`fetch`, or a draft's subject where it carries a field of that draft."""
        return self.extra[0].subject if self.extra else "fetch"

    def value_of(self, name: str) -> int | None:
        """The value of a draft's field; None where it is absent."""
        return next((one.value for one in self.extra if one.name == name), None)


LogStep = Fetch | Append | DeleteRecords
"""The steps of a scenario of fetches."""
