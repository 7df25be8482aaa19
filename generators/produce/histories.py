"""What is produced: requests of batches whose sizes lie around the limit of their topic, sound and
with flaws, and a look at what is stored.
"""

from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.numbers import below
from generators.shapes import GAPS, minimum_size
from generators.weighted import several, weighted
from spec.frozen import replace
from spec.kafka import BATCH_HEADER, INT32_MAX, INT64_MAX
from spec.layout import Codec, Layout, Partition
from spec.produce.releases import REQUEST_MAX_BYTES, TRANSACTION_MAX_MS
from spec.produce.steps import (
    EMPTY_ID,
    NEWEST_INIT_PRODUCER,
    OLDEST_PRODUCE,
    CarriedProducer,
    ChangeTopic,
    EndOffsets,
    Flaw,
    InitProducer,
    LookUpTime,
    Outgoing,
    Produce,
    ProduceStep,
    ReadBack,
    UseTopic,
)
from spec.produce.topic import HOUR_MS, Compression, TimestampType, TopicSettings
from spec.scenario import Scenario
from spec.steps import DeleteRecords

TOPICS = (
    TopicSettings(max_message_bytes=500),
    TopicSettings(max_message_bytes=1000),
    TopicSettings(max_message_bytes=500, timestamp_type=TimestampType.APPEND),
    TopicSettings(max_message_bytes=0),
    TopicSettings(max_message_bytes=500, compacted=True),
    TopicSettings(max_message_bytes=500, before_max_ms=HOUR_MS),
)
"""The topics of a run: few, since each is made on the broker."""
COMPRESSED = tuple(
    [
        TopicSettings(max_message_bytes=500, compression=one)
        for one in Compression
        if one is not Compression.PRODUCER
    ]
)
"""Topics with a codec of their own."""
SIZES = (
    ("at", 0),
    ("below", -1),
    ("above", 1),
)
"""Bytes of a batch, relative to the limit."""
SMALL = (100, 150, 200, 300)
NEAR = 600_000
"""Milliseconds between a time that is drawn and a limit: more than clocks differ."""
YEAR_MS = 365 * 24 * HOUR_MS
SEQUENCES = INT32_MAX + 1
"""Sequence numbers: 0 follows the last one."""
OWN = 10
"""Bytes that a key and a time of its own take in each record, at most."""
ROOM = 16
"""Bytes beyond a batch's least size, so that its records differ from those of others."""

_partitions = several(1, 3, 40)
_requests = several(1, 6, 65)
_records = weighted((1, 4), (2, 3), (3, 2), (8, 1))
_codecs = weighted(
    (Codec.NONE, 12), (Codec.GZIP, 1), (Codec.SNAPPY, 1), (Codec.LZ4, 1), (Codec.ZSTD, 1)
)
_topics = weighted(
    (TOPICS[0], 12),
    (TOPICS[1], 3),
    (TOPICS[2], 4),
    (TOPICS[3], 1),
    (TOPICS[4], 6),
    (TOPICS[5], 6),
)
PLAIN = TOPICS[:4]
"""Topics whose batches get flaws; the others are there for the keys and times of sound ones."""
_times = weighted(
    (None, 12), (2 * HOUR_MS, 1), (HOUR_MS - NEAR, 1), (-24 * HOUR_MS, 1), (NEAR - HOUR_MS, 1)
)
"""How far a record is from now, ms; None: the batch has no times of its own."""
_more_times = weighted(
    (None, 4), (2 * HOUR_MS, 1), (HOUR_MS - NEAR, 1), (-24 * HOUR_MS, 1), (NEAR - HOUR_MS, 1)
)
_lacks_key = weighted((False, 8), (True, 1))
_keyed = weighted((False, 3), (True, 1))
_acks = weighted((-1, 10), (1, 3), (0, 3), (2, 1), (-2, 1))
_versions = weighted((9, 8), (3, 2), (5, 2), (6, 2), (7, 1), (8, 1), (12, 1))
_flaws = weighted((Flaw.NONE, 12), *[(flaw, 1) for flaw in Flaw if flaw is not Flaw.NONE])
_untimed = weighted((Flaw.NONE, 9), (Flaw.NO_TIMESTAMP, 1))
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
    flaw = draw(_flaws if topic in PLAIN else _untimed)
    records = draw(_records)
    codec = draw(_codecs)
    where = draw(_sizes)
    size = batch_size(topic.max_message_bytes, where, draw(_small), records, codec)
    keyed = topic.compacted or draw(_keyed)
    keyless = tuple([one for one in range(records) if draw(_lacks_key)]) if keyed else ()
    times_of = _times if topic in PLAIN else _more_times
    time = draw(times_of) if codec is Codec.NONE and flaw is Flaw.NONE else None
    times = (
        () if time is None else tuple([draw(st.sampled_from((time, 0))) for _ in range(records)])
    )
    if keyed or times:
        size = max(size, minimum_size(records, codec) + ROOM + OWN * records)
    return Outgoing(partition, size, records, codec, flaw, times, keyed, keyless)


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


_moves = weighted(
    ("next", 8),
    ("again", 3),
    ("earlier", 2),
    ("gap", 2),
    ("older", 1),
    ("newer", 1),
    ("newer-gap", 1),
    ("longer", 1),
    ("head", 1),
    ("tail", 1),
)
_begins = weighted((0, 4), (5, 1), (INT32_MAX, 2), (INT32_MAX - 1, 2))
_sequence_steps = several(2, 9, 80)
_producers = weighted((0, 4), (1, 1))
_deletes_all = weighted((False, 9), (True, 1))


@dataclass
class _Producer:
    """What a producer has sent, as far as it was meant to be accepted."""

    epoch: int
    following: int
    sent: list[tuple[int, int]]
    stored: int = 0
    """How many records."""

    def moved(self, move: str, records: int) -> tuple[int, int, int]:
        """The epoch, sequence and record count of its next batch."""
        if move == "again" and self.sent:
            return self.epoch, *self.sent[-1]
        if move == "earlier" and self.sent:
            return self.epoch, *self.sent[max(0, len(self.sent) - 6)]
        if move in {"longer", "head", "tail"} and (part := self._overlaps_last(move)):
            return self.epoch, *part
        if move == "gap":
            return self.epoch, (self.following + 1) % SEQUENCES, records
        if move == "older" and self.epoch:
            return self.epoch - 1, self.following, records
        if move == "newer-gap":
            return self.epoch + 1, 1, records
        if move == "newer":
            self.epoch, self.following, self.sent = self.epoch + 1, 0, []
        sequence = self.following
        self.sent.append((sequence, records))
        self.stored += records
        self.following = (sequence + records) % SEQUENCES
        return self.epoch, sequence, records

    def _overlaps_last(self, move: str) -> tuple[int, int] | None:
        """The sequence and record count of a batch that has its last one in it, or is a part of it;
        None where there is none, or it is of one record.
        """
        if not self.sent:
            return None
        sequence, records = self.sent[-1]
        if move == "longer":
            return sequence, records + 1
        if records == 1:
            return None
        return (sequence + (move == "tail")) % SEQUENCES, records - 1


@st.composite
def _sequences(draw: st.DrawFn) -> Scenario:
    producers = [_Producer(draw(st.integers(0, 1)), draw(_begins), []) for _ in range(2)]
    steps: list[Produce | DeleteRecords] = []
    for _ in range(draw(_sequence_steps)):
        stored = sum([one.stored for one in producers])
        if stored and draw(_deletes_all):
            steps.append(DeleteRecords(0, stored))
        number = draw(_producers)
        producer = producers[number]
        move = draw(_moves) if producer.sent else "next"
        epoch, sequence, records = producer.moved(move, draw(_records))
        batch = Outgoing(0, 200, records, producer=number, epoch=epoch, sequence=sequence)
        steps.append(Produce((batch,)))
    layout = Layout((Partition(),))
    return Scenario(layout, (UseTopic(TOPICS[0]), *steps, EndOffsets(), ReadBack()))


def sequence_histories() -> SearchStrategy[Scenario]:
    """Batches of idempotent producers to one partition: in order, repeated, with gaps, in older and
    newer epochs, around the largest sequence number, and after all that is stored was deleted.
    """
    return _sequences()


@st.composite
def _histories(draw: st.DrawFn) -> Scenario:
    topic, partitions = draw(_topics), draw(_partitions)
    requests = [draw(_produces(topic, partitions)) for _ in range(draw(_requests))]
    layout = Layout((Partition(),) * partitions)
    return Scenario(layout, (UseTopic(topic), *requests, EndOffsets(), ReadBack()))


UNPACKED = (499, 500, 501, 400, 700)
"""Bytes of a batch with its records uncompressed."""
PACKED = 250
"""Bytes of such a batch as it is sent: more than zeros take with any codec."""
_recompressed = weighted((COMPRESSED[0], 6), *[(topic, 1) for topic in COMPRESSED[1:]])
_kinds = weighted(("packed", 4), ("sent-above", 1), ("plain", 3), ("timed", 1))
_packers = weighted((Codec.GZIP, 1), (Codec.SNAPPY, 1), (Codec.LZ4, 1), (Codec.ZSTD, 1))
_fine_packers = weighted((Codec.GZIP, 1), (Codec.LZ4, 1))
"""Those with which almost each size can be had of records that hardly compress."""
_unpacked = below(len(UNPACKED)).map(lambda number: UNPACKED[number])
_few_flaws = weighted(
    (Flaw.NONE, 12),
    *[(flaw, 1) for flaw in (Flaw.CRC, Flaw.SPARE_BIT, Flaw.MAX_TIMESTAMP_ABOVE, Flaw.COUNT_ABOVE)],
)


@st.composite
def _packed_batches(draw: st.DrawFn) -> Outgoing:
    kind, records = draw(_kinds), draw(_records)
    if kind == "timed":
        times = tuple([draw(st.sampled_from((0, NEAR - HOUR_MS))) for _ in range(records)])
        return Outgoing(0, 300, records, times=times)
    if kind == "plain":
        size = draw(st.sampled_from((200, 499, 500, 501)))
        return Outgoing(0, size, records, flaw=draw(_few_flaws))
    if kind == "sent-above":
        return Outgoing(0, 501, min(2, records), draw(_fine_packers), unpacked=498)
    return Outgoing(0, PACKED, records, draw(_packers), draw(_few_flaws), unpacked=draw(_unpacked))


@st.composite
def _recompressions(draw: st.DrawFn) -> Scenario:
    requests = [Produce((draw(_packed_batches()),)) for _ in range(draw(_requests))]
    steps = (UseTopic(draw(_recompressed)), *requests, EndOffsets(), ReadBack())
    return Scenario(Layout((Partition(),)), steps)


def recompression_histories() -> SearchStrategy[Scenario]:
    """Batches for topics with a codec of their own: compressed ones whose records unpack to about
    the limit, and uncompressed ones.
    """
    return _recompressions()


CHEAP_LENGTH = 1 << 24
"""Bytes of a request that are sent to see that it is answered, at most."""
LOOK = (EndOffsets(), ReadBack())
SEGMENTS = TopicSettings(max_message_bytes=1000, segment_bytes=400)
IN_SYNC = TopicSettings(max_message_bytes=500, min_insync=2)
LONG_RECORDS = TopicSettings(max_message_bytes=10_000, max_decompressed=1000)
"""Only for releases that have `max.decompressed.message.bytes`."""
LEAST_RECORDS = replace(LONG_RECORDS, max_decompressed=1)
"""The smallest value, at which no packed record is short enough; 0 sets no limit."""
_unpacked_limits = weighted((LONG_RECORDS, 5), (LEAST_RECORDS, 1))
_bounded = weighted((SEGMENTS, 3), (IN_SYNC, 2), (TOPICS[0], 3))
_bounded_sizes = weighted((399, 1), (400, 2), (401, 3), (200, 2), (501, 1), (1001, 1))
_bounded_acks = weighted((-1, 4), (1, 3), (0, 1))
_record_sizes = weighted((999, 1), (1000, 2), (1001, 2), (500, 1), (3000, 1))
_is_long = weighted((False, 7), (True, 1))
_repeats_partition = weighted((False, 3), (True, 1))


@st.composite
def _draw_limited(draw: st.DrawFn) -> Scenario:
    topic, steps = draw(_bounded), []
    for _ in range(draw(_requests)):
        batches = [Outgoing(0, draw(_bounded_sizes), draw(_records))]
        if topic is TOPICS[0] and draw(_repeats_partition):
            batches = [Outgoing(0, 200, draw(_records)) for _ in range(2)]
        steps.append(Produce(tuple(batches), draw(_bounded_acks)))
    return Scenario(Layout((Partition(),)), (UseTopic(topic), *steps, EndOffsets(), ReadBack()))


@st.composite
def _lengths(draw: st.DrawFn, limit: int) -> Scenario:
    sizes = (limit - 1, limit, limit + 1) if limit <= CHEAP_LENGTH else (limit + 1,)
    batch = Outgoing(0, 200, draw(_records))
    steps = [Produce((batch,), length=draw(st.sampled_from(sizes))) for _ in range(2)]
    layout = Layout((Partition(),))
    return Scenario(layout, (UseTopic(TOPICS[0]), *steps, Produce((batch,)), *LOOK))


def limit_histories(longest: int = REQUEST_MAX_BYTES) -> SearchStrategy[Scenario]:
    """Batches around the size of a segment, for topics that ask for two replicas in sync, and
    several for one partition in a request; and requests of about `longest` bytes, or where these
    are many, of one more alone, since a broker reads no more of such a one than its length.
    """
    return _is_long.flatmap(lambda long: _lengths(longest) if long else _draw_limited())


@st.composite
def _long_records(draw: st.DrawFn) -> Scenario:
    steps = []
    for _ in range(draw(_requests)):
        unpacked = BATCH_HEADER + 2 + draw(_record_sizes)
        packed = Outgoing(0, 400, 1, draw(_fine_packers), unpacked=unpacked)
        several = Outgoing(0, 400, 8, draw(_packers), unpacked=4000)
        steps.append(Produce((draw(st.sampled_from((packed, several, Outgoing(0, 2000)))),)))
    layout = Layout((Partition(),))
    return Scenario(layout, (UseTopic(draw(_unpacked_limits)), *steps, EndOffsets(), ReadBack()))


def long_record_histories() -> SearchStrategy[Scenario]:
    """Compressed batches whose records unpack to about `max.decompressed.message.bytes`; only for
    releases that have it.
    """
    return _long_records()


CHANGING = (300, 500, 800)
"""Values of max.message.bytes among which a topic changes."""
_changing_configs = weighted(
    ("max_message_bytes", 6),
    ("timestamp_type", 2),
    ("before_max_ms", 2),
    ("after_max_ms", 2),
    ("compacted", 2),
    ("compression", 2),
)
_first_limit = weighted((500, 3), (300, 1), (800, 1))
_is_elsewhere = weighted((False, 4), (True, 1))
_changes = weighted((1, 3), (2, 2))
_between = weighted((0, 1), (1, 3))
_one_or_two = weighted((1, 2), (2, 1))
_past_the_higher = weighted((0, 3), (1, 1))
_asks_of_it = weighted((True, 2), (False, 1))


def _topic_changes(topic: TopicSettings, name: str) -> tuple[TopicSettings, ...]:
    """The configs to which those of a topic are changed, where this one becomes another."""
    codecs = (Compression.PRODUCER, Compression.UNCOMPRESSED, Compression.GZIP)
    found = {
        "max_message_bytes": [replace(topic, max_message_bytes=one) for one in CHANGING],
        "timestamp_type": [replace(topic, timestamp_type=one) for one in TimestampType],
        "before_max_ms": [replace(topic, before_max_ms=one) for one in (INT64_MAX, HOUR_MS)],
        "after_max_ms": [replace(topic, after_max_ms=one) for one in (INT64_MAX, HOUR_MS)],
        "compacted": [replace(topic, compacted=one) for one in (False, True)],
        "compression": [replace(topic, compression=one) for one in codecs],
    }
    return tuple([one for one in found[name] if one != topic])


@st.composite
def _probe(draw: st.DrawFn, name: str, limits: tuple[int, ...]) -> Produce:
    """A batch by which it shows what a config is: its size between or beside these limits, or its
    times, keys or codec.
    """
    records = draw(_records)
    if name == "max_message_bytes" or not draw(_asks_of_it):
        size = limits[0] + 1 if draw(st.booleans()) else limits[-1] + draw(_past_the_higher)
        batch = Outgoing(0, size, records, keyed=True)
    elif name == "before_max_ms":
        batch = Outgoing(0, 250, records, times=(-24 * HOUR_MS,) * records, keyed=True)
    elif name == "after_max_ms":
        batch = Outgoing(0, 250, records, times=(2 * HOUR_MS,) * records, keyed=True)
    elif name == "compression":
        batch = Outgoing(0, PACKED, records, Codec.LZ4, unpacked=280, keyed=True)
    else:
        batch = Outgoing(0, 250, records)
    return Produce((batch,))


@st.composite
def _config_changes(draw: st.DrawFn) -> Scenario:
    topic = now = TopicSettings(max_message_bytes=draw(_first_limit))
    steps: list[Produce | ChangeTopic] = []
    for _ in range(draw(_changes)):
        name = draw(_changing_configs)
        after = draw(st.sampled_from(_topic_changes(now, name)))
        limits = tuple(sorted({now.max_message_bytes, after.max_message_bytes}))
        steps += [draw(_probe(name, limits)) for _ in range(draw(_between))]
        elsewhere = draw(_is_elsewhere)
        steps.append(ChangeTopic(after, elsewhere))
        now = now if elsewhere else after
        steps += [draw(_probe(name, limits)) for _ in range(draw(_one_or_two))]
    return Scenario(Layout((Partition(),)), (UseTopic(topic), *steps, *LOOK))


def config_change_histories() -> SearchStrategy[Scenario]:
    """Batches before and after one or two changes of the configs of their topic, or of another
    topic: sizes between the values before and after, times, keys and codecs that decide.
    """
    return _config_changes()


MIXED = (
    TopicSettings(max_message_bytes=1000, segment_bytes=400),
    TopicSettings(max_message_bytes=1000, segment_bytes=400, timestamp_type=TimestampType.APPEND),
)
_mixed_topics = weighted((MIXED[0], 1), (MIXED[1], 1))
_mixed_moves = weighted(
    ("produce", 8), ("look-up", 3), ("delete", 2), ("read", 2), ("end", 1), ("bad", 2)
)
_mixed_counts = several(2, 14, 88)
_mixed_sizes = weighted((100, 3), (200, 3), (399, 1), (400, 1), (401, 1))
_after = weighted((0, 4), (1, 3), (-1, 2), (None, 2), (-YEAR_MS, 1))
_mixed_flaws = weighted((Flaw.APPEND_TIME, 2), (Flaw.CRC, 1))
_spread = weighted((False, 1), (True, 1))


@st.composite
def _draw_mixed(draw: st.DrawFn) -> Scenario:
    topic = draw(_mixed_topics)
    end = start = 0
    steps: list[ProduceStep | DeleteRecords] = []
    for _ in range(draw(_mixed_counts)):
        move = draw(_mixed_moves)
        if move in {"produce", "bad"}:
            records, size = draw(_records), draw(_mixed_sizes)
            size = max(size, minimum_size(records, Codec.NONE) + ROOM + OWN * records)
            flaw = draw(_mixed_flaws) if move == "bad" else Flaw.NONE
            spread = flaw is Flaw.NONE and draw(_spread)
            times = tuple([50 * number for number in range(records)]) if spread else ()
            steps.append(Produce((Outgoing(0, size, records, flaw=flaw, times=times),)))
            repaired = flaw is Flaw.APPEND_TIME and topic.timestamp_type is TimestampType.CREATE
            accepted = flaw is Flaw.NONE or repaired
            end += records if accepted and size <= topic.segment_bytes else 0
        elif move == "delete":
            start = draw(st.integers(start, end))
            steps.append(DeleteRecords(0, start))
        elif move == "look-up":
            steps.append(LookUpTime(0, draw(_after)))
        else:
            steps.append(ReadBack() if move == "read" else EndOffsets())
    return Scenario(Layout((Partition(),)), (UseTopic(topic), *steps, EndOffsets(), ReadBack()))


def mixed_histories() -> SearchStrategy[Scenario]:
    """One log whose segments roll: batches are produced, records deleted, times looked up, and all
    is read, in any order.
    """
    return _draw_mixed()


_names = weighted((0, 8), (1, 2), (None, 3), (EMPTY_ID, 1))
_claims = weighted(
    (CarriedProducer.NONE, 6),
    (CarriedProducer.NOW, 4),
    (CarriedProducer.BEFORE, 3),
    *[
        (claim, 1)
        for claim in (
            CarriedProducer.NEWER,
            CarriedProducer.OTHER,
            CarriedProducer.ID_ALONE,
            CarriedProducer.EPOCH_ALONE,
        )
    ],
)
_initiations = several(2, 8, 80)
_writes_outside = weighted((False, 4), (True, 1))
_written_names = weighted((0, 4), (1, 1))
_outside_versions = weighted((9, 3), (11, 3), (8, 1), (OLDEST_PRODUCE, 1))
_new_versions = weighted((NEWEST_INIT_PRODUCER, 4), (4, 2), (3, 2))
_old_versions = weighted((NEWEST_INIT_PRODUCER, 5), (4, 1), (3, 1), (2, 1), (1, 1), (0, 1))


LONGEST_TIMEOUT_MS = (1 << 31) - 1
"""The longest transaction timeout that a request holds."""


@st.composite
def _producer_ids(draw: st.DrawFn, limit: int) -> Scenario:
    about = ((60_000, 8), (limit, 2), (limit + 1, 2), (limit - 1, 1), (1, 1), (0, 1), (-1, 1))
    timeouts = weighted(*[one for one in about if one[0] <= LONGEST_TIMEOUT_MS])
    steps: list[InitProducer | Produce] = []
    for _ in range(draw(_initiations)):
        claim = draw(_claims)
        version = draw(_old_versions if claim is CarriedProducer.NONE else _new_versions)
        step = InitProducer(draw(_names), draw(timeouts), claim, version)
        steps.append(step)
        if claim is CarriedProducer.NOW and draw(st.booleans()):
            steps.append(replace(step, claim=CarriedProducer.BEFORE))
        if draw(_writes_outside):
            batch = Outgoing(0, 200, draw(_records), flaw=Flaw.TRANSACTIONAL)
            named, version = draw(_written_names), draw(_outside_versions)
            steps.append(Produce((batch,), version=version, transactional=named))
    return Scenario(Layout((Partition(),)), (*steps, *LOOK))


def producer_id_histories(limit: int = TRANSACTION_MAX_MS) -> SearchStrategy[Scenario]:
    """Producer ids are asked for: with and without transactional ids, with timeouts of about
    `limit`, and by producers that carry their epoch or another one; between them transactional
    batches are sent for a partition that is part of no transaction.
    """
    return _producer_ids(limit)


def produce_histories() -> SearchStrategy[Scenario]:
    """One to six requests for one to three partitions of a topic; they shrink towards one batch of
    one record.
    """
    return _histories()
