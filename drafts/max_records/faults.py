"""Ways to get the draft MaxRecords wrong, each found by a clause that holds under every reading;
and legal variants.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from conformance.subjects.fetch.faults.fault import (
    Fault,
    answering,
    change_answer,
    change_decision,
    change_part,
    misread,
)
from drafts.max_records.change import DRAFT_VERSION, limit_in, limited_to
from spec.fetch.model.answer import answer_fetch
from spec.fetch.releases import Crossing, FetchSemantics
from spec.frozen import replace
from spec.kafka import INT32_MAX, Error

if TYPE_CHECKING:
    from conformance.subjects.fetch.faults.fault import Answered, Given
    from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
    from spec.fetch.steps import Fetch


def _has_limit(fetch: Fetch) -> bool:
    return (limit_in(fetch) or 0) > 0


def _limit(fetch: Fetch, value: int) -> Fetch:
    return replace(fetch, extra=limited_to(value)) if _has_limit(fetch) else fetch


def _part(fetch: Fetch, got: PartitionAnswer, changed: PartitionAnswer) -> PartitionAnswer:
    return changed if _has_limit(fetch) and got.batches else got


def _fail(fetch: Fetch, got: PartitionAnswer) -> PartitionAnswer:
    return _part(fetch, got, replace(got, error=Error.INVALID_REQUEST, batches=(), tail=0))


def _first_left_out(fetch: Fetch, got: PartitionAnswer) -> PartitionAnswer:
    return (
        _part(fetch, got, replace(got, batches=got.batches[1:], tail=0))
        if len(got.batches) > 1
        else got
    )


def _rewritten(fetch: Fetch, got: PartitionAnswer) -> PartitionAnswer:
    return _part(
        fetch,
        got,
        replace(
            got,
            batches=(*got.batches[:-1], replace(got.batches[-1], intact=False))
            if got.batches
            else (),
        ),
    )


def _last_left_out(fetch: Fetch, got: PartitionAnswer) -> PartitionAnswer:
    return (
        _part(fetch, got, replace(got, batches=got.batches[:-1], tail=0))
        if len(got.batches) > 1
        else got
    )


def _empty(fetch: Fetch, answer: FetchAnswer) -> FetchAnswer:
    """Where the limit is exactly what is returned, or less, nothing is."""
    records = sum(batch.records for got in answer.partitions for batch in got.batches)
    if not _has_limit(fetch) or (limit_in(fetch) or 0) > records:
        return answer
    return replace(
        answer, partitions=tuple([replace(got, batches=(), tail=0) for got in answer.partitions])
    )


def _ignoring_bytes(fetch: Fetch) -> Fetch:
    if not _has_limit(fetch):
        return fetch
    return replace(
        fetch,
        max_bytes=INT32_MAX,
        partitions=tuple([replace(part, max_bytes=INT32_MAX) for part in fetch.partitions]),
    )


def _absent_is_one(fetch: Fetch) -> Fetch:
    return (
        replace(fetch, extra=limited_to(1))
        if fetch.version == DRAFT_VERSION and limit_in(fetch) is None
        else fetch
    )


@answering
def _refusing(given: Given) -> Answered:
    answer, session, held_ms = answer_fetch(*given)
    return (
        (replace(answer, error=Error.INVALID_REQUEST, partitions=()), session, 0.0)
        if limit_in(given.fetch) == 1
        else (answer, session, held_ms)
    )


FAULTS = (
    Fault(
        "max-records-ignored",
        "MXR-106",
        Expected.VIOLATES,
        "The limit of records is read and not heeded.",
        misread(lambda fetch: replace(fetch, extra=())),
    ),
    Fault(
        "max-records-doubled",
        "MXR-106",
        Expected.VIOLATES,
        "Twice as many records are let through.",
        misread(lambda fetch: _limit(fetch, 2 * (limit_in(fetch) or 0))),
    ),
    Fault(
        "max-records-fails-partitions",
        "MXR-100",
        Expected.VIOLATES,
        "A partition with data fails where there is a limit of records.",
        change_part(_fail),
    ),
    Fault(
        "max-records-of-one-refused",
        "MXR-100",
        Expected.VIOLATES,
        "A limit of one record is refused with an error.",
        _refusing,
    ),
    Fault(
        "max-records-skips-a-batch",
        "MXR-101",
        Expected.VIOLATES,
        "With a limit of records the first batch of several is left out, and its records are "
        "never read.",
        change_part(_first_left_out),
    ),
    Fault(
        "max-records-rewrites-a-batch",
        "MXR-101",
        Expected.VIOLATES,
        "The last batch is rewritten to fit the limit of records, and its checksum with it.",
        change_part(_rewritten),
    ),
    Fault(
        "max-records-felt-unreached",
        "MXR-102",
        Expected.VIOLATES,
        "With a limit of records that is not reached, the last batch is missing all the same.",
        change_part(_last_left_out),
    ),
    Fault(
        "max-records-absent-is-one",
        "MXR-103",
        Expected.VIOLATES,
        "A fetch of the draft's version without the field gets one batch.",
        misread(_absent_is_one),
    ),
    Fault(
        "max-records-wraps-around",
        "MXR-104",
        Expected.VIOLATES,
        "The limit of records is taken modulo 4: a higher one returns less.",
        misread(lambda fetch: _limit(fetch, (limit_in(fetch) or 0) % 4 or 1)),
    ),
    Fault(
        "max-records-exact-fit-refused",
        "MXR-105",
        Expected.VIOLATES,
        "An answer that would reach the limit of records is empty.",
        change_answer(_empty),
    ),
    Fault(
        "max-records-instead-of-bytes",
        "MXR-107",
        Expected.VIOLATES,
        "Where there is a limit of records, limits of bytes are not heeded.",
        misread(_ignoring_bytes),
    ),
)
"""Each is caught by its clause, whatever profile the rest of the broker follows."""

NO_PROFILE = (
    Fault(
        "max-records-one-more-than-two",
        "",
        Expected.DEVIATES,
        "From a limit of 2 on, one record more is let through: no reading says so.",
        misread(lambda fetch: _limit(fetch, (limit_in(fetch) or 0) + ((limit_in(fetch) or 0) > 1))),
    ),
)
"""Faults that no clause forbids and no profile has: the run ends by saying that none fits."""

VARIANTS = (
    Fault(
        "max-records-without-partial-batches",
        "",
        Expected.CONFORMS,
        "The batch that a limit of bytes falls into is left out, with or without the field "
        "(FET-102).",
        change_decision(
            lambda semantics: semantics.with_decisions(FetchSemantics, crossing=Crossing.LEFT_OUT)
        ),
    ),
    Fault(
        "max-records-with-throttle-time",
        "",
        Expected.CONFORMS,
        "Answers name a throttle time, as with a quota (KIP-219).",
        change_answer(lambda _, answer: replace(answer, throttle_ms=7)),
    ),
    Fault(
        "max-records-null-records",
        "",
        Expected.CONFORMS,
        "A partition that the limit leaves nothing has null records.",
        change_part(lambda _, got: replace(got, null_records=not got.size)),
    ),
)
