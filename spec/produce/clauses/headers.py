"""Unusual fields of a batch's header: those that are refused, repaired or kept."""

from spec.clause import KIP, Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.frozen import replace
from spec.kafka import Error
from spec.layout import Codec
from spec.produce.clauses.codes import expect_error, expect_refusal
from spec.produce.examples import LIMIT, LOOK, alone, empty, pair, scenario
from spec.produce.outcomes import Times
from spec.produce.steps import ZSTD_SINCE, Flaw, InitProducer, Outgoing, Produce, UseTopic
from spec.produce.topic import HOUR_MS, TimestampType, TopicSettings
from spec.produce.turn import ALONE, FIRST, Turn, of_batch, of_reading
from spec.scenario import Scenario
from spec.verdict import LimitClass, Side, Strength, side

chapter: Chapter[Turn] = Chapter()
of_batches = chapter.under(of_batch, f"{ALONE} {FIRST}")
of_any = chapter.under(of_batch)
of_readings = chapter.under(of_reading)

VALIDATOR = Code("LogValidator.java", "138-602")
UNPACKED = {
    Flaw.CODEC_5: "codec 5",
    Flaw.UNDECODABLE: "records that are not the gzip they are said to be",
}
LYING = (Flaw.MAX_TIMESTAMP_ABOVE, Flaw.MAX_TIMESTAMP_UNSET)
HARMLESS = (Flaw.SPARE_BIT, *LYING)


@of_batches.clause(
    "PRO-017",
    Strength.REFERENCE,
    LimitClass.HARD,
    VALIDATOR,
    slug="produce/header/codec",
)
def a_codec_that_cannot_be_read_has_its_code(turn: Turn) -> Held | None:
    """A batch that names codec 5, and one whose records can't be unpacked by the codec that it
    names, is answered with UNKNOWN_SERVER_ERROR (-1).
    """
    sent = turn.sent_batch
    if not sent.has(*UNPACKED) or sent.error != Error.UNKNOWN_SERVER_ERROR:
        return None
    return expect_error(sent, Error.UNKNOWN_SERVER_ERROR, UNPACKED[sent.batch.flaw])


@a_codec_that_cannot_be_read_has_its_code.example("no such codec, and records of another one")
def _codecs() -> Scenario:
    return scenario(*[alone(flaw=flaw) for flaw in UNPACKED])


@a_codec_that_cannot_be_read_has_its_code.example("no such codec beside a sound batch, version 7")
def _beside_sound() -> Scenario:
    return scenario(replace(pair(Flaw.CODEC_5), version=ZSTD_SINCE), partitions=2)


@of_any.clause(
    "PRO-117",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ProduceRequest.java", "211-232"),
    slug="produce/header/codec-early",
)
def a_codec_is_looked_at_early_in_old_versions(turn: Turn) -> Held | None:
    """Below version 7, where one batch of a request, for a partition that exists, names codec 5,
    every partition of the request is answered with UNKNOWN_SERVER_ERROR (-1), if no batch is
    unreadable (PRO-066), or transactional in a request without a transactional id (PRO-045).

    The version decides about zstd, so the codecs are read before anything is appended.
    """
    sent = turn.sent_batch
    sending = sent.sending
    if not sending.without_codec or sending.unreadable or sending.transactional:
        return None
    return expect_error(
        sent, Error.UNKNOWN_SERVER_ERROR, "a request with codec 5 in an old version"
    )


@a_codec_is_looked_at_early_in_old_versions.example("codec 5 beside a sound batch, in version 6")
def _early() -> Scenario:
    batches = (Outgoing(0, 200, 2), Outgoing(1, 200, 2, flaw=Flaw.CODEC_5))
    return scenario(Produce(batches, version=6), partitions=2)


ZSTD = Fence("the version of the request", Unit.VERSIONS, "7", meaning="below: no zstd")


@of_batches.clause(
    "PRO-025",
    Strength.MUST,
    LimitClass.HARD,
    KIP(110),
    slug="produce/header/zstd",
    fence=ZSTD,
)
def zstd_needs_a_version(turn: Turn) -> Held | None:
    """A batch that is compressed by zstd is answered with an error below version 7, and from there
    on not with UNSUPPORTED_COMPRESSION_TYPE.
    """
    sent = turn.sent_batch
    if not sent.has(Flaw.NONE) or sent.batch.codec is not Codec.ZSTD:
        return None
    version = sent.sending.step.version
    where = side(version, ZSTD_SINCE)
    if where is Side.BELOW:
        return expect_refusal(sent, f"zstd in version {version}", where)
    if sent.code == Error.UNSUPPORTED_COMPRESSION_TYPE:
        return breaks(where, f"zstd in version {version}: expected it taken", "refused")
    return holds(where)


@zstd_needs_a_version.example("versions 6, 7 and 8")
def _zstd() -> Scenario:
    batch = Outgoing(0, 200, 2, Codec.ZSTD)
    return scenario(*[Produce((batch,), version=version) for version in (6, 7, 8)])


@of_batches.clause(
    "PRO-125",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ProduceRequest.java", "211-232"),
    slug="produce/header/zstd-code",
)
def old_versions_have_a_code_for_zstd(turn: Turn) -> Held | None:
    """Below version 7, a batch that is compressed by zstd is answered with
    UNSUPPORTED_COMPRESSION_TYPE (76).
    """
    sent = turn.sent_batch
    expected = Error.UNSUPPORTED_COMPRESSION_TYPE
    if not sent.judged_alone or sent.error != expected:
        return None
    return expect_error(sent, expected, f"zstd in version {sent.sending.step.version}")


@old_versions_have_a_code_for_zstd.example("version 6")
def _zstd_coded() -> Scenario:
    return scenario(Produce((Outgoing(0, 200, 2, Codec.ZSTD),), version=6))


@of_batches.clause(
    "PRO-040",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("LogValidator.java", "450-472"),
    slug="produce/header/no-sequence",
)
def a_producer_has_a_sequence(turn: Turn) -> Held | None:
    """A batch with a producer id and without a sequence is answered with INVALID_RECORD (87)."""
    sent = turn.sent_batch
    if not sent.has(Flaw.NO_SEQUENCE) or sent.error != Error.INVALID_RECORD:
        return None
    return expect_error(sent, Error.INVALID_RECORD, "a producer id without a sequence")


@a_producer_has_a_sequence.example("producer id 0, epoch 0, sequence -1")
def _no_sequence() -> Scenario:
    return scenario(alone(flaw=Flaw.NO_SEQUENCE))


@a_producer_has_a_sequence.example("no sequence, and a record two hours ahead")
def _no_sequence_ahead() -> Scenario:
    batch = Outgoing(0, 200, flaw=Flaw.NO_SEQUENCE, times=(2 * HOUR_MS,))
    return scenario(Produce((batch,)))


@of_any.clause(
    "PRO-045",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("KafkaApis.scala", "396-450"),
    slug="produce/header/transactional",
)
def a_transactional_batch_needs_an_id(turn: Turn) -> Held | None:
    """Where a batch of a request is transactional and the request names no transactional id, every
    partition of the request is answered with TRANSACTIONAL_ID_AUTHORIZATION_FAILED (53), if no
    batch of it is unreadable.
    """
    sent = turn.sent_batch
    if not sent.sending.transactional or sent.sending.unreadable:
        return None
    expected = Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    return expect_error(sent, expected, "a transactional batch without a transactional id")


@a_transactional_batch_needs_an_id.example("a transactional batch beside one that is not")
def _transactional() -> Scenario:
    return scenario(pair(Flaw.TRANSACTIONAL), partitions=2)


@of_any.clause(
    "PRO-192",
    Strength.REFERENCE,
    LimitClass.HARD,
    KIP(890),
    Code("AddPartitionsToTxnManager.java", "addOrVerifyTransaction"),
    slug="produce/header/outside-a-transaction",
)
def a_transaction_has_its_partitions(turn: Turn) -> Held | None:
    """Below version 12, a transactional batch for a partition that exists, which was not made part
    of an ongoing transaction of the request's transactional id by AddPartitionsToTxn, is answered
    with an error, whether the id and its producer are known or not.

    transaction.partition.verification.enable, which may be false, is true by default. Which error
    it is depends on the version and on what the coordinator is busy with.
    """
    sent = turn.sent_batch
    if sent.sending.step.transactional is None or sent.before is None:
        return None
    return expect_refusal(sent, "a transactional batch outside a transaction")


@a_transaction_has_its_partitions.example("of a producer id that was given out, and of none")
def _outside_a_transaction() -> Scenario:
    batch = Outgoing(0, 200, 2, flaw=Flaw.TRANSACTIONAL)
    sent = [Produce((batch,), version=version, transactional=0) for version in (9, 11)]
    return scenario(sent[0], InitProducer(0), *sent)


@of_batches.clause(
    "PRO-033",
    Strength.REFERENCE,
    LimitClass.SOFT,
    VALIDATOR,
    slug="produce/header/append-time",
)
def append_times_are_the_brokers(turn: Turn) -> Held | None:
    """A batch that says that its timestamps are the broker's is answered with INVALID_TIMESTAMP
    (32) if its topic has message.timestamp.type=LogAppendTime, and otherwise without an error.
    """
    sent = turn.sent_batch
    appended = sent.topic.timestamp_type is TimestampType.APPEND
    expected = Error.INVALID_TIMESTAMP if appended else Error.NONE
    if not sent.has(Flaw.APPEND_TIME) or sent.error != expected:
        return None
    return expect_error(sent, expected, f"the append time bit with {sent.topic.timestamp_type}")


@append_times_are_the_brokers.example("a topic with its producers' times")
def _create() -> Scenario:
    return scenario(alone(flaw=Flaw.APPEND_TIME))


@append_times_are_the_brokers.example("a topic with its broker's times")
def _append() -> Scenario:
    topic = UseTopic(TopicSettings(LIMIT, TimestampType.APPEND))
    return Scenario(empty(1), (topic, alone(flaw=Flaw.APPEND_TIME), *LOOK))


@of_batches.clause(
    "PRO-135",
    Strength.REFERENCE,
    LimitClass.HARD,
    VALIDATOR,
    slug="produce/header/harmless",
)
def what_is_repaired_is_accepted(turn: Turn) -> Held | None:
    """A batch with an attribute bit that means nothing, or with a max timestamp that is not that of
    its records, is answered without an error.
    """
    sent = turn.sent_batch
    if sent.error or not sent.has(*HARMLESS):
        return None
    return expect_error(sent, Error.NONE, f"flaw {sent.batch.flaw}")


@what_is_repaired_is_accepted.example("an unused bit, and two wrong max timestamps")
def _harmless() -> Scenario:
    return scenario(*[alone(200, 2, flaw) for flaw in HARMLESS])


@of_readings.clause(
    "PRO-032",
    Strength.REFERENCE,
    LimitClass.HARD,
    VALIDATOR,
    slug="produce/header/max-timestamp",
)
def timestamps_are_those_of_the_records(turn: Turn) -> Held | None:
    """On a topic with message.timestamp.type=CreateTime, the max timestamp of a batch that is read
    back is that of its records, and its bit for the broker's times is unset, whatever it was sent
    with.
    """
    seen = turn.read_back
    known = seen.state.sent_to(TimestampType.CREATE)
    if seen.read is None:
        return None
    found = [one for one in seen.read.batches if one.sent in known and one.sound]
    if not found:
        return None
    wrong = [one for one in found if one.times not in {Times.SENT, Times.CHANGED}]
    if not wrong:
        return holds()
    return fails(f"expected the records' own times, found {wrong[0]}", "other times")


@timestamps_are_those_of_the_records.example("max timestamps and a bit that are not true")
def _lying() -> Scenario:
    return scenario(*[alone(200, 2, flaw) for flaw in (*LYING, Flaw.APPEND_TIME)])


@timestamps_are_those_of_the_records.example("a batch that is compressed")
def _compressed_example() -> Scenario:
    batch = Outgoing(0, 200, 2, Codec.GZIP, Flaw.MAX_TIMESTAMP_ABOVE)
    return scenario(Produce((batch,)))


@of_readings.clause(
    "PRO-034",
    Strength.MUST,
    LimitClass.SOFT,
    Doc("config message.timestamp.type: LogAppendTime stores the time of appending"),
    VALIDATOR,
    slug="produce/header/log-append-time",
)
def append_times_are_stored(turn: Turn) -> Held | None:
    """On a topic with message.timestamp.type=LogAppendTime, a batch that is read back says that its
    timestamps are the broker's, and its max timestamp is the broker's time.
    """
    seen = turn.read_back
    known = seen.state.sent_to(TimestampType.APPEND)
    if seen.read is None:
        return None
    found = [one for one in seen.read.batches if one.sent in known and one.sound]
    if not found:
        return None
    wrong = [one for one in found if one.times is not Times.APPENDED]
    return (
        fails(f"expected the broker's time, found {wrong[0]}", "sent times") if wrong else holds()
    )


@append_times_are_stored.example("a batch of two records")
def _appended_example() -> Scenario:
    topic = UseTopic(TopicSettings(LIMIT, TimestampType.APPEND))
    return Scenario(empty(1), (topic, alone(200, 2), *LOOK))
