"""InitProducerId as requests and answers, and the transactional ids of a play."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.ledger import PREFIX
from conformance.placement.coordinated import TYPED, KeyType, coordinated_name, coordinators
from conformance.retries import tries
from conformance.wire.outcomes import NoAnswer, NotConnected
from spec.outcomes import NotSent
from spec.produce.steps import EMPTY_ID, InitProducer, Produce

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.cluster import Cluster
    from conformance.wire.outcomes import Answer
    from spec.produce.assigned_ids import AssignedIds
    from spec.produce.outcomes import ProducerGiven
    from spec.scenario import Scenario

BITS = {"transaction_timeout_ms": 32, "producer_id": 64, "producer_epoch": 16}
"""The fields of an InitProducerId request that hold numbers, and their sizes."""


def names_in(scenario: Scenario) -> set[int]:
    """The numbers of a scenario's transactional ids, without the empty one."""
    asking = InitProducer | Produce
    numbers = {step.transactional for step in scenario.steps if isinstance(step, asking)}
    return {number for number in numbers if number is not None and number != EMPTY_ID}


def names_for(cluster: Cluster, scenario: Scenario) -> dict[int, str]:
    """A transactional id for each number of a scenario, none of which was used before.

    Raises:
        PlacementFailed: of several brokers, this one coordinates none.
        MissingApiError: of several brokers, this one does not say which coordinates what.
        NoAnswer, NotConnected: the broker is gone.
    """
    prefix = f"{PREFIX}produce-"
    return {
        number: coordinated_name(cluster, prefix, KeyType.TRANSACTION)
        for number in names_in(scenario)
    }


def wake_coordinator(cluster: Cluster) -> None:
    """Have a broker make what its transaction coordinators need: it does so when one is looked for.
    Where it does not answer, or offers no coordinator, the requests to one show that.
    """
    if not (cluster.offers("InitProducerId") and cluster.offers("FindCoordinator", TYPED)):
        return
    try:
        with cluster.connect() as connection:
            for _ in tries(cluster.timeout):
                found = coordinators(cluster, connection, [PREFIX], KeyType.TRANSACTION)
                if not any(error for error, _ in found.values()):
                    return
    except (NoAnswer, NotConnected):
        return


def init_producer_value(
    step: InitProducer, names: Mapping[int, str], given: AssignedIds
) -> dict[str, Any]:
    """The fields of an InitProducerId request."""
    producer, epoch = given.claimed(step)
    number = step.transactional
    name = None if number is None else "" if number == EMPTY_ID else names[number]
    return {
        "transactional_id": name,
        "transaction_timeout_ms": step.timeout_ms,
        "producer_id": producer,
        "producer_epoch": epoch,
    }


def unfit_fields(value: Mapping[str, Any]) -> NotSent | None:
    """Say which fields of an InitProducerId request hold less than their values, as where an epoch
    after the last one is wanted; None where all fit.
    """
    unfit = [f"{name}={value[name]}" for name, bits in BITS.items() if not _fits(value[name], bits)]
    if not unfit:
        return None
    return NotSent(f"no InitProducerId request holds {', '.join(unfit)}")


def _fits(value: int, bits: int) -> bool:
    return -(1 << bits - 1) <= value < 1 << bits - 1


def init_producer_answer(answer: Answer, step: InitProducer, given: AssignedIds) -> ProducerGiven:
    """An InitProducerId answer in the terms of an observation."""
    value = answer.value
    return given.answered(step, value["producer_id"], value["producer_epoch"], value["error_code"])
