"""What the worked examples about fair consumption are made of."""

from spec.fairness.steps import (
    AcquireMode,
    AssignPartitions,
    ClientKind,
    Poll,
    StartClient,
    SubscribeTopics,
)
from spec.frozen import replace
from spec.layout import Batch, Layout, Marker, Partition
from spec.scenario import Scenario
from spec.steps import Step

TEN = Batch(1151, 10)
"""Ten records."""


def batches_of_ten(count: int) -> Partition:
    """A partition of so many batches of ten records, 1151 bytes each."""
    return Partition(((TEN,) * count,))


def transaction(*, commit: bool) -> tuple[Batch, Marker]:
    """Three records of a transaction, and the marker that ends it."""
    return Batch(300, 3, txn=0), Marker(0, commit)


COMMITTED = Partition((transaction(commit=True),))
ABORTED = Partition((transaction(commit=False),))


POLL_MS = 520
"""Long enough to say something where a poll returns nothing."""


def polls(count: int) -> tuple[Poll, ...]:
    """So many polls."""
    return (Poll(POLL_MS),) * count


def history(
    partitions: tuple[Partition, ...], *steps: Step, start: StartClient | None = None
) -> Scenario:
    """A consumer that is assigned all partitions, in their order, and what is done then."""
    first = AssignPartitions(tuple(range(len(partitions))))
    return Scenario(Layout(partitions), (start or StartClient(), first, *steps), subject="fairness")


def share_example(
    partitions: tuple[Partition, ...],
    *steps: Step,
    most: int | None = None,
    mode: AcquireMode | None = None,
    isolation: int = 0,
) -> Scenario:
    """A share consumer with these options that subscribes to all partitions, and what is done
    then.
    """
    start = StartClient(
        ClientKind.SHARE_CONSUMER, max_poll_records=most, isolation=isolation, acquire_mode=mode
    )
    return Scenario(Layout(partitions), (start, SubscribeTopics(), *steps), subject="fairness")


def producer_example(
    *steps: Step, partitions: int = 1, start: StartClient | None = None
) -> Scenario:
    """A producer with these options and so many empty partitions, and what is done then."""
    started = replace(start or StartClient(), client_kind=ClientKind.PRODUCER)
    layout = Layout((Partition(((),)),) * partitions)
    return Scenario(layout, (started, *steps), subject="fairness")


def at_most(records: int) -> StartClient:
    """A consumer with `max.poll.records`."""
    return StartClient(max_poll_records=records)
