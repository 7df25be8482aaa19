"""What a producer owes its application: what became of each record, each record once and in order;
and what it does at the limits on batches and requests.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise

from spec.clause import KIP, Chapter, Code, Doc, Held, Reading, breaks, fails, holds
from spec.fairness.examples import producer_example
from spec.fairness.model.record_sizes import batch_size, estimated_size
from spec.fairness.outcomes import ProducedBatch, RecordsSent, SentRecord, ServedProduce
from spec.fairness.releases import ComparedSize, FairnessSemantics, OversizeBatch
from spec.fairness.sending import Record, batches_of, tries_of
from spec.fairness.steps import LimitMessages, SendRecords, StartClient
from spec.fairness.turn import Turn
from spec.fence import Fence, Unit
from spec.kafka import Error
from spec.scenario import Scenario
from spec.semantics import decision_change
from spec.verdict import LimitClass, Side, Strength, side

SEND = Doc("Javadoc of KafkaProducer, send(ProducerRecord, Callback)")
REQUEST_LIMIT = Doc("producer config max.request.size")
BATCH_LIMIT = Doc("producer config batch.size: an upper bound of the batch size to be sent")
IN_TIME_MS = 10_000
"""Milliseconds: a request that took longer may have been given up by its client meanwhile."""


def _is_sending(turn: Turn) -> bool:
    return (
        turn.is_step
        and isinstance(turn.step, SendRecords)
        and isinstance(turn.outcome, RecordsSent)
    )


chapter: Chapter[Turn] = Chapter(when=_is_sending)


def _outcome(turn: Turn) -> RecordsSent:
    assert isinstance(turn.outcome, RecordsSent)
    return turn.outcome


def _records(turn: Turn) -> tuple[Record, ...]:
    """The records of the step."""
    assert isinstance(turn.step, SendRecords)
    count = len(turn.step.partitions) * len(turn.step.sizes)
    return turn.given[len(turn.given) - count :]


def _with_results(turn: Turn) -> Iterator[tuple[Record, SentRecord]]:
    results = _outcome(turn).results
    for place, record in enumerate(_records(turn)):
        yield record, results[place] if place < len(results) else SentRecord()


def _is_in_time(served: ServedProduce) -> bool:
    return served.answered_ms - served.asked_ms < IN_TIME_MS


@chapter.clause(
    "FAI-080",
    Strength.MUST,
    LimitClass.HARD,
    SEND,
    slug="fairness/producer/success",
)
def a_success_was_acknowledged(turn: Turn) -> Held | None:
    """A producer with `acks=all` reports success for a record only if a batch with this record was
    answered without an error. The offset that it gives is the batch's base offset in the answer
    plus the record's place in the batch, from 0.
    """
    tries, compared = tries_of(_outcome(turn)), 0
    for record, result in _with_results(turn):
        if result.offset is None:
            continue
        compared += 1
        offsets = {
            batch.offset + place
            for _, batch, place in tries.get(record.number, ())
            if not batch.error and batch.offset is not None
        }
        if not offsets:
            return fails(
                f"expected an error for record {record.number}, which no answer acknowledged, "
                "found success",
                "not acknowledged",
            )
        if result.offset >= 0 and result.offset not in offsets:
            return fails(
                f"expected offset {min(offsets)} for record {record.number}, found {result.offset}",
                "offset",
            )
    return holds() if compared else None


@a_success_was_acknowledged.example("one record, and one that is too large for the topic")
def _large() -> Scenario:
    return producer_example(LimitMessages(500), SendRecords((0,), (100, 600)))


@chapter.clause(
    "FAI-081",
    Strength.MUST,
    LimitClass.HARD,
    SEND,
    Doc("Javadoc of KafkaProducer, flush()"),
    slug="fairness/producer/result",
)
def every_record_has_a_result(turn: Turn) -> Held | None:
    """Once a producer is flushed, it has reported a result for every record that it was given:
    success, or an error. Where an answer acknowledged the record within ten seconds of the request,
    the result is success. To flush it fails in no less than ten seconds.
    """
    tries, errors = tries_of(_outcome(turn)), _outcome(turn).errors
    if errors and turn.elapsed_ms >= IN_TIME_MS:
        return None
    if errors:
        return fails(
            f"expected a result for each record, found that the call failed with {errors[0].name}",
            "call failed",
        )
    for record, result in _with_results(turn):
        if result.offset is None and not result.error:
            return fails(f"expected a result for record {record.number}, found none", "no result")
        acknowledged = any(
            not batch.error and _is_in_time(served)
            for served, batch, _ in tries.get(record.number, ())
        )
        if result.error and acknowledged:
            return fails(
                f"expected success for record {record.number}, which was acknowledged, found "
                f"{result.error}",
                "error",
            )
    return holds()


@every_record_has_a_result.example("three records in one batch that is too large for the topic")
def _refusal_example() -> Scenario:
    return producer_example(LimitMessages(500), SendRecords((0,), (200,) * 3))


@chapter.clause(
    "FAI-082",
    Strength.MUST,
    LimitClass.HARD,
    Doc("design documentation, message delivery semantics"),
    slug="fairness/producer/once",
)
def each_record_is_written_once(turn: Turn) -> Held | None:
    """A producer writes the records that it was given, with their values, to the partitions that
    they were given for; and none that an answer acknowledged within ten seconds once more.
    """
    partitions = {record.number: record.partition for record in turn.given}
    acknowledged: dict[int, float] = {}
    compared = False
    for served, batch in batches_of(_outcome(turn)):
        compared = True
        for number in batch.records:
            if number not in partitions or partitions[number] != batch.partition:
                return fails(
                    f"expected the records that were given for partition {batch.partition}, found "
                    f"{'another value' if number < 0 else f'record {number}'}",
                    "other record",
                )
            if acknowledged.get(number, served.asked_ms) < served.asked_ms:
                return fails(
                    f"expected record {number} to be written once, found it again after it was "
                    "acknowledged",
                    "again",
                )
            if not batch.error and _is_in_time(served):
                acknowledged.setdefault(number, served.answered_ms)
    return holds() if compared else None


@each_record_is_written_once.example("five records for each of two partitions")
def _two() -> Scenario:
    return producer_example(SendRecords((0, 1), (100,) * 5), partitions=2)


@chapter.clause(
    "FAI-083",
    Strength.MUST,
    LimitClass.HARD,
    Doc("design documentation, guarantees: messages are appended in the order sent"),
    slug="fairness/producer/order",
)
def records_are_appended_in_order(turn: Turn) -> Held | None:
    """A producer has the records of a partition appended in the order in which it was given them,
    as long as no batch of the partition was answered with an error.
    """
    offsets: dict[int, list[tuple[int, int]]] = {}
    failed = set[int]()
    for _, batch in batches_of(_outcome(turn)):
        if batch.error:
            failed.add(batch.partition)
        elif batch.offset is not None:
            offsets.setdefault(batch.partition, []).extend(
                [(batch.offset + place, number) for place, number in enumerate(batch.records)]
            )
    compared = False
    for partition in offsets.keys() - failed:
        appended = [number for _, number in sorted(offsets[partition]) if number >= 0]
        for one, other in pairwise(appended):
            compared = True
            if other < one:
                return fails(
                    f"expected the records of partition {partition} in order, found record {other} "
                    f"behind {one}",
                    "order",
                )
    return holds() if compared else None


@records_are_appended_in_order.example("ten records in several batches")
def _ten() -> Scenario:
    return producer_example(SendRecords((0,), (100,) * 10), start=StartClient(batch_size=300))


@chapter.clause(
    "FAI-084",
    Strength.MUST,
    LimitClass.SOFT,
    BATCH_LIMIT,
    slug="fairness/producer/batch",
    fence=Fence("a batch of several records", Unit.BYTES, "batch.size"),
)
def a_batch_of_several_records_fits_the_batch_size(turn: Turn) -> Held | None:
    """An uncompressed batch of two records or more has at most `batch.size` bytes, its header
    included.

    A record that is larger has a batch of its own, which is above the fence.
    """
    limit = turn.started.batch_size
    if limit is None:
        return None
    sides = Side.NONE
    for batch in _batches(turn):
        if len(batch.records) > 1 and batch.size > limit:
            return breaks(
                Side.ABOVE,
                f"expected batches of several records of at most {limit} bytes, found "
                f"{len(batch.records)} records in {batch.size}",
                "larger",
            )
        sides |= side(batch.size, limit)
    return holds(sides) if sides else None


def _batches(turn: Turn) -> list[ProducedBatch]:
    return [batch for _, batch in batches_of(_outcome(turn))]


@a_batch_of_several_records_fits_the_batch_size.example("two records that fit to the byte, or not")
def _fitting() -> Scenario:
    both = batch_size([100, 100])
    sends = SendRecords((0,), (100, 100)), SendRecords((0,), (100, 101)), SendRecords((0,), (500,))
    return producer_example(*sends, start=StartClient(batch_size=both))


@chapter.clause(
    "FAI-085",
    Strength.REFERENCE,
    LimitClass.SOFT,
    REQUEST_LIMIT,
    slug="fairness/producer/request",
    fence=Fence("all batches of a request", Unit.BYTES, "max.request.size"),
)
def a_request_fits_the_request_size(turn: Turn) -> Held | None:
    """The uncompressed batches of a Produce request have at most `max.request.size` bytes in all;
    the limit is effectively one on the size of a batch, too.
    """
    limit = turn.started.max_request_size
    if limit is None:
        return None
    sides = Side.NONE
    for served in _outcome(turn).requests:
        total = sum([batch.size for batch in served.batches])
        if total > limit:
            several = len(served.batches) > 1
            return breaks(
                Side.ABOVE,
                f"expected requests with at most {limit} bytes of batches, found {total} in "
                f"{len(served.batches)}",
                "several batches" if several else "one batch",
            )
        sides |= side(total, limit)
    refused = any(result.error for result in _outcome(turn).results)
    sides |= Side.ABOVE if refused and sides else Side.NONE
    return holds(sides) if sides else None


@a_request_fits_the_request_size.example("a batch for each of three partitions, two in a request")
def _three() -> Scenario:
    start = StartClient(max_request_size=2 * batch_size([200]))
    return producer_example(SendRecords((0, 1, 2), (200,)), partitions=3, start=start)


@a_request_fits_the_request_size.example("a batch size that is above the size of requests")
def _above() -> Scenario:
    start = StartClient(batch_size=4000, max_request_size=1000)
    return producer_example(SendRecords((0,), (300,) * 6), start=start)


def _counts(turn: Turn) -> Mapping[str, bool]:
    """What a producer may count of the records that it refuses, or sends."""
    limit = turn.started.max_request_size
    if limit is None or not _is_sending(turn):
        return {}
    tries, fits = tries_of(_outcome(turn)), dict[str, bool]()
    for record, result in _with_results(turn):
        is_sent = record.number in tries
        if not is_sent and not result.error:
            continue
        for reading, counted in (
            (ComparedSize.UPPER_BOUND, estimated_size(record.size)),
            (ComparedSize.BATCH, batch_size([record.size])),
        ):
            fits[reading.value] = fits.get(reading.value, True) and is_sent == (counted <= limit)
    return fits


@chapter.clause(
    "FAI-086",
    Strength.REFERENCE,
    LimitClass.SOFT,
    REQUEST_LIMIT,
    Code("KafkaProducer.java", "ensureValidRecordSize"),
    slug="fairness/producer/record",
    fence=Fence("the most that a batch of the record alone may have", Unit.BYTES, "its limit"),
    readings=(
        Reading(
            ComparedSize.UPPER_BOUND.value,
            "an estimate is counted: the batch's header, 21 bytes, and the record's key, value and "
            "headers with their lengths",
            decision_change(FairnessSemantics, compared_size=ComparedSize.UPPER_BOUND),
        ),
        Reading(
            ComparedSize.BATCH.value,
            "the bytes of a batch of the record alone are counted",
            decision_change(FairnessSemantics, compared_size=ComparedSize.BATCH),
        ),
    ),
)
def a_large_record_is_refused_unsent(turn: Turn) -> Held | None:
    """A record is sent if and only if a batch of it alone has at most `max.request.size` bytes by
    the producer's estimate: 61 for the batch, 21 for the record, and its key, value and headers
    with their lengths. Otherwise the producer reports an error for it, and sends nothing of it.
    """
    limit = turn.started.max_request_size
    if limit is None:
        return None
    tries, sides = tries_of(_outcome(turn)), Side.NONE
    for record, result in _with_results(turn):
        is_sent, estimate = record.number in tries, estimated_size(record.size)
        if not is_sent and not result.error:
            continue
        where = side(estimate, limit)
        if is_sent != (estimate <= limit):
            wanted, found = ("sent", "an error") if estimate <= limit else ("refused", "a request")
            return breaks(
                where,
                f"expected a record with a value of {record.size} bytes, estimated at {estimate} "
                f"with {limit} allowed, to be {wanted}, found {found}",
                f"not {wanted}",
            )
        sides |= where
    return holds(sides) if sides else None


a_large_record_is_refused_unsent.fits(_counts)


@a_large_record_is_refused_unsent.example("records one byte below, at and above the limit")
def _edges() -> Scenario:
    start = StartClient(max_request_size=estimated_size(200))
    return producer_example(SendRecords((0,), (199, 200, 201)), start=start)


def _splits(turn: Turn) -> Mapping[str, bool]:
    """What becomes of the records of a batch of several that was too large for the topic."""
    if not _is_sending(turn):
        return {}
    tries, fits = tries_of(_outcome(turn)), dict[str, bool]()
    for record, result in _with_results(turn):
        had = [batch for _, batch, _ in tries.get(record.number, ())]
        if not had or not any(_is_too_large(batch) for batch in had):
            continue
        if result.offset is None and not result.error:
            continue
        alone = len(had[-1].records) == 1 or not had[-1].error
        fits[OversizeBatch.SPLIT.value] = fits.get(OversizeBatch.SPLIT.value, True) and alone
        once = fits.get(OversizeBatch.REPORTED.value, True) and len(had) == 1
        fits[OversizeBatch.REPORTED.value] = once
    return fits


def _is_too_large(batch: ProducedBatch) -> bool:
    return batch.error == Error.MESSAGE_TOO_LARGE and len(batch.records) > 1


@chapter.clause(
    "FAI-087",
    Strength.REFERENCE,
    LimitClass.SOFT,
    KIP(126),
    Code("Sender.java", "completeBatch"),
    slug="fairness/producer/split",
    readings=(
        Reading(
            OversizeBatch.SPLIT.value,
            "its records are sent again in smaller batches, at last each alone",
            decision_change(FairnessSemantics, oversize_batch=OversizeBatch.SPLIT),
        ),
        Reading(
            OversizeBatch.REPORTED.value,
            "an error is reported for all its records",
            decision_change(FairnessSemantics, oversize_batch=OversizeBatch.REPORTED),
        ),
    ),
)
def a_batch_that_is_too_large_is_split(turn: Turn) -> Held | None:
    """Where a batch of several records is answered with MESSAGE_TOO_LARGE, the producer sends its
    records again in smaller batches; it reports an error for a record only if it was refused in a
    batch of its own.
    """
    fits = _splits(turn)
    if not fits:
        return None
    if fits[OversizeBatch.SPLIT.value]:
        return holds()
    return fails(
        "expected the records of a batch that is larger than max.message.bytes in smaller batches, "
        "found an error for one that was not refused alone",
        "not split" if fits[OversizeBatch.REPORTED.value] else "not written",
    )


a_batch_that_is_too_large_is_split.fits(_splits)


@a_batch_that_is_too_large_is_split.example("three records that fit the topic one by one")
def _splitting() -> Scenario:
    return producer_example(LimitMessages(300), SendRecords((0,), (200,) * 3))
