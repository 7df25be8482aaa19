"""Fetch answers whose fields, tags or bytes differ from Apache Kafka's: wrong ones, deviations and
legal variants.
"""

from __future__ import annotations

from conformance.faults.planted import Expected
from conformance.subjects.fetch.faults.fault import Fault, change_answer, change_part
from spec.frozen import replace
from spec.kafka import FLEXIBLE_SINCE, PREFERRED_REPLICA_SINCE, SESSIONS_SINCE

UNKNOWN_TAG = 9999
SESSION_ID_BYTES = 4


FAULTS = (
    Fault(
        "field-of-another-version",
        "FET-040",
        Expected.VIOLATES,
        "An answer before v7 ends with the session id, a field that v7 brought: 4 bytes over.",
        change_answer(
            lambda fetch, answer: (
                replace(answer, trailing=SESSION_ID_BYTES)
                if fetch.version < SESSIONS_SINCE
                else answer
            )
        ),
    ),
    Fault(
        "records-that-are-no-batches",
        "FET-076",
        Expected.VIOLATES,
        "A partition's records are bytes that no record batch begins with.",
        change_part(
            lambda _, got: (
                replace(got, batches=(), tail=0, garbled="bytes that are no record batch")
                if got.batches
                else got
            )
        ),
    ),
    Fault(
        "throttle-time-below-zero",
        "FET-079",
        Expected.VIOLATES,
        "The answer's throttle time is -1.",
        change_answer(lambda _, answer: replace(answer, throttle_ms=-1)),
    ),
    Fault(
        "diverging-epoch-unasked",
        "FET-046",
        Expected.VIOLATES,
        "A partition at its end has a diverging epoch that was not asked for.",
        change_part(
            lambda fetch, got: replace(
                got, diverging=not got.size and fetch.version >= FLEXIBLE_SINCE
            )
        ),
    ),
    Fault(
        "preferred-replica-unasked",
        "FET-047",
        Expected.DEVIATES,
        "A consumer without a rack is sent to another replica.",
        change_part(
            lambda fetch, got: replace(
                got, preferred_replica=1 if fetch.version >= PREFERRED_REPLICA_SINCE else -1
            )
        ),
    ),
    Fault(
        "null-records-where-there-are-none",
        "FET-120",
        Expected.DEVIATES,
        "A partition without data has null records, which the protocol guide allows, not empty "
        "ones.",
        change_part(lambda _, got: replace(got, null_records=not got.size)),
    ),
    Fault(
        "unknown-tag-in-the-answer",
        "FET-140",
        Expected.DEVIATES,
        "The answer carries a tagged field that the message does not have (KIP-482).",
        change_answer(
            lambda fetch, answer: (
                replace(answer, unknown_tags=(UNKNOWN_TAG,))
                if fetch.version >= FLEXIBLE_SINCE
                else answer
            )
        ),
    ),
)

VARIANTS = (
    Fault(
        "throttle-time-told",
        "",
        Expected.CONFORMS,
        "The answer names a throttle time, as with a quota (KIP-219).",
        change_answer(lambda _, answer: replace(answer, throttle_ms=7)),
    ),
)
