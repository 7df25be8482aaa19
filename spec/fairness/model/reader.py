"""The consumer: what it was assigned, how far it has come, and what it has fetched and not yet
delivered.

Source: FetchCollector.java, FetchBuffer.java and CompletedFetch.java of Kafka 4.3.1.
"""

from collections.abc import Mapping
from dataclasses import field

from spec.fairness.model.chunks import Chunk
from spec.fairness.outcomes import ClientError, Delivered
from spec.fairness.releases import DeliveryOrder, FairnessSemantics, ParseError, PausedRecords
from spec.frozen import frozen, replace
from spec.kafka import Error

SILENT_ERRORS = frozenset(
    (
        Error.NOT_LEADER_OR_FOLLOWER,
        Error.REPLICA_NOT_AVAILABLE,
        Error.KAFKA_STORAGE_ERROR,
        Error.FENCED_LEADER_EPOCH,
        Error.OFFSET_NOT_AVAILABLE,
        Error.UNKNOWN_TOPIC_OR_PARTITION,
        Error.UNKNOWN_TOPIC_ID,
        Error.INCONSISTENT_TOPIC_ID,
        Error.UNKNOWN_LEADER_EPOCH,
        Error.UNKNOWN_SERVER_ERROR,
    )
)
"""Errors of a partition after which a consumer fetches again, and says nothing."""
REPORTED_ERRORS = frozenset((Error.TOPIC_AUTHORIZATION_FAILED, Error.CORRUPT_MESSAGE))
"""Errors of a partition that a consumer reports."""


@frozen
class Reader:
    """A consumer at one moment.

    Attributes:
        positions: the offset that is read next, by partition, in the order in which a full fetch
            names them.
        paused: the partitions that are paused.
        queue: what was fetched, in order of arrival, where nothing of it was delivered yet.
        current: what the next poll continues with.
        begun: under `DeliveryOrder.ROUND_ROBIN`, what is delivered in turn.
    """

    positions: Mapping[int, int] = field(default_factory=dict)
    paused: frozenset[int] = frozenset()
    queue: tuple[Chunk, ...] = ()
    current: Chunk | None = None
    begun: tuple[Chunk, ...] = ()

    @property
    def buffered_partitions(self) -> frozenset[int]:
        """The partitions of which something is fetched and not delivered."""
        current = () if self.current is None else (self.current,)
        return frozenset([one.partition for one in (*self.queue, *self.begun, *current)])

    @property
    def fetchable(self) -> tuple[int, ...]:
        """The partitions that may be fetched: neither paused nor buffered."""
        buffered = self.buffered_partitions
        return tuple(
            [one for one in self.positions if one not in self.paused and one not in buffered]
        )

    @property
    def ends(self) -> Mapping[int, int]:
        """The offset behind all that is fetched of each partition that is not paused; without those
        of which something can't be parsed.
        """
        current = () if self.current is None else (self.current,)
        held = (*current, *self.begun, *self.queue)
        stuck = {one.partition for one in held if one.unreadable or one.error}
        found = {one: at for one, at in self.positions.items() if one not in self.paused | stuck}
        for chunk in held:
            if found.get(chunk.partition) == chunk.next:
                found[chunk.partition] = chunk.end
        return found

    def assign(self, partitions: tuple[int, ...], starts: Mapping[int, int]) -> "Reader":
        """After an assignment: a partition that it had keeps its position."""
        positions = {one: self.positions.get(one, starts[one]) for one in partitions}
        kept = replace(
            self,
            positions=positions,
            paused=self.paused & positions.keys(),
            queue=tuple([one for one in self.queue if one.partition in positions]),
            begun=tuple([one for one in self.begun if one.partition in positions]),
        )
        if self.current is not None and self.current.partition not in positions:
            return replace(kept, current=None)
        return kept

    def seek(self, partition: int, offset: int) -> "Reader":
        """After a seek, or a reset: what was fetched elsewhere is dropped when it is met."""
        return replace(self, positions={**self.positions, partition: offset})

    def receive(self, chunks: tuple[Chunk, ...]) -> "Reader":
        """After a response: its partitions are queued in its order."""
        return replace(self, queue=(*self.queue, *[one for one in chunks if not one.is_empty]))

    def without_fetched(self, partition: int) -> "Reader":
        """Without what was fetched of a partition."""
        current = self.current
        if current is not None and current.partition == partition:
            current = None
        return replace(
            self,
            queue=tuple([one for one in self.queue if one.partition != partition]),
            begun=tuple([one for one in self.begun if one.partition != partition]),
            current=current,
        )

    def truncated(self, partition: int, at: int) -> "Reader":
        """After a partition's log was truncated to an offset, which the consumer does not know yet:
        what it has fetched from there on is lost.
        """

        def mark(chunk: Chunk) -> Chunk:
            lost = at if chunk.lost is None else min(at, chunk.lost)
            return replace(chunk, lost=lost) if chunk.partition == partition else chunk

        return replace(
            self,
            queue=tuple([mark(one) for one in self.queue]),
            begun=tuple([mark(one) for one in self.begun]),
            current=None if self.current is None else mark(self.current),
        )

    def moved_to_end(self, partition: int) -> "Reader":
        """With a partition at the end of the order in which a full fetch names them."""
        others = {one: at for one, at in self.positions.items() if one != partition}
        return replace(self, positions={**others, partition: self.positions[partition]})


@frozen
class CollectedRecords:
    """What a poll takes out of what was fetched.

    Attributes:
        reader: the consumer afterwards.
        records: in the order of delivery.
        errors: what is reported.
        moved: whether a position was advanced.
        reset: partitions that are to be read from the beginning again.
    """

    reader: Reader
    records: tuple[Delivered, ...] = ()
    errors: tuple[ClientError, ...] = ()
    moved: bool = False
    reset: tuple[int, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether a poll continues to wait."""
        return not (self.records or self.errors or self.moved or self.reset)


def collect(reader: Reader, most: int, semantics: FairnessSemantics) -> CollectedRecords:
    """What a poll delivers of what was fetched, at most so many records."""
    if semantics.delivery_order is DeliveryOrder.ROUND_ROBIN:
        return _in_turn(reader, most, semantics)
    return _greedily(reader, most, semantics)


def _greedily(reader: Reader, most: int, semantics: FairnessSemantics) -> CollectedRecords:
    """From the chunk that was left unfinished, then from the queue, each to its end."""
    got = CollectedRecords(reader)
    aside: list[Chunk] = []
    stuck: list[Chunk] = []
    while len(got.records) < most:
        at = got.reader
        if at.current is None:
            if not at.queue:
                break
            at = replace(at, current=at.queue[0], queue=at.queue[1:])
            got = replace(got, reader=at)
        chunk = at.current
        assert chunk is not None
        if chunk.partition in at.paused and not chunk.error:
            if semantics.paused_records is PausedRecords.KEPT:
                aside.append(chunk)
            got = replace(got, reader=replace(at, current=None))
            continue
        got, failed = _take_from(got, chunk, most)
        if failed is None:
            continue
        if semantics.parse_error is ParseError.MOVED_TO_END and got.reader.current is not None:
            stuck.append(got.reader.current)
            got = replace(got, reader=replace(got.reader, current=None))
            continue
        got = _report(got, failed)
        break
    return _with_stuck(_with_aside(got, aside), stuck)


def _with_aside(got: CollectedRecords, aside: list[Chunk]) -> CollectedRecords:
    """What is paused goes to the end of the queue."""
    return replace(got, reader=replace(got.reader, queue=(*got.reader.queue, *aside)))


def _with_stuck(got: CollectedRecords, stuck: list[Chunk]) -> CollectedRecords:
    """What can't be parsed goes to the end of the queue, and is reported where nothing else is."""
    if not stuck:
        return got
    got = replace(got, reader=replace(got.reader, queue=(*got.reader.queue, *stuck)))
    return _report(got, unreadable(stuck[0]))


def _report(got: CollectedRecords, error: ClientError) -> CollectedRecords:
    """An error is postponed where the poll has something to deliver."""
    if got.records or got.moved:
        return got
    return replace(got, errors=(*got.errors, error))


def _take_from(
    got: CollectedRecords, chunk: Chunk, most: int
) -> tuple[CollectedRecords, ClientError | None]:
    """What a poll takes of one chunk, the current one; the error that stops it there."""
    reader, partition = got.reader, chunk.partition
    if reader.positions.get(partition) != chunk.next:
        return replace(got, reader=replace(reader, current=None)), None
    if chunk.error:
        return _fail(got, chunk)
    taken = chunk.records[: most - len(got.records)]
    left = chunk.records[len(taken) :]
    at = taken[-1] + 1 if taken else chunk.next
    if not left:
        at = max(at, chunk.end)
    records = [chunk.record(offset) for offset in taken]
    rest = replace(chunk, records=left, next=at)
    finished = not left and not chunk.unreadable
    reader = replace(reader.seek(partition, at), current=None if finished else rest)
    if finished and taken:
        reader = reader.moved_to_end(partition)
    got = replace(
        got,
        reader=reader,
        records=(*got.records, *records),
        moved=got.moved or at > chunk.next,
    )
    if left or not chunk.unreadable or len(got.records) >= most:
        return got, None
    return got, unreadable(rest)


def unreadable(chunk: Chunk) -> ClientError:
    """How a client reports what can't be parsed."""
    return ClientError(Error.CORRUPT_MESSAGE.name, chunk.partition, chunk.next)


def _fail(got: CollectedRecords, chunk: Chunk) -> tuple[CollectedRecords, ClientError | None]:
    """What a client does at the error of a partition.

    One that is reported waits for a poll that has nothing to deliver. One that the Java consumer
    does not expect is thrown at once: what the poll had taken is lost.
    """
    name = Error(chunk.error).name if chunk.error in {*Error} else str(chunk.error)
    error = ClientError(name, chunk.partition, chunk.next)
    over = replace(got.reader, current=None).moved_to_end(chunk.partition)
    if chunk.error == Error.OFFSET_OUT_OF_RANGE:
        return replace(got, reader=over, reset=(*got.reset, chunk.partition)), None
    if chunk.error in SILENT_ERRORS:
        return replace(got, reader=over), None
    if not (got.records or got.moved):
        return replace(got, reader=over), error
    if chunk.error in REPORTED_ERRORS:
        return got, error
    return CollectedRecords(got.reader), error


def _in_turn(reader: Reader, most: int, semantics: FairnessSemantics) -> CollectedRecords:
    """From the queue, each as far as it goes; then in turn from those that were begun."""
    got = CollectedRecords(reader)
    aside: list[Chunk] = []
    stuck: list[Chunk] = []
    while len(got.records) < most:
        at = got.reader
        if at.queue:
            at = replace(at, current=at.queue[0], queue=at.queue[1:])
        elif at.begun:
            at = replace(at, current=at.begun[0], begun=at.begun[1:])
        else:
            break
        chunk = at.current
        assert chunk is not None
        if chunk.partition in at.paused and not chunk.error:
            if semantics.paused_records is PausedRecords.KEPT:
                aside.append(chunk)
            got = replace(got, reader=replace(at, current=None))
            continue
        got, failed = _take_from(replace(got, reader=at), chunk, most)
        rest = got.reader.current
        if rest is not None and failed is None:
            got = replace(
                got, reader=replace(got.reader, current=None, begun=(*got.reader.begun, rest))
            )
        elif rest is not None:
            stuck.append(rest)
            got = replace(got, reader=replace(got.reader, current=None))
        elif failed is not None:
            got = _report(got, failed)
            break
        if semantics.parse_error is ParseError.BLOCKS and stuck:
            break
    return _with_stuck(_with_aside(got, aside), stuck)
