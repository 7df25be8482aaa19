"""What the worked examples about offsets are made of."""

from spec.layout import Batch, Layout, Partition
from spec.offsets.steps import AppendTimed, Commit, ListOffsets, Lookup, OffsetCommit, Text
from spec.scenario import Scenario
from spec.steps import Step

EMPTY = Partition()
OPEN = Partition(((Batch(100), Batch(100, txn=0)),))
"""One record, and one of a transaction that is open."""


def times(*values: int) -> AppendTimed:
    """One batch with records of these timestamps."""
    return AppendTimed(0, values)


def ask(timestamp: int, *, isolation: int = 0, version: int = 10) -> ListOffsets:
    """Ask partition 0 for a special timestamp."""
    return ListOffsets((Lookup(0, timestamp),), isolation, version)


def ask_time(time: int, *, isolation: int = 0) -> ListOffsets:
    """Ask partition 0 for a time relative to its own."""
    return ListOffsets((Lookup(0, time, relative=True),), isolation)


def play_on(partition: Partition, *steps: Step) -> Scenario:
    """One partition, and what is done with it."""
    return Scenario(Layout((partition,)), steps, subject="offsets")


def commit(length: int, text: Text = Text.ASCII) -> OffsetCommit:
    """Commit offset 0 of partition 0 with metadata of so many characters."""
    return OffsetCommit((Commit(0, 0, length, text),))
