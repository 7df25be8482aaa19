"""Faults in the timestamps of records."""

from __future__ import annotations

from conformance.subjects.produce.faults.fault import (
    DEVIATES,
    VIOLATES,
    ProduceFault,
    change_check,
    replace_code,
    store_differently,
)
from spec.frozen import replace
from spec.kafka import INT64_MAX, Error
from spec.produce.model.seams import Leader, StoredForm

FAULTS: tuple[ProduceFault, ...] = (
    ProduceFault(
        "stamped-record-found-by-its-own-time",
        "PRO-190",
        VIOLATES,
        "A lookup by time uses the producer's times of records that the broker stamped.",
        Leader(stamping=lambda _, own: own),
    ),
    ProduceFault(
        "append-time-bit-refused",
        "PRO-033",
        DEVIATES,
        "A batch that says that its timestamps are the broker's is refused by each topic.",
        change_check(
            lambda received, _, error: (
                error or (Error.INVALID_TIMESTAMP if received.log_append_time else error)
            )
        ),
    ),
    ProduceFault(
        "max-timestamp-not-repaired",
        "PRO-032",
        DEVIATES,
        "A max timestamp that is not that of the records is stored as it was sent.",
        store_differently(StoredForm.UNREPAIRED, lambda _, error: not error),
    ),
    ProduceFault(
        "append-time-not-stored",
        "PRO-034",
        VIOLATES,
        "A topic with the broker's times stores those of its producers.",
        store_differently(StoredForm.UNSTAMPED, lambda _, error: not error),
    ),
    ProduceFault(
        "append-time-is-that-of-the-records",
        "PRO-034",
        VIOLATES,
        "A topic with the broker's times says that it has them, and stores those of its producers.",
        store_differently(StoredForm.STAMPED_AS_SENT, lambda _, error: not error),
    ),
    ProduceFault(
        "no-limit-ahead",
        "PRO-030",
        VIOLATES,
        "A record may be as far ahead as it likes.",
        Leader(configured=lambda topic: replace(topic, after_max_ms=INT64_MAX)),
    ),
    ProduceFault(
        "no-limit-behind",
        "PRO-132",
        VIOLATES,
        "A record may be as old as it likes.",
        Leader(configured=lambda topic: replace(topic, before_max_ms=INT64_MAX)),
    ),
    ProduceFault(
        "wrong-time-is-invalid-record",
        "PRO-130",
        DEVIATES,
        "A batch with a record too far ahead is answered with INVALID_RECORD.",
        replace_code(Error.INVALID_TIMESTAMP, Error.INVALID_RECORD),
    ),
    ProduceFault(
        "no-time-is-too-old",
        "PRO-133",
        DEVIATES,
        "A timestamp of -1 is taken for a time long ago.",
        change_check(
            lambda received, _, error: Error.INVALID_TIMESTAMP if None in received.times else error
        ),
    ),
    ProduceFault(
        "wrong-max-timestamp-refused",
        "PRO-135",
        DEVIATES,
        "A header that says a wrong max timestamp is refused.",
        change_check(
            lambda received, _, error: error or (Error.INVALID_RECORD if received.lies else error)
        ),
    ),
)
