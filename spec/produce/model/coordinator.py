"""Which producer id and epoch a coordinator gives out.

Source: TransactionCoordinator.scala, handleInitProducerId and prepareInitProducerIdTransit, and
TransactionMetadata.java, prepareIncrementProducerEpoch, of Kafka 4.3.1.
"""

from collections.abc import Callable
from enum import StrEnum

from spec.frozen import frozen, replace
from spec.kafka import Error
from spec.produce.steps import EMPTY_ID, FENCED_SINCE

LAST_EPOCH = 32766
"""A producer id whose epoch would pass this one is replaced by a fresh one."""
ABSENT = -1
"""Stands for a producer id or an epoch that a request does not carry."""


class TransactionalIdKind(StrEnum):
    """How a request names its transactional id."""

    NULL = "null"
    EMPTY = "empty"
    NAMED = "named"


def naming_of(name: int | None) -> TransactionalIdKind:
    """How a transactional id with this number is named."""
    if name is None:
        return TransactionalIdKind.NULL
    return TransactionalIdKind.EMPTY if name == EMPTY_ID else TransactionalIdKind.NAMED


@frozen
class InitProducerRequest:
    """An InitProducerId request.

    Attributes:
        naming: how it names its transactional id.
        timeout_ms: its transaction timeout.
        producer, epoch: what it carries, or `ABSENT`.
    """

    naming: TransactionalIdKind
    timeout_ms: int
    producer: int = ABSENT
    epoch: int = ABSENT

    @property
    def carries_one(self) -> bool:
        """Whether it has a producer id without an epoch, or an epoch without a producer id."""
        return (self.producer == ABSENT) != (self.epoch == ABSENT)


@frozen
class CurrentProducer:
    """Who may write now under a transactional id.

    Attributes:
        producer, epoch: its id and epoch.
        before: the epoch that the request carried which made this one; `ABSENT` where it had none.
    """

    producer: int
    epoch: int
    before: int = ABSENT


Initialized = tuple[Error, CurrentProducer | None]
"""The error, or who may write then."""
Fresh = Callable[[], int]
"""Gives a producer id that was not given before."""


def give_producer(
    known: CurrentProducer | None, asked: InitProducerRequest, limit: int, fresh: Fresh
) -> Initialized:
    """What a request gets; `known`: who may write under its transactional id so far, `limit`:
    `transaction.max.timeout.ms`.
    """
    if asked.carries_one:
        return Error.INVALID_REQUEST, None
    if asked.naming is TransactionalIdKind.NULL:
        return Error.NONE, CurrentProducer(fresh(), 0)
    if asked.naming is TransactionalIdKind.EMPTY:
        return Error.INVALID_REQUEST, None
    if not 0 < asked.timeout_ms <= limit:
        return Error.INVALID_TRANSACTION_TIMEOUT, None
    if known is None:
        return Error.NONE, CurrentProducer(fresh(), 0)
    if asked.producer not in {ABSENT, known.producer}:
        return Error.PRODUCER_FENCED, None
    if asked.epoch == known.before != ABSENT:
        return Error.NONE, known
    if asked.epoch not in {ABSENT, known.epoch}:
        return Error.PRODUCER_FENCED, None
    if known.epoch >= LAST_EPOCH:
        return Error.NONE, CurrentProducer(fresh(), 0, asked.epoch)
    return Error.NONE, replace(known, epoch=known.epoch + 1, before=asked.epoch)


def code_in(error: Error, version: int) -> Error:
    """The error as a version of the answer says it."""
    older = error is Error.PRODUCER_FENCED and version < FENCED_SINCE
    return Error.INVALID_PRODUCER_EPOCH if older else error
