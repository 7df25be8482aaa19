"""Faults in how many partitions and replicas a new topic may have, and has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.limits.faults.fault import DEVIATES, VIOLATES, LimitFault
from spec.frozen import replace
from spec.kafka import Error
from spec.limits.model import Controller, counted_partitions, replication_error, shape_error
from spec.limits.topic import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.limits.releases import LimitSemantics
    from spec.limits.topic import RequestedTopic


def _change_shapes(change: Callable[[RequestedTopic, LimitSemantics, Error], Error]) -> Controller:
    """The controller says something else of a new topic's numbers."""
    return Controller(
        shaping=lambda wanted, semantics: change(wanted, semantics, shape_error(wanted, semantics))
    )


def _brokers_plus_one(wanted: RequestedTopic, semantics: LimitSemantics, found: Error) -> Error:
    del found
    return shape_error(wanted, replace(semantics, brokers=semantics.brokers + 1))


def _any_factor(wanted: RequestedTopic, semantics: LimitSemantics, found: Error) -> Error:
    del found
    return shape_error(replace(wanted, replication=-1), semantics)


def _zero_is_default(wanted: RequestedTopic, semantics: LimitSemantics, found: Error) -> Error:
    same = replace(wanted, partitions=-1) if not wanted.partitions else wanted
    return found and shape_error(same, semantics)


def _negative_is_default(wanted: RequestedTopic, semantics: LimitSemantics, found: Error) -> Error:
    same = replace(wanted, partitions=-1) if wanted.partitions < -1 else wanted
    return found and shape_error(same, semantics)


def _no_default(wanted: RequestedTopic, semantics: LimitSemantics, found: Error) -> Error:
    del semantics
    return found or (Error.INVALID_PARTITIONS if wanted.partitions == -1 else Error.NONE)


def _refuse_one_replica(wanted: RequestedTopic, semantics: LimitSemantics, found: Error) -> Error:
    full = wanted.replication == semantics.brokers
    return found or (Error.INVALID_REPLICATION_FACTOR if full else Error.NONE)


def _partitions_first(wanted: RequestedTopic, semantics: LimitSemantics, found: Error) -> Error:
    del found
    counts = shape_error(replace(wanted, replication=-1), semantics)
    return counts or replication_error(wanted, semantics)


FAULTS: tuple[LimitFault, ...] = (
    LimitFault(
        "default-partitions-refused",
        "LIM-003",
        VIOLATES,
        "A topic without a number of partitions is refused.",
        _change_shapes(_no_default),
    ),
    LimitFault(
        "all-replicas-refused",
        "LIM-003",
        VIOLATES,
        "As many replicas as there are brokers are refused.",
        _change_shapes(_refuse_one_replica),
    ),
    LimitFault(
        "no-partition-taken",
        "LIM-016",
        VIOLATES,
        "A topic of no partitions is taken as one without a number.",
        _change_shapes(_zero_is_default),
    ),
    LimitFault(
        "negative-partitions-taken",
        "LIM-016",
        VIOLATES,
        "Any negative number of partitions is taken for the broker's own.",
        _change_shapes(_negative_is_default),
    ),
    LimitFault(
        "one-replica-too-many",
        "LIM-017",
        VIOLATES,
        "One replica more than there are brokers is taken.",
        _change_shapes(_brokers_plus_one),
    ),
    LimitFault(
        "replication-not-checked",
        "LIM-017",
        VIOLATES,
        "Any replication factor is taken.",
        _change_shapes(_any_factor),
    ),
    LimitFault(
        "two-partitions-by-default",
        "LIM-018",
        VIOLATES,
        "A new topic without a number of partitions has one more than num.partitions.",
        Controller(
            counting=lambda wanted, semantics: (
                counted_partitions(wanted, semantics) + (wanted.partitions == DEFAULT)
            )
        ),
    ),
    LimitFault(
        "one-more-made",
        "LIM-019",
        VIOLATES,
        "A new topic has one partition more than asked for.",
        Controller(makes_by=1),
    ),
    LimitFault(
        "partitions-before-replication",
        "LIM-040",
        DEVIATES,
        "The partitions are looked at before a replication factor below 1.",
        _change_shapes(_partitions_first),
    ),
)
