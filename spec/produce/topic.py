"""The topic configs that decide which batches are accepted, and how they are stored."""

from enum import StrEnum

from spec.frozen import frozen, replace
from spec.kafka import INT64_MAX
from spec.layout import Codec

HOUR_MS = 3_600_000
LEAST_SEGMENT = 1 << 20
"""The least value of `segment.bytes` since Kafka 4.1."""
DEFAULT_MAX_MESSAGE_BYTES = 1048588
"""`max.message.bytes` by default: 1 MiB and the 12 bytes before a batch's length counts."""


class TimestampType(StrEnum):
    """The values of `message.timestamp.type`."""

    CREATE = "CreateTime"
    APPEND = "LogAppendTime"


class Compression(StrEnum):
    """The values of `compression.type`."""

    PRODUCER = "producer"
    """Each batch keeps the codec with which it was sent."""
    UNCOMPRESSED = "uncompressed"
    GZIP = "gzip"
    SNAPPY = "snappy"
    LZ4 = "lz4"
    ZSTD = "zstd"


@frozen
class TopicSettings:
    """The configs of a topic, each at Kafka's default.

    Attributes:
        max_message_bytes: `max.message.bytes`, bytes of a whole batch as it is stored.
        timestamp_type: `message.timestamp.type`.
        before_max_ms, after_max_ms: `message.timestamp.before.max.ms` and
            `message.timestamp.after.max.ms`, how far a record's time may be from the broker's.
        compacted: `cleanup.policy` has `compact` beside `delete`.
        compression: `compression.type`.
        segment_bytes: the bytes of a segment; 0 where the broker's own are left as they are. Below
            `segment.bytes`' least value, 1 MiB, it is `internal.segment.bytes`, which not each
            broker has.
        min_insync: `min.insync.replicas`.
        max_decompressed: `max.decompressed.message.bytes`, bytes of a record once it is unpacked; 0
            where it is not set, since not each broker has it.
    """

    max_message_bytes: int = DEFAULT_MAX_MESSAGE_BYTES
    timestamp_type: TimestampType = TimestampType.CREATE
    before_max_ms: int = INT64_MAX
    after_max_ms: int = HOUR_MS
    compacted: bool = False
    compression: Compression = Compression.PRODUCER
    segment_bytes: int = 0
    min_insync: int = 1
    max_decompressed: int = 0

    def configs(self, least_segment: int = LEAST_SEGMENT) -> tuple[tuple[str, str], ...]:
        """The topic configs by Kafka's names; of those that not each broker has, the ones that are
        set. `least_segment`: the least value of `segment.bytes` that is taken.
        """
        internal = self.segment_bytes < least_segment
        segment = "internal.segment.bytes" if internal else "segment.bytes"
        given = (
            (segment, self.segment_bytes),
            ("max.decompressed.message.bytes", self.max_decompressed),
        )
        return (
            ("max.message.bytes", str(self.max_message_bytes)),
            ("message.timestamp.type", self.timestamp_type.value),
            ("message.timestamp.before.max.ms", str(self.before_max_ms)),
            ("message.timestamp.after.max.ms", str(self.after_max_ms)),
            ("cleanup.policy", "compact,delete" if self.compacted else "delete"),
            ("compression.type", self.compression.value),
            ("min.insync.replicas", str(self.min_insync)),
            *[(name, str(value)) for name, value in given if value],
        )

    def altered_to(self, other: "TopicSettings") -> "TopicSettings":
        """These configs after they were altered to others: those that not each broker has stay."""
        return replace(
            other, segment_bytes=self.segment_bytes, max_decompressed=self.max_decompressed
        )

    def changes_to(self, other: "TopicSettings") -> dict[str, str]:
        """The topic configs that are set to alter these to others."""
        return dict(sorted({*self.altered_to(other).configs()} - {*self.configs()}))

    def stored_codec(self, sent: Codec) -> Codec:
        """The codec with which a batch is stored that was sent with this one."""
        if self.compression is Compression.PRODUCER:
            return sent
        if self.compression is Compression.UNCOMPRESSED:
            return Codec.NONE
        return Codec(self.compression.value)

    def encodes_again(self, sent: Codec) -> bool:
        """Whether the records of a batch that was sent with this codec are stored with another."""
        return self.stored_codec(sent) is not sent
