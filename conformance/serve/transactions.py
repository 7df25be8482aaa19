"""The transaction coordinator, as far as clients need one to write transactions (KIP-98, without
KIP-890's second part).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from spec.kafka import Error
from spec.produce.model.coordinator import ABSENT, CurrentProducer


@dataclass(slots=True)
class Transaction:
    """A transactional id.

    Attributes:
        producer, epoch: who may write now.
        before: the epoch that the request carried which made this one; `ABSENT` where it had none.
        partitions: the (topic, partition) pairs in the transaction that is open.
        offsets: consumer groups whose offsets are part of it, each with what is to be committed.
        ended: how the last transaction went: True committed, False aborted, None where there was
            none.
    """

    producer: int
    epoch: int
    partitions: set[tuple[str, int]] = field(default_factory=set)
    offsets: dict[str, dict[tuple[str, int], tuple[int, int, str | None]]] = field(
        default_factory=dict
    )
    ended: bool | None = None
    before: int = ABSENT

    @property
    def open(self) -> bool:
        """Whether something is to be committed or aborted."""
        return bool(self.partitions or self.offsets)


@dataclass(slots=True)
class Coordinator:
    """Gives out producer ids and keeps the transactional ones."""

    transactions: dict[str, Transaction] = field(default_factory=dict)
    _next: int = 1000

    def producer(self) -> int:
        """A producer id that was never given before."""
        self._next += 1
        return self._next

    def current_producer(self, name: str | None) -> CurrentProducer | None:
        """Who may write under a transactional id."""
        known = None if name is None else self.transactions.get(name)
        return None if known is None else CurrentProducer(known.producer, known.epoch, known.before)

    def begin(self, name: str, current: CurrentProducer) -> None:
        """Give a transactional id to a producer, which fences who had it before. The caller aborts
        what was open.
        """
        known = self.transactions.get(name)
        if known is None or known.producer != current.producer:
            known = self.transactions[name] = Transaction(current.producer, current.epoch)
        known.epoch, known.before = current.epoch, current.before

    def check(self, name: str, producer: int, epoch: int) -> tuple[int, Transaction | None]:
        """The error code for a request that claims to be this producer, and the transactional id
        where the code is 0.
        """
        known = self.transactions.get(name)
        if known is None or known.producer != producer:
            return Error.INVALID_PRODUCER_ID_MAPPING, None
        if known.epoch != epoch:
            return (
                Error.PRODUCER_FENCED if epoch < known.epoch else Error.INVALID_PRODUCER_EPOCH,
                None,
            )
        return 0, known
