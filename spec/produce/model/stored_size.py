"""How large a batch is once it is stored, as far as that is known without its compressor."""

from spec.frozen import frozen
from spec.kafka import BATCH_HEADER, INT32_MAX
from spec.layout import Codec
from spec.produce.model.received import Received
from spec.produce.topic import TopicSettings

FRAMES = 128
"""Bytes that the frames of a codec add to small records, at most."""


@frozen
class StoredSize:
    """The bytes of a stored batch: at least and at most. They are the same where it is stored as it
    was sent, or uncompressed from a known size; what a compressor makes of records is its own
    affair.
    """

    least: int
    most: int

    def straddles(self, limit: int) -> bool:
        """Whether it depends on the compressor if the batch is within a limit."""
        return self.least <= limit < self.most


def depends_on_bytes(received: Received, topic: TopicSettings) -> bool:
    """Whether what its shape leaves open decides about a batch with nothing else wrong: what the
    compressor of its topic makes of it, or how long its largest record is.
    """
    stored = stored_size(received, topic)
    segment = topic.segment_bytes
    least, most = received.longest
    limited = topic.max_decompressed and received.codec is not Codec.NONE
    return (
        stored.straddles(topic.max_message_bytes)
        or (segment > 0 and stored.straddles(segment))
        or (limited > 0 and StoredSize(least, most).straddles(topic.max_decompressed))
    )


def stored_size(received: Received, topic: TopicSettings) -> StoredSize:
    """The size with which a topic stores a batch that it accepts."""
    sent = received.codec
    if sent is None or not topic.encodes_again(sent):
        return StoredSize(received.size, received.size)
    if received.unpacked is None:
        return StoredSize(BATCH_HEADER + 1, INT32_MAX)
    if topic.stored_codec(sent) is Codec.NONE:
        return StoredSize(received.unpacked, received.unpacked)
    return StoredSize(BATCH_HEADER + 1, _incompressible(received.unpacked))


def _incompressible(size: int) -> int:
    """Bytes that records which can't be compressed take with any codec, at most: snappy may grow
    them by a sixth, the others by less.
    """
    return size + size // 6 + FRAMES
