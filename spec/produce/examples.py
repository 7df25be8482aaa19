"""Short forms for the worked examples."""

from spec.layout import Layout, Partition
from spec.produce.steps import EndOffsets, Flaw, Outgoing, Produce, ProduceStep, ReadBack, UseTopic
from spec.produce.topic import TopicSettings
from spec.scenario import Scenario
from spec.steps import DeleteRecords

LIMIT = 500
"""`max.message.bytes` of the topic of most examples, so that bytes are cheap."""
LIMITED = UseTopic(TopicSettings(max_message_bytes=LIMIT))
LOOK = (EndOffsets(), ReadBack())
"""The steps that show what is stored."""


def empty(partitions: int) -> Layout:
    """So many empty partitions."""
    return Layout((Partition(),) * partitions)


def scenario(*steps: ProduceStep | DeleteRecords, partitions: int = 1) -> Scenario:
    """Steps on empty partitions of a topic whose batches may have 500 bytes, and a look at what is
    stored then.
    """
    return Scenario(empty(partitions), (LIMITED, *steps, *LOOK))


def alone(
    size: int = 200,
    records: int = 1,
    flaw: Flaw = Flaw.NONE,
    *,
    acks: int = -1,
    version: int = 9,
    partition: int = 0,
) -> Produce:
    """A request of one batch."""
    return Produce((Outgoing(partition, size, records, flaw=flaw),), acks, version)


def pair(flaw: Flaw, *, acks: int = -1) -> Produce:
    """A request of a sound batch and one with a flaw, for two partitions."""
    return Produce((Outgoing(0, 200, 2), Outgoing(1, 200, 2, flaw=flaw)), acks)
