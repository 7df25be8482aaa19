"""Fetch answers that differ from Apache Kafka's: legal, some of them deviations under
--strict.
"""

from __future__ import annotations

from dataclasses import replace

from conformance.faults.planted import Expected
from conformance.subjects.fetch.faults.fault import Fault, altered, altered_part
from spec.kafka import FLEXIBLE_SINCE, PREFERRED_REPLICA_SINCE

UNKNOWN_TAG = 9999


FAULTS = (
    Fault(
        "throttle-time-below-zero",
        "FET-079",
        Expected.VIOLATES,
        "The answer's throttle time is -1.",
        altered(lambda _, answer: replace(answer, throttle_ms=-1)),
    ),
    Fault(
        "diverging-epoch-unasked",
        "FET-046",
        Expected.VIOLATES,
        "A partition at its end has a diverging epoch that was not asked for.",
        altered_part(
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
        altered_part(
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
        altered_part(lambda _, got: replace(got, null_records=not got.size)),
    ),
    Fault(
        "unknown-tag-in-the-answer",
        "FET-140",
        Expected.DEVIATES,
        "The answer carries a tagged field that the message does not have (KIP-482).",
        altered(
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
        altered(lambda _, answer: replace(answer, throttle_ms=7)),
    ),
)
