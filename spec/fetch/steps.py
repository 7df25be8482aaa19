"""Steps of a scenario of fetches: Fetch requests, and the writes between them."""

from dataclasses import field

from spec.frozen import frozen
from spec.kafka import CONSUMER_REPLICA, INT32_MAX, READ_UNCOMMITTED, SESSIONLESS_EPOCH
from spec.steps import Append, DeleteRecords, Step

OWN = "own"
"""As a session id: the id that the broker gave last in this scenario."""


@frozen
class FetchPartition:
    """What a Fetch request asks of one partition.

    Attributes:
        partition: its number in the layout. The topic has no partition of a number that the layout
            does not have.
        offset: fetch offset, relative to the partition's base unless `absolute`; clamped to int64.
        max_bytes: `partition_max_bytes`, int32.
        absolute: whether the offset is sent as it is (for -1, -2 and the ends of int64).
        leader_epoch: the current leader epoch that is sent (v9+), relative to the partition's: 0 is
            that one, 1 a newer, -1 an older one; None: -1 is sent, and the broker checks none.
    """

    partition: int
    offset: int
    max_bytes: int = INT32_MAX
    absolute: bool = False
    leader_epoch: int | None = None


@frozen
class DraftField:
    """A field that a draft adds to a request.

    Attributes:
        name: as the codec names it, `max_records`.
        value: of the field.
        subject: the draft's subject; its clauses judge the response.
    """

    name: str
    value: int
    subject: str


@frozen
class Fetch(Step):
    """One Fetch request (API key 1).

    Attributes:
        partitions: what is asked for, in request order; a partition may be named twice (FET-009).
        max_bytes, min_bytes, max_wait_ms: the request's limits, int32.
        isolation: 0 read_uncommitted, 1 read_committed; any int8 is sent.
        version: the request version.
        replica_id: -1 consumer, -2 debug consumer, >= 0 a follower.
        session: session id: 0, `OWN`, or a number that is sent as it is.
        epoch: session epoch: -1 sessionless, 0 full, otherwise incremental (KIP-227).
        forgotten: partitions to take out of the session.
        unknown_tag: length in bytes of a tagged field that no release knows, at the top of the
            request (v12+); None: no such field.
        extra: the fields of a draft that the request has. In JSON each is a key of the step itself.
        quota: the `consumer_byte_rate` in bytes a second of the client id that sends the request;
            the client id is used for nothing else. None: a client id without a quota.
        actor: number of the connection that sends the request.
        after_ms: the request is not sent earlier than so many milliseconds after the scenario's
            start.
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
