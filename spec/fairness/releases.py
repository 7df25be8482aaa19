"""Decisions of Kafka's clients about the order in which they deliver, which a reading or a planted
fault may take otherwise.
"""

from collections.abc import Mapping
from enum import StrEnum

from spec.frozen import frozen


class DeliveryOrder(StrEnum):
    """Where a poll begins, and what follows (FAI-040)."""

    GREEDY = "greedy"
    """With the partition that the poll before it left unfinished; then what was fetched, in order
    of arrival, each to its end.
    """
    ROUND_ROBIN = "round_robin"
    """With what was fetched and not yet begun, in order of arrival, each as far as the poll's limit
    allows; once all was begun, with those left unfinished, in turn.
    """


class ParseError(StrEnum):
    """What becomes of the other partitions where one's data can't be parsed (FAI-042)."""

    BLOCKS = "blocks"
    """Every poll reports the error, and nothing behind it is delivered, until the application seeks
    past it, pauses the partition or gives it up.
    """
    MOVED_TO_END = "moved_to_end"
    """It goes to the end of the queue; the others are delivered first."""


class PausedRecords(StrEnum):
    """What becomes of fetched records of a partition that is paused (FAI-043)."""

    KEPT = "kept"
    """They are delivered once the partition is resumed."""
    DROPPED = "dropped"
    """They are discarded, and fetched again."""


class NextFetch(StrEnum):
    """When the next Fetch is sent to a broker (FAI-044)."""

    BROKER = "broker"
    """Not before everything that this broker sent was handed out."""
    PARTITION = "partition"
    """At any time, for the partitions of which nothing is buffered."""
    AHEAD = "ahead"
    """At any time, for every partition, from behind what is buffered of it."""


class ExcessRecords(StrEnum):
    """What a poll of a share consumer returns where more was acquired than `max.poll.records`
    (FAI-064).
    """

    WHOLE_BATCHES = "whole_batches"
    """Whole batches of records, until there are at least as many records as the limit."""
    NEXT_POLLS = "next_polls"
    """As many records as the limit; the next polls return the rest."""


class ComparedSize(StrEnum):
    """What a producer compares with `max.request.size` before it sends a record (FAI-086)."""

    UPPER_BOUND = "upper_bound"
    """The most bytes that a batch of the record alone may have."""
    BATCH = "batch"
    """The bytes that a batch of the record alone has."""


class OversizeBatch(StrEnum):
    """What becomes of a batch of several records that is larger than the topic allows (FAI-087)."""

    SPLIT = "split"
    """Its records are sent again in smaller batches."""
    REPORTED = "reported"
    """An error is reported for each of them."""


class FullGroup(StrEnum):
    """What a client does where its group is full (FAI-034)."""

    REPORTED = "reported"
    """A poll reports the error."""
    RETRIED = "retried"
    """It tries again by itself, and reports nothing."""


@frozen
class FairnessSemantics:
    """The named decisions of a client about the order of what it delivers, and about limits.

    Attributes:
        delivery_order: see `DeliveryOrder`.
        parse_error: see `ParseError`.
        paused_records: see `PausedRecords`.
        next_fetch: see `NextFetch`.
        excess_records: see `ExcessRecords`.
        compared_size: see `ComparedSize`.
        oversize_batch: see `OversizeBatch`.
        full_group: see `FullGroup`.
    """

    delivery_order: DeliveryOrder = DeliveryOrder.GREEDY
    parse_error: ParseError = ParseError.BLOCKS
    paused_records: PausedRecords = PausedRecords.KEPT
    next_fetch: NextFetch = NextFetch.BROKER
    excess_records: ExcessRecords = ExcessRecords.WHOLE_BATCHES
    compared_size: ComparedSize = ComparedSize.UPPER_BOUND
    oversize_batch: OversizeBatch = OversizeBatch.SPLIT
    full_group: FullGroup = FullGroup.REPORTED


FAIRNESS_RELEASES: Mapping[str, FairnessSemantics] = dict.fromkeys(
    ("4.0", "4.1", "4.2", "4.3", "4.4"), FairnessSemantics()
)
"""What the Java consumer of each release decides."""
