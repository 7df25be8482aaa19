"""What the bytes for a partition must be: one whole, sound batch of format 2."""

from spec.clause import KIP, Chapter, Code, Doc, Held, holds
from spec.kafka import Error
from spec.produce.clauses.codes import expect_error, expect_refusal
from spec.produce.examples import alone, pair, scenario
from spec.produce.steps import Flaw
from spec.produce.turn import ALONE, FIRST, Turn, of_batch
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength

chapter: Chapter[Turn] = Chapter(of_batch, f"{ALONE} {FIRST}")
of_any = chapter.under(of_batch)

VALIDATED = Code("ProduceRequest.java", "211-232")
BATCH_CHECKED = Code("LogValidator.java", "450-472")
OLD = (Flaw.MAGIC_0, Flaw.MAGIC_1)
OF_NO_FORMAT = (*OLD, Flaw.MAGIC_3)
BASE_OFFSETS = (Flaw.BASE_OFFSET, Flaw.BASE_OFFSET_NEGATIVE)
COUNTS = {
    Flaw.COUNT_ABOVE: "a header that says one more record than there is",
    Flaw.COUNT_BELOW: "a header that says one record less than there is",
    Flaw.COUNT_ZERO: "a header that says there are 0 records",
    Flaw.DELTA_ABOVE: "a last offset delta of the header's count",
    Flaw.DELTA_BELOW: "a last offset delta of the header's count less 2",
}
WITHOUT_RECORDS = {
    Flaw.EMPTY: "no bytes at all",
    Flaw.HEADER_ONLY: "a header without records",
    Flaw.CUT: "a batch without its last byte",
}


@chapter.clause(
    "PRO-060",
    Strength.MUST,
    LimitClass.HARD,
    Doc("design documentation, record batch: the checksum covers the attributes to the end"),
    Doc("protocol guide, error CORRUPT_MESSAGE: this message has failed its CRC checksum"),
    slug="produce/format/checksum",
)
def a_damaged_batch_is_refused(turn: Turn) -> Held | None:
    """A batch whose checksum is wrong is answered with an error."""
    return (
        expect_refusal(turn.sent_batch, "a wrong checksum")
        if turn.sent_batch.has(Flaw.CRC)
        else None
    )


@a_damaged_batch_is_refused.example("a byte is changed after the checksum was computed")
def _damaged_example() -> Scenario:
    return scenario(alone(flaw=Flaw.CRC))


@of_any.clause(
    "PRO-011",
    Strength.MUST,
    LimitClass.HARD,
    KIP(724),
    KIP(98, "Message Format"),
    slug="produce/format/magic",
)
def an_old_or_unknown_format_is_refused(turn: Turn) -> Held | None:
    """A message of format 0 or 1, and a batch that says it is of format 3, is answered with an
    error.
    """
    sent = turn.sent_batch
    if sent.before is None or sent.batch.flaw not in OF_NO_FORMAT:
        return None
    return expect_refusal(sent, f"flaw {sent.batch.flaw}")


@an_old_or_unknown_format_is_refused.example("formats 0, 1 and 3")
def _formats() -> Scenario:
    return scenario(*[alone(flaw=flaw) for flaw in OF_NO_FORMAT])


@chapter.clause(
    "PRO-111",
    Strength.REFERENCE,
    LimitClass.HARD,
    VALIDATED,
    slug="produce/format/magic-code",
)
def an_old_format_has_its_code(turn: Turn) -> Held | None:
    """A message of format 0 or 1 is answered with INVALID_RECORD (87)."""
    if not turn.sent_batch.has(*OLD):
        return None
    return expect_error(turn.sent_batch, Error.INVALID_RECORD, f"flaw {turn.sent_batch.batch.flaw}")


@an_old_format_has_its_code.example("formats 0 and 1")
def _old() -> Scenario:
    return scenario(*[alone(flaw=flaw) for flaw in OLD])


@of_any.clause(
    "PRO-066",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("RequestUtils.java", "47-69"),
    Code("ByteBufferLogInputStream.java", "66-87"),
    slug="produce/format/whole-request",
)
def an_unreadable_batch_fails_its_request(turn: Turn) -> Held | None:
    """Where one batch of a request says that it is of format 3, or has a length of 13, every
    partition of the request is answered with CORRUPT_MESSAGE (2), if no batch is transactional in a
    request without a transactional id.

    Apache Kafka finds it while it looks for transactional batches, before it looks at partitions.
    """
    if not turn.sent_batch.sending.unreadable or turn.sent_batch.sending.transactional:
        return None
    return expect_error(
        turn.sent_batch, Error.CORRUPT_MESSAGE, "a request with an unreadable batch"
    )


@an_unreadable_batch_fails_its_request.example("format 3 beside a sound batch")
def _unreadable() -> Scenario:
    return scenario(pair(Flaw.MAGIC_3), partitions=2)


@chapter.clause(
    "PRO-010",
    Strength.REFERENCE,
    LimitClass.HARD,
    VALIDATED,
    slug="produce/format/one-batch",
)
def two_batches_are_refused(turn: Turn) -> Held | None:
    """Two batches for one partition of a request are answered with an error.

    No document promises it; a broker may store both.
    """
    return (
        expect_refusal(turn.sent_batch, "two batches")
        if turn.sent_batch.has(Flaw.TWO_BATCHES)
        else None
    )


@two_batches_are_refused.example("two sound batches, one after the other")
def _two() -> Scenario:
    return scenario(alone(flaw=Flaw.TWO_BATCHES))


@chapter.clause(
    "PRO-110",
    Strength.REFERENCE,
    LimitClass.HARD,
    VALIDATED,
    slug="produce/format/one-batch-code",
)
def two_batches_have_their_code(turn: Turn) -> Held | None:
    """Two batches for one partition of a request are answered with INVALID_RECORD (87)."""
    if not turn.sent_batch.has(Flaw.TWO_BATCHES) or turn.sent_batch.error != Error.INVALID_RECORD:
        return None
    return expect_error(turn.sent_batch, Error.INVALID_RECORD, "two batches")


@two_batches_have_their_code.example("two sound batches, one after the other")
def _two_coded() -> Scenario:
    return scenario(alone(flaw=Flaw.TWO_BATCHES))


@chapter.clause(
    "PRO-014",
    Strength.REFERENCE,
    LimitClass.HARD,
    VALIDATED,
    BATCH_CHECKED,
    slug="produce/format/no-records",
)
def no_records_are_refused(turn: Turn) -> Held | None:
    """No bytes at all, a header without records behind it, and a batch that lacks its last byte are
    each answered with INVALID_RECORD (87).
    """
    if not turn.sent_batch.has(*WITHOUT_RECORDS) or turn.sent_batch.error != Error.INVALID_RECORD:
        return None
    return expect_error(
        turn.sent_batch, Error.INVALID_RECORD, WITHOUT_RECORDS[turn.sent_batch.batch.flaw]
    )


@no_records_are_refused.example("nothing, a header alone, and a batch that is cut")
def _nothing() -> Scenario:
    return scenario(*[alone(flaw=flaw) for flaw in WITHOUT_RECORDS])


@chapter.clause(
    "PRO-015",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("UnifiedLog.java", "1616-1630"),
    slug="produce/format/bytes-after",
)
def bytes_after_a_batch_are_dropped(turn: Turn) -> Held | None:
    """A batch that is followed by bytes that are no whole batch is answered without an error."""
    sent = turn.sent_batch
    if not sent.has(Flaw.BYTES_AFTER) or sent.error:
        return None
    return holds() if not sent.code else expect_error(sent, Error.NONE, "11 bytes after a batch")


@bytes_after_a_batch_are_dropped.example("11 bytes follow a batch")
def _after() -> Scenario:
    return scenario(alone(flaw=Flaw.BYTES_AFTER))


@chapter.clause(
    "PRO-012",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("UnifiedLog.java", "1511-1514"),
    slug="produce/format/base-offset",
)
def a_base_offset_is_zero(turn: Turn) -> Held | None:
    """A batch whose base offset is not 0 is answered with INVALID_RECORD (87)."""
    if not turn.sent_batch.has(*BASE_OFFSETS) or turn.sent_batch.error != Error.INVALID_RECORD:
        return None
    return expect_error(turn.sent_batch, Error.INVALID_RECORD, f"flaw {turn.sent_batch.batch.flaw}")


@a_base_offset_is_zero.example("base offsets 1 and -1")
def _base_offset() -> Scenario:
    return scenario(*[alone(flaw=flaw) for flaw in BASE_OFFSETS])


@chapter.clause(
    "PRO-013",
    Strength.REFERENCE,
    LimitClass.HARD,
    BATCH_CHECKED,
    slug="produce/format/counts",
)
def counts_agree(turn: Turn) -> Held | None:
    """A batch is answered with INVALID_RECORD (87) unless its header's count, its last offset delta
    plus 1, and the records that it holds are one and the same number, at least 1.
    """
    sent = turn.sent_batch
    if not sent.has(*COUNTS) or sent.error != Error.INVALID_RECORD:
        return None
    return expect_error(sent, Error.INVALID_RECORD, COUNTS[sent.batch.flaw])


@counts_agree.example("each way in which the three can disagree")
def _counts() -> Scenario:
    return scenario(*[alone(200, 2, flaw) for flaw in COUNTS])


@chapter.clause(
    "PRO-016",
    Strength.REFERENCE,
    LimitClass.HARD,
    BATCH_CHECKED,
    slug="produce/format/control",
)
def a_control_batch_is_refused(turn: Turn) -> Held | None:
    """A batch that says that it is a control batch is answered with INVALID_RECORD (87)."""
    sent = turn.sent_batch
    if not sent.has(Flaw.CONTROL) or sent.error != Error.INVALID_RECORD:
        return None
    return expect_error(sent, Error.INVALID_RECORD, "the control bit")


@a_control_batch_is_refused.example("the control bit is set")
def _control() -> Scenario:
    return scenario(alone(flaw=Flaw.CONTROL))
