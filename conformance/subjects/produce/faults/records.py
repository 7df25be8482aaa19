"""Faults in the keys of records, and in the errors of single records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.produce.faults.fault import (
    DEVIATES,
    VIOLATES,
    ProduceFault,
    change_answer,
    change_check,
)
from spec.frozen import replace
from spec.kafka import Error
from spec.produce.model.acceptance import wrong_keys
from spec.produce.model.seams import Leader

if TYPE_CHECKING:
    from spec.produce.model.received import Received
    from spec.produce.topic import TopicSettings


def _keys_are_asked_for(received: Received, topic: TopicSettings, error: Error) -> Error:
    return Error.INVALID_REQUEST if error and wrong_keys(received, topic) else error


FAULTS: tuple[ProduceFault, ...] = (
    ProduceFault(
        "keys-not-needed",
        "PRO-026",
        VIOLATES,
        "A compacted topic takes records without keys.",
        Leader(configured=lambda topic: replace(topic, compacted=False)),
    ),
    ProduceFault(
        "missing-key-is-invalid-request",
        "PRO-126",
        VIOLATES,
        "A record without a key is answered with INVALID_REQUEST.",
        change_check(_keys_are_asked_for),
    ),
    ProduceFault(
        "record-before-named",
        "PRO-031",
        VIOLATES,
        "The record errors of an answer are one record off.",
        change_answer(
            lambda answer: answer.naming(tuple([index + 1 for index in answer.record_errors]))
        ),
    ),
    ProduceFault(
        "first-wrong-record-named",
        "PRO-131",
        DEVIATES,
        "The record errors of an answer name the first record that is wrong.",
        change_answer(lambda answer: answer.naming(answer.record_errors[:1])),
    ),
    ProduceFault(
        "named-record-without-message",
        "PRO-191",
        DEVIATES,
        "The last record that an answer names has no error message.",
        change_answer(lambda answer: replace(answer, record_messages=answer.record_messages[:-1])),
    ),
    ProduceFault(
        "named-records-without-message",
        "PRO-191",
        DEVIATES,
        "An answer that names records has no error message for the batch.",
        change_answer(lambda answer: replace(answer, message=False)),
    ),
    ProduceFault(
        "accepted-with-a-message",
        "PRO-191",
        DEVIATES,
        "The answer on a batch that was accepted has an error message.",
        change_answer(lambda answer: replace(answer, message=True)),
    ),
)
