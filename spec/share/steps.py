"""Steps of a share group's history: the requests of its members, and what an administrator does
meanwhile.

A scenario has one share group. Each actor is one member of it, with a member id and a connection of
its own. Steps come one after the other over all actors: each is sent when the one before it was
answered, save that nothing waits for a `parked` fetch.
"""

from enum import IntEnum

from spec.frozen import frozen, replace
from spec.kafka import INT32_MAX
from spec.steps import Step

NEXT = "next"
"""As a share session epoch: the one that the session expects next, 0 where the member has none."""
OWN = "own"
"""As a group or member id: the scenario's group, the actor's member id (a Kafka Uuid in base64, 22
characters).
"""

OPENING_EPOCH = 0
FINAL_EPOCH = -1

BATCH_OPTIMIZED = 0
RECORD_LIMIT = 1
ACQUIRE_MODES = {"batch_optimized": BATCH_OPTIMIZED, "record_limit": RECORD_LIMIT}
"""The acquire modes by the names of the consumer config `share.acquire.mode` (KIP-1206)."""

MAX_RECORDS_SINCE = 1
ACQUIRE_MODE_SINCE = 2
RENEW_SINCE = 2


class _Step(Step):
    __slots__ = ()

    @property
    def subject(self) -> str:
        return "share"


class AcknowledgeType(IntEnum):
    """The ways to acknowledge an offset (KIP-932; renew: KIP-1222)."""

    GAP = 0
    ACCEPT = 1
    RELEASE = 2
    REJECT = 3
    RENEW = 4


class _MemberRequest(_Step):
    """A request of a member, which names a group."""

    __slots__ = ()
    group: str | None

    @property
    def literal_names(self) -> tuple[str, ...]:
        return () if self.group == OWN else (self.group or "",)


ANOTHER_LINE = 1000
"""Added to a member's number, it is another connection of the member."""


@frozen
class AcknowledgementBatch:
    """A range of offsets and what is made of them.

    Attributes:
        first, last: relative to the partition's base; an inverted range is sent as it
            stands.
        types: one for the whole range, or one for each offset; any int8, and any number of them,
            is sent.
    """

    first: int
    last: int
    types: tuple[int, ...] = (AcknowledgeType.ACCEPT.value,)

    def type_of(self, offset: int) -> int:
        """The type that a well-formed batch has for an offset in it."""
        return self.types[0] if len(self.types) == 1 else self.types[offset - self.first]


@frozen
class SharePartition:
    """One partition's part of a ShareFetch or ShareAcknowledge request.

    Attributes:
        partition: its number in the layout; the layout's count asks for an unknown partition of a
            known topic, any greater number for an unknown topic id.
        acknowledgements: batches of acknowledgements, in request order.
        max_bytes: `PartitionMaxBytes`, int32 (ShareFetch v0 only).
    """

    partition: int
    acknowledgements: tuple[AcknowledgementBatch, ...] = ()
    max_bytes: int = INT32_MAX


@frozen
class ShareFetch(_MemberRequest):
    """One ShareFetch request (API key 78).

    Attributes:
        partitions: what is added to the session, and what is acknowledged, in request order.
        epoch: share session epoch: `NEXT`, or a number that is sent as it stands; 0 opens,
            -1 closes.
        skew: added to the epoch that `NEXT` stands for.
        max_records: MaxRecords, int32 (v1+): how many offsets may be acquired.
        batch_size: BatchSize, int32 (v1+): how many offsets an acquired range should hold.
        max_bytes, min_bytes, max_wait_ms: the request's limits, int32.
        mode: ShareAcquireMode, int8 (v2+): 0 batch_optimized, 1 record_limit.
        renew: IsRenewAck (v2+).
        forgotten: partitions to take out of the session.
        version: the request version, 0 to 2.
        group, member: `OWN`, None for null, or a string that is sent as it stands.
        actor: the member who asks.
        connection: over which of the member's connections; 0 is its own.
        parked: the next step does not wait for its answer.
        patience_ms: where nothing was acquired, the fetch is sent again (`asked_again`) until
            something is, or this long has passed: a share partition's first load and the release by
            a closing session are not waited for by the broker.
    """

    partitions: tuple[SharePartition, ...] = ()
    epoch: int | str = NEXT
    skew: int = 0
    max_records: int = 500
    batch_size: int = 500
    max_bytes: int = INT32_MAX
    min_bytes: int = 1
    max_wait_ms: int = 0
    mode: int = BATCH_OPTIMIZED
    renew: bool = False
    forgotten: tuple[int, ...] = ()
    version: int = 1
    group: str | None = OWN
    member: str | None = OWN
    actor: int = 0
    parked: bool = False
    patience_ms: int = 0
    connection: int = 0

    @property
    def line(self) -> int:
        """A number of its own for each connection of each member: the member's for its own."""
        return self.actor + ANOTHER_LINE * self.connection


@frozen
class ShareAcknowledge(_MemberRequest):
    """One ShareAcknowledge request (API key 79).

    Attributes:
        partitions: what is acknowledged, in request order.
        epoch, skew, version, group, member, actor: as in `ShareFetch`.
        renew: IsRenewAck (v2+).
    """

    partitions: tuple[SharePartition, ...] = ()
    epoch: int | str = NEXT
    skew: int = 0
    renew: bool = False
    version: int = 1
    group: str | None = OWN
    member: str | None = OWN
    actor: int = 0


@frozen
class DropConnection(_Step):
    """The actor's connection is closed without a request; its next step opens a new one, with the
    same member id.
    """

    actor: int = 0


@frozen
class NameGroup(_Step):
    """The group's name has this text in it; the first step of a history, or none.

    Attributes:
        text: any characters that a group's name may have.
        actor: nobody in particular; nothing is sent.
    """

    text: str
    actor: int = 0


@frozen
class FindShareCoordinator(_Step):
    """The coordinator of one of the group's share partitions is asked for (FindCoordinator with key
    type 2, 4.1+).

    Attributes:
        partition: its number in the layout.
        actor: which connection sends it.
    """

    partition: int = 0
    actor: int = 0


@frozen
class AlterShareGroupOffsets(_Step):
    """The group's start offsets are set (4.2+; before, by the inter-broker
    InitializeShareGroupState).

    Attributes:
        starts: (partition, offset relative to its base); an offset past the log's end is legal.
        actor: which connection sends it.
    """

    starts: tuple[tuple[int, int], ...]
    actor: int = 0


@frozen
class DeleteShareGroupOffsets(_Step):
    """The group's state is deleted for all partitions of the layout."""

    actor: int = 0


@frozen
class AlterGroupConfig(_Step):
    """Group configs are set or taken away (IncrementalAlterConfigs on the group).

    Attributes:
        settings: (key, value), by Kafka's names (`share.record.lock.duration.ms`); the value None
            takes the key away.
        actor: which connection sends it.
    """

    settings: tuple[tuple[str, str | None], ...]
    actor: int = 0


@frozen
class RestartBroker(_Step):
    """The broker is stopped in good order and started again: all connections, sessions and cached
    share partitions are lost.
    """

    actor: int = 0


@frozen
class Pause(_Step):
    """Nothing is sent for so many milliseconds, so that locks can expire."""

    ms: int
    actor: int = 0


ShareStep = (
    ShareFetch
    | ShareAcknowledge
    | DropConnection
    | NameGroup
    | FindShareCoordinator
    | AlterShareGroupOffsets
    | DeleteShareGroupOffsets
    | AlterGroupConfig
    | RestartBroker
    | Pause
)


GroupQuestion = AlterGroupConfig | FindShareCoordinator
"""Steps of an administrator whose answer is judged, an error too."""


def asked_again(fetch: ShareFetch) -> ShareFetch:
    """The request by which a patient fetch is repeated: in the session as it is now, without its
    acknowledgements.
    """
    return replace(fetch, partitions=(), epoch=NEXT, skew=0, forgotten=())


def acquire_mode(name: str) -> int:
    """The acquire mode of this name, whatever its case (KIP-1206).

    Raises:
        ValueError: there is no such mode; the message lists those that there are.
    """
    found = ACQUIRE_MODES.get(name.lower())
    if found is None:
        raise ValueError(
            f"share.acquire.mode: expected one of {', '.join(ACQUIRE_MODES)} in any case, found "
            f"{name!r}"
        )
    return found


def line_of(step: Step) -> int:
    """The connection by which a step is done: the actor's own, unless a fetch names another."""
    return step.line if isinstance(step, ShareFetch) else step.actor
