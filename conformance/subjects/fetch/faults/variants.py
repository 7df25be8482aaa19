"""Fetch answers whose fields, tags or bytes differ from Apache Kafka's: wrong ones, deviations and
legal variants.
"""

from __future__ import annotations

from conformance.faults.planted import Expected
from conformance.subjects.fetch.faults.fault import (
    Answered,
    Fault,
    Given,
    answering,
    change_answer,
    change_part,
)
from spec.fetch.model.answer import answer_fetch
from spec.fetch.model.session import Mode, admit, on_arrival
from spec.fetch.outcomes import FetchAnswer
from spec.frozen import replace
from spec.kafka import FLEXIBLE_SINCE, PREFERRED_REPLICA_SINCE, SESSIONS_SINCE

UNKNOWN_TAG = 9999
SESSION_ID_BYTES = 4
THROTTLE_MS = 100


@answering
def _throttle_some(given: Given) -> Answered:
    """Throttle fetches of several partitions without a session, and in one every second request:
    nothing is read then, nor reported in the session, whose epoch counts up all the same.
    """
    right, session, held_ms = answer_fetch(*given)
    mode = admit(given.fetch, given.own).mode
    if given.fetch.quota is not None or right.error:
        return right, session, held_ms
    if mode is Mode.SESSIONLESS and len(given.fetch.partitions) > 1:
        return FetchAnswer(throttle_ms=THROTTLE_MS), session, held_ms
    if mode is Mode.INCREMENTAL and given.fetch.epoch % 2:
        answer = FetchAnswer(session=right.session, throttle_ms=THROTTLE_MS)
        return answer, on_arrival(given.fetch, given.own), held_ms
    return right, session, held_ms


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
    Fault(
        "throttled-now-and-then",
        "",
        Expected.CONFORMS,
        "The client has a quota that no one knows of: some answers are empty, with a throttle time "
        "after which it is to ask again (KIP-219).",
        _throttle_some,
    ),
)
