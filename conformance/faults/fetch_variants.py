"""What a fetch answer may hold that Apache Kafka's does not: legal, some of it worth a word under --strict."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.faults.fault import Answered, Expected, Fault, Logs, altered, altered_part
from spec.answering import answer_fetch

if TYPE_CHECKING:
    from spec.fetch.session import Session
    from spec.scenario import Fetch
    from spec.semantics import Semantics

UNKNOWN_TAG = 9999
FLEXIBLE_SINCE = 12
LATE_MS = 400


def _late(fetch: Fetch, logs: Logs, own: Session | None, semantics: Semantics, partitions: int | None = None) -> Answered:
    answer, session, held_ms = answer_fetch(fetch, logs, own, semantics, partitions)
    return answer, session, held_ms + LATE_MS if held_ms else 0.0


FAULTS = (
    Fault(
        "null-records-where-there-are-none",
        "FET-120",
        Expected.DEVIATES,
        "A partition without data has null records, which the protocol guide allows, not empty ones.",
        altered_part(lambda _, got: replace(got, null_records=not got.size)),
    ),
    Fault(
        "unknown-tag-in-the-answer",
        "FET-140",
        Expected.DEVIATES,
        "The answer carries a tagged field that the message does not have (KIP-482).",
        altered(lambda fetch, answer: replace(answer, unknown_tags=(UNKNOWN_TAG,)) if fetch.version >= FLEXIBLE_SINCE else answer),
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
    Fault(
        "late-after-max-wait",
        "",
        Expected.CONFORMS,
        "An answer comes 400 ms after max_wait: nothing promises how soon a loaded broker is.",
        _late,
    ),
)
