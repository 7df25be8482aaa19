"""Topics with a codec of their own (`compression.type`): what is stored, how large it may be."""

from spec.clause import Chapter, Code, Doc, Held, Report, breaks, fails, holds
from spec.fence import Fence, Unit, UnreachableSides
from spec.in_words import in_words
from spec.kafka import Error, error_name
from spec.layout import Codec
from spec.produce.clauses.codes import expect_error, expect_refusal
from spec.produce.clauses.sizes import CONFIG, TOO_LARGE, encoded_again, is_only_its_size_wrong
from spec.produce.dry_run import ENCODED_AGAIN, REPAIRED, UNUSED_BITS
from spec.produce.examples import LIMIT, LOOK, empty
from spec.produce.outcomes import ReadBatch, Times
from spec.produce.steps import Flaw, Outgoing, Produce, UseTopic
from spec.produce.topic import Compression, TimestampType, TopicSettings
from spec.produce.turn import ALONE, Attempt, PossibleBatch, Reading, Turn, of_batch, of_reading
from spec.scenario import Scenario
from spec.verdict import LimitClass, Side, Strength, side

chapter: Chapter[Turn] = Chapter()
of_batches = chapter.under(of_batch, ALONE)
of_readings = chapter.under(of_reading)

TYPE = Doc(
    "config compression.type: the final compression type of a topic; uncompressed is none, "
    "producer retains the codec that the producer set"
)
VALIDATED = Code("LogValidator.java", "138-602")
CHECKED_AGAIN = Code("UnifiedLog.java", "1158-1175")
TIMES = frozenset({"timestamp_type", "max_timestamp"})
"""The fields in which a leader puts its own time."""


def _stored_batches(seen: Reading) -> list[tuple[PossibleBatch, ReadBatch]]:
    """The accepted batches that are read back sound."""
    if seen.read is None:
        return []
    known = {one.sent: one for one in seen.state.stored}
    found = [(known.get(one.sent), one) for one in seen.read.batches if one.sent and one.sound]
    return [(kept, read) for kept, read in found if kept is not None]


@of_readings.clause(
    "PRO-020",
    Strength.MUST,
    LimitClass.SOFT,
    TYPE,
    slug="produce/compression/type",
)
def a_topic_has_its_codec(turn: Turn) -> Held | None:
    """A batch is read back with the codec that is its topic's compression.type, with none where
    that is uncompressed, and with the one with which it was sent where that is producer.
    """
    seen = turn.read_back
    stored = _stored_batches(seen)
    if not stored:
        return None
    for kept, read in stored:
        expected = kept.topic.stored_codec(kept.batch.codec)
        if read.codec != expected.value:
            why = (
                f"{kept.topic.compression}: expected codec {expected}, found {in_words(read.codec)}"
            )
            return fails(why, "other codec")
    return holds()


@a_topic_has_its_codec.example("each codec on an uncompressed topic")
def _unpacked_example() -> Scenario:
    return _on(Compression.UNCOMPRESSED, *[_packed_request(codec) for codec in Codec])


@a_topic_has_its_codec.example("each codec on a topic with gzip")
def _gzip() -> Scenario:
    return _on(Compression.GZIP, *[_packed_request(codec) for codec in Codec])


@a_topic_has_its_codec.example("each codec on a topic that keeps its producers'")
def _kept_example() -> Scenario:
    return _on(Compression.PRODUCER, *[_packed_request(codec) for codec in Codec])


def _decided_by_stored_size(sent: Attempt) -> bool:
    """Whether nothing but its size can be held against a batch that is stored uncompressed from a
    known size.
    """
    unpacked = sent.topic.compression is Compression.UNCOMPRESSED
    known = sent.received.unpacked is not None
    return unpacked and known and encoded_again(sent) and is_only_its_size_wrong(sent)


@of_batches.clause(
    "PRO-022",
    Strength.MUST,
    LimitClass.SOFT,
    CONFIG,
    TYPE,
    Report("redpanda-data/redpanda#31362"),
    slug="produce/compression/stored-size",
    fence=Fence(
        "the bytes of the batch once its records are unpacked", Unit.BYTES, "max.message.bytes"
    ),
)
def what_is_unpacked_is_within_the_limit(turn: Turn) -> Held | None:
    """On a topic with compression.type=uncompressed, a compressed batch that has more bytes than
    max.message.bytes once its records are unpacked is answered with an error. One that has as many
    or fewer, and not more as it is sent, with nothing else wrong, is answered with neither
    MESSAGE_TOO_LARGE nor RECORD_LIST_TOO_LARGE.
    """
    sent = turn.sent_batch
    if not _decided_by_stored_size(sent):
        return None
    limit, unpacked = sent.topic.max_message_bytes, sent.received.unpacked or 0
    where = side(unpacked, limit)
    what = f"a batch of {sent.received.size} bytes, {unpacked} unpacked, where {limit} are allowed"
    if where is Side.ABOVE:
        return expect_refusal(sent, what, where)
    if sent.received.size > limit:
        return None
    if sent.code in TOO_LARGE:
        return breaks(where, f"{what}: found {error_name(sent.code)}", "refused")
    return holds(where)


@what_is_unpacked_is_within_the_limit.example("499, 500 and 501 bytes unpacked")
def _fence() -> Scenario:
    return _on(
        Compression.UNCOMPRESSED,
        *[_packed_request(Codec.GZIP, LIMIT + more) for more in (-1, 0, 1)],
    )


@of_batches.clause(
    "PRO-021",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code("UnifiedLog.java", "1550-1556"),
    slug="produce/compression/sent-size",
    fence=Fence(
        "the bytes of the batch as it is sent",
        Unit.BYTES,
        "max.message.bytes",
        never=UnreachableSides(
            Side.BELOW | Side.AT, "a batch within the limit is not refused for it"
        ),
    ),
)
def what_is_sent_is_within_the_limit(turn: Turn) -> Held | None:
    """On a topic that stores a batch with another codec than it was sent with, a batch that has
    more bytes than max.message.bytes as it is sent, with nothing else wrong, is answered with
    MESSAGE_TOO_LARGE (10), however small it would be when stored.
    """
    sent = turn.sent_batch
    where = side(sent.received.size, sent.topic.max_message_bytes)
    if where is not Side.ABOVE or not encoded_again(sent) or not is_only_its_size_wrong(sent):
        return None
    what = f"a batch of {sent.received.size} bytes for {sent.topic.compression}"
    return expect_error(sent, Error.MESSAGE_TOO_LARGE, what, where)


@what_is_sent_is_within_the_limit.example("501 bytes that unpack to 498")
def _sent_example() -> Scenario:
    return _on(Compression.UNCOMPRESSED, _packed_request(Codec.GZIP, LIMIT - 2, LIMIT + 1))


@what_is_sent_is_within_the_limit.example("501 bytes for a topic with gzip")
def _sent_plain() -> Scenario:
    return _on(Compression.GZIP, Produce((Outgoing(0, LIMIT + 1, 2),)))


@of_readings.clause(
    "PRO-122",
    Strength.MUST,
    LimitClass.SOFT,
    CONFIG,
    CHECKED_AGAIN,
    slug="produce/compression/stored-within",
    fence=Fence(
        "the bytes of the largest batch that is read back",
        Unit.BYTES,
        "max.message.bytes",
        never=UnreachableSides(Side.ABOVE, "such a batch is not stored"),
    ),
)
def what_is_stored_is_within_the_limit(turn: Turn) -> Held | None:
    """No accepted batch that is read back has more bytes than max.message.bytes was when it was
    sent, whatever codec it was sent with and is stored with.
    """
    seen = turn.read_back
    stored = _stored_batches(seen)
    if not stored:
        return None
    kept, largest = max(stored, key=lambda one: one[1].size - one[0].topic.max_message_bytes)
    limit = kept.topic.max_message_bytes
    where = side(largest.size, limit)
    if where is not Side.ABOVE:
        return holds(where)
    return breaks(where, f"expected at most {limit}: {largest}", "larger")


@what_is_stored_is_within_the_limit.example("exactly 500 bytes, and 499, unpacked")
def _within() -> Scenario:
    return _on(
        Compression.UNCOMPRESSED, *[_packed_request(Codec.LZ4, LIMIT - less) for less in (0, 1)]
    )


@what_is_stored_is_within_the_limit.example("499 bytes that snappy may grow past the limit")
def _grown_example() -> Scenario:
    return _on(Compression.SNAPPY, Produce((Outgoing(0, LIMIT - 1, 2),)))


@of_readings.clause(
    "PRO-134",
    Strength.MUST,
    LimitClass.SOFT,
    Doc("config message.timestamp.type: CreateTime is the time that a record's producer gave it"),
    slug="produce/compression/times",
)
def records_keep_their_times(turn: Turn) -> Held | None:
    """On a topic with message.timestamp.type=CreateTime, each record of a batch is read back with
    the timestamp with which it was sent, whatever the codec.

    Of one that says that its timestamps are the broker's PRO-032 speaks.
    """
    stored = [
        read
        for kept, read in _stored_batches(turn.read_back)
        if kept.topic.timestamp_type is TimestampType.CREATE
    ]
    if not stored:
        return None
    wrong = [read for read in stored if read.times is Times.CHANGED]
    return (
        fails(f"expected the times that were sent, found {wrong[0]}", "other") if wrong else holds()
    )


@records_keep_their_times.example("three times, on a topic with zstd")
def _times() -> Scenario:
    return _on(Compression.ZSTD, Produce((Outgoing(0, 300, 3, times=(0, -1000, -500)),)))


@of_readings.clause(
    "PRO-136",
    Strength.REFERENCE,
    LimitClass.HARD,
    VALIDATED,
    slug="produce/compression/fields",
)
def a_leader_changes_few_fields(turn: Turn) -> Held | None:
    """Of a batch's bytes from the magic byte on, a leader changes the timestamp type and the max
    timestamp, if its topic has the broker's times or its header says a wrong max timestamp; the
    codec and the bytes of the records, if its topic has another codec; in both cases attributes
    that mean nothing; and nothing else.
    """
    seen = turn.read_back
    stored = _stored_batches(seen)
    if not stored:
        return None
    for kept, read in stored:
        more = [name for name in read.altered if name not in _set_by_a_leader(kept)]
        if more:
            return fails(f"expected {', '.join(more)} as sent, found another in {read}", more[0])
    return holds()


def _set_by_a_leader(kept: PossibleBatch) -> frozenset[str]:
    """The fields of a batch that a leader may set."""
    topic = kept.topic
    appended = topic.timestamp_type is TimestampType.APPEND
    stamped = TIMES | {UNUSED_BITS} if appended or kept.batch.flaw in REPAIRED else frozenset()
    again = ENCODED_AGAIN if topic.encodes_again(kept.batch.codec) else ()
    return frozenset(stamped) | frozenset(again)


@a_leader_changes_few_fields.example("an unused bit and a wrong max timestamp, on a topic with lz4")
def _fields() -> Scenario:
    flaws = (Flaw.NONE, Flaw.SPARE_BIT, Flaw.MAX_TIMESTAMP_ABOVE)
    return _on(Compression.LZ4, *[Produce((Outgoing(0, 200, 2, flaw=flaw),)) for flaw in flaws])


def _packed_request(codec: Codec, unpacked: int = 400, size: int = 200) -> Produce:
    """A request of one batch whose records can be compressed."""
    packed = codec is not Codec.NONE
    return Produce((Outgoing(0, size, 2, codec, unpacked=unpacked if packed else 0),))


def _on(compression: Compression, *requests: Produce) -> Scenario:
    """Requests for a topic with this compression.type, and a look at what is stored."""
    topic = TopicSettings(LIMIT, compression=compression)
    return Scenario(empty(1), (UseTopic(topic), *requests, *LOOK))
