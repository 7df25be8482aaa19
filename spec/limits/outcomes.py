"""Responses to the steps of a scenario of limits."""

from dataclasses import dataclass

from spec.outcomes import Outcome


@dataclass(frozen=True, slots=True)
class TopicEntry:
    """One topic's part of an answer.

    Attributes:
        topic: the place in the request of the first topic of this name; -1 where it was not asked
            for.
        error: error code.
        partitions: how many it has; None where the answer does not say it.
    """

    topic: int
    error: int = 0
    partitions: int | None = None


@dataclass(frozen=True, slots=True)
class TopicsAnswer(Outcome):
    """An answer to CreateTopics, CreatePartitions or Metadata that could be decoded: its topics in
    the answer's order.
    """

    entries: tuple[TopicEntry, ...] = ()
