"""Legal variants of a leader, which must pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.produce.faults.fault import (
    CONFORMS,
    ProduceFault,
    change_answer,
    change_check,
    replace_code,
)
from spec.frozen import replace
from spec.kafka import Error
from spec.produce.model.seams import Leader
from spec.produce.model.stored_size import stored_size

if TYPE_CHECKING:
    from spec.produce.model.received import Received
    from spec.produce.topic import TopicSettings


def _never_grows_past(received: Received, topic: TopicSettings, error: Error) -> Error:
    straddles = stored_size(received, topic).straddles(topic.max_message_bytes)
    return Error.MESSAGE_TOO_LARGE if straddles and not error else error


VARIANTS: tuple[ProduceFault, ...] = (
    ProduceFault(
        "produce-answered-in-reverse",
        "",
        CONFORMS,
        "The partitions of an answer come in another order.",
        Leader(answering=lambda answers: answers[::-1]),
    ),
    ProduceFault(
        "each-refusal-has-a-message",
        "",
        CONFORMS,
        "Each batch that is refused is answered with an error message.",
        change_answer(lambda answer: replace(answer, message=bool(answer.error))),
    ),
    ProduceFault(
        "outside-a-transaction-is-busy",
        "",
        CONFORMS,
        "A transactional batch outside a transaction is refused with another error.",
        replace_code(Error.INVALID_TXN_STATE, Error.CONCURRENT_TRANSACTIONS),
    ),
    ProduceFault(
        "compressor-grows-records",
        "",
        CONFORMS,
        "The compressor of a topic makes every batch larger than its limit that it may.",
        change_check(_never_grows_past),
    ),
)
