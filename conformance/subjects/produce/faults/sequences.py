"""Faults in the sequence numbers of idempotent producers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from conformance.subjects.produce.faults.fault import (
    DEVIATES,
    VIOLATES,
    ProduceFault,
    change_check,
    misread,
    replace_code,
)
from spec.kafka import INT32_MAX, Error
from spec.produce.model.seams import Leader
from spec.replica import Written, check_sequence

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.replica import Incoming, ProducerState


def _change_sequence_check(
    change: Callable[[ProducerState, Incoming, Written | None], Written | None],
) -> Leader:
    """The leader makes something else of a batch in view of what it remembers of its producer."""
    return Leader(
        sequencing=lambda known, batch: change(known, batch, check_sequence(known, batch))
    )


def _never_wraps(known: ProducerState, batch: Incoming, found: Written | None) -> Written | None:
    past = bool(known.batches) and known.batches[-1][1] == INT32_MAX
    follows = found is None and batch.epoch == known.epoch
    return Written(Error.OUT_OF_ORDER_SEQUENCE_NUMBER) if past and follows else found


def _repeats_by(
    end: int, known: ProducerState, batch: Incoming, found: Written | None
) -> Written | None:
    """A batch of which one of the two sequences, the first or the last, is a remembered one's."""
    own = (batch.sequence, (batch.sequence + batch.records - 1) % (INT32_MAX + 1))[end]
    alike = [one[2] for one in known.batches if batch.epoch == known.epoch and one[end] == own]
    return Written(base=alike[0], repeated=True) if alike else found


FAULTS: tuple[ProduceFault, ...] = (
    ProduceFault(
        "sequence-not-needed",
        "PRO-040",
        DEVIATES,
        "A batch with a producer id needs no sequence.",
        misread(lambda received: received.sequence < 0, producer=-1),
    ),
    ProduceFault(
        "transaction-not-verified",
        "PRO-192",
        DEVIATES,
        "A transactional batch is stored for a partition that is part of no transaction.",
        replace_code(Error.INVALID_TXN_STATE, Error.NONE),
    ),
    ProduceFault(
        "transactional-without-id",
        "PRO-045",
        DEVIATES,
        "A transactional batch needs no transactional id.",
        misread(lambda received: received.transactional, transactional=False),
    ),
    ProduceFault(
        "sequence-does-not-wrap",
        "PRO-046",
        VIOLATES,
        "No sequence number follows 2147483647.",
        _change_sequence_check(_never_wraps),
    ),
    ProduceFault(
        "unknown-producer-begins-low",
        "PRO-140",
        DEVIATES,
        "A producer that is not known may not begin with the last sequence numbers.",
        change_check(
            lambda received, _, error: (
                error
                or (Error.UNKNOWN_PRODUCER_ID if received.sequence >= INT32_MAX - 1 else error)
            )
        ),
    ),
    ProduceFault(
        "repetition-stored",
        "PRO-041",
        VIOLATES,
        "A batch that comes twice is stored twice.",
        _change_sequence_check(lambda _, __, found: None if found and found.repeated else found),
    ),
    ProduceFault(
        "repetition-without-time",
        "PRO-144",
        DEVIATES,
        "The answer on a batch that comes twice is that on any other.",
        Leader(repeating=lambda answer: answer),
    ),
    ProduceFault(
        "repetition-refused",
        "PRO-141",
        DEVIATES,
        "A batch that comes twice is answered with DUPLICATE_SEQUENCE_NUMBER.",
        _change_sequence_check(
            lambda _, __, found: (
                Written(Error.DUPLICATE_SEQUENCE_NUMBER) if found and found.repeated else found
            )
        ),
    ),
    ProduceFault(
        "gap-accepted",
        "PRO-042",
        VIOLATES,
        "A producer may leave sequence numbers out.",
        _change_sequence_check(
            lambda known, batch, found: (
                None if found and found.error and batch.epoch == known.epoch else found
            )
        ),
    ),
    ProduceFault(
        "repetition-by-its-first-sequence",
        "PRO-042",
        VIOLATES,
        "A batch that begins as a remembered one does is taken for it, whatever its records.",
        _change_sequence_check(partial(_repeats_by, 0)),
    ),
    ProduceFault(
        "repetition-by-its-last-sequence",
        "PRO-042",
        VIOLATES,
        "A batch that ends as a remembered one does is taken for it, wherever it begins.",
        _change_sequence_check(partial(_repeats_by, 1)),
    ),
    ProduceFault(
        "gap-is-invalid-record",
        "PRO-142",
        DEVIATES,
        "A sequence that neither follows nor repeats is answered with INVALID_RECORD.",
        _change_sequence_check(
            lambda known, batch, found: (
                Written(Error.INVALID_RECORD)
                if found and found.error and batch.epoch == known.epoch
                else found
            )
        ),
    ),
    ProduceFault(
        "producer-forgotten-with-its-records",
        "PRO-142",
        DEVIATES,
        "A producer all of whose records were deleted is not known any more.",
        Leader(outliving=lambda known, start: not known.is_before(start)),
    ),
    ProduceFault(
        "older-epoch-accepted",
        "PRO-043",
        VIOLATES,
        "A producer may use an older epoch.",
        _change_sequence_check(
            lambda known, batch, found: None if batch.epoch < known.epoch else found
        ),
    ),
    ProduceFault(
        "older-epoch-is-fenced",
        "PRO-143",
        DEVIATES,
        "A batch of an older epoch is answered with PRODUCER_FENCED.",
        _change_sequence_check(
            lambda known, batch, found: (
                Written(Error.PRODUCER_FENCED) if batch.epoch < known.epoch else found
            )
        ),
    ),
    ProduceFault(
        "new-epoch-begins-anywhere",
        "PRO-044",
        DEVIATES,
        "A newer epoch may begin with any sequence number.",
        _change_sequence_check(
            lambda known, batch, found: None if batch.epoch > known.epoch else found
        ),
    ),
)
