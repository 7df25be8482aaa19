"""What is known of a client's partitions from step to step: where it is, what it was sent, and what
it has delivered of that.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from spec.fairness.model.chunks import is_unreadable, readable_of
from spec.fairness.model.options import Options
from spec.fairness.model.server import LEADER_ERRORS, Leader
from spec.fairness.model.visible import visible
from spec.fairness.outcomes import Delivered, FetchedPart, PollReturned, ServedFetch
from spec.fairness.steps import Damage, DamageBatch, TruncateLog
from spec.fairness.turn import Chunk, ClientPosition, DeliveredSpan, LeaderMove, Truncation
from spec.frozen import replace
from spec.kafka import INT32_MAX, Error
from spec.log import Log

BEHIND_ALL = (INT32_MAX, 0)
"""The place of what can't be parsed and has lost its place among what was fetched."""
LONG_ENOUGH_MS = 500
"""Milliseconds: a poll that waited less says nothing of what a client has to deliver."""


@dataclass(slots=True)
class Track:
    """One partition, as its client reads it.

    Attributes:
        start: see `DeliveredSpan`.
        delivered: the offsets since.
        sent: see `ClientPosition`.
        spoiled, idle, silent, overtaken, ahead: see `ClientPosition`.
        unreadable: see `ClientPosition`; whatever the client has reported.
        failed: whether the client has reported an error since.
        at_error: see `DeliveredSpan`.
        since_ms: the time of a seek: responses to requests before it may be dropped by the client.
    """

    start: int | None
    delivered: list[int] = field(default_factory=list)
    sent: int = 0
    spoiled: tuple[int, int] | None = None
    unreadable: bool = False
    idle: int = 0
    silent: int = 0
    failed: bool = False
    at_error: set[int] = field(default_factory=set)
    overtaken: int = 0
    ahead: int = 0
    since_ms: float = 0.0

    @property
    def next(self) -> int | None:
        """The lowest offset that the client may read next; None where that is not known."""
        return self.delivered[-1] + 1 if self.delivered else self.start


@dataclass(slots=True)
class TruncatedLog:
    """A partition whose log was truncated, while its client has delivered nothing written since.

    Attributes:
        end: the offset at which it was truncated.
        next: the lowest offset that the client may read next; None where that is not known.
        names_epochs, was_reported: see `Truncation`.
        delivered, repeated: what of the log's rest it has delivered since.
    """

    end: int
    next: int | None
    names_epochs: bool
    was_reported: bool = False
    delivered: list[int] = field(default_factory=list)
    repeated: list[int] = field(default_factory=list)
    first_owed: int | None = field(init=False)

    def __post_init__(self) -> None:
        """Note what it owes: it may have been past the end."""
        self.first_owed = None if self.next is None else min(self.next, self.end)

    def deliver(self, record: Delivered) -> None:
        """The client delivered a record that was written before."""
        following = self.next
        if following is not None and record.offset < following:
            self.repeated.append(record.offset)
        elif following is not None:
            self.next = record.offset + 1
        if not record.lost:
            self.delivered.append(record.offset)

    @property
    def position(self) -> int | None:
        """The offset behind what was delivered since; None where nothing was."""
        return self.delivered[-1] + 1 if self.delivered else None

    def resumed_at(self, first: int, owed: Iterable[int]) -> Truncation | None:
        """What became of it, given the first record written since that was delivered and the
        records that the log has; None where nothing is known of what the client had delivered.
        """
        if self.first_owed is None:
            return None
        had = {*self.delivered}
        passed = [one for one in owed if self.first_owed <= one < first and one not in had]
        repeated = tuple(self.repeated)
        return Truncation(
            self.end, first, tuple(passed), repeated, self.names_epochs, self.was_reported
        )


class ClientTracks:
    """A client's partitions up to some step.

    Args:
        logs: the partitions before the first step.
    """

    def __init__(self, logs: Mapping[int, Log]) -> None:
        self.logs = dict(logs)
        self.options = Options()
        self.tracks: dict[int, Track] = {}
        self.paused: set[int] = set()
        self.damages: dict[int, set[int]] = {}
        self.damaged: dict[int, set[int]] = {}
        self.chunks: list[Chunk] = []
        self.responses = 0
        self.leaders: dict[int, Leader] = {}
        self.moves: dict[int, LeaderMove] = {}
        self.fetched: set[int] = set()
        self.named_epochs: set[int] = set()
        self.failing: set[int] = set()
        self.truncated: dict[int, TruncatedLog] = {}
        self.resumed: dict[int, Truncation] = {}

    def place(self, partition: int) -> ClientPosition:
        """How far the client has come in a partition."""
        track = self.tracks[partition]
        return ClientPosition(
            track.start,
            track.delivered[-1] if track.delivered else None,
            self._due(partition, track),
            track.sent,
            track.spoiled,
            track.unreadable and not track.failed,
            track.idle,
            track.silent,
            partition in self.paused,
            track.overtaken,
            track.ahead,
        )

    def places(self) -> dict[int, ClientPosition]:
        """How far the client has come in each of its partitions."""
        return {partition: self.place(partition) for partition in self.tracks}

    def waiting_chunks(self) -> tuple[Chunk, ...]:
        """What was sent and not delivered, of partitions that are not paused."""
        return tuple([one for one in self.chunks if one.partition not in self.paused and one.left])

    def _due(self, partition: int, track: Track) -> int | None:
        following, log = track.next, self.logs[partition]
        if following is None:
            return None
        least = max(following, log.start)
        passed = self.damaged.get(partition, set()) if track.failed else set()
        return next(
            (
                offset
                for offset in visible(log, self.options.isolation).certain
                if offset >= least and offset not in passed
            ),
            None,
        )

    def begin(
        self, partition: int, start: int | None, since_ms: float = 0.0
    ) -> Iterator[DeliveredSpan]:
        """Read a partition from another place, as this is iterated; the span that ends with it."""
        if partition in self.tracks:
            yield self.end(partition)
        sent = 0 if start is None else start
        self.tracks[partition] = Track(start, sent=sent, since_ms=since_ms)
        self.chunks = [one for one in self.chunks if one.partition != partition]

    def end(self, partition: int) -> DeliveredSpan:
        """The client gives a partition up."""
        track = self.tracks.pop(partition)
        excused = frozenset(self.damaged.get(partition, ())) if track.failed else frozenset()
        at_error = frozenset(track.at_error)
        return DeliveredSpan(partition, track.start, tuple(track.delivered), excused, at_error)

    def damage(self, step: DamageBatch) -> None:
        """Responses may hold a batch damaged from now on."""
        self.damages.setdefault(step.partition, set()).add(step.batch)
        self.note_damage(step.partition)

    def note_damage(self, partition: int) -> None:
        """The log has the batches that it has: those that responses may hold damaged among them."""
        for number in self.damages.get(partition, ()):
            for batch in self.logs[partition].batches[number : number + 1]:
                self.damaged.setdefault(partition, set()).update(range(batch.base, batch.last + 1))

    def move(self, partition: int, node: int) -> None:
        """The leader of a partition moves: the client may fetch again what it has not delivered."""
        self.leaders[partition] = self.leaders.get(partition, Leader()).moved(node)
        self.chunks = [one for one in self.chunks if one.partition != partition]
        self.moves[partition] = LeaderMove(node, was_fetched=partition in self.fetched)

    def truncate(self, step: TruncateLog) -> Iterator[DeliveredSpan]:
        """The log of a partition is truncated, as this is iterated; the span that ends with it."""
        partition = step.partition
        before = self.truncated.pop(partition, None)
        self.logs[partition] = log = self.logs[partition].truncated_before(step.batch)
        self.move(partition, step.node)
        track = self.tracks.get(partition)
        if track is None:
            return
        following = track.next
        if before is not None or (not track.delivered and (following or 0) > log.end):
            following = None
        yield from self.begin(partition, None)
        self.truncated[partition] = TruncatedLog(log.end, following, partition in self.named_epochs)

    def _follow_moves(self, served: ServedFetch) -> None:
        """Note each partition whose leader moved that this fetch asked the new leader for, unless
        the answer is a leader's error.
        """
        failed = {one.partition for one in served.parts if one.error in LEADER_ERRORS}
        asked = {one.partition for one in served.asked}
        self.fetched |= asked
        self.named_epochs |= {one.partition for one in served.asked if one.leader_epoch is not None}
        for partition in asked - failed:
            move = self.moves.get(partition)
            if move is not None and move.node == served.node:
                self.moves[partition] = replace(move, is_followed=True)

    def pause(self, partitions: Iterable[int]) -> None:
        """Partitions are paused: what was fetched of them may lose its place."""
        self.paused |= {*partitions}
        for partition in self.paused & self.tracks.keys():
            if self.tracks[partition].spoiled is not None:
                self.tracks[partition].spoiled = BEHIND_ALL
        self.chunks = [
            replace(one, displaced=True) if one.partition in self.paused else one
            for one in self.chunks
        ]

    def resume(self, partitions: Iterable[int], now: float) -> None:
        """Partitions are resumed, so many ms after the start: what was fetched of them waits again
        from then on.
        """
        resumed = self.paused & {*partitions}
        self.paused -= resumed
        self.chunks = [
            replace(one, arrived_ms=max(one.arrived_ms, now)) if one.partition in resumed else one
            for one in self.chunks
        ]
        for partition in partitions:
            if partition in self.tracks:
                self._wait(partition)

    def receive(self, served: ServedFetch) -> int:
        """The client was sent a response; its number."""
        self.responses += 1
        self._follow_moves(served)
        asked = {one.partition: one.offset for one in served.asked if one.offset is not None}
        self.chunks = [
            one
            for one in self.chunks
            if not one.displaced or asked.get(one.partition, one.left[0] + 1) > one.left[0]
        ]
        before = {one.partition for one in self.chunks}
        for number, part in enumerate(served.parts):
            track = self.tracks.get(part.partition)
            if track is None or part.error or served.asked_ms < track.since_ms:
                continue
            if not _is_left_behind(track, asked.get(part.partition)):
                self._receive(part, (self.responses, number), served)
        for partition in {one.partition for one in self.chunks} - before:
            self._wait(partition)
        return self.responses

    def _receive(self, part: FetchedPart, arrival: tuple[int, int], served: ServedFetch) -> None:
        track, log = self.tracks[part.partition], self.logs[part.partition]
        found: list[int] = []
        for batch in part.batches:
            if not batch.whole or is_unreadable(batch, self.options):
                cut_first = batch is part.batches[0]
                unreadable = batch.damage in {Damage.CRC, Damage.MAGIC}
                if batch.first <= track.sent <= batch.last and (cut_first or unreadable):
                    track.spoiled, track.unreadable = arrival, unreadable
                break
            if batch.last >= track.sent:
                track.sent, track.spoiled, track.unreadable = batch.last + 1, None, False
            found += readable_of(batch, log, self.options)
        least = track.next or 0
        left = tuple([offset for offset in found if offset >= least])
        if left:
            chunk = Chunk(part.partition, arrival, left, served.node, served.answered_ms)
            self.chunks.append(replace(chunk, displaced=part.partition in self.paused))

    def _wait(self, partition: int) -> None:
        """Count from 0 again the records of other partitions that go before this one's, which has
        records now.
        """
        track = self.tracks[partition]
        track.overtaken = 0
        track.ahead = sum([len(one.left) for one in self.chunks if one.partition != partition])

    def deliver(self, returned: PollReturned) -> None:
        """The client delivered records."""
        self.resumed = {}
        touched: set[int] = set()
        waiting = {one.partition for one in self.chunks}
        others = sum(record.partition in waiting for record in returned.records)
        for record in returned.records:
            track = self.tracks.get(record.partition)
            if track is not None:
                touched.add(record.partition)
                if not self._precedes_truncation(record):
                    track.delivered.append(record.offset)
                elif record.partition not in self.truncated and not track.delivered:
                    track.start = None
        if touched:
            self.chunks = [one for one in map(self._rest_of, self.chunks) if one.left]
        for partition, track in self.tracks.items():
            if partition in touched or partition in self.paused:
                self._wait(partition)
            elif any(one.partition == partition for one in self.chunks):
                track.overtaken += others
        self._note_errors(returned)

    def _precedes_truncation(self, record: Delivered) -> bool:
        """Whether a log was truncated, and a record is one that was written before; the first one
        that was not ends that.
        """
        truncated = self.truncated.get(record.partition)
        if truncated is None:
            return record.lost
        if record.lost or record.offset < truncated.end:
            truncated.deliver(record)
            return True
        del self.truncated[record.partition]
        passed = self.damaged.get(record.partition, set())
        log = self.logs[record.partition]
        certain = visible(log, self.options.isolation).certain
        owed = [one for one in certain if one >= log.start and one not in passed]
        resumed = truncated.resumed_at(record.offset, owed)
        if resumed is not None:
            self.resumed[record.partition] = resumed
        return False

    def _note_errors(self, returned: PollReturned) -> None:
        """The client reported errors, if it did."""
        if returned.errors and not returned.records:
            for chunk in self.chunks:
                if chunk.partition in self.tracks:
                    self.tracks[chunk.partition].at_error.update(chunk.left)
        for error in returned.errors:
            for partition, track in self.tracks.items():
                if error.partition in {None, partition}:
                    track.failed = True
                    if partition in self.truncated:
                        self.truncated[partition].was_reported = True

    def _rest_of(self, chunk: Chunk) -> Chunk:
        following = self.tracks[chunk.partition].next
        if following is None and chunk.partition in self.truncated:
            following = self.truncated[chunk.partition].position
        if following is None or following <= chunk.left[0]:
            return replace(chunk, recent=False)
        left = tuple([offset for offset in chunk.left if offset >= following])
        return replace(chunk, left=left, begun=True, recent=True)

    def count_idle(
        self, returned: PollReturned, elapsed_ms: float, places: Mapping[int, ClientPosition]
    ) -> None:
        """Count the empty polls in a row, by partition, and the time that moves of leaders took. A
        poll with errors, or one that was empty and short, counts for nothing.

        Args:
            returned: by a poll.
            elapsed_ms: how long it took.
            places: the partitions before it.
        """
        if returned.errors or (elapsed_ms < LONG_ENOUGH_MS and not returned.records):
            return
        for partition, move in self.moves.items():
            if partition in self.tracks and partition not in self.paused and not returned.records:
                self.moves[partition] = replace(move, waited_ms=move.waited_ms + elapsed_ms)
        for partition, track in self.tracks.items():
            place = places.get(partition)
            owes = place is not None and place.next is not None and place.sent > place.next
            quiet = not returned.records and partition not in self.paused
            track.idle = track.idle + 1 if owes and quiet else 0
            stuck = place is not None and place.is_stuck
            track.silent = track.silent + 1 if stuck and quiet else 0


def _is_left_behind(track: Track, asked: int | None) -> bool:
    """Whether a fetch is older than the seek: it asked for an offset past all that was sent since,
    and the client drops the response.
    """
    return asked is not None and track.start is not None and asked > track.sent


def out_of_range_partitions(fetches: tuple[ServedFetch, ...]) -> frozenset[int]:
    """The partitions that a response called out of range, so that the client reads elsewhere."""
    return frozenset(
        [
            part.partition
            for served in fetches
            for part in served.parts
            if part.error == Error.OFFSET_OUT_OF_RANGE
        ]
    )
