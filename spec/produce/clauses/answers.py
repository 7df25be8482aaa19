"""What the answer on a batch holds."""

from collections import Counter

from spec.clause import Chapter, Code, Doc, Held, fails, holds
from spec.in_words import in_words
from spec.produce.dry_run import LOG_START_SINCE
from spec.produce.examples import LOOK, alone, empty, pair, scenario
from spec.produce.steps import Flaw, Outgoing, Produce, UseTopic
from spec.produce.topic import TimestampType, TopicSettings
from spec.produce.turn import Attempt, Turn, of_batch, of_request
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength

chapter: Chapter[Turn] = Chapter()
of_requests = chapter.under(of_request)
of_batches = chapter.under(of_batch)


@of_requests.clause(
    "PRO-065",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, Produce: the answer has each partition of the request"),
    slug="produce/answer/partitions",
)
def an_answer_has_each_partition_once(turn: Turn) -> Held | None:
    """An answer has the partitions of the request and no others, each once if the request names it
    once.

    Their order is not promised.
    """
    sent = turn.request
    if sent.answer is None:
        return None
    found = Counter([one.partition for one in sent.answer.partitions])
    named = Counter([batch.partition for batch in sent.step.batches])
    expected = Counter({number: found[number] or 1 if named[number] > 1 else 1 for number in named})
    if found == expected:
        return holds()
    answered = in_words(sorted(found.elements()))
    why = f"expected the partitions {in_words(sorted(expected))}, found {answered}"
    return fails(why, "missing" if expected - found else "more")


@an_answer_has_each_partition_once.example("three partitions")
def _three() -> Scenario:
    batches = tuple([Outgoing(number, 100) for number in range(3)])
    return scenario(Produce(batches), partitions=3)


@of_requests.clause(
    "PRO-165",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("KafkaApis.scala", "396-450"),
    slug="produce/answer/named-twice",
)
def a_partition_named_twice_is_answered_once(turn: Turn) -> Held | None:
    """An answer has a partition once though the request names it several times."""
    sent = turn.request
    twice = {one.partition for one in sent.step.batches if sent.names_twice(one.partition)}
    if sent.answer is None or not twice:
        return None
    found = Counter([one.partition for one in sent.answer.partitions])
    more = [partition for partition in sorted(twice) if found[partition] > 1]
    return (
        fails(f"partition {more[0]}: expected one answer, found several", "more")
        if more
        else holds()
    )


@a_partition_named_twice_is_answered_once.example("two batches for one partition")
def _named_twice() -> Scenario:
    return scenario(Produce((Outgoing(0, 200), Outgoing(0, 220, 2))))


@of_batches.clause(
    "PRO-062",
    Strength.MUST,
    LimitClass.SOFT,
    Doc(
        "protocol guide, Produce: the log append time is -1 for CreateTime, and the broker's local "
        "time for LogAppendTime"
    ),
    slug="produce/answer/log-append-time",
)
def the_log_append_time_is_given(turn: Turn) -> Held | None:
    """The answer on an accepted batch of no idempotent producer has a log append time if and only
    if the topic's message.timestamp.type is LogAppendTime; otherwise that is -1.
    """
    sent = turn.sent_batch
    if sent.code or sent.before is None or sent.batch.producer is not None:
        return None
    expected = sent.topic.timestamp_type is TimestampType.APPEND
    if sent.answer.append_time == expected:
        return holds()
    why = (
        f"{sent.topic.timestamp_type}: expected {'a' if expected else 'no'} log append time, found "
        f"{'one' if sent.answer.append_time else 'none'}"
    )
    return fails(why, "not given" if expected else "given")


@the_log_append_time_is_given.example("a topic that has its broker's times")
def _append_time() -> Scenario:
    topic = UseTopic(TopicSettings(timestamp_type=TimestampType.APPEND))
    return Scenario(empty(1), (topic, alone(), *LOOK))


@the_log_append_time_is_given.example("a topic that has its producers' times")
def _create_time() -> Scenario:
    return scenario(alone())


@of_batches.clause(
    "PRO-063",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, Produce: the log start offset, since version 5"),
    slug="produce/answer/log-start",
)
def the_log_start_is_given(turn: Turn) -> Held | None:
    """Since version 5, the answer on an accepted batch has its partition's log start offset."""
    sent = turn.sent_batch
    if sent.code or sent.before is None or sent.sending.step.version < LOG_START_SINCE:
        return None
    if sent.answer.log_start == sent.before.start:
        return holds()
    return fails(f"expected {sent.before.start}, found {in_words(sent.answer.log_start)}", "other")


@the_log_start_is_given.example("an empty partition")
def _log_start() -> Scenario:
    return scenario(alone())


@of_batches.clause(
    "PRO-064",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ReplicaManager.scala", "1375-1456"),
    slug="produce/answer/refused",
)
def a_refused_batch_has_no_offset(turn: Turn) -> Held | None:
    """The answer on a refused batch has base offset -1."""
    sent = turn.sent_batch
    if not sent.code:
        return None
    if sent.answer.base is None:
        return holds()
    return fails(f"an error and base offset {sent.answer.base}: expected -1", "offset given")


@a_refused_batch_has_no_offset.example("a wrong checksum")
def _refused_example() -> Scenario:
    return scenario(alone(flaw=Flaw.CRC))


def _is_repetition(sent: Attempt) -> bool:
    """Whether a batch repeats one that is stored, and need get no offset of its own."""
    return sent.repeats or sent.is_remembered_longer


@of_batches.clause(
    "PRO-106",
    Strength.MUST,
    LimitClass.HARD,
    Doc("design documentation, log: each record has an offset of its own, given in their order"),
    slug="produce/answer/offset-free",
)
def offsets_are_given_once(turn: Turn) -> Held | None:
    """The base offset of an accepted batch that is no repetition is not below the end of what was
    stored before it.
    """
    sent = turn.sent_batch
    if sent.code or sent.before is None or sent.before.lost or _is_repetition(sent):
        return None
    if sent.answer.base is not None and sent.answer.base >= sent.before.end:
        return holds()
    return fails(
        f"expected {sent.before.end} or more, found {in_words(sent.answer.base)}", "used twice"
    )


@offsets_are_given_once.example("two batches of two records")
def _twice() -> Scenario:
    return scenario(alone(200, 2), alone(200, 2))


@of_batches.clause(
    "PRO-051",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("UnifiedLog.java", "1115-1292"),
    slug="produce/answer/contiguous",
)
def offsets_follow_each_other(turn: Turn) -> Held | None:
    """The base offset of an accepted batch that is no repetition is the end of the log before
    it.
    """
    sent = turn.sent_batch
    if sent.code or sent.before is None or sent.before.lost or _is_repetition(sent):
        return None
    if sent.answer.base in sent.before.possible_ends:
        return holds()
    expected = " or ".join(map(str, sorted(sent.before.possible_ends)))
    return fails(f"expected {expected}, found {in_words(sent.answer.base)}", "gap")


@offsets_follow_each_other.example("a refused batch between two that are accepted")
def _between() -> Scenario:
    return scenario(alone(200, 2), alone(flaw=Flaw.CRC), alone(200, 3))


@offsets_follow_each_other.example("a batch of one partition is refused, that of the other is not")
def _two_partitions() -> Scenario:
    return scenario(pair(Flaw.CRC), pair(Flaw.NONE), partitions=2)
