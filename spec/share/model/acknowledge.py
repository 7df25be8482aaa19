"""Effects of acknowledgements on a share partition: their shape, which error they give, and the
state after them.

Source: KafkaApis.scala:4078 (shape) and SharePartition.java:980-1041, 2104-2450 (state) of Kafka
4.3.1.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from spec.frozen import frozen, replace
from spec.kafka import Error
from spec.share.model.partition import ShareState, write_records
from spec.share.model.records import Cached, Lock, Record, RecordState
from spec.share.model.settings import Settings
from spec.share.steps import RENEW_SINCE, AcknowledgementBatch, AcknowledgeType


class ShapeFault(StrEnum):
    """The error in acknowledgement batches, whatever the state of the share partition; always
    INVALID_REQUEST.
    """

    INVERTED = "first offset after last"
    OVERLAPPING = "begins before the batch in front of it ends"
    NO_TYPES = "no acknowledge types"
    WRONG_NUMBER = "as many types as offsets, or one"
    UNKNOWN_TYPE = "unknown acknowledge type"
    RENEW_UNANNOUNCED = "renew without IsRenewAck"


TERMINAL: Mapping[int, RecordState] = {
    AcknowledgeType.GAP: RecordState.ARCHIVED,
    AcknowledgeType.ACCEPT: RecordState.ACKNOWLEDGED,
    AcknowledgeType.REJECT: RecordState.ARCHIVED,
}


def shape_fault(
    batches: Sequence[AcknowledgementBatch], version: int, *, renew: bool
) -> ShapeFault | None:
    """The first thing that is wrong with the batches of one partition (SHR-301 to SHR-306); None
    where they may be looked up.
    """
    before: int | None = None
    newest = AcknowledgeType.RENEW if version >= RENEW_SINCE else AcknowledgeType.REJECT
    for batch in batches:
        if batch.first > batch.last:
            return ShapeFault.INVERTED
        if before is not None and batch.first < before:
            return ShapeFault.OVERLAPPING
        if not batch.types:
            return ShapeFault.NO_TYPES
        if len(batch.types) > 1 and len(batch.types) != batch.last - batch.first + 1:
            return ShapeFault.WRONG_NUMBER
        if any(not AcknowledgeType.GAP <= kind <= newest for kind in batch.types):
            return ShapeFault.UNKNOWN_TYPE
        if AcknowledgeType.RENEW in batch.types and not renew:
            return ShapeFault.RENEW_UNANNOUNCED
        before = batch.last
    return None


def named_offsets(batches: Sequence[AcknowledgementBatch]) -> Iterator[tuple[int, int]]:
    """Each offset that well-formed batches name, with its type."""
    for batch in batches:
        for offset in range(batch.first, batch.last + 1):
            yield offset, batch.type_of(offset)


@frozen
class Acknowledged:
    """The result of the acknowledgements of one partition.

    Attributes:
        error: their error code.
        state: the share partition after them; what changed is still being written.
        whole_request: the error is not the partition's but the whole request's (SHR-314).
    """

    error: int
    state: ShareState
    whole_request: bool = False


def acknowledge(
    state: ShareState, lock: Lock, batches: Sequence[AcknowledgementBatch], settings: Settings
) -> Acknowledged:
    """Apply well-formed acknowledgements of one partition: all of them, or where one fails, none
    (SHR-310 to SHR-318).

    Args:
        state: the share partition before.
        lock: whose acknowledgements they are, and the lock that what is renewed gets.
        batches: in request order.
        settings: the group's settings.
    """
    after = state
    touched: list[int] = []
    for batch in batches:
        if batch.last < state.start:
            continue
        found = _cached_for(after, batch)
        if isinstance(found, Acknowledged):
            return replace(found, state=_rolled_back(state, after))
        for cached in found:
            if cached.last < state.start:
                continue
            changed = _acknowledge_batch(cached, batch, lock, state.start, settings)
            if changed is None:
                return Acknowledged(Error.INVALID_RECORD_STATE, _rolled_back(state, after))
            after = replace(
                after,
                cached=tuple(
                    [changed if one.first == cached.first else one for one in after.cached]
                ),
            )
            touched += range(
                max(batch.first, cached.first, state.start), min(batch.last, cached.last) + 1
            )
    written = [
        (offset, record)
        for offset in touched
        if (record := after.record(offset)) is not None and record.busy
    ]
    return Acknowledged(Error.NONE, write_records(after, written) if written else after)


def _cached_for(
    state: ShareState, batch: AcknowledgementBatch
) -> tuple[Cached, ...] | Acknowledged:
    """The cached batches that an acknowledgement batch reaches, or the error where it reaches past
    them (SHR-312 to SHR-314).
    """
    floor = state.floor(batch.first)
    if floor is None:
        if not batch.first < state.start <= batch.last:
            return Acknowledged(Error.INVALID_RECORD_STATE, state)
        floor = state.floor(state.start)
        if floor is None:
            return Acknowledged(Error.UNKNOWN_SERVER_ERROR, state, whole_request=True)
    reached = tuple([one for one in state.cached if floor.first <= one.first <= batch.last])
    if batch.last > reached[-1].last:
        return Acknowledged(Error.INVALID_REQUEST, state)
    return reached


def _acknowledge_batch(
    cached: Cached, batch: AcknowledgementBatch, lock: Lock, start: int, settings: Settings
) -> Cached | None:
    """A cached batch after the acknowledgement of the part that the batch names; None where that
    part isn't the member's.
    """
    whole = (
        batch.first <= cached.first
        and cached.last <= batch.last
        and len(batch.types) == 1
        and cached.first >= start
    )
    if len(cached.records) == 1 and not cached.records[0].held_by(lock.member):
        return None
    if len(cached.records) == 1 and whole:
        changed = _acknowledge_record(cached.records[0], batch.types[0], lock, settings)
        return None if changed is None else replace(cached, records=(changed,))
    records = []
    for offset, record in cached.offsets():
        if offset < max(batch.first, start) or offset > batch.last:
            records.append(record)
            continue
        after = (
            _acknowledge_record(record, batch.type_of(offset), lock, settings)
            if record.held_by(lock.member)
            else None
        )
        if after is None:
            return None
        records.append(after)
    return replace(cached, records=tuple(records))


def _acknowledge_record(record: Record, kind: int, lock: Lock, settings: Settings) -> Record | None:
    if kind == AcknowledgeType.RENEW:
        return replace(record, lock=lock) if settings.renew else None
    if kind == AcknowledgeType.RELEASE:
        return record.release(settings.delivery_count_limit, busy=True)
    return Record(TERMINAL[AcknowledgeType(kind)], record.count, busy=True)


def _rolled_back(before: ShareState, attempt: ShareState) -> ShareState:
    """As before, save that what was followed offset by offset for the attempt stays so."""
    followed = {one.first for one in attempt.cached if len(one.records) > 1}
    return replace(
        before,
        cached=tuple([one.split() if one.first in followed else one for one in before.cached]),
    )
