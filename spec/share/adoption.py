"""The state after an answer, whether the reference would have given it or not: the observer
continues from what it says.
"""

import math
from collections.abc import Iterable, Iterator, Mapping

from spec.frozen import replace
from spec.kafka import Error
from spec.log import Log
from spec.share.comparison import acknowledge_errors, apply_confirmed
from spec.share.model.acknowledge import TERMINAL
from spec.share.model.closing import sessions_over
from spec.share.model.machine import settle_writes
from spec.share.model.partition import ShareState, with_batch, write_records
from spec.share.model.records import Cached, Lock, Record, RecordState
from spec.share.model.session import Mode, session_after
from spec.share.model.settings import Settings
from spec.share.model.state import Closing, PartitionState, State, known_of, records_of
from spec.share.outcomes import Acquired, ShareAnswerPartition
from spec.share.steps import AcknowledgementBatch, AcknowledgeType
from spec.share.turn import Confirmed, Served, Turn
from spec.share.written import begin_when_written

TRIED_MS = 2000.0
"""A share partition's first fetch counts as sent by the next multiple of this, so that not each try
makes a state of its own.
"""
LOAD_MS = 10000.0
"""After this long a share partition that answers without error has surely been loaded, on a broker
under load too (seen: 4 s).
"""


def adopt_answer(
    state: State,
    turn: Turn,
    lock: Lock,
    sent_ms: float,
    answered_ms: float,
    *,
    unseen: Mapping[int, ShareState] | None = None,
) -> State:
    """The state after a member's request and its answer.

    Args:
        state: before.
        turn: the request beside its answer; without one nothing changes.
        lock: the lock of what was acquired.
        sent_ms: when it was sent.
        answered_ms: when it was answered.
        unseen: share partitions of which nothing was acquired, and that changed all the same.
    """
    request, answer = turn.request, turn.answer
    if request is None or answer is None:
        return state
    state = state.with_session(request.actor, session_after(turn.admission, answer.error))
    if answer.error:
        return state
    state = apply_confirmed(state, turn.confirmed, written=False)
    for one in turn.confirmed:
        state = _against_expectation(state, one, lock, turn.settings)
    for served in turn.served:
        state = _adopt_partition(
            state, turn, served, lock, sent_ms, (unseen or {}).get(served.partition)
        )
    if turn.admission.mode in {Mode.REFUSED, Mode.FAILED}:
        state = _adopt_unexpected_acknowledgements(state, turn)
        for part in turn.fetch_answer.partitions if turn.fetch_answer is not None else ():
            state = _adopt_unexpected(state, part, lock, turn.settings)
    state = settle_writes(begin_when_written(state, lock, turn.settings.lock_duration_ms))
    if turn.admission.mode is Mode.FINAL and turn.admission.before is not None:
        over = answered_ms + turn.settle_ms
        closings = [
            Closing(request.actor, number, over)
            for number in known_of(turn.admission.before, state)
        ]
        state = sessions_over(replace(state, closing=(*state.closing, *closings)))
    return state


def count_as_loaded(state: State, now_ms: float) -> State:
    """The state in which share partitions that were first fetched from long ago count as loaded."""
    for number, one in enumerate(state.partitions):
        if not one.loaded and one.tried_ms is not None and one.tried_ms + LOAD_MS < now_ms:
            state = state.with_partition(number, replace(one, loaded=True))
    return state


def _against_expectation(state: State, one: Confirmed, lock: Lock, settings: Settings) -> State:
    """Acknowledgements were taken that the reference refuses: those of the member's own records
    count, each by its type.
    """
    if one.got != 0 or one.before is None or (one.expected is not None and not one.expected.error):
        return state
    return _with_own_records(state, one.partition, one.before, one.batches, lock.member, settings)


def apply_in_part(state: State, turn: Turn) -> Iterator[State]:
    """Each state in which acknowledgements that were answered with an error had an effect all the
    same: on all records that they name and the member holds, or on those in front of the first
    that it does not hold.
    """
    request = turn.request
    assert request is not None
    found: dict[State, None] = {}
    for whole in (True, False):
        after = state
        for one in turn.confirmed:
            records = after.partitions[one.partition].records if one.before is not None else None
            if not one.got or one.fault is not None or one.before is None or records is None:
                continue
            own = [_is_own(one.before, batch, request.actor) for batch in one.batches]
            front = one.batches[: own.index(False)] if False in own else one.batches
            after = _with_own_records(
                after,
                one.partition,
                records,
                one.batches if whole else front,
                request.actor,
                turn.settings,
            )
        if after != state:
            found[after] = None
    yield from found


def _is_own(records: ShareState, batch: AcknowledgementBatch, member: int) -> bool:
    """Whether the member holds each record at or past the start offset that the batch names."""
    offsets = range(max(batch.first, records.start), batch.last + 1)
    known = (records.record(offset) for offset in offsets)
    return bool(offsets) and all(record is not None and record.held_by(member) for record in known)


def _with_own_records(
    state: State,
    partition: int,
    records: ShareState,
    batches: Iterable[AcknowledgementBatch],
    member: int,
    settings: Settings,
) -> State:
    """The state after some batches had their effect on the member's own records alone."""
    touched: list[tuple[int, Record]] = []
    for batch in batches:
        reached = [
            pair
            for cached in records.cached
            for pair in cached.offsets()
            if batch.first <= pair[0] <= batch.last
        ]
        own = [(offset, record) for offset, record in reached if record.held_by(member)]
        touched += [
            (offset, _record_after(record, _type_of(batch, offset), settings))
            for offset, record in own
        ]
    for offset, record in touched:
        records = _with_record(records, offset, record)
    before = state.partitions[partition]
    return state.with_partition(partition, replace(before, records=write_records(records, touched)))


def _type_of(batch: AcknowledgementBatch, offset: int) -> int:
    """The type that the batch has for an offset; where its types are of no use, the record counts
    as done with.
    """
    well_formed = len(batch.types) in {1, batch.last - batch.first + 1}
    return batch.type_of(offset) if well_formed else AcknowledgeType.REJECT


def _record_after(record: Record, kind: int, settings: Settings) -> Record:
    if kind == AcknowledgeType.RENEW:
        return record
    if kind == AcknowledgeType.RELEASE:
        return record.release(settings.delivery_count_limit)
    return Record(TERMINAL.get(kind, RecordState.ARCHIVED), record.count)


def _adopt_partition(
    state: State, turn: Turn, served: Served, lock: Lock, sent_ms: float, unseen: ShareState | None
) -> State:
    """The state after what a partition of a fetch answered."""
    number, got = served.partition, served.got
    if served.log is None or served.slot.lost:
        return state
    partition: PartitionState = state.partitions[number]
    tried = (
        partition.tried_ms
        if partition.tried_ms is not None
        else math.ceil(sent_ms / TRIED_MS) * TRIED_MS
    )
    failed = got is not None and got.error != 0
    loaded = partition.loaded or unseen is not None or bool(served.acquired_ranges)
    if got is not None and got.error == Error.UNKNOWN_SERVER_ERROR and partition.loaded:
        return state.with_partition(
            number, replace(partition, lost=True)
        )  # it may have acquired what no answer shows
    exactly = served.expected is not None and served.acquired_ranges == served.expected.ranges
    below = served.before is not None and any(
        one.first < served.before.start for one in served.acquired_ranges
    )
    if served.has_inverted_range and (below or not exactly):
        # What becomes of a batch that ends before it begins is not known, nor of one that was cut
        # at the start offset: Kafka 4.3.1 then gives the same records to one member after the
        # other.
        return state.with_partition(number, replace(partition, lost=True))
    records = partition.records
    if unseen is not None:
        return state.with_partition(
            number, replace(partition, records=unseen, loaded=True, tried_ms=tried)
        )
    if turn.is_answered_fetch and served.before is not None and not failed:
        if served.matches and served.expected is not None and loaded:
            records = (
                served.expected.state
                if exactly
                else join_units(
                    cache_as_answered(served.before, served.expected.state, served.acquired_ranges),
                    served.acquired_ranges,
                )
            )
        elif served.acquired_ranges:
            records = join_units(
                adopt_ranges(served.before, served.acquired_ranges, lock, served.log),
                served.acquired_ranges,
            )
    return state.with_partition(
        number, replace(partition, records=records, loaded=loaded, tried_ms=tried)
    )


def _adopt_unexpected_acknowledgements(state: State, turn: Turn) -> State:
    """The state after a request that the reference refuses was taken: what it acknowledged without
    an error had its effect on the member's own records.
    """
    request, answered = turn.request, acknowledge_errors(turn.outcome)
    assert request is not None
    for part in request.partitions:
        number = part.partition
        if not part.acknowledgements or answered.get(number) != 0:
            continue
        known = 0 <= number < len(state.partitions)
        records = state.partitions[number].records if known else None
        if records is not None:
            state = _with_own_records(
                state, number, records, part.acknowledgements, request.actor, turn.settings
            )
    return state


def _adopt_unexpected(
    state: State, part: ShareAnswerPartition, lock: Lock, settings: Settings
) -> State:
    """The state after a partition answered a fetch that the reference refuses: what was acquired is
    held.
    """
    number = part.partition
    if part.error or not part.acquired or not 0 <= number < len(state.partitions):
        return state
    partition, log = state.partitions[number], state.logs[number]
    before = records_of(partition, log, settings)
    if before is None or any(one.last < one.first for one in part.acquired):
        return state.with_partition(number, replace(partition, lost=True))
    records = adopt_ranges(before, part.acquired, lock, log)
    return state.with_partition(number, replace(partition, records=records, loaded=True))


def cache_as_answered(
    before: ShareState, after: ShareState, ranges: tuple[Acquired, ...]
) -> ShareState:
    """The share partition with its new records cached in batches as the answer shows them.

    What was acquired in one range is evidence of what is cached as one batch, whatever the
    reference makes one.

    Args:
        before: what the fetch met.
        after: what the reference makes of it, where it acquires the same offsets.
        ranges: as they were answered.
    """
    new = [batch for batch in after.cached if before.record(batch.first) is None]
    cuts = {
        one.first for one in ranges if one.first <= one.last and before.record(one.first) is None
    }
    if not new or cuts == {batch.first for batch in new}:
        return after
    pieces: list[list[tuple[int, Record]]] = []
    for offset, record in [pair for batch in new for pair in batch.offsets()]:
        if not pieces or offset in cuts or pieces[-1][-1][0] != offset - 1:
            pieces.append([])
        pieces[-1].append((offset, record))
    recached = [_cached_batch(piece) for piece in pieces]
    kept = [batch for batch in after.cached if batch not in new]
    return replace(after, cached=tuple(sorted([*kept, *recached], key=lambda batch: batch.first)))


def join_units(records: ShareState, ranges: tuple[Acquired, ...]) -> ShareState:
    """The share partition with each acquired range inside one cached batch.

    A range across several cached batches is evidence that the broker holds them as one, so that
    they may be delivered again as one (SHR-120).
    """
    cached = list(records.cached)
    for one in ranges:
        united = [batch for batch in cached if batch.first <= one.last and batch.last >= one.first]
        if len(united) > 1:
            place = cached.index(united[0])
            piece = [pair for batch in united for pair in batch.offsets()]
            cached[place : place + len(united)] = [_cached_batch(piece)]
    return replace(records, cached=tuple(cached))


def _cached_batch(piece: list[tuple[int, Record]]) -> Cached:
    records = tuple([record for _, record in piece])
    return Cached(piece[0][0], piece[-1][0], records[:1] if len(set(records)) == 1 else records)


def adopt_ranges(
    records: ShareState, ranges: tuple[Acquired, ...], lock: Lock, log: Log
) -> ShareState:
    """The share partition after a member was sent these ranges as acquired, whatever the reference
    would have given it.

    Offsets that no log has are left out, so that a wild answer can't fill the memory.
    """
    nothing_cached = not records.cached
    for one in ranges:
        first, last = max(one.first, 0), min(one.last, log.end - 1)
        if first > last:
            continue
        held = Record(RecordState.ACQUIRED, one.count, lock)
        unknown = [offset for offset in range(first, last + 1) if records.record(offset) is None]
        for cached in records.cached:
            if cached.first <= last and cached.last >= first:
                records = with_batch(records, cached.within(first, last, lambda _, held=held: held))  # type: ignore[misc]
        for begin, end in _runs(unknown):
            records = with_batch(records, Cached(begin, end, (held,)))
        records = replace(records, end=max(records.end, last), gap=_gap_behind(records, last))
    if nothing_cached and records.cached:
        records = replace(records, start=records.cached[0].first)
    return records


def _gap_behind(records: ShareState, last: int) -> tuple[int, int] | None:
    """The window of unknown offsets that is left behind an acquired one (SHR-160); None where none
    is.
    """
    if records.gap is None or records.gap_start is None or last >= records.gap[1]:
        return None
    return max(last + 1, records.gap[0]), records.gap[1]


def _runs(offsets: list[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for offset in offsets:
        if runs and runs[-1][1] == offset - 1:
            runs[-1] = (runs[-1][0], offset)
        else:
            runs.append((offset, offset))
    return runs


def _with_record(records: ShareState, offset: int, record: Record) -> ShareState:
    batch = records.floor(offset)
    return (
        records
        if batch is None or offset > batch.last
        else with_batch(records, batch.within(offset, offset, lambda _: record))
    )
