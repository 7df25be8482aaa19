"""Decisions about segments in which releases differ."""

from collections.abc import Mapping

from spec.frozen import frozen


@frozen
class SegmentSemantics:
    """The model's decisions about segments.

    Attributes:
        small_segments: the topic config by which a segment may be smaller than 1 MiB (KIP-1030).
    """

    small_segments: str = "internal.segment.bytes"


SEGMENT_RELEASES: Mapping[str, SegmentSemantics] = {
    "4.0": SegmentSemantics(small_segments="segment.bytes"),
    "4.1": SegmentSemantics(),
    "4.2": SegmentSemantics(),
    "4.3": SegmentSemantics(),
    "4.4": SegmentSemantics(),
}
