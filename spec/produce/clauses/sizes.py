"""How large a batch may be: `max.message.bytes`."""

from dataclasses import replace

from spec.clause import Chapter, Code, Doc, Held, Report, breaks, holds
from spec.fence import Fence, Never, Unit
from spec.kafka import INT32_MAX, Error, error_name
from spec.produce.clauses.codes import coded, refused
from spec.produce.examples import LIMIT, alone, scenario
from spec.produce.model.acceptance import check_batch, check_framing
from spec.produce.steps import Flaw, Outgoing, Produce
from spec.produce.turn import Attempt, Turn, of_batch
from spec.scenario import Scenario
from spec.verdict import LimitClass, Side, Strength, side

chapter: Chapter[Turn] = Chapter(of_batch)

CONFIG = Doc(
    "config max.message.bytes: the largest record batch size, after compression, that is "
    "allowed; 1048588 by default"
)
CHECK = Code("UnifiedLog.java", "1550-1556")
TOO_LARGE = frozenset({Error.MESSAGE_TOO_LARGE, Error.RECORD_LIST_TOO_LARGE})
SIZE = "the bytes of the batch, its 12-byte prefix and its header included"
AT = "max.message.bytes"
PAST_IT = Never(Side.BELOW | Side.AT, "a batch within the limit is not refused: PRO-001")


def is_nothing_else_wrong(sent: Attempt) -> bool:
    """Whether nothing but its size can be held against a batch."""
    unlimited = replace(sent.topic, max_message_bytes=INT32_MAX)
    return (
        sent.judged_alone
        and not check_framing(sent.received, sent.sending.step.version)
        and not check_batch(sent.received, unlimited)
    )


def _decided_by_size(sent: Attempt) -> bool:
    """Whether nothing but its size, which is the same when it is stored, can be held against a
    batch.
    """
    return is_nothing_else_wrong(sent) and not encoded_again(sent)


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
    RECORD_LIST_TOO_LARGE; on a topic that stores it with the codec with which it was sent.

    What counts is the whole batch as it is stored, compressed: the 12 bytes of base offset and
    length, the rest of its header, keys, values and record headers.
    """
    sent = turn.sent
    if not _decided_by_size(sent):
        return None
    where = _where(sent)
    if where is Side.ABOVE:
        return refused(sent, _size(sent), where)
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
    sent = turn.sent
    if not _decided_by_size(sent) or _where(sent) is not Side.ABOVE:
        return None
    return coded(sent, Error.MESSAGE_TOO_LARGE, _size(sent), Side.ABOVE)


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
    sent = turn.sent
    if not sent.has(Flaw.CRC) or check_framing(sent.received, sent.sending.step.version):
        return None
    where = _where(sent)
    expected = Error.MESSAGE_TOO_LARGE if where is Side.ABOVE else Error.CORRUPT_MESSAGE
    return coded(sent, expected, f"{_size(sent)} with a wrong checksum", where)


@size_is_looked_at_before_the_checksum.example("a wrong checksum below, at and past the limit")
def _wrong_checksum() -> Scenario:
    return scenario(*[alone(LIMIT + more, flaw=Flaw.CRC) for more in (-1, 0, 1)])
