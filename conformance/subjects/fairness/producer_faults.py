"""Planted faults of producers, each a change of what decides; deviations; and legal variants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.fairness.client_fault import deviation, variant, violation
from spec.fairness.dry_run import Client
from spec.fairness.model.record_sizes import batch_size
from spec.fairness.outcomes import SentRecord
from spec.fairness.produce_dry_run import (
    ProducerClient,
    ProducerOptions,
    fill_batches,
    producer_options_of,
)
from spec.fairness.releases import ComparedSize, FairnessSemantics, OversizeBatch
from spec.frozen import replace
from spec.semantics import decision_change

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spec.fairness.outcomes import RecordsSent
    from spec.fairness.produce_dry_run import RecordBatch
    from spec.fairness.steps import StartClient


def _as_success(one: SentRecord) -> SentRecord:
    return SentRecord(-1) if one.error else one


def _one_too_high(one: SentRecord) -> SentRecord:
    return one if one.offset is None else replace(one, offset=one.offset + 1)


def _without_error(one: SentRecord) -> SentRecord:
    """No result, where it should be an error."""
    return SentRecord() if one.error else one


def _without_offset(one: SentRecord) -> SentRecord:
    return one if one.offset is None else SentRecord(-1)


def _reporting(change: Callable[[SentRecord], SentRecord]) -> Client:
    """A producer that reports something else of each record."""

    def returning(sent: RecordsSent) -> RecordsSent:
        return replace(sent, results=tuple([change(one) for one in sent.results]))

    return Client(producing=ProducerClient(returning=returning))


def _write_twice(records: RecordBatch) -> RecordBatch:
    return (*records, *records[:1])


def _reverse(records: RecordBatch) -> RecordBatch:
    return records[::-1]


def _one_more(records: RecordBatch, most: int) -> tuple[RecordBatch, ...]:
    """Fill a batch until it is larger than it may be."""
    found: list[RecordBatch] = []
    for record in records:
        if found and batch_size([one.size for one in found[-1]]) <= most:
            found[-1] = (*found[-1], record)
        else:
            found.append((record,))
    return tuple(found)


def _each_alone(records: RecordBatch, most: int) -> tuple[RecordBatch, ...]:
    del most
    return tuple([(record,) for record in records])


def _all_at_once(waiting: Sequence[RecordBatch], most: int) -> int:
    """Take a batch of each partition, however large they are together."""
    del most
    return len(waiting)


def _one_at_a_time(waiting: Sequence[RecordBatch], most: int) -> int:
    del waiting, most
    return 1


def _one_by_one(batch: RecordBatch, options: ProducerOptions) -> tuple[RecordBatch, ...]:
    """Send each record of a batch that was too large alone."""
    del options
    return fill_batches(batch, 0)


def _limit_forgotten(step: StartClient) -> ProducerOptions:
    return producer_options_of(replace(step, batch_size=None))


PRODUCER_FAULTS = (
    violation(
        "producer-reports-success",
        "FAI-080",
        "A record that was refused is reported as written.",
        _reporting(_as_success),
    ),
    violation(
        "producer-offsets-one-too-high",
        "FAI-080",
        "The offsets that are reported are one too high.",
        _reporting(_one_too_high),
    ),
    violation(
        "producer-reports-nothing",
        "FAI-081",
        "Nothing is ever reported of a record that was refused.",
        _reporting(_without_error),
    ),
    violation(
        "producer-writes-twice",
        "FAI-082",
        "The first record of a partition is written again behind the last one.",
        Client(producing=ProducerClient(sending=_write_twice, batching=_each_alone)),
    ),
    violation(
        "producer-reverses",
        "FAI-083",
        "The records of a partition are written in reverse.",
        Client(producing=ProducerClient(sending=_reverse)),
    ),
    violation(
        "producer-overfills-batches",
        "FAI-084",
        "A batch takes records until it is larger than batch.size.",
        Client(producing=ProducerClient(batching=_one_more)),
    ),
    violation(
        "producer-batch-size-forgotten",
        "FAI-084",
        "batch.size has no effect.",
        Client(producing=ProducerClient(optioned=_limit_forgotten)),
    ),
    deviation(
        "producer-requests-too-large",
        "FAI-085",
        "A request takes a batch of each partition, whatever max.request.size allows.",
        Client(producing=ProducerClient(requesting=_all_at_once)),
    ),
    deviation(
        "producer-counts-the-batch",
        "FAI-086",
        "A record is refused by the bytes of its batch, not by an estimate.",
        change=decision_change(FairnessSemantics, compared_size=ComparedSize.BATCH),
    ),
    deviation(
        "producer-splits-nothing",
        "FAI-087",
        "A batch that is too large for the topic is an error of all its records.",
        change=decision_change(FairnessSemantics, oversize_batch=OversizeBatch.REPORTED),
    ),
)
PRODUCER_VARIANTS = (
    variant(
        "producer-one-record-a-batch",
        "Each record is written in a batch of its own.",
        Client(producing=ProducerClient(batching=_each_alone)),
    ),
    variant(
        "producer-one-batch-a-request",
        "A request has one batch.",
        Client(producing=ProducerClient(requesting=_one_at_a_time)),
    ),
    variant(
        "producer-splits-into-records",
        "A batch that is too large is split into single records at once.",
        Client(producing=ProducerClient(splitting=_one_by_one)),
    ),
    variant(
        "producer-names-no-offset",
        "Success is reported without an offset.",
        _reporting(_without_offset),
    ),
)
