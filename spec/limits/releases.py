"""Decisions of Kafka releases about limits of administration."""

from collections.abc import Mapping
from enum import StrEnum

from spec.frozen import frozen
from spec.kafka import Error


class PartitionTotal(StrEnum):
    """How the partitions of a CreateTopics request are added up (LIM-022)."""

    WRAPS = "wraps"
    """In 32 bits: past 2147483647 the total is negative, and so no excess."""
    EXACT = "exact"
    """As they are."""


@frozen
class LimitSemantics:
    """The named decisions about limits of administration.

    Attributes:
        kafka: the exact release whose definitions of configs these are.
        most_partitions: partitions of one CreateTopics request, and new ones of one
            CreatePartitions request.
        most_records: metadata records of one CreateTopics request.
        total: see `PartitionTotal`.
        too_much_growth: the error code of more new partitions than that.
        refuses_all_growth: whether they are all refused then, or only what comes after the last one
            that fits.
        brokers: how many brokers there are, and so the largest replication factor.
        default_partitions: the broker's `num.partitions`.
        page: the broker's `max.request.partition.size.limit`.
        knows_default_partitions, knows_page: the broker or its user says these two; otherwise they
            are Kafka's defaults, and what depends on them is not judged.
    """

    kafka: str = "4.3.1"
    most_partitions: int = 10_000
    most_records: int = 10_000
    total: PartitionTotal = PartitionTotal.WRAPS
    too_much_growth: Error = Error.UNKNOWN_SERVER_ERROR
    refuses_all_growth: bool = False
    brokers: int = 1
    default_partitions: int = 1
    page: int = 2000
    knows_default_partitions: bool = True
    knows_page: bool = True


LIMIT_RELEASES: Mapping[str, LimitSemantics] = {
    "4.0": LimitSemantics("4.0.2"),
    "4.1": LimitSemantics("4.1.2"),
    "4.2": LimitSemantics("4.2.2"),
    "4.3": LimitSemantics("4.3.1"),
    "4.4": LimitSemantics(
        "4.4.0",
        total=PartitionTotal.EXACT,
        too_much_growth=Error.POLICY_VIOLATION,
        refuses_all_growth=True,
    ),
}
