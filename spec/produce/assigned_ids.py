"""The producer ids and epochs that the answers to InitProducerId had in a play, and what a later
request carries of them.
"""

from dataclasses import dataclass, field

from spec.kafka import Error
from spec.produce.model.coordinator import ABSENT
from spec.produce.outcomes import ProducerGiven
from spec.produce.steps import CarriedProducer, InitProducer

Pair = tuple[int, int]
"""A producer id and an epoch."""
MADE_UP: Pair = (1 << 50, 3)
"""What a request carries where no answer had anything before."""


def with_pair(pairs: tuple[Pair, ...], pair: Pair) -> tuple[Pair, ...]:
    """The pairs of a transactional id with one more, unless it is the last one again."""
    return pairs if pairs[-1:] == (pair,) else (*pairs, pair)


@dataclass
class AssignedIds:
    """What was given out in a play so far, with the ids that a broker gave."""

    _pairs: dict[int | None, tuple[Pair, ...]] = field(default_factory=dict)
    _ids: list[int] = field(default_factory=list)

    def claimed(self, step: InitProducer) -> Pair:
        """The producer id and epoch that a request carries."""
        pairs = self._pairs.get(step.transactional, ())
        producer, epoch = pairs[-1] if pairs else MADE_UP
        return {
            CarriedProducer.NONE: (ABSENT, ABSENT),
            CarriedProducer.NOW: (producer, epoch),
            CarriedProducer.BEFORE: pairs[-2] if len(pairs) > 1 else MADE_UP,
            CarriedProducer.NEWER: (producer, epoch + 1),
            CarriedProducer.OTHER: (max([*self._ids, MADE_UP[0]]) + 1, epoch),
            CarriedProducer.ID_ALONE: (producer, ABSENT),
            CarriedProducer.EPOCH_ALONE: (ABSENT, epoch),
        }[step.claim]

    def current(self, transactional: int) -> Pair:
        """The last pair of a transactional id; a made-up one where no answer had any."""
        return self._pairs.get(transactional, (MADE_UP,))[-1]

    def answered(
        self, step: InitProducer, producer: int, epoch: int, error: int = Error.NONE
    ) -> ProducerGiven:
        """Take note of an answer; it as an outcome."""
        if error or producer < 0:
            return ProducerGiven(error, self._number(producer), None if epoch == ABSENT else epoch)
        self._pairs[step.transactional] = with_pair(
            self._pairs.get(step.transactional, ()), (producer, epoch)
        )
        return ProducerGiven(error, self._number(producer), epoch)

    def _number(self, producer: int) -> int | None:
        """A producer id as the number of those before it."""
        if producer < 0:
            return None
        if producer not in self._ids:
            self._ids.append(producer)
        return self._ids.index(producer)
