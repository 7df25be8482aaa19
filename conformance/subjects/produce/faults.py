"""Planted faults of produce, each a change at one seam of a leader, and legal variants that must
pass.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from conformance.faults.planted import Expected
from spec.kafka import INT32_MAX, Error
from spec.produce.model.acceptance import check_batch
from spec.produce.model.received import Framing
from spec.produce.model.seams import REFERENCE, Kept, Leader, Reply, reply_to

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.serve.broker_state import BrokerState
    from spec.produce.model.received import Received
    from spec.produce.outcomes import BatchAnswer
    from spec.produce.topic import TopicSettings

VIOLATES, DEVIATES, CONFORMS = Expected.VIOLATES, Expected.DEVIATES, Expected.CONFORMS


@dataclass(frozen=True, slots=True)
class ProduceFault:
    """A way for a leader to be wrong, or different; see `PlantedFault`."""

    name: str
    clause: str
    expected: Expected
    summary: str
    leader: Leader

    def plant(self, state: BrokerState) -> None:
        """Make a served model wrong in this way."""
        state.leader = self.leader


def _misread(when: Callable[[Received], bool], **fields: Any) -> Leader:
    """The leader sees other fields of some batches than they have."""
    return Leader(
        receiving=lambda received: replace(received, **fields) if when(received) else received
    )


def _coded(old: Error, new: Error) -> Leader:
    """The leader answers another code."""
    return Leader(deciding=lambda errors: tuple([new if one is old else one for one in errors]))


def _checked(
    change: Callable[[Received, TopicSettings, Error], Error],
) -> Leader:
    """The leader comes to another result of its checks."""
    return Leader(
        checking=lambda received, topic: change(received, topic, check_batch(received, topic))
    )


def _answered(change: Callable[[BatchAnswer], BatchAnswer]) -> Leader:
    """The leader alters the answer on each batch."""
    return Leader(answering=lambda answers: tuple([change(one) for one in answers]))


def _kept(kept: Kept, when: Callable[[Received, Error], bool]) -> Leader:
    """The leader keeps something else of some batches."""
    return Leader(
        keeping=lambda received, error, acks: (
            kept if when(received, error) else REFERENCE.keeping(received, error, acks)
        )
    )


def _more_allowed(topic: TopicSettings) -> TopicSettings:
    return replace(topic, max_message_bytes=min(INT32_MAX, topic.max_message_bytes + 12))


def _one_less(topic: TopicSettings) -> TopicSettings:
    return replace(topic, max_message_bytes=topic.max_message_bytes - 1)


def _checksum_first(received: Received, topic: TopicSettings, error: Error) -> Error:
    del topic
    return error if received.sound else Error.CORRUPT_MESSAGE


def _of_records(received: Received) -> bool:
    return received.framing is Framing.ONE and received.records not in {0, received.count}


def _counts_disagree(received: Received) -> bool:
    return _of_records(received) or received.last_delta + 1 != received.count


def _neighbours_too(errors: tuple[Error, ...]) -> tuple[Error, ...]:
    first = next((error for error in errors if error), Error.NONE)
    return tuple([error or first for error in errors])


def _base_anyway(answer: BatchAnswer) -> BatchAnswer:
    return replace(answer, base=0) if answer.error else answer


def _as_accepted(answer: BatchAnswer, **fields: Any) -> BatchAnswer:
    return answer if answer.error else replace(answer, **fields)


FAULTS = (
    ProduceFault(
        "prefix-not-counted",
        "PRO-001",
        VIOLATES,
        "The 12 bytes before a batch's length counts are not measured against max.message.bytes.",
        Leader(configured=_more_allowed),
    ),
    ProduceFault(
        "limit-itself-refused",
        "PRO-001",
        VIOLATES,
        "A batch of exactly max.message.bytes is refused.",
        Leader(configured=_one_less),
    ),
    ProduceFault(
        "size-has-other-code",
        "PRO-101",
        DEVIATES,
        "A batch that is too large is answered with RECORD_LIST_TOO_LARGE.",
        _coded(Error.MESSAGE_TOO_LARGE, Error.RECORD_LIST_TOO_LARGE),
    ),
    ProduceFault(
        "checksum-before-size",
        "PRO-002",
        DEVIATES,
        "The checksum of a batch is looked at before its size.",
        _checked(_checksum_first),
    ),
    ProduceFault(
        "checksum-ignored",
        "PRO-060",
        VIOLATES,
        "A batch with a wrong checksum is accepted.",
        _misread(lambda received: not received.sound, sound=True),
    ),
    ProduceFault(
        "old-formats-accepted",
        "PRO-011",
        VIOLATES,
        "Messages of formats 0 and 1 are accepted.",
        _misread(lambda received: received.magic < 2, magic=2),
    ),
    ProduceFault(
        "old-format-is-corrupt",
        "PRO-111",
        DEVIATES,
        "A message of format 0 or 1 is answered with CORRUPT_MESSAGE.",
        _misread(lambda received: received.magic < 2, magic=2, sound=False),
    ),
    ProduceFault(
        "unreadable-fails-alone",
        "PRO-066",
        DEVIATES,
        "An unreadable batch is refused with INVALID_RECORD, and its neighbours are accepted.",
        _misread(lambda received: received.framing is Framing.UNREADABLE, framing=Framing.NONE),
    ),
    ProduceFault(
        "two-batches-taken",
        "PRO-010",
        VIOLATES,
        "The first of two batches for a partition is accepted.",
        _misread(lambda received: received.framing is Framing.SEVERAL, framing=Framing.ONE),
    ),
    ProduceFault(
        "two-batches-are-corrupt",
        "PRO-110",
        DEVIATES,
        "Two batches for a partition are answered with CORRUPT_MESSAGE.",
        _misread(
            lambda received: received.framing is Framing.SEVERAL,
            framing=Framing.ONE,
            sound=False,
        ),
    ),
    ProduceFault(
        "nothing-is-corrupt",
        "PRO-014",
        DEVIATES,
        "A partition without a whole batch is answered with CORRUPT_MESSAGE.",
        _misread(
            lambda received: received.framing is Framing.NONE,
            framing=Framing.ONE,
            sound=False,
        ),
    ),
    ProduceFault(
        "base-offset-ignored",
        "PRO-012",
        DEVIATES,
        "A batch whose base offset is not 0 is accepted.",
        _misread(lambda received: received.base_offset != 0, base_offset=0),
    ),
    ProduceFault(
        "counts-are-corrupt",
        "PRO-013",
        DEVIATES,
        "A batch whose counts disagree is answered with CORRUPT_MESSAGE.",
        _misread(_counts_disagree, sound=False),
    ),
    ProduceFault(
        "control-batches-accepted",
        "PRO-016",
        DEVIATES,
        "A producer may write control batches.",
        _misread(lambda received: received.control, control=False),
    ),
    ProduceFault(
        "bytes-after-refused",
        "PRO-015",
        DEVIATES,
        "A batch that is followed by other bytes is refused.",
        Leader(
            receiving=lambda received: (
                replace(received, framing=Framing.NONE) if received.bytes_after else received
            )
        ),
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
        _coded(Error.INVALID_REQUIRED_ACKS, Error.NONE),
    ),
    ProduceFault(
        "acks-are-an-invalid-request",
        "PRO-119",
        DEVIATES,
        "Acks that there are not are answered with INVALID_REQUEST.",
        _coded(Error.INVALID_REQUIRED_ACKS, Error.INVALID_REQUEST),
    ),
    ProduceFault(
        "unknown-partition-accepted",
        "PRO-019",
        VIOLATES,
        "A batch for a partition that does not exist is answered without an error.",
        _coded(Error.UNKNOWN_TOPIC_OR_PARTITION, Error.NONE),
    ),
    ProduceFault(
        "unknown-partition-is-invalid",
        "PRO-120",
        DEVIATES,
        "A batch for a partition that does not exist is answered with INVALID_PARTITIONS.",
        _coded(Error.UNKNOWN_TOPIC_OR_PARTITION, Error.INVALID_PARTITIONS),
    ),
    ProduceFault(
        "three-records-refused",
        "PRO-067",
        VIOLATES,
        "A sound batch of three records is refused.",
        _checked(
            lambda received, _, error: (
                Error.INVALID_RECORD if received.records == received.count == 3 else error
            )
        ),
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
        _answered(lambda answer: _as_accepted(answer, append_time=True)),
    ),
    ProduceFault(
        "append-time-never-given",
        "PRO-062",
        VIOLATES,
        "The answer has no log append time on a topic with LogAppendTime either.",
        _answered(lambda answer: _as_accepted(answer, append_time=False)),
    ),
    ProduceFault(
        "log-start-not-given",
        "PRO-063",
        VIOLATES,
        "The log start offset of an answer is -1.",
        _answered(lambda answer: replace(answer, log_start=None)),
    ),
    ProduceFault(
        "refused-with-offset",
        "PRO-064",
        DEVIATES,
        "The answer on a refused batch has base offset 0.",
        _answered(_base_anyway),
    ),
    ProduceFault(
        "last-offset-answered",
        "PRO-024",
        VIOLATES,
        "The answer has the offset of the last record of a batch of several.",
        Leader(
            answering=lambda answers: tuple(
                [_as_accepted(one, base=(one.base or 0) + 1) for one in answers]
            )
        ),
    ),
    ProduceFault(
        "base-always-zero",
        "PRO-106",
        VIOLATES,
        "The base offset of each answer is that of the first batch of the log.",
        _answered(lambda answer: _as_accepted(answer, base=0)),
    ),
    ProduceFault(
        "refused-is-stored",
        "PRO-052",
        VIOLATES,
        "A batch that is too large is answered with an error, and stored all the same.",
        _kept(Kept.AS_SENT, lambda _, error: error is Error.MESSAGE_TOO_LARGE),
    ),
    ProduceFault(
        "accepted-is-lost",
        "PRO-152",
        VIOLATES,
        "Nothing of an accepted batch of three records is stored.",
        _kept(Kept.NOTHING, lambda received, error: received.records == 3 and not error),
    ),
    ProduceFault(
        "stored-damaged",
        "PRO-068",
        VIOLATES,
        "The last byte of a batch of two records is stored as another one.",
        _kept(Kept.DAMAGED, lambda received, error: received.records == 2 and not error),
    ),
    ProduceFault(
        "offset-left-out",
        "PRO-051",
        DEVIATES,
        "An offset is left out before each batch.",
        _kept(Kept.GAP, lambda _, error: not error),
    ),
    ProduceFault(
        "lost-without-acks",
        "PRO-069",
        DEVIATES,
        "A request with acks=0 is dropped.",
        Leader(
            keeping=lambda received, error, acks: (
                REFERENCE.keeping(received, error, acks) if acks else Kept.NOTHING
            )
        ),
    ),
    ProduceFault(
        "stored-rewritten",
        "PRO-124",
        DEVIATES,
        "An unused bit is set in the attributes of each batch.",
        _kept(Kept.REWRITTEN, lambda _, error: not error),
    ),
)

VARIANTS: tuple[ProduceFault, ...] = (
    ProduceFault(
        "produce-answered-in-reverse",
        "",
        CONFORMS,
        "The partitions of an answer come in another order.",
        Leader(answering=lambda answers: answers[::-1]),
    ),
)
