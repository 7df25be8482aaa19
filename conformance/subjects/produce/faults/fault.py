"""A planted fault of produce: a change at one seam of a leader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.faults.planted import Expected
from spec.frozen import frozen, replace
from spec.produce.model.acceptance import check_batch
from spec.produce.model.seams import REFERENCE, Leader, StoredForm

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.serve.broker_state import BrokerState
    from spec.kafka import Error
    from spec.produce.model.received import Received
    from spec.produce.outcomes import BatchAnswer
    from spec.produce.topic import TopicSettings

VIOLATES, DEVIATES, CONFORMS = Expected.VIOLATES, Expected.DEVIATES, Expected.CONFORMS


@frozen
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


def misread(when: Callable[[Received], bool], **fields: Any) -> Leader:
    """The leader sees other fields of some batches than they have."""
    return Leader(
        receiving=lambda received: replace(received, **fields) if when(received) else received
    )


def replace_code(old: Error, new: Error) -> Leader:
    """The leader answers another code."""
    return Leader(deciding=lambda errors: tuple([new if one is old else one for one in errors]))


def change_check(
    change: Callable[[Received, TopicSettings, Error], Error],
) -> Leader:
    """The leader comes to another result of its checks."""
    return Leader(
        checking=lambda received, topic: change(received, topic, check_batch(received, topic))
    )


def change_answer(change: Callable[[BatchAnswer], BatchAnswer]) -> Leader:
    """The leader alters the answer on each batch."""
    return Leader(answering=lambda answers: tuple([change(one) for one in answers]))


def store_differently(kept: StoredForm, when: Callable[[Received, Error], bool]) -> Leader:
    """The leader keeps something else of some batches."""
    return Leader(
        keeping=lambda received, error, acks: (
            kept if when(received, error) else REFERENCE.keeping(received, error, acks)
        )
    )
