"""Decisions of Kafka releases about offsets and lookups."""

from collections.abc import Mapping
from enum import StrEnum

from spec.frozen import frozen

OLDEST_LIST_OFFSETS = 1


class DeletedRecords(StrEnum):
    """What records that were deleted still decide in a lookup by time (OFF-004, OFF-005)."""

    IGNORED = "ignored"
    """Nothing."""
    BY_SEGMENT = "by_segment"
    """The segment that is searched: the first one whose largest timestamp ever is late enough, or
    the largest of all, whether or not the record that has it was deleted.
    """


class MetadataUnit(StrEnum):
    """What `offset.metadata.max.bytes` counts (OFF-051)."""

    UTF16 = "utf16"
    """Units of UTF-16, which Java's strings have."""
    BYTES = "bytes"
    """Bytes of UTF-8, as the metadata is sent."""
    CHARACTERS = "characters"
    """Code points."""


@frozen
class OffsetSemantics:
    """The named decisions about offsets.

    Attributes:
        newest_list_offsets: the newest version of ListOffsets.
        deleted: see `DeletedRecords`.
        stable_in_batch: whether the last stable offset is the base offset of the batch that the log
            start lies in, where that has passed the first offset of an open transaction (OFF-003).
        metadata_max: the broker's `offset.metadata.max.bytes`.
        knows_metadata_max: the broker or its user says it; otherwise it is Kafka's default, and
            what a broker does at it is not judged.
        metadata_unit: see `MetadataUnit`.
    """

    newest_list_offsets: int = 11
    deleted: DeletedRecords = DeletedRecords.BY_SEGMENT
    stable_in_batch: bool = True
    metadata_max: int = 4096
    knows_metadata_max: bool = True
    metadata_unit: MetadataUnit = MetadataUnit.UTF16


OFFSET_RELEASES: Mapping[str, OffsetSemantics] = {
    "4.0": OffsetSemantics(newest_list_offsets=10),
    "4.1": OffsetSemantics(newest_list_offsets=10),
    "4.2": OffsetSemantics(),
    "4.3": OffsetSemantics(),
    "4.4": OffsetSemantics(),
}
