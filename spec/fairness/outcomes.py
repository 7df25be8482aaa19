"""Outcomes of the steps of a client's history: what the client returned, and what it asked of the
server meanwhile.

A client that did not return within its deadline is `Silent`, one whose process ended is `Closed`;
both with `control_answered` where the server that it reads from was reachable all the time.
"""

from spec.fairness.steps import Damage
from spec.frozen import frozen
from spec.outcomes import Outcome
from spec.share.outcomes import Acquired


@frozen
class Delivered:
    """One record that a poll returned.

    Attributes:
        partition: its number in the layout; -1 for one that is not of the layout.
        offset: relative to the partition's base.
        intact: whether key and value are those that were written at this offset.
        deliveries: how often a share group had given it out by then, as the client says; 0 where it
            does not say, 1 for a consumer.
        lost: whether it is one that was at this offset before the log was truncated.
    """

    partition: int
    offset: int
    intact: bool = True
    deliveries: int = 1
    lost: bool = False


@frozen
class ClientError:
    """An error that the client reported to its application, by exception or by event.

    Attributes:
        name: Kafka's name of it (`CORRUPT_MESSAGE`, `GROUP_MAX_SIZE_REACHED`) where the client
            says which it is, otherwise the name of its class.
        partition: the partition that it names; None where it names none.
        offset: the offset that it names; None where it names none.
    """

    name: str
    partition: int | None = None
    offset: int | None = None


@frozen
class FetchedBatch:
    """One batch, or the marker of a transaction, as a response held it.

    Attributes:
        first, last: its first and last offset.
        control: whether it is a marker.
        damage: how it was damaged on purpose; None where it is as stored.
        size: bytes of it that the response held.
        whole: whether that is all of it.
    """

    first: int
    last: int
    control: bool = False
    damage: Damage | None = None
    size: int = 0
    whole: bool = True


@frozen
class FetchedPart:
    """One partition's part of a response, as it was sent.

    Attributes:
        partition: its number in the layout.
        error: error code.
        batches: in order.
        acquired: the ranges of offsets that a share group acquired for the client.
        refused: the error code of the acknowledgements that the request has for the partition.
    """

    partition: int
    error: int = 0
    batches: tuple[FetchedBatch, ...] = ()
    acquired: tuple[Acquired, ...] = ()
    refused: int = 0


@frozen
class Acknowledged:
    """A range of offsets that a share consumer acknowledged.

    Attributes:
        partition: its number in the layout.
        first, last: its ends, both included.
        types: one for the whole range, or one for each offset; see `AcknowledgeType`.
    """

    partition: int
    first: int
    last: int
    types: tuple[int, ...]


@frozen
class AskedPart:
    """One partition of a request.

    Attributes:
        partition: its number in the layout.
        offset: the fetch offset, relative; None in a ShareFetch.
        max_bytes: `partition_max_bytes`; None where the version has no such field.
        leader_epoch: how many moves of the leader the request knows of, by the leader epoch that it
            names; None for none, and where no leader moves.
    """

    partition: int
    offset: int | None = None
    max_bytes: int | None = None
    leader_epoch: int | None = None


@frozen
class ServedFetch:
    """One Fetch or ShareFetch request of the client, and the response that it was sent.

    Attributes:
        asked: the partitions that the request names, in its order.
        parts: the partitions that the response names, in its order.
        forgotten: the partitions that the request takes out of the session.
        session: number of the fetch session, from 1 in order of opening; 0 for none.
        epoch: the session epoch that was sent.
        max_wait_ms, min_bytes, max_bytes: as they were sent.
        max_records: of a ShareFetch; None otherwise.
        acquire_mode: likewise; None too where the version has no such field.
        isolation: as it was sent.
        acknowledged: what a ShareFetch or ShareAcknowledge acknowledges.
        error: the error code of the whole response.
        node: number of the broker, from 0.
        asked_ms, answered_ms: since the scenario's start.
    """

    asked: tuple[AskedPart, ...] = ()
    parts: tuple[FetchedPart, ...] = ()
    forgotten: tuple[int, ...] = ()
    session: int = 0
    epoch: int = -1
    max_wait_ms: int = 500
    min_bytes: int = 1
    max_bytes: int = 52428800
    max_records: int | None = None
    acquire_mode: int | None = None
    isolation: int = 0
    acknowledged: tuple[Acknowledged, ...] = ()
    error: int = 0
    node: int = 0
    asked_ms: float = 0.0
    answered_ms: float = 0.0

    @property
    def is_acknowledge(self) -> bool:
        """Whether it is a ShareAcknowledge, given that it comes from a share consumer."""
        return self.max_records is None and not self.max_bytes


@frozen
class PollReturned(Outcome):
    """What a poll returned.

    Attributes:
        records: in the order in which the client gives them to its application.
        errors: in the order in which they were reported.
        fetches: the exchanges with the server whose response was sent since the step before this
            one had returned, in order of the responses.
        reset: partitions whose position the client may have chosen itself meanwhile: those that a
            rebalance gave it, or whose offset was reset.
        refused: how many requests to join its group were answered with GROUP_MAX_SIZE_REACHED
            meanwhile.
    """

    records: tuple[Delivered, ...] = ()
    errors: tuple[ClientError, ...] = ()
    fetches: tuple[ServedFetch, ...] = ()
    reset: tuple[int, ...] = ()
    refused: int = 0


@frozen
class PositionReturned(Outcome):
    """The position that the client reports; None where it reports an error instead.

    Attributes:
        offset: relative.
        errors, fetches: see `PollReturned`.
    """

    offset: int | None = None
    errors: tuple[ClientError, ...] = ()
    fetches: tuple[ServedFetch, ...] = ()


@frozen
class CommitReturned(Outcome):
    """What the server was asked to commit, as (partition, offset), in order.

    Attributes:
        committed: of each OffsetCommit request since the step before this one had returned.
        errors, fetches: see `PollReturned`.
    """

    committed: tuple[tuple[int, int], ...] = ()
    errors: tuple[ClientError, ...] = ()
    fetches: tuple[ServedFetch, ...] = ()


@frozen
class StepDone(Outcome):
    """The client, or the server, did what the step asks, or the client reported errors.

    Attributes:
        errors, fetches: see `PollReturned`.
    """

    errors: tuple[ClientError, ...] = ()
    fetches: tuple[ServedFetch, ...] = ()


@frozen
class SentRecord:
    """What a producer reported of a record: an offset, an error, or neither.

    Attributes:
        offset: relative; -1 for success without an offset.
        error: the client's name of it.
    """

    offset: int | None = None
    error: str = ""


@frozen
class ProducedBatch:
    """A batch of a Produce request, and what it was answered.

    Attributes:
        partition: its number in the layout.
        size: bytes of the whole batch.
        records: the numbers of its records in the order in which the history's application gave
            them, from 0; -1 for one with another value than was given.
        error: error code.
        offset: the base offset of the answer, relative; None under an error.
    """

    partition: int
    size: int
    records: tuple[int, ...]
    error: int = 0
    offset: int | None = None


@frozen
class ServedProduce:
    """One Produce request of the client that was answered.

    Attributes:
        batches: in its order.
        asked_ms, answered_ms: since the scenario's start.
    """

    batches: tuple[ProducedBatch, ...]
    asked_ms: float = 0.0
    answered_ms: float = 0.0


@frozen
class RecordsSent(Outcome):
    """What became of the records that a producer was given.

    Attributes:
        results: of each record, in the order in which they were given.
        requests: in order of the answers.
        errors: those that the producer reported of no record, but of the call.
    """

    results: tuple[SentRecord, ...] = ()
    requests: tuple[ServedProduce, ...] = ()
    errors: tuple[ClientError, ...] = ()

    @property
    def fetches(self) -> tuple[ServedFetch, ...]:
        """A producer fetches nothing."""
        return ()


ClientOutcome = PollReturned | PositionReturned | CommitReturned | RecordsSent | StepDone
"""What a client returns."""
