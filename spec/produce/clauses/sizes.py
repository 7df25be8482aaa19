"""How large a batch may be: `max.message.bytes`."""

from spec.clause import Chapter, Code, Doc, Held, Report, breaks, holds
from spec.fence import Fence, Unit, UnreachableSides
from spec.frozen import replace
from spec.kafka import BATCH_HEADER, INT32_MAX, Error, error_name
from spec.layout import Codec
from spec.produce.clauses.codes import expect_error, expect_refusal
from spec.produce.examples import LIMIT, LOOK, alone, empty, scenario
from spec.produce.model.acceptance import check_batch, check_framing
from spec.produce.steps import ChangeTopic, Flaw, Outgoing, Produce, UseTopic
from spec.produce.topic import TopicSettings
from spec.produce.turn import ALONE, Attempt, Turn, of_batch
from spec.scenario import Scenario
from spec.verdict import LimitClass, Side, Strength, side

chapter: Chapter[Turn] = Chapter(of_batch, ALONE)

CONFIG = Doc(
    "config max.message.bytes: the largest record batch size, after compression, that is "
    "allowed; 1048588 by default"
)
CHECK = Code("UnifiedLog.java", "1550-1556")
TOO_LARGE = frozenset({Error.MESSAGE_TOO_LARGE, Error.RECORD_LIST_TOO_LARGE})
SIZE = "the bytes of the batch, its 12-byte prefix and its header included"
AT = "max.message.bytes"
PAST_IT = UnreachableSides(Side.BELOW | Side.AT, "a batch within the limit is not refused: PRO-001")


def is_only_its_size_wrong(sent: Attempt) -> bool:
    """Whether nothing but its size can be held against a batch."""
    unlimited = replace(sent.topic, max_message_bytes=INT32_MAX, segment_bytes=0)
    return (
        sent.judged_alone
        and not check_framing(sent.received, sent.sending.step.version)
        and not check_batch(sent.received, unlimited)
    )


def _decided_by_size(sent: Attempt) -> bool:
    """Whether nothing but its size, which is the same when it is stored, can be held against a
    batch.
    """
    return is_only_its_size_wrong(sent) and not encoded_again(sent)


def encoded_again(sent: Attempt) -> bool:
    """Whether its topic stores a batch's records with another codec than it was sent with."""
    codec = sent.received.codec
    return codec is not None and sent.topic.encodes_again(codec)


def _where(sent: Attempt) -> Side:
    return side(sent.received.size, sent.topic.max_message_bytes)


def _size(sent: Attempt) -> str:
    return (
        f"a batch of {sent.received.size} bytes under max.message.bytes="
        f"{sent.topic.max_message_bytes}"
    )


@chapter.clause(
    "PRO-001",
    Strength.MUST,
    LimitClass.SOFT,
    CONFIG,
    CHECK,
    Report("confluentinc/librdkafka#1716"),
    slug="produce/size/limit",
    fence=Fence(SIZE, Unit.BYTES, AT),
)
def a_batch_is_within_the_limit(turn: Turn) -> Held | None:
    """A batch of more bytes than max.message.bytes is answered with an error; one of as many bytes
    or fewer, with nothing else wrong, is answered with neither MESSAGE_TOO_LARGE nor
    RECORD_LIST_TOO_LARGE, if it has no more than segment.bytes. Its topic stores it with the codec
    with which it was sent.

    What counts is the whole batch as it is stored, compressed: the 12 bytes of base offset and
    length, the rest of its header, keys, values and record headers.
    """
    sent = turn.sent_batch
    if not _decided_by_size(sent):
        return None
    where = _where(sent)
    if where is Side.ABOVE:
        return expect_refusal(sent, _size(sent), where)
    if 0 < sent.topic.segment_bytes < sent.received.size:
        return None
    if sent.code in TOO_LARGE:
        why = f"{_size(sent)}: expected room for it, found {error_name(sent.code)}"
        return breaks(where, why, "refused")
    return holds(where)


@a_batch_is_within_the_limit.example("one byte below the limit, at it, and one byte past it")
def _fence() -> Scenario:
    return scenario(*[alone(LIMIT + more) for more in (-1, 0, 1)])


@a_batch_is_within_the_limit.example("each of three partitions has its own batch to measure")
def _three() -> Scenario:
    batches = [Outgoing(number, LIMIT + number - 1, 3) for number in range(3)]
    return scenario(Produce(tuple(batches)), partitions=3)


@a_batch_is_within_the_limit.example("a limit that is lowered, raised, and altered elsewhere")
def _altered_example() -> Scenario:
    between = alone(LIMIT - 100)
    lower, higher = (TopicSettings(LIMIT + more) for more in (-200, 200))
    steps = (between, ChangeTopic(lower), between, ChangeTopic(higher), alone(LIMIT + 1))
    return scenario(*steps, ChangeTopic(lower, elsewhere=True), alone(LIMIT + 1))


@chapter.clause(
    "PRO-101",
    Strength.REFERENCE,
    LimitClass.SOFT,
    CHECK,
    slug="produce/size/code",
    fence=Fence(SIZE, Unit.BYTES, AT, never=PAST_IT),
)
def a_large_batch_has_its_code(turn: Turn) -> Held | None:
    """A batch of more bytes than max.message.bytes, with nothing else wrong, is answered with
    MESSAGE_TOO_LARGE (10); on a topic that stores it with the codec with which it was sent.
    """
    sent = turn.sent_batch
    if not _decided_by_size(sent) or _where(sent) is not Side.ABOVE:
        return None
    return expect_error(sent, Error.MESSAGE_TOO_LARGE, _size(sent), Side.ABOVE)


@a_large_batch_has_its_code.example("501 bytes where 500 are allowed")
def _past() -> Scenario:
    return scenario(alone(LIMIT + 1))


@chapter.clause(
    "PRO-002",
    Strength.REFERENCE,
    LimitClass.HARD,
    CHECK,
    slug="produce/size/before-the-checksum",
    fence=Fence(SIZE, Unit.BYTES, AT),
)
def size_is_looked_at_before_the_checksum(turn: Turn) -> Held | None:
    """A batch with a wrong checksum is answered with MESSAGE_TOO_LARGE (10) if it has more bytes
    than max.message.bytes, and otherwise with CORRUPT_MESSAGE (2).
    """
    sent = turn.sent_batch
    if not sent.has(Flaw.CRC) or check_framing(sent.received, sent.sending.step.version):
        return None
    where = _where(sent)
    expected = Error.MESSAGE_TOO_LARGE if where is Side.ABOVE else Error.CORRUPT_MESSAGE
    return expect_error(sent, expected, f"{_size(sent)} with a wrong checksum", where)


@size_is_looked_at_before_the_checksum.example("a wrong checksum below, at and past the limit")
def _wrong_checksum() -> Scenario:
    return scenario(*[alone(LIMIT + more, flaw=Flaw.CRC) for more in (-1, 0, 1)])


SEGMENT = UseTopic(TopicSettings(1000, segment_bytes=400))


@chapter.clause(
    "PRO-003",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code("UnifiedLog.java", "1228-1231"),
    Report("KAFKA-7022"),
    slug="produce/size/segment",
    fence=Fence(SIZE, Unit.BYTES, "segment.bytes"),
)
def a_batch_is_within_a_segment(turn: Turn) -> Held | None:
    """A batch of more bytes than segment.bytes, and not more than max.message.bytes, with nothing
    else wrong, is answered with RECORD_LIST_TOO_LARGE (18); one of as many bytes or fewer is not.

    That such a batch is refused is SEG-014, and its code SEG-015: those are primary, and this one
    says where the check stands among the others of a Produce request.
    """
    sent = turn.sent_batch
    segment = sent.topic.segment_bytes
    if not segment or not _decided_by_size(sent) or _where(sent) is Side.ABOVE:
        return None
    where = side(sent.received.size, segment)
    what = f"a batch of {sent.received.size} bytes under segment.bytes={segment}"
    expected = Error.RECORD_LIST_TOO_LARGE
    if where is Side.ABOVE:
        return expect_error(sent, expected, what, where)
    return (
        breaks(where, f"{what}: found {expected.name}", "refused")
        if sent.code == expected
        else holds(where)
    )


@a_batch_is_within_a_segment.example("one byte below the size of a segment, at it, and past it")
def _segment() -> Scenario:
    steps = [alone(400 + more) for more in (-1, 0, 1)]
    return Scenario(empty(1), (SEGMENT, *steps, alone(1001), alone(200), *LOOK))


LONG = UseTopic(TopicSettings(10_000, max_decompressed=1000))


@chapter.clause(
    "PRO-027",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code("DefaultRecord.java", "299-300, 395-396", "4.4.0"),
    Code("LogValidator.java", "336-338", "4.4.0"),
    Report("apache/kafka#23429"),
    slug="produce/size/unpacked-record",
    fence=Fence(
        "the bytes of the largest record once it is unpacked, as its length counts them",
        Unit.BYTES,
        "max.decompressed.message.bytes",
    ),
    since="4.2",
)
def a_record_is_not_too_long_once_unpacked(turn: Turn) -> Held | None:
    """A compressed batch with a record that has more bytes than max.decompressed.message.bytes once
    it is unpacked is answered with INVALID_RECORD (87); one whose records have as many or fewer,
    and an uncompressed batch, is answered without an error, if nothing else is wrong.

    Kafka 4.2.2 and 4.4.0 have the config, 4.3.1 does not.
    """
    sent = turn.sent_batch
    limit = sent.topic.max_decompressed
    if not limit or sent.batch.flaw is not Flaw.NONE or not sent.judged_alone:
        return None
    if check_batch(sent.received, replace(sent.topic, max_decompressed=0)):
        return None
    least, most = sent.received.longest
    plain = sent.received.codec is Codec.NONE
    where = Side.BELOW if plain else side(least if least > limit else most, limit)
    what = f"a record of {least} to {most} bytes under max.decompressed.message.bytes={limit}"
    expected = Error.INVALID_RECORD if where is Side.ABOVE else Error.NONE
    return expect_error(sent, expected, what, where)


@a_record_is_not_too_long_once_unpacked.example("999, 1000 and 1001 bytes, compressed")
def _unpacked_example() -> Scenario:
    sizes = [BATCH_HEADER + 2 + 1000 + more for more in (-1, 0, 1)]
    steps = [Produce((Outgoing(0, 300, 1, Codec.GZIP, unpacked=size),)) for size in sizes]
    return Scenario(empty(1), (LONG, *steps, *LOOK))


@a_record_is_not_too_long_once_unpacked.example("any packed record under a limit of 1")
def _least_example() -> Scenario:
    least = UseTopic(TopicSettings(10_000, max_decompressed=1))
    packed = Produce((Outgoing(0, 300, 1, Codec.GZIP, unpacked=1000),))
    return Scenario(empty(1), (least, packed, alone(200), *LOOK))


@a_record_is_not_too_long_once_unpacked.example("2000 bytes uncompressed, and eight of 500 packed")
def _untouched_example() -> Scenario:
    packed = Produce((Outgoing(0, 400, 8, Codec.GZIP, unpacked=4000),))
    return Scenario(empty(1), (LONG, alone(2000), packed, *LOOK))
