"""Faults in acks, and in how many replicas they take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.produce.faults.fault import DEVIATES, VIOLATES, ProduceFault, replace_code
from spec.kafka import Error
from spec.produce.model.seams import Leader, Reply, reply_to

if TYPE_CHECKING:
    from spec.produce.topic import TopicSettings


def _lacking(topic: TopicSettings) -> Error:
    return Error.NOT_ENOUGH_REPLICAS if topic.min_insync > 1 else Error.NONE


FAULTS: tuple[ProduceFault, ...] = (
    ProduceFault(
        "replicas-matter-to-the-leader-alone",
        "PRO-054",
        VIOLATES,
        "min.insync.replicas counts for acks=1 too.",
        Leader(insync=lambda acks, topic: _lacking(topic) if acks == 1 else Error.NONE),
    ),
    ProduceFault(
        "more-replicas-than-there-are",
        "PRO-055",
        DEVIATES,
        "A topic needs as many replicas in sync as it says, also if it has fewer.",
        Leader(insync=lambda acks, topic: _lacking(topic) if acks == -1 else Error.NONE),
    ),
    ProduceFault(
        "no-answer-for-the-leader-alone",
        "PRO-061",
        VIOLATES,
        "A request with acks=1 is not answered.",
        Leader(
            replying=lambda acks, errors: Reply.CLOSING if acks == 1 else reply_to(acks, errors)
        ),
    ),
    ProduceFault(
        "answers-without-acks",
        "PRO-070",
        VIOLATES,
        "A request with acks=0 is answered.",
        Leader(replying=lambda *_: Reply.ANSWER),
    ),
    ProduceFault(
        "error-without-acks-kept-quiet",
        "PRO-118",
        DEVIATES,
        "A request with acks=0 leaves the connection open, whatever becomes of it.",
        Leader(replying=lambda acks, _: Reply.ANSWER if acks else Reply.NOTHING),
    ),
    ProduceFault(
        "any-acks",
        "PRO-018",
        VIOLATES,
        "Each acks is as good as another.",
        replace_code(Error.INVALID_REQUIRED_ACKS, Error.NONE),
    ),
    ProduceFault(
        "acks-are-an-invalid-request",
        "PRO-119",
        DEVIATES,
        "Acks that there are not are answered with INVALID_REQUEST.",
        replace_code(Error.INVALID_REQUIRED_ACKS, Error.INVALID_REQUEST),
    ),
)
