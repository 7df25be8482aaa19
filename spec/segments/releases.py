"""Decisions about segments in which releases differ."""

from collections.abc import Mapping

from spec.frozen import frozen


@frozen
class SegmentSemantics:
    """The model's decisions about segments.

    Attributes:
        small_segments: the topic config by which a segment may be smaller than 1 MiB (KIP-1030).
        fetch_max_bytes: the broker's `fetch.max.bytes`: an answer that has as many bytes ends
            before its segment may.
    """

    small_segments: str = "internal.segment.bytes"
    fetch_max_bytes: int = 57671680


SEGMENT_RELEASES: Mapping[str, SegmentSemantics] = {
    "4.0": SegmentSemantics(small_segments="segment.bytes"),
    "4.1": SegmentSemantics(),
    "4.2": SegmentSemantics(),
    "4.3": SegmentSemantics(),
    "4.4": SegmentSemantics(),
}
