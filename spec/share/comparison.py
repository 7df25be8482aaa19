"""A request and its answer side by side with what the reference makes of the state that the request
may have met.

What is acquired depends on things that no client sees: the order in which partitions were read, and
how MaxBytes was shared among them. The order and the shares are taken that explain the answer best.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations

from spec.frozen import replace
from spec.outcomes import Outcome
from spec.semantics import Semantics
from spec.share.model.acquire import AcquireRequest, Acquisition
from spec.share.model.fetching import (
    Rules,
    acquire_from,
    max_bytes_of,
    serving_order,
    share_of_bytes,
    wanted_records,
)
from spec.share.model.machine import Decision
from spec.share.model.partition import ShareState, move_log_start, settle
from spec.share.model.records import RecordState
from spec.share.model.session import Admission
from spec.share.model.state import PartitionState, State, records_of, unknown_error
from spec.share.outcomes import ShareAcknowledgeAnswer, ShareFetchAnswer
from spec.share.releases import ShareSemantics, Slicing
from spec.share.steps import ShareFetch
from spec.share.turn import Confirmed, Served

MOST_ORDERS = 24
"""Orders of partitions that are tried to explain an answer."""


def compare_acknowledgements(
    state: State, decision: Decision, outcome: Outcome
) -> tuple[Confirmed, ...]:
    """The acknowledgements of a request, with the reference's answer to them and what was
    answered.
    """
    answered = acknowledge_errors(outcome)
    batches = {
        part.partition: part.acknowledgements
        for part in decision.request.partitions
        if part.acknowledgements
    }
    found = []
    for one in decision.acknowledged:
        known = 0 <= one.partition < len(state.partitions)
        loaded = known and state.partitions[one.partition].loaded
        got = answered.get(one.partition)
        found.append(
            Confirmed(
                one.partition,
                batches[one.partition],
                one.records,
                one.fault,
                one.result,
                got,
                loaded,
                state.logs[one.partition].start if known else 0,
            )
        )
    return tuple(found)


def acknowledge_errors(outcome: Outcome) -> dict[int, int]:
    """The error code for what was acknowledged in each partition that was answered."""
    if isinstance(outcome, ShareAcknowledgeAnswer):
        return dict(outcome.partitions)
    if isinstance(outcome, ShareFetchAnswer):
        return {part.partition: part.acknowledge_error for part in outcome.partitions}
    return {}


def apply_confirmed(state: State, confirmed: Sequence[Confirmed], *, written: bool) -> State:
    """The state after the acknowledgements that were answered as by the reference, or not yet.

    Args:
        state: before.
        confirmed: what was acknowledged.
        written: the changes have been written too, so that what was released can be acquired again.
    """
    for one in confirmed:
        if (
            one.expected is None
            or one.got not in {None, one.expected.error}
            or one.expected.whole_request
        ):
            continue
        partition = state.partitions[one.partition]
        if one.expected.error:  # nothing has changed, save how it is followed
            state = state.with_partition(
                one.partition, replace(partition, records=one.expected.state)
            )
            continue
        records = settle(one.expected.state) if written else one.expected.state
        loaded = partition.loaded or one.got == 0
        state = state.with_partition(
            one.partition, replace(partition, records=records, loaded=loaded)
        )
    return state


def compare_partitions(
    fetch: ShareFetch,
    admission: Admission,
    state: State,
    rules: Rules,
    answer: ShareFetchAnswer | None,
    begun: State | None = None,
) -> tuple[Served, ...]:
    """The partitions of a fetch with what the reference acquires of each, in the order that
    explains the answer best.

    `begun` is the state in which reads may have begun, before what the fetch itself gave back was
    written.
    """
    answered = {part.partition: part for part in answer.partitions} if answer is not None else {}
    session = admission.after.partitions if admission.after is not None else ()
    found = []
    for number in serving_order(session, admission.epoch, len(state.logs)):
        log = state.logs[number] if 0 <= number < len(state.logs) else None
        partition = state.partitions[number] if log is not None else PartitionState(lost=True)
        before = records_of(partition, log, rules.settings) if log is not None else None
        begins = _begins(state, number, before, begun, rules) if before is not None else ()
        error = unknown_error(number, len(state.logs))
        found.append(Served(number, log, partition, before, answered.get(number), error, begins))
    return _explain(fetch, found, rules)


def _begins(
    state: State, number: int, records: ShareState, begun: State | None, rules: Rules
) -> tuple[int, ...]:
    """The offsets, other than the next fetch offset, at which a read may begin.

    Where that was before, or in some releases at what is being written.
    """
    unwritten_too = rules.semantics.of(ShareSemantics).reads_what_is_being_written
    if begun is None and not unwritten_too:
        return ()
    before = begun.partitions[number].records if begun is not None else None
    earlier = [before.next_fetch_offset] if before is not None else []
    unwritten = _first_unwritten(state, number, records) if unwritten_too else ()
    following = records.next_fetch_offset
    return (
        *[offset for offset in unwritten if offset < following],
        *[offset for offset in earlier if offset != following],
    )


def _first_unwritten(state: State, number: int, records: ShareState) -> tuple[int, ...]:
    """The first offset of a share partition whose record is being given back, if there is one."""
    leaving = {one.member for one in state.closing if one.partition == number}
    for batch in records.cached:
        for offset, record in batch.offsets():
            released = record.busy and record.state is RecordState.AVAILABLE
            if released or any(record.held_by(member) for member in leaving):
                return (offset,)
    return ()


def _explain(fetch: ShareFetch, found: Sequence[Served], rules: Rules) -> tuple[Served, ...]:
    """The partitions, in the order and with the shares of MaxBytes whose acquisitions fit the
    answer best.
    """
    answered = [one for one in found if one.acquired_ranges]
    others = [one for one in found if not one.acquired_ranges]
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
    wanted = wanted_records(fetch, rules.lock)
    answered = any(one.got is not None for one in found)
    tried = []
    for one in found:
        one_tried = replace(one, left=wanted.max_records)
        if one.before is not None and one.log is not None:
            ways = (
                replace(one_tried, expected=expected)
                for expected in _ways(fetch, one, found, wanted, rules)
            )
            one_tried = _likeliest(ways, rules) if answered else next(ways)
        tried.append(one_tried)
        ranges = (
            one.acquired_ranges
            if answered or one_tried.expected is None
            else one_tried.expected.ranges
        )
        taken = sum(
            [each.last - each.first + 1 for each in ranges]
        )  # one that ends before it begins counts for less than none
        wanted = replace(wanted, max_records=max(0, wanted.max_records - taken))
    return tuple(tried)


def _likeliest(ways: Iterator[Served], rules: Rules) -> Served:
    """The first way that explains what was acquired, and the data where all that was read comes
    back.

    Otherwise the first that explains less.
    """
    others = []
    for one in ways:
        if one.matches and (
            rules.semantics.of(ShareSemantics).slicing is not Slicing.READ or _data_fits(one)
        ):
            return one
        others.append(one)
    return next((one for one in others if one.matches), others[0])


def _data_fits(one: Served) -> bool:
    sent = [(batch.base, batch.last) for batch in one.got.batches] if one.got is not None else []
    return one.expected is not None and (
        not sent or sent == [(batch.base, batch.last) for batch in one.expected.read]
    )


def _ways(
    fetch: ShareFetch, one: Served, found: Sequence[Served], wanted: AcquireRequest, rules: Rules
) -> Iterator[Acquisition]:
    """The acquisitions of a partition that the reference may grant, the likeliest first."""
    records, log = one.before, one.log
    assert records is not None
    assert log is not None
    shares = _shares(fetch, one, len(found), rules.semantics)
    for cap in shares:
        yield acquire_from(records, log, wanted, cap, rules)
    room = _room(one, found, min(shares), rules)
    if 0 < room < min(shares):
        shares = (*shares, room)
        yield acquire_from(records, log, wanted, room, rules)
    for begin in one.begins:
        yield from [acquire_from(records, log, wanted, cap, rules, begin) for cap in shares]
    first = next(iter(log.readable(records.next_fetch_offset, rules.settings.isolation)), None)
    if first is not None and room < first.size and len(found) > 1:
        # Only one partition of an answer gets a batch above its share, and it may have been one
        # that acquired nothing of what it read.
        yield Acquisition(records)
    if records.next_fetch_offset < log.start and (len(found) > 1 or not one.slot.loaded):
        # An earlier read, that no answer shows, may have found the log's start moved.
        moved = move_log_start(records, log.start)
        yield from [acquire_from(moved, log, wanted, cap, rules) for cap in shares]


def _room(one: Served, found: Sequence[Served], share: int, rules: Rules) -> int:
    """The rest of a partition's share of MaxBytes where others begin with a batch above theirs,
    which is read all the same.
    """
    room = share
    for other in found:
        if (
            other is not one
            and other.acquired_ranges
            and other.before is not None
            and other.log is not None
        ):
            first = next(
                iter(other.log.readable(other.before.next_fetch_offset, rules.settings.isolation)),
                None,
            )
            room -= max(0, first.size - share) if first is not None else 0
    return room


def _shares(fetch: ShareFetch, one: Served, count: int, semantics: Semantics) -> Sequence[int]:
    """The shares of MaxBytes that a partition may have: even ones among those that are read, with
    or without the rest (SHR-140).
    """
    most = max_bytes_of(fetch, one.partition, semantics)
    if most <= 0:
        return (most,)
    shares = [
        (share_of_bytes(most, readers), share_of_bytes(most, readers) + most % readers)
        for readers in range(count, 0, -1)
    ]
    return tuple(dict.fromkeys([share for pair in shares for share in pair]))


def unseen_changes(
    fetch: ShareFetch, served: Sequence[Served], rules: Rules
) -> Iterator[dict[int, ShareState]]:
    """Each way in which a fetch may have changed share partitions though it acquired nothing of
    them: the partitions with what they hold then.

    It may have found that the log start has moved, or archived what an aborted transaction wrote;
    whether it got so far no answer shows: the share partition may not have been loaded yet, or the
    others may have been served before, and then there was less left of MaxRecords. Where a closed
    session's records stay away, a fetch may not even find that the log start has moved past them.
    """
    most = wanted_records(fetch, rules.lock)
    everything = {one.partition: most for one in served}
    left = {one.partition: replace(most, max_records=one.left) for one in served}
    ways = [_unseen_changes(fetch, served, wanted, rules) for wanted in (everything, left)]
    ways.append(_kept_behind_closed(served, rules))
    yield from [way for number, way in enumerate(ways) if way and way not in ways[:number]]


def _unseen_changes(
    fetch: ShareFetch, served: Sequence[Served], wanted: Mapping[int, AcquireRequest], rules: Rules
) -> dict[int, ShareState]:
    """The same where each partition, by its number, takes at most so much."""
    found = {}
    for one in served:
        if (
            one.acquired_ranges
            or one.fault
            or one.before is None
            or one.log is None
            or (one.got is not None and one.got.error)
        ):
            continue
        if one.before.next_fetch_offset >= one.log.start and not (
            rules.settings.isolation and one.log.aborted
        ):
            continue
        max_bytes = share_of_bytes(max_bytes_of(fetch, one.partition, rules.semantics), len(served))
        acquisition = acquire_from(one.before, one.log, wanted[one.partition], max_bytes, rules)
        known = one.expected.state if one.slot.loaded and one.expected is not None else one.before
        if not acquisition.ranges and acquisition.state != known:
            found[one.partition] = acquisition.state
    return found


def _kept_behind_closed(served: Sequence[Served], rules: Rules) -> dict[int, ShareState]:
    """The partitions that a fetch leaves as they are, since it does not read what a closed session
    gave back (SHR-155).
    """
    if rules.semantics.of(ShareSemantics).closed_records_come_back:
        return {}
    return {
        one.partition: one.before
        for one in served
        if one.slot.closed
        and one.before is not None
        and one.expected is not None
        and one.expected.failed
        and not one.acquired_ranges
        and not (one.got is not None and one.got.error)
    }
