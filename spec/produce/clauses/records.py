"""What each record of a batch must have: a time near the broker's, and a key where its topic is
compacted.
"""

from spec.clause import KIP, Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit, UnreachableSides
from spec.frozen import replace
from spec.in_words import in_words
from spec.kafka import Error, error_name
from spec.produce.clauses.codes import expect_error, expect_refusal
from spec.produce.examples import LIMIT, LOOK, alone, empty, scenario
from spec.produce.model.acceptance import check_batch, names_records, wrong_keys, wrong_times
from spec.produce.steps import RECORD_ERRORS_SINCE, ChangeTopic, Flaw, Outgoing, Produce, UseTopic
from spec.produce.topic import HOUR_MS, TimestampType, TopicSettings
from spec.produce.turn import ALONE, Attempt, Turn, of_batch
from spec.scenario import Scenario
from spec.verdict import LimitClass, Side, Strength, side

chapter: Chapter[Turn] = Chapter(of_batch, ALONE)
of_any = chapter.under(of_batch)

VALIDATOR = Code("LogValidator.java", "138-602")
NEVER_AT = UnreachableSides(Side.AT, "the broker's clock can't be read to the millisecond")
COMPACTED = UseTopic(TopicSettings(LIMIT, compacted=True))
PUNCTUAL = UseTopic(TopicSettings(LIMIT, before_max_ms=HOUR_MS))
DAY_MS = 24 * HOUR_MS


def _decided_by_records(sent: Attempt) -> bool:
    """Whether nothing but the times and keys of its records can be held against a batch."""
    received = replace(sent.received, times=(), keyless=())
    return (
        sent.judged_alone
        and sent.batch.flaw in {Flaw.NONE, Flaw.NO_TIMESTAMP}
        and not check_batch(received, sent.topic)
    )


def _decided_by_times(sent: Attempt) -> bool:
    create = sent.topic.timestamp_type is TimestampType.CREATE
    return create and _decided_by_records(sent) and not wrong_keys(sent.received, sent.topic)


def _judge_time(sent: Attempt, where: Side, what: str) -> Held:
    if where is Side.ABOVE:
        return expect_refusal(sent, what, where)
    if sent.code == Error.INVALID_TIMESTAMP:
        return breaks(where, f"{what}: expected no error, found INVALID_TIMESTAMP", "refused")
    return holds(where)


@chapter.clause(
    "PRO-030",
    Strength.MUST,
    LimitClass.SOFT,
    Doc("config message.timestamp.after.max.ms: a record that is further ahead is rejected"),
    KIP(937),
    slug="produce/record/ahead",
    fence=Fence(
        "how far the latest record is ahead of the broker's clock",
        Unit.MILLISECONDS,
        "message.timestamp.after.max.ms",
        never=NEVER_AT,
    ),
)
def no_record_is_too_far_ahead(turn: Turn) -> Held | None:
    """On a topic with CreateTime, a batch is answered with an error if a record's timestamp is more
    than message.timestamp.after.max.ms ahead of the broker's clock; if all are nearer and none is
    too old, not with INVALID_TIMESTAMP.
    """
    sent = turn.sent_batch
    times = [time for time in sent.received.times if time is not None]
    if not times or not _decided_by_times(sent) or min(times) < -sent.topic.before_max_ms:
        return None
    where = side(max(times), sent.topic.after_max_ms)
    return _judge_time(sent, where, f"a record {max(times)} ms ahead")


@no_record_is_too_far_ahead.example("two hours, and fifty minutes")
def _ahead() -> Scenario:
    return scenario(*[_at(time) for time in (2 * HOUR_MS, HOUR_MS - 600_000)])


@chapter.clause(
    "PRO-132",
    Strength.MUST,
    LimitClass.SOFT,
    Doc("config message.timestamp.before.max.ms: a record that is older is rejected"),
    KIP(937),
    slug="produce/record/behind",
    fence=Fence(
        "how far the oldest record is behind the broker's clock",
        Unit.MILLISECONDS,
        "message.timestamp.before.max.ms",
        never=NEVER_AT,
    ),
)
def no_record_is_too_old(turn: Turn) -> Held | None:
    """On a topic with CreateTime, a batch is answered with an error if a record's timestamp is more
    than message.timestamp.before.max.ms behind the broker's clock; if all are nearer and none is
    too far ahead, not with INVALID_TIMESTAMP.
    """
    sent = turn.sent_batch
    times = [time for time in sent.received.times if time is not None]
    if not times or not _decided_by_times(sent) or max(times) > sent.topic.after_max_ms:
        return None
    where = side(-min(times), sent.topic.before_max_ms)
    return _judge_time(sent, where, f"a record {-min(times)} ms old")


@no_record_is_too_old.example("a day, and fifty minutes, where an hour is allowed")
def _behind() -> Scenario:
    steps = (_at(-DAY_MS), _at(600_000 - HOUR_MS))
    return Scenario(empty(1), (PUNCTUAL, *steps, *LOOK))


@chapter.clause(
    "PRO-130",
    Strength.REFERENCE,
    LimitClass.SOFT,
    VALIDATOR,
    slug="produce/record/time-code",
)
def a_wrong_time_has_its_code(turn: Turn) -> Held | None:
    """A batch with a record too far ahead or too old is answered with INVALID_TIMESTAMP (32), also
    if another record lacks a key.
    """
    sent = turn.sent_batch
    if not _decided_by_records(sent) or not wrong_times(sent.received, sent.topic):
        return None
    return expect_error(sent, Error.INVALID_TIMESTAMP, "a record's time")


@a_wrong_time_has_its_code.example("the second record of three is two hours ahead")
def _second() -> Scenario:
    return scenario(_at(0, 2 * HOUR_MS, 0))


@a_wrong_time_has_its_code.example("a record lacks a key, another one is two hours ahead")
def _both() -> Scenario:
    batch = Outgoing(0, 200, 2, times=(0, 2 * HOUR_MS), keyed=True, keyless=(0,))
    return Scenario(empty(1), (COMPACTED, Produce((batch,)), *LOOK))


@chapter.clause(
    "PRO-133",
    Strength.REFERENCE,
    LimitClass.SOFT,
    VALIDATOR,
    slug="produce/record/no-time",
)
def no_timestamp_is_never_wrong(turn: Turn) -> Held | None:
    """A batch whose records have the timestamp -1 is answered without an error, whatever
    message.timestamp.before.max.ms is.
    """
    sent = turn.sent_batch
    if not sent.has(Flaw.NO_TIMESTAMP) or sent.error:
        return None
    return expect_error(sent, Error.NONE, "timestamps of -1")


@no_timestamp_is_never_wrong.example("a timestamp of -1 where an hour is allowed")
def _no_time() -> Scenario:
    return Scenario(empty(1), (PUNCTUAL, alone(flaw=Flaw.NO_TIMESTAMP), *LOOK))


@chapter.clause(
    "PRO-026",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(467, "Motivation: the checks of a batch; Proposed Changes: with which error"),
    slug="produce/record/key",
    fence=Fence(
        "the records without a key",
        Unit.RECORDS,
        "one",
    ),
)
def a_compacted_topic_needs_keys(turn: Turn) -> Held | None:
    """On a compacted topic, a batch with a record without a key is answered with an error; one with
    keys throughout, and nothing else wrong, is not answered with INVALID_RECORD.
    """
    sent = turn.sent_batch
    if not sent.topic.compacted or not _decided_by_records(sent):
        return None
    without = wrong_keys(sent.received, sent.topic)
    where = side(len(without), 1)
    if without:
        return expect_refusal(sent, f"records {in_words(without)} without a key", where)
    if wrong_times(sent.received, sent.topic):
        return None
    if sent.code == Error.INVALID_RECORD:
        why = f"keys throughout: expected no error, found {error_name(sent.code)}"
        return breaks(where, why, "refused")
    return holds(where)


@a_compacted_topic_needs_keys.example("none, one and two of three records have no key")
def _keys() -> Scenario:
    some = [
        Produce((Outgoing(0, 300, 3, keyed=True, keyless=without),))
        for without in ((), (1,), (0, 2))
    ]
    return Scenario(empty(1), (COMPACTED, *some, *LOOK))


@a_compacted_topic_needs_keys.example("a topic that is compacted only later")
def _keys_from_then_on() -> Scenario:
    keyless = Produce((Outgoing(0, 200),))
    return scenario(keyless, ChangeTopic(COMPACTED.settings), keyless)


@chapter.clause(
    "PRO-126",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(467, "Motivation: the checks of a batch; Proposed Changes: with which error"),
    VALIDATOR,
    slug="produce/record/key-code",
)
def a_missing_key_has_its_code(turn: Turn) -> Held | None:
    """On a compacted topic, a batch with a record without a key that is refused is answered with
    INVALID_RECORD (87), if nothing else is wrong with it, its records have timestamps, and it is of
    no idempotent producer.
    """
    sent = turn.sent_batch
    timed = sent.batch.flaw is Flaw.NO_TIMESTAMP or wrong_times(sent.received, sent.topic)
    if not sent.code or timed or sent.batch.producer is not None:
        return None
    if not _decided_by_records(sent) or sent.error != Error.INVALID_RECORD:
        return None
    return expect_error(sent, Error.INVALID_RECORD, "a record without a key")


@a_missing_key_has_its_code.example("a record without a key")
def _keyless() -> Scenario:
    return Scenario(empty(1), (COMPACTED, alone(), *LOOK))


@of_any.clause(
    "PRO-031",
    Strength.MUST,
    LimitClass.HARD,
    KIP(467),
    slug="produce/record/named",
)
def only_wrong_records_are_named(turn: Turn) -> Held | None:
    """Of a batch with records that lack a key, or have a time too far ahead or too old, each record
    that the record errors of the answer name is one of these.

    What the answer on another batch may name is not said.
    """
    sent = turn.sent_batch
    if not sent.answer.record_errors or sent.before is None:
        return None
    wrong = {*wrong_keys(sent.received, sent.topic), *wrong_times(sent.received, sent.topic)}
    if not wrong:
        return None
    sound = [index for index in sent.answer.record_errors if index not in wrong]
    if not sound:
        return holds()
    return fails(f"expected {in_words(sorted(wrong))}, found {in_words(sound)}", "sound record")


@only_wrong_records_are_named.example("two of five records have no key")
def _two_of_five() -> Scenario:
    batch = Outgoing(0, 300, 5, keyed=True, keyless=(1, 3))
    return Scenario(empty(1), (COMPACTED, Produce((batch,)), *LOOK))


@chapter.clause(
    "PRO-131",
    Strength.REFERENCE,
    LimitClass.HARD,
    VALIDATOR,
    slug="produce/record/all-named",
)
def all_wrong_records_are_named(turn: Turn) -> Held | None:
    """Since version 8, the answer on a batch that is refused for the keys or times of its records
    names each record that is wrong, and no other; any other answer names none.

    An answer with another code than Apache Kafka's is left out.
    """
    sent = turn.sent_batch
    if not sent.judged_alone or sent.code != sent.error:
        return None
    named = sent.sending.step.version >= RECORD_ERRORS_SINCE
    wrong = names_records(sent.received, sent.topic, sent.error) if named else ()
    if sent.answer.record_errors == wrong:
        return holds()
    why = f"expected {in_words(wrong)} named, found {in_words(sent.answer.record_errors)}"
    return fails(why, "other records")


@all_wrong_records_are_named.example("two of five records are two hours ahead")
def _times_named() -> Scenario:
    return scenario(_at(0, 2 * HOUR_MS, 0, 2 * HOUR_MS, 0))


@all_wrong_records_are_named.example("a record without a key in a batch with a base offset")
def _keyless_and_refused() -> Scenario:
    batch = Outgoing(0, 200, flaw=Flaw.BASE_OFFSET)
    return Scenario(empty(1), (COMPACTED, Produce((batch,)), *LOOK))


@all_wrong_records_are_named.example("wrong records in a batch that no segment holds either")
def _named_and_too_large() -> Scenario:
    topic = TopicSettings(timestamp_type=TimestampType.APPEND, segment_bytes=400)
    batch = Outgoing(0, 401, 3, flaw=Flaw.APPEND_TIME)
    return Scenario(empty(1), (UseTopic(topic), Produce((batch,)), *LOOK))


@of_any.clause(
    "PRO-191",
    Strength.REFERENCE,
    LimitClass.HARD,
    VALIDATOR,
    KIP(467, "Proposed Changes: optionally with a message"),
    slug="produce/record/messages",
)
def what_is_named_has_messages(turn: Turn) -> Held | None:
    """Since version 8, an answer that names records has an error message, and one for each record
    that it names; the answer on a batch that was accepted has none. Whether there is one in another
    answer is not looked at.
    """
    sent = turn.sent_batch
    named, answer = sent.answer.record_errors, sent.answer
    if sent.sending.step.version < RECORD_ERRORS_SINCE or not (named or not sent.code):
        return None
    if not named:
        return (
            fails("no error: expected no message, found one", "more") if answer.message else holds()
        )
    silent = [index for index in named if index not in answer.record_messages]
    if silent:
        why = f"expected a message for each of {in_words(named)}, found none for {in_words(silent)}"
        return fails(why, "record")
    return holds() if answer.message else fails("records are named: expected a message", "batch")


@what_is_named_has_messages.example("two of five records have no key, and all have one")
def _messages() -> Scenario:
    batch = Outgoing(0, 300, 5, keyed=True, keyless=(1, 3))
    steps = (Produce((batch,)), Produce((replace(batch, keyless=()),)))
    return Scenario(empty(1), (COMPACTED, *steps, *LOOK))


def _at(*times: int) -> Produce:
    return Produce((Outgoing(0, 300, len(times), times=times),))
