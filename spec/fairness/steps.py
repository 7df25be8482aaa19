"""Steps of a client's history: what an application asks of its client, and what the server that
the client reads from does meanwhile.

Partitions are numbers in the layout. Offsets are relative to the partition's base. Every step of
an application waits until the client has returned from the one before it.
"""

from collections.abc import Iterator
from enum import StrEnum

from spec.frozen import frozen
from spec.kafka import READ_UNCOMMITTED
from spec.steps import Append, DeleteRecords, Step

FOR_GOOD = 0
"""As a number of responses: this one and all that follow."""


class _Step(Step):
    __slots__ = ()

    @property
    def subject(self) -> str:
        return "fairness"


class ClientKind(StrEnum):
    """The kinds of clients."""

    CONSUMER = "consumer"
    """Reads from its own positions (KafkaConsumer)."""
    SHARE_CONSUMER = "share_consumer"
    """Reads what a share group acquires for it (KafkaShareConsumer, KIP-932)."""
    PRODUCER = "producer"
    """Writes records (KafkaProducer)."""

    __hash__ = str.__hash__


class AcquireMode(StrEnum):
    """The values of `share.acquire.mode` (KIP-1206)."""

    BATCH_OPTIMIZED = "batch_optimized"
    RECORD_LIMIT = "record_limit"

    __hash__ = str.__hash__


@frozen
class StartClient(_Step):
    """A client is made with these options. It is the first step, and the only one of its kind.

    An option of None is not given to the client: its own default holds.

    Attributes:
        client_kind: which kind of client.
        max_poll_records: `max.poll.records`.
        fetch_max_bytes: `fetch.max.bytes`.
        partition_max_bytes: `max.partition.fetch.bytes`.
        fetch_min_bytes: `fetch.min.bytes`.
        max_wait_ms: `fetch.max.wait.ms`.
        isolation: `isolation.level`, 0 read_uncommitted, 1 read_committed.
        check_crcs: `check.crcs`.
        acquire_mode: `share.acquire.mode`.
        batch_size: `batch.size`.
        max_request_size: `max.request.size`.
        actor: which client; there is one.
    """

    client_kind: ClientKind = ClientKind.CONSUMER
    max_poll_records: int | None = None
    fetch_max_bytes: int | None = None
    partition_max_bytes: int | None = None
    fetch_min_bytes: int | None = None
    max_wait_ms: int | None = None
    isolation: int = READ_UNCOMMITTED
    check_crcs: bool | None = None
    acquire_mode: AcquireMode | None = None
    batch_size: int | None = None
    max_request_size: int | None = None
    actor: int = 0


@frozen
class AssignPartitions(_Step):
    """The client is given these partitions, in this order, and starts at the beginning of each.

    It replaces an earlier assignment: a partition that was assigned before keeps its position.

    Attributes:
        partitions: numbers in the layout; each once.
        actor: which client.
    """

    partitions: tuple[int, ...]
    actor: int = 0

    def problems(self) -> Iterator[str]:
        """A client refuses a partition that is named twice."""
        yield from _named_twice(self.partitions)


@frozen
class SubscribeTopics(_Step):
    """The client subscribes to all topics of the layout, as the only member of the scenario's group
    (`auto.offset.reset=earliest`).
    """

    actor: int = 0


@frozen
class Poll(_Step):
    """The application polls once.

    Attributes:
        timeout_ms: how long the client may wait for records.
        actor: which client.
    """

    timeout_ms: int = 1000
    actor: int = 0


@frozen
class PausePartitions(_Step):
    """No record of these partitions is delivered until they are resumed."""

    partitions: tuple[int, ...]
    actor: int = 0

    def problems(self) -> Iterator[str]:
        """A client refuses a partition that is named twice."""
        yield from _named_twice(self.partitions)


@frozen
class ResumePartitions(_Step):
    """Records of these partitions are delivered again."""

    partitions: tuple[int, ...]
    actor: int = 0

    def problems(self) -> Iterator[str]:
        """A client refuses a partition that is named twice."""
        yield from _named_twice(self.partitions)


@frozen
class SeekTo(_Step):
    """The next record of a partition is to be the first one at or after an offset."""

    partition: int
    offset: int
    actor: int = 0


@frozen
class AskPosition(_Step):
    """The client is asked for its position in a partition: the offset that it reads next."""

    partition: int
    actor: int = 0


@frozen
class CommitPositions(_Step):
    """The client commits its positions in all its partitions, and waits for the answer."""

    actor: int = 0


@frozen
class Idle(_Step):
    """The application leaves its client alone.

    Attributes:
        idle_ms: for so long.
        actor: which client.
    """

    idle_ms: int
    actor: int = 0


class Acknowledgement(StrEnum):
    """The ways in which an application acknowledges a delivered record (KIP-932)."""

    ACCEPT = "accept"
    RELEASE = "release"
    REJECT = "reject"

    __hash__ = str.__hash__


@frozen
class AcknowledgeRecords(_Step):
    """Every record of the last poll is acknowledged in one way, and the client commits it
    (`commitSync`).
    """

    way: Acknowledgement = Acknowledgement.ACCEPT
    actor: int = 0


@frozen
class CloseClient(_Step):
    """The client is closed, as applications do: with the time that it needs to end well."""

    actor: int = 0


@frozen
class SendRecords(_Step):
    """A producer is given records without key or headers, all at once, and is flushed: the
    application waits for what becomes of each.

    Attributes:
        partitions: numbers in the layout; each once. Each of them is given a record of each size.
        sizes: bytes of the values, in the order in which they are given.
        actor: which client.
    """

    partitions: tuple[int, ...]
    sizes: tuple[int, ...]
    actor: int = 0

    def problems(self) -> Iterator[str]:
        """Each partition is given the records once."""
        yield from _named_twice(self.partitions)


class Damage(StrEnum):
    """The ways in which a batch reaches the client that can't be read."""

    CRC = "crc"
    """One bit of a record's value is otherwise: the checksum does not fit."""
    LENGTH = "length"
    """The batch's records end before its length does: the response's records end with it."""
    MAGIC = "magic"
    """The format is one that no client knows, 99."""

    __hash__ = str.__hash__


@frozen
class DamageBatch(_Step):
    """From now on, responses hold one batch of a partition damaged.

    Attributes:
        partition: its number in the layout.
        batch: number of the batch among the partition's batches and markers.
        damage: how.
        responses: in how many responses that hold the batch; 0: in all.
        actor: which client.
    """

    partition: int
    batch: int
    damage: Damage = Damage.CRC
    responses: int = FOR_GOOD
    actor: int = 0


@frozen
class CutResponse(_Step):
    """The next responses hold of a partition no more than the first bytes of its first batch.

    Servers may cut a batch at the partition's limit, so a client can't read it and has lost
    nothing.

    Attributes:
        partition: its number in the layout.
        size: bytes of the batch that are given.
        responses: in how many responses that would hold the batch; 0: in all.
        actor: which client.
    """

    partition: int
    size: int
    responses: int = 1
    actor: int = 0


@frozen
class FailPartition(_Step):
    """The next responses hold an error in place of a partition's records.

    Attributes:
        partition: its number in the layout.
        error: Kafka's error code.
        responses: in how many responses that name the partition; 0: in all.
        actor: which client.
    """

    partition: int
    error: int
    responses: int = 1
    actor: int = 0


@frozen
class FailSessions(_Step):
    """The next requests that belong to a fetch session are refused.

    Attributes:
        error: Kafka's error code: FETCH_SESSION_ID_NOT_FOUND (70) or INVALID_FETCH_SESSION_EPOCH
            (71).
        responses: how many requests; 0: all.
        actor: which client.
    """

    error: int = 70
    responses: int = 1
    actor: int = 0


class ResponseVariant(StrEnum):
    """Whole responses that are otherwise than a broker's usual ones, and still legal."""

    EMPTY = "empty"
    """No partition has records."""
    THROTTLED = "throttled"
    """As a broker answers a client past its quota: `throttle_time_ms`, and no partition."""
    LATE = "late"
    """Half a second later than it could."""
    REVERSED = "reversed"
    """The partitions in the reverse of the order in which the broker gives them."""
    ONE_PARTITION = "one partition"
    """Records of the first partition that has any; the others have none this time."""
    ABORTED_REVERSED = "aborted reversed"
    """The aborted transactions in the reverse of their order."""
    ABORTED_TWICE = "aborted twice"
    """Each aborted transaction is listed twice."""

    __hash__ = str.__hash__


@frozen
class GiveOtherwise(_Step):
    """The next responses that have records are given in another legal way.

    Attributes:
        giving: how.
        responses: how many responses; 0: all.
        actor: which client.
    """

    giving: ResponseVariant
    responses: int = 1
    actor: int = 0


@frozen
class MoveLeader(_Step):
    """From now on this node leads a partition, with the next leader epoch: another one than before,
    or the same one again. No record is lost.

    A node answers a Fetch of a partition that it does not lead with NOT_LEADER_OR_FOLLOWER, and one
    with an earlier leader epoch with FENCED_LEADER_EPOCH; both name the new leader where the
    version has room for it (KIP-951). A history with such a step has two nodes; at first node 0
    leads every partition.

    Attributes:
        partition: its number in the layout.
        node: 0 or 1.
        stale: in how many responses to Metadata the old leader is still named.
        actor: which client.
    """

    partition: int
    node: int = 1
    stale: int = 0
    actor: int = 0


@frozen
class TruncateLog(_Step):
    """A partition's leader fails, and the next one lacks the end of its log: an unclean leader
    election (KIP-320).

    The new leader has the next leader epoch. What is appended from now on takes the offsets that
    were lost. A node answers as after `MoveLeader`, OffsetForLeaderEpoch says where the epoch
    before ended, and every fetch session is over. A history with such a step has two nodes, and no
    transaction in the partition.

    Attributes:
        partition: its number in the layout.
        batch: number of the first batch that is lost; where there is none, nothing is.
        node: who leads it from now on, 0 or 1.
        actor: which client.
    """

    partition: int
    batch: int
    node: int = 1
    actor: int = 0


@frozen
class EndLocks(_Step):
    """The acquisition locks of all that a share consumer holds end now, as after their time.

    The records are available to the group again. An acknowledgement of them that comes later is
    answered with INVALID_RECORD_STATE for its partition, and none of that partition's in the same
    request counts.

    Attributes:
        actor: which client.
    """

    actor: int = 0


@frozen
class RefuseMembers(_Step):
    """The group is full: the next requests to join it are answered with GROUP_MAX_SIZE_REACHED.

    Whoever is a member stays one, and whoever asks later is let in, as after another member has
    left.

    Attributes:
        responses: how many requests; 0: all.
        actor: which client.
    """

    responses: int = FOR_GOOD
    actor: int = 0


@frozen
class LimitMessages(_Step):
    """The topic of the layout has this `max.message.bytes` from now on.

    Attributes:
        size: the most bytes of a batch.
        actor: which client.
    """

    size: int
    actor: int = 0


ClientStep = (
    StartClient
    | AssignPartitions
    | SubscribeTopics
    | Poll
    | PausePartitions
    | ResumePartitions
    | SeekTo
    | AskPosition
    | CommitPositions
    | AcknowledgeRecords
    | Idle
    | SendRecords
    | CloseClient
)
"""What an application does with its client."""
StageStep = (
    DamageBatch
    | CutResponse
    | FailPartition
    | FailSessions
    | GiveOtherwise
    | MoveLeader
    | TruncateLog
    | EndLocks
    | RefuseMembers
    | LimitMessages
)
"""What the server that the client reads from does from then on; the client is asked nothing."""
FairnessStep = ClientStep | StageStep | Append | DeleteRecords
"""The steps of a client's history."""


def _named_twice(partitions: tuple[int, ...]) -> Iterator[str]:
    if len(set(partitions)) < len(partitions):
        yield f"partitions: expected each once, found {list(partitions)}"
