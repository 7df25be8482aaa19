"""How a request is put beside what the share partitions held: the reference's outcome for each partition, in the order that fits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from spec.kafka import INT32_MAX
from spec.log import Log
from spec.outcomes import Outcome
from spec.semantics import Semantics
from spec.share.model.acknowledge import acknowledge, shape_fault
from spec.share.model.acquire import Acquisition, Taking, acquire, may_read, read_from
from spec.share.model.partition import ShareState, log_start_moved, settled
from spec.share.model.records import Lock, RecordState
from spec.share.model.session import Admission, Mode, ShareRequest
from spec.share.model.settings import Settings
from spec.share.model.state import Slot, World, met, unknown_error
from spec.share.outcomes import ShareAcknowledgeAnswer, ShareFetchAnswer
from spec.share.releases import ShareSemantics, Slicing
from spec.share.steps import ACQUIRE_MODE_SINCE, BATCH_OPTIMIZED, MAX_RECORDS_SINCE, ShareFetch
from spec.share.turn import Confirmed, Served

MOST_ORDERS = 24
"""Orders of partitions that are tried to explain an answer."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a request is served by: the decisions, the group's settings, and the lock that what it acquires gets."""

    semantics: Semantics
    settings: Settings
    lock: Lock


def confirmations(step: ShareRequest, admission: Admission, world: World, rules: Rules, outcome: Outcome) -> tuple[Confirmed, ...]:
    """What is acknowledged in a request, beside what was answered to it."""
    if admission.mode in {Mode.REFUSED, Mode.FAILED}:
        return ()
    told = _acknowledge_errors(outcome)
    found = []
    for part in step.partitions:
        if not part.acknowledgements:
            continue
        fault = shape_fault(part.acknowledgements, step.version, renew=step.renew)
        known = 0 <= part.partition < len(world.slots)
        slot = world.slots[part.partition] if known else Slot(lost=True)
        state = slot.state if not slot.lost else None
        expected = acknowledge(state, rules.lock, part.acknowledgements, rules.settings) if state is not None and fault is None else None
        found.append(Confirmed(part.partition, part.acknowledgements, state, fault, expected, told.get(part.partition), slot.loaded))
    return tuple(found)


def _acknowledge_errors(outcome: Outcome) -> dict[int, int]:
    if isinstance(outcome, ShareAcknowledgeAnswer):
        return dict(outcome.partitions)
    if isinstance(outcome, ShareFetchAnswer):
        return {part.partition: part.acknowledge_error for part in outcome.partitions}
    return {}


def acknowledged(world: World, confirmed: Sequence[Confirmed], *, written: bool) -> World:
    """The world after the acknowledgements that were answered as they should have been, or not yet.

    Args:
        world: before.
        confirmed: what was acknowledged.
        written: the changes have been written too, so that what was released can be acquired again.
    """
    for one in confirmed:
        if one.expected is None or one.got not in {None, one.expected.error} or one.expected.whole_request:
            continue
        slot = world.slots[one.partition]
        if one.expected.error:  # nothing has changed, save how it is followed
            world = world.with_slot(one.partition, replace(slot, state=one.expected.state))
            continue
        state = settled(one.expected.state) if written else one.expected.state
        world = world.with_slot(one.partition, replace(slot, state=state, loaded=slot.loaded or one.got == 0))
    return world


def servings(
    fetch: ShareFetch, admission: Admission, world: World, rules: Rules, answer: ShareFetchAnswer | None, begun: World | None = None
) -> tuple[Served, ...]:
    """The partitions of a fetch, each with what the reference lets the member acquire, in the order that explains the answer best.

    `begun` is the world in which reads may have begun, before what the fetch itself gave back was written.
    """
    told = {part.partition: part for part in answer.partitions} if answer is not None else {}
    session = admission.after.partitions if admission.after is not None else ()
    found = []
    for number in _rotated(session, admission.epoch):
        log = world.logs[number] if 0 <= number < len(world.logs) else None
        slot = world.slots[number] if log is not None else Slot(lost=True)
        before = met(slot, log, rules.settings) if log is not None else None
        begins = _begins(world, number, before, begun, rules) if before is not None else ()
        found.append(Served(number, log, slot, before, told.get(number), unknown_error(number, len(world.logs)), begins))
    return _explained(fetch, found, rules)


def _begins(world: World, number: int, state: ShareState, begun: World | None, rules: Rules) -> tuple[int, ...]:
    """Where a read may begin other than at the next fetch offset: where that was before, or in some releases at what is being written."""
    if begun is None and not rules.semantics.of(ShareSemantics).reads_what_is_being_written:
        return ()
    before = begun.slots[number].state if begun is not None else None
    earlier = [before.next_fetch_offset()] if before is not None else []
    unwritten = _unwritten(world, number, state) if rules.semantics.of(ShareSemantics).reads_what_is_being_written else ()
    following = state.next_fetch_offset()
    return (*[offset for offset in unwritten if offset < following], *[offset for offset in earlier if offset != following])


def _unwritten(world: World, number: int, state: ShareState) -> tuple[int, ...]:
    """The first offset of a share partition whose record is being given back, by a release or by a closing session, if there is one."""
    leaving = {one.member for one in world.closing if one.partition == number}
    for batch in state.cached:
        for offset, record in batch.offsets():
            released = record.busy and record.state is RecordState.AVAILABLE
            if released or any(record.held_by(member) for member in leaving):
                return (offset,)
    return ()


def _rotated(partitions: Sequence[int], epoch: int) -> tuple[int, ...]:
    """Partitions in the order in which they are served: the session's, rotated by the epoch (SHR-141)."""
    turn = epoch % len(partitions) if partitions and epoch > 0 else 0
    return (*partitions[turn:], *partitions[:turn])


def _explained(fetch: ShareFetch, found: Sequence[Served], rules: Rules) -> tuple[Served, ...]:
    """The partitions, with the reference's acquisitions in the order, and with the shares of MaxBytes, that fit the answer best."""
    answered = [one for one in found if one.acquired]
    others = [one for one in found if not one.acquired]
    if all(one.got is None for one in found):
        return _in_order(fetch, found, rules)
    best: tuple[Served, ...] = ()
    for number, order in enumerate(permutations(answered)):
        if number >= MOST_ORDERS:
            break
        tried = _in_order(fetch, [*order, *others], rules)
        if not best or sum(one.matches for one in tried) > sum(one.matches for one in best):
            best = tried
        if all(one.matches for one in best):
            break
    return best


def _in_order(fetch: ShareFetch, found: Sequence[Served], rules: Rules) -> tuple[Served, ...]:
    unbounded = fetch.version < MAX_RECORDS_SINCE
    left = INT32_MAX if unbounded else fetch.max_records
    size = INT32_MAX if unbounded else fetch.batch_size
    mode = fetch.mode if fetch.version >= ACQUIRE_MODE_SINCE else BATCH_OPTIMIZED
    answered = any(one.got is not None for one in found)
    tried = []
    for one in found:
        one_tried = replace(one, left=left)
        if one.before is not None and one.log is not None:
            taking = Taking(left, size, mode, rules.lock)
            ways = (replace(one_tried, expected=expected) for expected in _ways(fetch, one, found, taking, rules))
            one_tried = _likeliest(ways, rules) if answered else next(ways)
        tried.append(one_tried)
        acquired = sum([each.last - each.first + 1 for each in one.acquired])  # one that ends before it begins counts for less than none
        taken = acquired if answered else one_tried.expected.count if one_tried.expected is not None else 0
        left = max(0, left - taken)
    return tuple(tried)


def _likeliest(ways: Iterator[Served], rules: Rules) -> Served:
    """The first way that explains what was acquired, and the data where all that was read comes back; else the first that explains less."""
    others = []
    for one in ways:
        if one.matches and (rules.semantics.of(ShareSemantics).slicing is not Slicing.READ or _data_fits(one)):
            return one
        others.append(one)
    return next((one for one in others if one.matches), others[0])


def _data_fits(one: Served) -> bool:
    sent = [(batch.base, batch.last) for batch in one.got.batches] if one.got is not None else []
    return one.expected is not None and (not sent or sent == [(batch.base, batch.last) for batch in one.expected.read])


def _ways(fetch: ShareFetch, one: Served, found: Sequence[Served], taking: Taking, rules: Rules) -> Iterator[Acquisition]:
    """What the reference may let the member acquire of a partition, the likeliest first."""
    state, log = one.before, one.log
    assert state is not None
    assert log is not None
    shares = _shares(fetch, one, len(found), rules.semantics)
    for cap in shares:
        yield _expected(state, log, taking, cap, rules)
    room = _room(one, found, min(shares), rules)
    if 0 < room < min(shares):
        shares = (*shares, room)
        yield _expected(state, log, taking, room, rules)
    for begin in one.begins:
        yield from [_expected(state, log, taking, cap, rules, begin) for cap in shares]
    first = next(iter(log.readable(state.next_fetch_offset(), rules.settings.isolation)), None)
    if first is not None and room < first.size and any(other.acquired for other in found if other is not one):
        yield Acquisition(state)  # only one partition of an answer gets a batch above its share
    if state.next_fetch_offset() < log.start and (len(found) > 1 or not one.slot.loaded):
        moved = log_start_moved(state, log.start)  # an earlier read, that no answer tells of, may have found the log's start moved
        yield from [_expected(moved, log, taking, cap, rules) for cap in shares]


def _room(one: Served, found: Sequence[Served], share: int, rules: Rules) -> int:
    """What is left of a partition's share of MaxBytes where others begin with a batch above theirs, which is read all the same."""
    room = share
    for other in found:
        if other is not one and other.acquired and other.before is not None and other.log is not None:
            first = next(iter(other.log.readable(other.before.next_fetch_offset(), rules.settings.isolation)), None)
            room -= max(0, first.size - share) if first is not None else 0
    return room


def _shares(fetch: ShareFetch, one: Served, count: int, semantics: Semantics) -> Sequence[int]:
    """The shares of MaxBytes that a partition may have: even ones among those that are read, with or without the rest (SHR-140)."""
    most = min(fetch.max_bytes, semantics.of(ShareSemantics).fetch_max_bytes)
    asked = next((part.max_bytes for part in fetch.partitions if part.partition == one.partition), INT32_MAX)
    if fetch.version < MAX_RECORDS_SINCE:
        most = min(most, asked)
    if most <= 0:
        return (most,)
    shares = [share for readers in range(count, 0, -1) for share in (most // readers, most // readers + most % readers)]
    return tuple(dict.fromkeys([max(1, share) for share in shares]))


def _expected(state: ShareState, log: Log, taking: Taking, cap: int, rules: Rules, begin: int | None = None) -> Acquisition:
    offset = state.next_fetch_offset() if begin is None else begin
    if cap <= 0:
        return Acquisition(state)
    if not may_read(state, rules.settings):
        return Acquisition(state)  # nor is it found out that the log start has moved
    if offset < log.start and taking.max_records:
        return Acquisition(log_start_moved(state, log.start))
    if taking.max_records <= 0:
        return Acquisition(state)
    read = read_from(log, offset, rules.settings.isolation, cap)
    if not rules.semantics.of(ShareSemantics).serves_large_batch and read and read[0].size > cap:
        return Acquisition(state)
    return acquire(state, taking, read, log, rules.settings, rules.semantics.of(ShareSemantics), offset)
