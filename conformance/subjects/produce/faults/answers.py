"""Faults in what is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.subjects.produce.faults.fault import (
    DEVIATES,
    VIOLATES,
    ProduceFault,
    change_answer,
    replace_code,
)
from spec.frozen import replace
from spec.kafka import Error
from spec.produce.model.seams import Leader

if TYPE_CHECKING:
    from spec.produce.outcomes import BatchAnswer


def _neighbours_too(errors: tuple[Error, ...]) -> tuple[Error, ...]:
    first = next((error for error in errors if error), Error.NONE)
    return tuple([error or first for error in errors])


def _base_anyway(answer: BatchAnswer) -> BatchAnswer:
    return replace(answer, base=0) if answer.error else answer


def _change_accepted(answer: BatchAnswer, **fields: Any) -> BatchAnswer:
    return answer if answer.error else replace(answer, **fields)


FAULTS: tuple[ProduceFault, ...] = (
    ProduceFault(
        "unknown-partition-accepted",
        "PRO-019",
        VIOLATES,
        "A batch for a partition that does not exist is answered without an error.",
        replace_code(Error.UNKNOWN_TOPIC_OR_PARTITION, Error.NONE),
    ),
    ProduceFault(
        "unknown-partition-is-invalid",
        "PRO-120",
        DEVIATES,
        "A batch for a partition that does not exist is answered with INVALID_PARTITIONS.",
        replace_code(Error.UNKNOWN_TOPIC_OR_PARTITION, Error.INVALID_PARTITIONS),
    ),
    ProduceFault(
        "neighbours-refused",
        "PRO-053",
        VIOLATES,
        "Where one batch of a request is refused, all are.",
        Leader(deciding=_neighbours_too),
    ),
    ProduceFault(
        "last-partition-not-answered",
        "PRO-065",
        VIOLATES,
        "The answer lacks the last of several partitions.",
        Leader(answering=lambda answers: answers[:-1] if len(answers) > 1 else answers),
    ),
    ProduceFault(
        "append-time-always-given",
        "PRO-062",
        VIOLATES,
        "The answer has a log append time on a topic with CreateTime, too.",
        change_answer(lambda answer: _change_accepted(answer, append_time=True)),
    ),
    ProduceFault(
        "append-time-never-given",
        "PRO-062",
        VIOLATES,
        "The answer has no log append time on a topic with LogAppendTime either.",
        change_answer(lambda answer: _change_accepted(answer, append_time=False)),
    ),
    ProduceFault(
        "log-start-not-given",
        "PRO-063",
        VIOLATES,
        "The log start offset of an answer is -1.",
        change_answer(lambda answer: replace(answer, log_start=None)),
    ),
    ProduceFault(
        "refused-with-offset",
        "PRO-064",
        DEVIATES,
        "The answer on a refused batch has base offset 0.",
        change_answer(_base_anyway),
    ),
    ProduceFault(
        "last-offset-answered",
        "PRO-024",
        VIOLATES,
        "The answer has the offset of the last record of a batch of several.",
        Leader(
            answering=lambda answers: tuple(
                [_change_accepted(one, base=(one.base or 0) + 1) for one in answers]
            )
        ),
    ),
    ProduceFault(
        "base-always-zero",
        "PRO-106",
        VIOLATES,
        "The base offset of each answer is that of the first batch of the log.",
        change_answer(lambda answer: _change_accepted(answer, base=0)),
    ),
)
