"""What is asked: one layout, the configuration, and one list of steps."""

from dataclasses import dataclass, field

from spec.groups.steps import GroupStep
from spec.kafka import CONSUMER_REPLICA, INT32_MAX, READ_UNCOMMITTED, SESSIONLESS_EPOCH
from spec.layout import Batch, Layout
from spec.share.steps import ShareStep

OWN = "own"
"""As a session id: the id that the broker gave last in this scenario."""


@dataclass(frozen=True, slots=True)
class FetchPartition:
    """One partition's part of a Fetch request.

    Attributes:
        partition: its number in the layout; a number the layout does not have asks for a partition that does not exist.
        offset: fetch offset, relative to the partition's base unless `absolute`; what overflows int64 is clamped.
        max_bytes: `partition_max_bytes`, int32.
        absolute: the offset goes on the wire as it stands (for -1, -2 and the ends of int64).
        leader_epoch: relative to the partition's leader epoch (0 is the current one, 1 a newer, -1 an older one);
            None: not checked (v9+).
        fetched_epoch: `last_fetched_epoch`; None: -1 (v12+).
    """

    partition: int
    offset: int
    max_bytes: int = INT32_MAX
    absolute: bool = False
    leader_epoch: int | None = None
    fetched_epoch: int | None = None


@dataclass(frozen=True, slots=True)
class Fetch:
    """One Fetch request (API key 1).

    Attributes:
        partitions: what is asked for, in request order; a partition may be named twice (FET-009).
        max_bytes, min_bytes, max_wait_ms: the request's limits, int32.
        isolation: 0 read_uncommitted, 1 read_committed; any int8 goes on the wire.
        version: the request version.
        replica_id: -1 consumer, -2 debug consumer, >= 0 a follower.
        session: session id: 0, `OWN`, or a number that goes on the wire as it stands.
        epoch: session epoch: -1 sessionless, 0 full, otherwise incremental (KIP-227).
        forgotten: partitions to take out of the session.
        unknown_tag: bytes of an unknown request-level tagged field (v12+); None: not sent.
        extra: fields that a draft adds to the request, by name, each with its value; an absent one is not named.
        quota: the `consumer_byte_rate`, bytes a second, of the client id that sends it, which has used none of it; None: it has none.
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
    extra: tuple[tuple[str, int], ...] = field(default=(), metadata={"spread": True})
    quota: int | None = None
    actor: int = 0
    after_ms: int = 0


@dataclass(frozen=True, slots=True)
class Append:
    """One batch is produced to a partition (acks=all) while the scenario runs.

    Attributes:
        partition: its number in the layout.
        batch: a plain batch; `txn`, `gap` and `span` must be unset.
        actor: which connection sends it. A step waits for the earlier steps of its own actor, not for those of others.
        after_ms: not sent earlier than this many milliseconds after the scenario's start.
    """

    partition: int
    batch: Batch
    actor: int = 0
    after_ms: int = 0


@dataclass(frozen=True, slots=True)
class DeleteRecords:
    """The log start offset is moved by DeleteRecords (KIP-107) while the scenario runs.

    Attributes:
        partition: its number in the layout.
        offset: the new log start offset, relative to the partition's base.
        actor: which connection sends it.
        after_ms: not sent earlier than this many milliseconds after the scenario's start.
    """

    partition: int
    offset: int
    actor: int = 0
    after_ms: int = 0


LogStep = Fetch | Append | DeleteRecords
"""Steps that know of no group."""

Step = LogStep | ShareStep | GroupStep


@dataclass(frozen=True, slots=True)
class Scenario:
    """One layout, the configuration, and one independent list of steps. Plain data; `spec.canonical` writes its one JSON form.

    Attributes:
        layout: what lies in the partitions.
        steps: what is done, in the order of sending.
        config: broker configs that the scenario needs, by Kafka's names (`fetch.max.bytes`); empty: any broker will do.
    """

    layout: Layout
    steps: tuple[Step, ...]
    config: tuple[tuple[str, str], ...] = field(default=())

    @property
    def subject(self) -> str:
        """Whose model and clauses it is judged by: `share`, `groups`, or of a draft where a fetch has its field; otherwise `fetch`."""
        if any(isinstance(step, GroupStep) for step in self.steps):
            return "groups"
        if any(isinstance(step, ShareStep) for step in self.steps):
            return "share"
        return next((step.extra[0][0] for step in self.steps if isinstance(step, Fetch) and step.extra), "fetch")

    @property
    def changes_log(self) -> bool:
        """Whether a step writes or deletes, so that the layout can't be shared with another scenario."""
        return any(not isinstance(step, Fetch) for step in self.steps)

    @property
    def question(self) -> Fetch | None:
        """Its fetch, where it is nothing but one fetch outside of any session: asking that changes nothing."""
        only = self.steps[0] if len(self.steps) == 1 else None
        return only if isinstance(only, Fetch) and only.epoch == SESSIONLESS_EPOCH and not only.after_ms else None

    @property
    def actors(self) -> int:
        """How many connections it needs."""
        return 1 + max((step.actor for step in self.steps), default=0)

    @property
    def waits(self) -> bool:
        """Whether some step may make the broker wait."""
        return any(
            (isinstance(step, LogStep) and step.after_ms) or (isinstance(step, Fetch) and step.max_wait_ms > 0) for step in self.steps
        )
