"""Steps of a scenario: their base, and those that several subjects use."""

import re
from collections.abc import Iterator

from spec.frozen import frozen
from spec.layout import Batch


def in_words(kind: type) -> str:
    """The name of a class in words: `delete records`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.__name__).lower()


class Step:
    """One thing that a scenario does. A subject's own steps say so; those below are offered to all.

    Attributes:
        actor: which connection sends it. A step waits for the earlier steps of its own actor, not
            for those of others.
    """

    __slots__ = ()
    actor: int

    @property
    def name(self) -> str:
        """The kind of step, in words: `alter group config`."""
        return in_words(type(self))

    @property
    def subject(self) -> str:
        """The name of the one subject that has such a step; empty where several do."""
        return ""

    @property
    def literal_names(self) -> tuple[str, ...]:
        """The names of topics and groups that it asks for as they stand, whatever the names of a
        run begin with.
        """
        return ()

    def problems(self) -> Iterator[str]:
        """Combinations of fields that can't be asked though each alone could be: `field: expected
        ..., found ...`.
        """
        yield from ()


@frozen
class Append(Step):
    """One batch is produced to a partition (acks=all) while the scenario runs.

    Attributes:
        partition: its number in the layout.
        batch: a plain batch; `txn`, `gap` and `span` must be unset.
        actor: which connection sends it. A step waits for the earlier steps of its own actor, not
            for those of others.
        after_ms: not sent earlier than this many milliseconds after the scenario's start.
    """

    partition: int
    batch: Batch
    actor: int = 0
    after_ms: int = 0


@frozen
class DeleteRecords(Step):
    """The log start offset is moved by DeleteRecords (KIP-107) while the scenario runs.

    Attributes:
        partition: its number in the layout.
        offset: the new log start offset, relative to the partition's base.
        actor: which connection sends it.
        after_ms: not sent earlier than this many milliseconds after the scenario's start.
    """

    partition: int
    offset: int
    actor: int = 0
    after_ms: int = 0
