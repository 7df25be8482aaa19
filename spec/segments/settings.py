"""The topic configs that decide how a log is cut into segments, how they are indexed, and how long
they are kept.
"""

from spec.frozen import frozen, replace

SMALLEST_SEGMENT = 2**20
"""The least `segment.bytes` that a topic may have since 4.1 (KIP-1030)."""
WEEK_MS = 604_800_000
LARGEST_APPEND = 4 * 2**20
"""`max.message.bytes` of every topic here: more than the segments that are not crafted hold."""
UNLIMITED = -1
NEAR_MS = 600_000
"""How far from `retention.ms` times are that are drawn, and clocks may be from each other."""


@frozen
class SegmentSettings:
    """The configs of a topic, each at Kafka's default but for retention, which is unlimited.

    Attributes:
        segment_bytes: `segment.bytes`; below 1 MiB, `internal.segment.bytes` where a broker has it.
        segment_ms: `segment.ms`, with a `segment.jitter.ms` of 0.
        index_bytes: `segment.index.bytes`, of either index.
        index_interval: `index.interval.bytes`.
        retention_bytes: `retention.bytes`; -1: unlimited.
        retention_ms: `retention.ms`; -1: unlimited.
        preallocate: `preallocate`: whether the file of a segment has all its bytes from its begin.
    """

    segment_bytes: int = 2**30
    segment_ms: int = WEEK_MS
    index_bytes: int = 10 * 2**20
    index_interval: int = 4096
    retention_bytes: int = UNLIMITED
    retention_ms: int = UNLIMITED
    preallocate: bool = False

    def alter(self, altered: "SegmentSettings") -> "SegmentSettings":
        """These settings with what an alteration changes of them."""
        return replace(
            altered,
            retention_bytes=self.retention_bytes,
            retention_ms=self.retention_ms,
            preallocate=self.preallocate,
        )

    def with_indexes_of(self, begun: "SegmentSettings") -> "SegmentSettings":
        """What goes for a segment that was begun under other settings: those of its indexes stay,
        for as long as it is active.
        """
        return replace(self, index_bytes=begun.index_bytes, index_interval=begun.index_interval)

    def configs(self, small_segments: str) -> tuple[tuple[str, str], ...]:
        """The topic configs by Kafka's names; a segment below 1 MiB is asked for by that name."""
        size = "segment.bytes" if self.segment_bytes >= SMALLEST_SEGMENT else small_segments
        return (
            (size, str(self.segment_bytes)),
            ("max.message.bytes", str(LARGEST_APPEND)),
            ("segment.ms", str(self.segment_ms)),
            ("segment.jitter.ms", "0"),
            ("segment.index.bytes", str(self.index_bytes)),
            ("index.interval.bytes", str(self.index_interval)),
            ("retention.bytes", str(self.retention_bytes)),
            ("retention.ms", str(self.retention_ms)),
            *((("preallocate", "true"),) if self.preallocate else ()),
        )
