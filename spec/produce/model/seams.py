"""The seams of a leader at which a fault can be planted: in the dry run and in the served model."""

from collections.abc import Callable, Sequence
from enum import StrEnum

from spec.frozen import frozen, replace
from spec.kafka import Error
from spec.produce.model.acceptance import Checking, check_batch
from spec.produce.model.coordinator import (
    CurrentProducer,
    Fresh,
    Initialized,
    InitProducerRequest,
    give_producer,
)
from spec.produce.model.received import Received
from spec.produce.outcomes import BatchAnswer
from spec.produce.topic import TopicSettings
from spec.replica import Incoming, ProducerState, Written, check_sequence


class StoredForm(StrEnum):
    """What of a batch goes into the log."""

    AS_SENT = "as sent"
    NOTHING = "nothing"
    DAMAGED = "damaged"
    """The last byte of its records is another one, and the checksum is that of the batch as it was
    sent.
    """
    UNSTAMPED = "unstamped"
    """The batch as it was sent, though its topic has the broker's times."""
    STAMPED_AS_SENT = "stamped as sent"
    """Where its topic has the broker's times, the batch says that it has them, and has those with
    which it was sent.
    """
    UNREPAIRED = "unrepaired"
    """The batch with the times that its header says, though they are not those of its records."""
    GAP = "gap"
    """The batch as it was sent, after an offset that is left out."""
    NOT_ENCODED_AGAIN = "not encoded again"
    """The batch with the codec with which it was sent, whatever the topic's is."""
    RETIMED = "retimed"
    """Where its records are encoded again, all get the time of the first."""
    REWRITTEN = "rewritten"
    """An unused bit of its attributes is set, and the checksum is right."""


class AcceptedBatches(StrEnum):
    """Which of several batches for one partition of a request are taken."""

    LAST = "last"
    FIRST = "first"
    EACH = "each"

    def takes(self, place: int, places: Sequence[int]) -> bool:
        """Whether the batch at this place is, of those at some places, ascending."""
        if self is AcceptedBatches.EACH:
            return True
        return place == places[-1 if self is AcceptedBatches.LAST else 0]


class Reply(StrEnum):
    """What comes back of a request."""

    ANSWER = "answer"
    NOTHING = "nothing"
    CLOSING = "closing"


Errors = tuple[Error, ...]


def keep_what_is_accepted(received: Received, error: Error, acks: int) -> StoredForm:
    """An accepted batch is stored as it was sent, a refused one is not."""
    del received, acks
    return StoredForm.NOTHING if error else StoredForm.AS_SENT


def reply_to(acks: int, errors: Errors) -> Reply:
    """A request with `acks=0` gets no answer; where a batch of it was refused, its connection is
    closed.
    """
    if acks:
        return Reply.ANSWER
    return Reply.CLOSING if any(errors) else Reply.NOTHING


@frozen
class Alteration:
    """A change of a topic's configs that was answered.

    Attributes:
        before, after: the configs of the topic before it, and those that it asks for.
        elsewhere: it was asked of another topic.
        requests: how many Produce requests were answered since.
    """

    before: TopicSettings
    after: TopicSettings
    elsewhere: bool = False
    requests: int = 0


def take_alteration(alteration: Alteration) -> TopicSettings:
    """A change holds for the topic of which it was asked, from its answer on."""
    return alteration.before if alteration.elsewhere else alteration.after


def answer_repetition(answer: BatchAnswer) -> BatchAnswer:
    """A repetition is answered with the time of the batch that it repeats."""
    return replace(answer, append_time=True)


def keep_producer(known: ProducerState, start: int) -> bool:
    """What is remembered of a producer outlives its records."""
    del known, start
    return True


@frozen
class Leader:
    """How a leader handles Produce requests.

    Attributes:
        receiving: what it takes a batch for.
        configured: what it takes a topic's configs for.
        altered: the configs of a topic after a change, or after a change of another topic's.
        checking: the first check that a batch fails.
        deciding: the errors of a request, in view of those that its checks gave.
        sequencing: what it makes of a batch in view of what it remembers of its producer: an error,
            or a repetition; None where it follows.
        outliving: whether it still knows a producer once the log starts at an offset.
        keeping: what of a batch goes into the log, by the error and the `acks` of its
            request.
        longest: what it takes `socket.request.max.bytes` for.
        insync: the error where a topic asks for more replicas in sync than there are, by the `acks`
            of the request.
        several: which of several batches for one partition of a request it takes.
        replying: what comes back of a request, by its `acks` and its errors.
        repeating: the answer on a repetition, by that on a batch of its offset.
        answering: the answers on the batches of a request.
        stamping: the time by which a record is found whose broker stamps it, by that stamp and by
            its producer's.
        giving: which producer id and epoch its coordinator gives out.
    """

    receiving: Callable[[Received], Received] = lambda received: received
    configured: Callable[[TopicSettings], TopicSettings] = lambda topic: topic
    altered: Callable[[Alteration], TopicSettings] = take_alteration
    checking: Checking = check_batch
    deciding: Callable[[Errors], Errors] = lambda errors: errors
    sequencing: Callable[[ProducerState, Incoming], Written | None] = check_sequence
    outliving: Callable[[ProducerState, int], bool] = keep_producer
    keeping: Callable[[Received, Error, int], StoredForm] = keep_what_is_accepted
    longest: Callable[[int], int] = lambda limit: limit
    insync: Callable[[int, TopicSettings], Error] = lambda _, __: Error.NONE
    several: AcceptedBatches = AcceptedBatches.LAST
    replying: Callable[[int, Errors], Reply] = reply_to
    repeating: Callable[[BatchAnswer], BatchAnswer] = answer_repetition
    answering: Callable[[tuple[BatchAnswer, ...]], tuple[BatchAnswer, ...]] = lambda answers: (
        answers
    )
    stamping: Callable[[int, int], int] = lambda appended, _: appended
    giving: Callable[[CurrentProducer | None, InitProducerRequest, int, Fresh], Initialized] = (
        give_producer
    )


REFERENCE = Leader()
