"""What the worked examples about fetches are made of."""

from spec.fetch.steps import OWN, Fetch, FetchPartition
from spec.frozen import replace
from spec.layout import Batch, Layout, Partition
from spec.scenario import Scenario
from spec.steps import Step


def batches(*sizes: int) -> Partition:
    """A partition of one segment, with batches of these sizes in bytes, one record each."""
    return Partition((tuple([Batch(size) for size in sizes]),))


def from_start(*numbers: int) -> tuple[FetchPartition, ...]:
    """These partitions from offset 0, with no limit of their own."""
    return tuple([FetchPartition(number, 0) for number in numbers])


def full(*parts: FetchPartition, version: int = 12, max_bytes: int | None = None) -> Fetch:
    """A full fetch, by which a session is opened."""
    return (
        Fetch(parts, version=version, epoch=0)
        if max_bytes is None
        else Fetch(parts, max_bytes, version=version, epoch=0)
    )


def incremental(epoch: int, *parts: FetchPartition, forgotten: tuple[int, ...] = ()) -> Fetch:
    """A fetch in the session that was opened, with these changes."""
    return Fetch(parts, session=OWN, epoch=epoch, forgotten=forgotten)


def would_wait(scenario: Scenario) -> Scenario:
    """The same, by fetches that would wait half a second for the first byte. A broker that answers
    others with nothing shows what it returns by these.
    """
    steps = [
        replace(step, min_bytes=1, max_wait_ms=500) if isinstance(step, Fetch) else step
        for step in scenario.steps
    ]
    return replace(scenario, steps=tuple(steps))


def ask_of(partitions: tuple[Partition, ...], *steps: Step) -> Scenario:
    """These partitions, and what is done with them."""
    return Scenario(Layout(partitions), steps)
