"""How the observer goes on from what was seen: the world after an answer, whether the reference would have given it or not."""

import math
from dataclasses import replace

from spec.kafka import Error
from spec.log import Log
from spec.share.hidden import sessions_over
from spec.share.model.acknowledge import TERMINAL
from spec.share.model.partition import ShareState, noted, settled, with_batch
from spec.share.model.records import Cached, Lock, Record, RecordState
from spec.share.model.serve import acknowledged
from spec.share.model.session import Mode, session_after
from spec.share.model.settings import Settings
from spec.share.model.state import Closing, Slot, World, known_of
from spec.share.outcomes import Acquired
from spec.share.steps import AcknowledgementBatch, AcknowledgeType
from spec.share.turn import Confirmed, Served, Turn

TRIED_MS = 2000.0
"""A share partition's first fetch counts as sent by the next multiple of this, lest each try makes a world of its own."""
LOAD_MS = 10000.0
"""After this long a share partition that answers without error has surely been loaded, on a broker under load too (seen: 4 s)."""


def followed(world: World, turn: Turn, lock: Lock, sent_ms: float, answered_ms: float) -> World:
    """The world after a member's request and its answer."""
    request, answer = turn.request, turn.answer
    if request is None or answer is None:
        return world
    world = world.with_session(request.actor, session_after(turn.admission, answer.error))
    if answer.error == 0:
        world = acknowledged(world, turn.confirmed, written=False)
        for one in turn.confirmed:
            world = _against_expectation(world, one, lock, turn.settings)
        for served in turn.served:
            world = _served(world, turn, served, lock, sent_ms)
        slots = [slot if slot.state is None or not slot.state.busy else replace(slot, state=settled(slot.state)) for slot in world.slots]
        world = replace(world, slots=tuple(slots))
        if turn.admission.mode is Mode.FINAL and turn.admission.before is not None:
            closings = [Closing(request.actor, number, answered_ms + world.settle_ms) for number in known_of(turn.admission.before, world)]
            world = sessions_over(replace(world, closing=(*world.closing, *closings)))
    return world


def loaded_by(world: World, now_ms: float) -> World:
    """The world in which share partitions that were first fetched from long ago count as loaded."""
    slots = [replace(slot, loaded=True) if slot.tried_ms is not None and slot.tried_ms + LOAD_MS < now_ms else slot for slot in world.slots]
    return replace(world, slots=tuple(slots))


def _against_expectation(world: World, one: Confirmed, lock: Lock, settings: Settings) -> World:
    """Acknowledgements were taken that the reference refuses: those of the member's own records count, each by its type."""
    if one.got != 0 or one.before is None or (one.expected is not None and not one.expected.error):
        return world
    state = one.before
    touched: list[tuple[int, Record]] = []
    for batch in one.batches:
        reached = [pair for cached in state.cached for pair in cached.offsets() if batch.first <= pair[0] <= batch.last]
        own = [(offset, record) for offset, record in reached if record.held_by(lock.member)]
        touched += [(offset, _confirmed(record, _type_of(batch, offset), settings)) for offset, record in own]
    for offset, record in touched:
        state = _recorded(state, offset, record)
    slot = world.slots[one.partition]
    return world.with_slot(one.partition, replace(slot, state=noted(state, touched)))


def _type_of(batch: AcknowledgementBatch, offset: int) -> int:
    """The type that the batch has for an offset; where its types are of no use, the record counts as done with."""
    well_formed = len(batch.types) in {1, batch.last - batch.first + 1}
    return batch.type_of(offset) if well_formed else AcknowledgeType.REJECT


def _confirmed(record: Record, kind: int, settings: Settings) -> Record:
    if kind == AcknowledgeType.RENEW:
        return record
    if kind == AcknowledgeType.RELEASE:
        return record.given_back(settings.delivery_count_limit)
    return Record(TERMINAL.get(kind, RecordState.ARCHIVED), record.count)


def _served(world: World, turn: Turn, served: Served, lock: Lock, sent_ms: float) -> World:
    number, got = served.partition, served.got
    if served.log is None or served.slot.lost:
        return world
    slot: Slot = world.slots[number]
    tried = slot.tried_ms if slot.tried_ms is not None else math.ceil(sent_ms / TRIED_MS) * TRIED_MS
    failed = got is not None and got.error != 0
    loaded = slot.loaded or bool(served.acquired)
    if got is not None and got.error == Error.UNKNOWN_SERVER_ERROR and slot.loaded:  # it may have acquired what no answer tells of
        return world.with_slot(number, replace(slot, lost=True))
    if served.inverted:
        return world.with_slot(number, replace(slot, lost=True))  # what becomes of a batch that ends before it begins is told nowhere
    state = slot.state
    if turn.fetched and served.before is not None and not failed:
        if served.matches and served.expected is not None and (loaded or served.acquired):
            state = served.expected.state
        elif served.acquired:
            state = adopted(served.before, served.acquired, lock, served.log)
    return world.with_slot(number, replace(slot, state=state, loaded=loaded, tried_ms=tried))


def adopted(state: ShareState, ranges: tuple[Acquired, ...], lock: Lock, log: Log) -> ShareState:
    """The state after a member was told that it has acquired these ranges, whatever the reference would have given it.

    Offsets that no log has are left out, so that a wild answer can't fill the memory.
    """
    fresh = not state.cached
    for one in ranges:
        first, last = max(one.first, 0), min(one.last, log.end - 1)
        if first > last:
            continue
        held = Record(RecordState.ACQUIRED, one.count, lock)
        unknown = [offset for offset in range(first, last + 1) if state.record(offset) is None]
        for cached in state.cached:
            if cached.first <= last and cached.last >= first:
                state = with_batch(state, _held(cached, first, last, held))
        for begin, end in _runs(unknown):
            state = with_batch(state, Cached(begin, end, (held,)))
        state = replace(state, end=max(state.end, last), gap=None)
    if fresh and state.cached:
        state = replace(state, start=state.cached[0].first)
    return state


def _held(cached: Cached, first: int, last: int, held: Record) -> Cached:
    return cached.within(first, last, lambda _: held)


def _runs(offsets: list[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for offset in offsets:
        if runs and runs[-1][1] == offset - 1:
            runs[-1] = (runs[-1][0], offset)
        else:
            runs.append((offset, offset))
    return runs


def _recorded(state: ShareState, offset: int, record: Record) -> ShareState:
    batch = state.floor(offset)
    return state if batch is None or offset > batch.last else with_batch(state, batch.within(offset, offset, lambda _: record))
