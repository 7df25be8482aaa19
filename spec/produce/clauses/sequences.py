"""Idempotent producers: sequence numbers that follow, repeat, or do neither (KIP-98)."""

from spec.clause import KIP, Chapter, Code, Held, breaks, fails, holds
from spec.fence import Fence, Unit, UnreachableSides
from spec.in_words import in_words
from spec.kafka import INT32_MAX, Error, error_name
from spec.produce.clauses.codes import expect_error, expect_refusal
from spec.produce.examples import scenario
from spec.produce.steps import Outgoing, Produce
from spec.produce.turn import ALONE, Attempt, Turn, of_batch
from spec.scenario import Scenario
from spec.steps import DeleteRecords
from spec.verdict import LimitClass, Side, Strength, side

chapter: Chapter[Turn] = Chapter()
of_batches = chapter.under(of_batch, ALONE)

PROMISE = KIP(98, "Idempotent Producer Guarantees")
APPEND_INFO = Code("ProducerAppendInfo.java", "156-190")
REMEMBERED = Code("ProducerStateEntry.java", "35")


def _last(sent: Attempt) -> int:
    """The sequence number of the last record that its producer stored; -1 where it stored none."""
    known = sent.producer_state
    return known.batches[-1][1] if known is not None and known.batches else -1


def _out_of_order(sent: Attempt) -> bool:
    """Whether its sequence neither follows nor repeats, in the epoch that is remembered."""
    known, found = sent.producer_state, sent.sequence
    if known is None or found is None or sent.received.epoch != known.epoch:
        return False
    return found.error == Error.OUT_OF_ORDER_SEQUENCE_NUMBER


@of_batches.clause(
    "PRO-046",
    Strength.MUST,
    LimitClass.HARD,
    PROMISE,
    slug="produce/sequence/follows",
    fence=Fence(
        "the sequence number before it",
        Unit.VALUES,
        str(INT32_MAX),
        meaning="at: the next one is 0",
        never=UnreachableSides(Side.ABOVE, "a sequence number is an int32"),
    ),
)
def what_follows_is_accepted(turn: Turn) -> Held | None:
    """A batch of an idempotent producer whose sequence is that of the last record stored of the
    producer plus 1 (0 after 2147483647), in the same epoch, is answered without an error.
    """
    sent = turn.sent_batch
    known, found = sent.producer_state, sent.sequence
    if known is None or found is None or found.error or found.repeated:
        return None
    if sent.received.epoch != known.epoch or not known.batches:
        return None
    where = side(_last(sent), INT32_MAX)
    if not sent.code:
        return holds(where)
    why = f"sequence {sent.batch.sequence} after {_last(sent)}: found {error_name(sent.code)}"
    return breaks(where, why, "refused")


@what_follows_is_accepted.example("three batches of two records")
def _follows() -> Scenario:
    return scenario(*[_of(sequence) for sequence in (0, 2, 4)])


@what_follows_is_accepted.example("sequence numbers that wrap between two batches, and inside one")
def _wraps() -> Scenario:
    return scenario(*[_of(sequence) for sequence in (INT32_MAX - 1, 0, 2)])


@what_follows_is_accepted.example("a batch whose sequence numbers wrap inside")
def _wraps_inside() -> Scenario:
    return scenario(*[_of(sequence) for sequence in (INT32_MAX, 1)])


@of_batches.clause(
    "PRO-140",
    Strength.REFERENCE,
    LimitClass.HARD,
    APPEND_INFO,
    slug="produce/sequence/unknown-producer",
)
def an_unknown_producer_may_begin_anywhere(turn: Turn) -> Held | None:
    """The first batch of a producer id that the partition does not know is answered without an
    error, whatever its sequence.
    """
    sent = turn.sent_batch
    before = sent.before
    if sent.batch.producer is None or sent.error or before is None or sent.is_undecided:
        return None
    if sent.producer_state is not None:
        return None
    if any(one.batch.producer == sent.batch.producer for one in before.maybe):
        return None
    return expect_error(sent, Error.NONE, f"an unknown producer's sequence {sent.batch.sequence}")


@an_unknown_producer_may_begin_anywhere.example("sequence 5 comes first")
def _anywhere() -> Scenario:
    return scenario(_of(5), _of(7))


@of_batches.clause(
    "PRO-041",
    Strength.MUST,
    LimitClass.HARD,
    PROMISE,
    slug="produce/sequence/repeated-offset",
)
def a_repetition_has_the_first_offset(turn: Turn) -> Held | None:
    """A batch with the producer, epoch, sequence and record count of one of the producer's last
    five batches, if it is answered without an error, is answered with the base offset of that one.

    Not looked at while no record of the producer is left in the log: it may be forgotten then.
    """
    sent = turn.sent_batch
    found = sent.sequence
    if found is None or not found.repeated or sent.code or sent.has_no_record_left:
        return None
    if sent.answer.base == found.base:
        return holds()
    return fails(f"expected {found.base}, found {in_words(sent.answer.base)}", "other offset")


@a_repetition_has_the_first_offset.example("the last batch, and the one before it, come twice")
def _repeated_example() -> Scenario:
    return scenario(*[_of(sequence) for sequence in (0, 2, 2, 0, 4)])


@of_batches.clause(
    "PRO-141",
    Strength.REFERENCE,
    LimitClass.HARD,
    REMEMBERED,
    slug="produce/sequence/repeated",
)
def a_repetition_is_no_error(turn: Turn) -> Held | None:
    """A repetition of one of a producer's last five batches is answered without an error."""
    sent = turn.sent_batch
    return expect_error(sent, Error.NONE, "a repetition") if sent.repeats else None


@a_repetition_is_no_error.example("the fifth batch from the end")
def _fifth() -> Scenario:
    return scenario(*[_of(sequence) for sequence in (0, 2, 4, 6, 8, 0)])


@of_batches.clause(
    "PRO-144",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("UnifiedLog.java", "1115-1292"),
    slug="produce/sequence/repeated-time",
)
def a_repetition_has_a_time(turn: Turn) -> Held | None:
    """The answer on a repetition that is answered without an error has a log append time other than
    -1, whatever message.timestamp.type is.

    Apache Kafka answers with the max timestamp of the batch that it repeats. The protocol guide
    says -1 for CreateTime, and makes no exception.
    """
    sent = turn.sent_batch
    if not sent.repeats or sent.code:
        return None
    return holds() if sent.answer.append_time else fails("a log append time of -1", "no time")


@a_repetition_has_a_time.example("a batch of a topic with its producers' times comes twice")
def _repeated_time() -> Scenario:
    return scenario(_of(0), _of(0))


@of_batches.clause(
    "PRO-042",
    Strength.MUST,
    LimitClass.HARD,
    PROMISE,
    slug="produce/sequence/gap",
)
def a_gap_is_refused(turn: Turn) -> Held | None:
    """A batch of a producer that the partition knows, in its last epoch, whose sequence neither
    follows the last one nor repeats one of the last five batches is answered with an error.

    A leader may remember more than five: a batch with the sequence and record count of an earlier
    one, that is answered with the offset of that one, is not looked at. Nor is a batch while no
    record of its producer is left in the log: `producer.id.expiration.ms` lets it be forgotten
    sooner then. Apache Kafka does not (PRO-142).
    """
    sent = turn.sent_batch
    if not _out_of_order(sent) or sent.is_remembered_longer or sent.has_no_record_left:
        return None
    return expect_refusal(sent, f"sequence {sent.batch.sequence} after {_last(sent)}")


@a_gap_is_refused.example("sequence 3 after 1")
def _gap() -> Scenario:
    return scenario(_of(0), _of(3), _of(2))


@a_gap_is_refused.example("a batch of three records that begins as the last one of two did")
def _longer() -> Scenario:
    three = Produce((Outgoing(0, 200, 3, producer=0, epoch=0, sequence=0),))
    return scenario(_of(0), three, _of(2))


@a_gap_is_refused.example("a batch of one record that ends as the last one of two did")
def _tail() -> Scenario:
    one = Produce((Outgoing(0, 200, 1, producer=0, epoch=0, sequence=1),))
    return scenario(_of(0), one, _of(2))


@of_batches.clause(
    "PRO-142",
    Strength.REFERENCE,
    LimitClass.HARD,
    APPEND_INFO,
    slug="produce/sequence/gap-code",
)
def a_gap_has_its_code(turn: Turn) -> Held | None:
    """A batch whose sequence neither follows nor repeats is answered with
    OUT_OF_ORDER_SEQUENCE_NUMBER (45), also after all records of its producer were deleted.
    """
    sent = turn.sent_batch
    if not _out_of_order(sent):
        return None
    what = f"sequence {sent.batch.sequence} after {_last(sent)}"
    return expect_error(sent, Error.OUT_OF_ORDER_SEQUENCE_NUMBER, what)


@a_gap_has_its_code.example("the sixth batch from the end is sent again")
def _sixth() -> Scenario:
    return scenario(*[_of(sequence) for sequence in (0, 2, 4, 6, 8, 10, 0)])


@a_gap_has_its_code.example("sequence 5 after 1, whose batch was deleted meanwhile")
def _deleted_gap() -> Scenario:
    return scenario(_of(0), DeleteRecords(0, 2), _of(5), _of(0), _of(2))


@of_batches.clause(
    "PRO-043",
    Strength.MUST,
    LimitClass.HARD,
    PROMISE,
    slug="produce/sequence/older-epoch",
)
def an_older_epoch_is_refused(turn: Turn) -> Held | None:
    """A batch of an older epoch than the last one of its producer is answered with an error.

    Not looked at while no record of the producer is left in the log, as in PRO-042.
    """
    sent = turn.sent_batch
    if not _is_older(sent) or sent.has_no_record_left:
        return None
    return expect_refusal(sent, f"epoch {sent.batch.epoch}")


@an_older_epoch_is_refused.example("epoch 0 after epoch 1")
def _older() -> Scenario:
    return scenario(_of(0), _of(0, 1), _of(2))


@of_batches.clause(
    "PRO-143",
    Strength.REFERENCE,
    LimitClass.HARD,
    APPEND_INFO,
    slug="produce/sequence/older-epoch-code",
)
def an_older_epoch_has_its_code(turn: Turn) -> Held | None:
    """A batch of an older epoch is answered with INVALID_PRODUCER_EPOCH (47)."""
    sent = turn.sent_batch
    if not _is_older(sent):
        return None
    return expect_error(sent, Error.INVALID_PRODUCER_EPOCH, f"epoch {sent.batch.epoch}")


@an_older_epoch_has_its_code.example("epoch 0 after epoch 1")
def _older_coded() -> Scenario:
    return scenario(_of(0), _of(0, 1), _of(2))


@of_batches.clause(
    "PRO-044",
    Strength.REFERENCE,
    LimitClass.HARD,
    APPEND_INFO,
    slug="produce/sequence/new-epoch",
)
def a_new_epoch_begins_at_zero(turn: Turn) -> Held | None:
    """The first batch of a newer epoch is answered without an error if its sequence is 0, and
    otherwise with OUT_OF_ORDER_SEQUENCE_NUMBER (45).
    """
    sent = turn.sent_batch
    known = sent.producer_state
    if sent.sequence is None or known is None or sent.received.epoch <= known.epoch:
        return None
    expected = Error.OUT_OF_ORDER_SEQUENCE_NUMBER if sent.batch.sequence else Error.NONE
    return expect_error(sent, expected, f"sequence {sent.batch.sequence} in a new epoch")


@a_new_epoch_begins_at_zero.example("epoch 1 begins at 2, and at 0")
def _new_epoch() -> Scenario:
    return scenario(_of(0), _of(2, 1), _of(0, 1))


def _is_older(sent: Attempt) -> bool:
    known = sent.producer_state
    return sent.sequence is not None and known is not None and sent.received.epoch < known.epoch


def _of(sequence: int, epoch: int = 0) -> Produce:
    """A batch of two records of one producer."""
    return Produce((Outgoing(0, 200, 2, producer=0, epoch=epoch, sequence=sequence),))
