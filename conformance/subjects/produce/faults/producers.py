"""Faults in the producer ids and epochs that a coordinator gives out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.produce.faults.fault import DEVIATES, VIOLATES, ProduceFault
from spec.frozen import replace
from spec.kafka import Error
from spec.produce.model.coordinator import (
    ABSENT,
    CurrentProducer,
    TransactionalIdKind,
    give_producer,
)
from spec.produce.model.seams import Leader

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.produce.model.coordinator import Fresh, Initialized, InitProducerRequest


def _read(
    change: Callable[[CurrentProducer | None, InitProducerRequest], InitProducerRequest],
) -> Leader:
    """The coordinator takes a request for another one."""

    def give(
        known: CurrentProducer | None, asked: InitProducerRequest, limit: int, fresh: Fresh
    ) -> Initialized:
        return give_producer(known, change(known, asked), limit, fresh)

    return Leader(giving=give)


def _gives(
    change: Callable[[CurrentProducer | None, InitProducerRequest, Initialized], Initialized],
) -> Leader:
    """The coordinator gives out something else."""

    def give(
        known: CurrentProducer | None, asked: InitProducerRequest, limit: int, fresh: Fresh
    ) -> Initialized:
        return change(known, asked, give_producer(known, asked, limit, fresh))

    return Leader(giving=give)


def _limits(change: Callable[[int], int]) -> Leader:
    """The coordinator takes the limit for another one."""
    return Leader(
        giving=lambda known, asked, limit, fresh: give_producer(known, asked, change(limit), fresh)
    )


def _replace_code(old: Error, new: Error) -> Leader:
    """The coordinator answers another code."""
    return _gives(lambda _, __, found: (new, None) if found[0] is old else found)


def _any_timeout(_: CurrentProducer | None, asked: InitProducerRequest) -> InitProducerRequest:
    return replace(asked, timeout_ms=1) if asked.timeout_ms <= 0 else asked


def _timeout_of_all(
    known: CurrentProducer | None, asked: InitProducerRequest, limit: int, fresh: Fresh
) -> Initialized:
    if (
        asked.naming is TransactionalIdKind.NULL
        and not asked.carries_one
        and not 0 < asked.timeout_ms <= limit
    ):
        return Error.INVALID_TRANSACTION_TIMEOUT, None
    return give_producer(known, asked, limit, fresh)


def _long_is_invalid(
    known: CurrentProducer | None, asked: InitProducerRequest, limit: int, fresh: Fresh
) -> Initialized:
    error, producer = give_producer(known, asked, limit, fresh)
    long = asked.timeout_ms > limit and error is Error.INVALID_TRANSACTION_TIMEOUT
    return (Error.INVALID_REQUEST if long else error), producer


def _named_alike(
    _: CurrentProducer | None, asked: InitProducerRequest, found: Initialized
) -> Initialized:
    given = asked.naming is TransactionalIdKind.NULL and found[1] is not None
    return (Error.NONE, CurrentProducer(0, 0)) if given else found


def _first_is_one(
    known: CurrentProducer | None, _: InitProducerRequest, found: Initialized
) -> Initialized:
    error, producer = found
    first = producer is not None and known is None
    return error, replace(producer, epoch=1) if first and producer is not None else producer


def _not_fenced(
    known: CurrentProducer | None, asked: InitProducerRequest, found: Initialized
) -> Initialized:
    plain = known is not None and not found[0] and asked.epoch == ABSENT
    return (Error.NONE, known) if plain else found


def _by_two(
    known: CurrentProducer | None, asked: InitProducerRequest, found: Initialized
) -> Initialized:
    error, producer = found
    grown = known is not None and producer is not None and producer != known
    del asked
    return error, replace(producer, epoch=producer.epoch + 1) if grown and producer else producer


def _holder_refused(
    known: CurrentProducer | None, asked: InitProducerRequest, found: Initialized
) -> Initialized:
    holds = known is not None and (asked.producer, asked.epoch) == (known.producer, known.epoch)
    return (Error.PRODUCER_FENCED, None) if holds and not found[0] else found


def _claims_ignored(
    known: CurrentProducer | None, asked: InitProducerRequest
) -> InitProducerRequest:
    retried = known is not None and asked.epoch == known.before
    return asked if asked.carries_one or retried else replace(asked, producer=ABSENT, epoch=ABSENT)


def _retry_is_new(
    known: CurrentProducer | None, asked: InitProducerRequest, found: Initialized
) -> Initialized:
    retried = known is not None and known.before != ABSENT and found == (Error.NONE, known)
    del asked
    if not retried or known is None:
        return found
    return Error.NONE, replace(known, epoch=known.epoch + 1)


def _halves(_: CurrentProducer | None, asked: InitProducerRequest) -> InitProducerRequest:
    return replace(asked, producer=ABSENT, epoch=ABSENT) if asked.carries_one else asked


FAULTS: tuple[ProduceFault, ...] = (
    ProduceFault(
        "longer-timeout-accepted",
        "PRO-170",
        VIOLATES,
        "A transaction timeout of 1 ms past the limit is accepted.",
        _limits(lambda limit: limit + 1),
    ),
    ProduceFault(
        "longest-timeout-refused",
        "PRO-170",
        VIOLATES,
        "The limit of transaction timeouts itself is refused.",
        _limits(lambda limit: limit - 1),
    ),
    ProduceFault(
        "long-timeout-is-invalid-request",
        "PRO-171",
        DEVIATES,
        "A transaction timeout past the limit is answered with INVALID_REQUEST.",
        Leader(giving=_long_is_invalid),
    ),
    ProduceFault(
        "timeout-of-zero-accepted",
        "PRO-172",
        DEVIATES,
        "A transaction timeout of 0 is accepted.",
        _read(_any_timeout),
    ),
    ProduceFault(
        "timeout-of-idempotent-producer-checked",
        "PRO-173",
        DEVIATES,
        "A producer without a transactional id needs a transaction timeout within the limit.",
        Leader(giving=_timeout_of_all),
    ),
    ProduceFault(
        "empty-transactional-id-accepted",
        "PRO-174",
        DEVIATES,
        "An empty transactional id is one like any other.",
        _read(
            lambda _, asked: (
                replace(asked, naming=TransactionalIdKind.NAMED)
                if asked.naming is TransactionalIdKind.EMPTY
                else asked
            )
        ),
    ),
    ProduceFault(
        "producer-id-given-twice",
        "PRO-175",
        VIOLATES,
        "All producers without a transactional id are given the same producer id.",
        _gives(_named_alike),
    ),
    ProduceFault(
        "first-epoch-is-one",
        "PRO-176",
        DEVIATES,
        "The first epoch of a producer id is 1.",
        _gives(_first_is_one),
    ),
    ProduceFault(
        "epoch-not-bumped",
        "PRO-177",
        VIOLATES,
        "A transactional id that is asked for again is given the epoch that it had.",
        _gives(_not_fenced),
    ),
    ProduceFault(
        "epoch-grows-by-two",
        "PRO-178",
        DEVIATES,
        "The epoch of a transactional id grows by 2.",
        _gives(_by_two),
    ),
    ProduceFault(
        "holder-of-epoch-fenced",
        "PRO-179",
        VIOLATES,
        "A producer that carries its own epoch is fenced.",
        _gives(_holder_refused),
    ),
    ProduceFault(
        "fenced-producer-accepted",
        "PRO-180",
        VIOLATES,
        "Any producer id and epoch may be carried.",
        _read(_claims_ignored),
    ),
    ProduceFault(
        "fenced-is-invalid-mapping",
        "PRO-181",
        DEVIATES,
        "A fenced producer is answered with INVALID_PRODUCER_ID_MAPPING.",
        _replace_code(Error.PRODUCER_FENCED, Error.INVALID_PRODUCER_ID_MAPPING),
    ),
    ProduceFault(
        "retry-gets-another-epoch",
        "PRO-182",
        DEVIATES,
        "A producer that repeats its request is given one epoch more.",
        _gives(_retry_is_new),
    ),
    ProduceFault(
        "half-a-claim-accepted",
        "PRO-183",
        DEVIATES,
        "A producer id without an epoch, and the reverse, are taken for neither.",
        _read(_halves),
    ),
)
