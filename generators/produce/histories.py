"""What is produced: requests of batches whose sizes lie around the limit of their topic, sound and
with flaws, and a look at what is stored.
"""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.numbers import below
from generators.shapes import GAPS, minimum_size
from generators.weighted import several, weighted
from spec.layout import Codec, Layout, Partition
from spec.produce.steps import EndOffsets, Flaw, Outgoing, Produce, ReadBack, UseTopic
from spec.produce.topic import TimestampType, TopicSettings
from spec.scenario import Scenario

TOPICS = (
    TopicSettings(max_message_bytes=500),
    TopicSettings(max_message_bytes=1000),
    TopicSettings(max_message_bytes=500, timestamp_type=TimestampType.APPEND),
    TopicSettings(max_message_bytes=0),
)
"""The topics of a run: few, since each is made on the broker."""
SIZES = (
    ("at", 0),
    ("below", -1),
    ("above", 1),
)
"""Bytes of a batch, relative to the limit."""
SMALL = (100, 150, 200, 300)
ROOM = 16
"""Bytes beyond a batch's least size, so that its records differ from those of others."""

_partitions = several(1, 3, 40)
_requests = several(1, 4, 45)
_records = weighted((1, 4), (2, 3), (3, 2), (8, 1))
_codecs = weighted(
    (Codec.NONE, 12), (Codec.GZIP, 1), (Codec.SNAPPY, 1), (Codec.LZ4, 1), (Codec.ZSTD, 1)
)
_topics = weighted((TOPICS[0], 12), (TOPICS[1], 4), (TOPICS[2], 4), (TOPICS[3], 1))
_acks = weighted((-1, 10), (1, 3), (0, 3), (2, 1), (-2, 1))
_versions = weighted((9, 8), (3, 1), (5, 1), (7, 1), (8, 1), (12, 1))
_flaws = weighted(
    (Flaw.NONE, len(Flaw) + 6), *[(flaw, 1) for flaw in Flaw if flaw is not Flaw.NONE]
)
_sizes = weighted(("small", 4), ("below", 2), ("at", 3), ("above", 3))
_small = below(len(SMALL)).map(lambda number: SMALL[number])
_elsewhere = weighted((False, 15), (True, 1))


def batch_size(limit: int, where: str, small: int, records: int, codec: Codec) -> int:
    """Bytes of a batch: as small as that, or by its place beside the limit; never fewer than so
    many records take.
    """
    wanted = small if where == "small" else limit + dict(SIZES)[where]
    least = minimum_size(records, codec) + ROOM
    size = max(wanted, least)
    return size + 1 if size in GAPS else size


@st.composite
def _batches(draw: st.DrawFn, topic: TopicSettings, partition: int) -> Outgoing:
    flaw = draw(_flaws)
    records = draw(_records)
    codec = draw(_codecs)
    where = draw(_sizes)
    size = batch_size(topic.max_message_bytes, where, draw(_small), records, codec)
    return Outgoing(partition, size, records, codec, flaw)


@st.composite
def _produces(draw: st.DrawFn, topic: TopicSettings, partitions: int) -> Produce:
    batches: list[Outgoing] = []
    for partition in range(partitions):
        if not batches or draw(st.booleans()):
            batches.append(draw(_batches(topic, partition)))
    if draw(_elsewhere):
        batches.append(draw(_batches(topic, partitions)))
    if len(batches) > 1 and draw(st.booleans()):
        batches.reverse()
    return Produce(tuple(batches), draw(_acks), draw(_versions))


@st.composite
def _histories(draw: st.DrawFn) -> Scenario:
    topic, partitions = draw(_topics), draw(_partitions)
    requests = [draw(_produces(topic, partitions)) for _ in range(draw(_requests))]
    layout = Layout((Partition(),) * partitions)
    return Scenario(layout, (UseTopic(topic), *requests, EndOffsets(), ReadBack()))


def produce_histories() -> SearchStrategy[Scenario]:
    """One to four requests for one to three partitions of a topic; they shrink towards one batch of
    one record.
    """
    return _histories()
