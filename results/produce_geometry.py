"""The picture of a step of produce: each batch that is sent to scale beside the sizes that its
topic takes, the times of its records among those that it takes, and what is read back.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field

from results.ladder import Asked, ladder
from results.shapes import Box, Fence, Ladder, Panel, Row
from results.text import count_of
from spec.frozen import frozen, replace
from spec.kafka import INT64_MAX, error_name
from spec.layout import Codec
from spec.limits.configs import Range
from spec.outcomes import Outcome
from spec.produce.outcomes import (
    BatchAnswer,
    EndOffsetsAnswer,
    NoAnswer,
    ProduceAnswer,
    ProducerGiven,
    ReadAnswer,
    ReadBatch,
    ReadPartition,
    TimeFound,
    Times,
    TopicChanged,
    TopicReady,
)
from spec.produce.steps import (
    EMPTY_ID,
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
from spec.produce.topic import Compression, TimestampType, TopicSettings
from spec.steps import Step

_MOST_NAMED = 6
"""Batches, or records, that are named in words."""


@frozen
class Before:
    """What a history has made of its topic and producers before a step.

    Attributes:
        topic: the topic's configs.
        sequences: the last sequence that was accepted, by partition, producer and epoch.
    """

    topic: TopicSettings = TopicSettings()
    sequences: Mapping[tuple[int, int, int], int] = field(default_factory=dict)

    def after(self, step: Step, outcome: Outcome | None) -> "Before":
        """It after a step and its outcome."""
        if isinstance(step, UseTopic | ChangeTopic):
            return replace(self, topic=step.settings_after(self.topic))
        if not isinstance(step, Produce):
            return self
        accepted = {
            (batch.partition, batch.producer, batch.epoch): _last_sequence(batch)
            for place, batch in enumerate(step.batches)
            if batch.producer is not None
            and (answer := _answer_of(outcome, step, place)) is not None
            and not answer.error
        }
        return replace(self, sequences={**self.sequences, **accepted})


def produce_panel(
    partitions: int,
    before: Before,
    number: int,
    step: ProduceStep,
    outcome: Outcome | None,
    other: str,
) -> Panel:
    """One step of a history of produce.

    Args:
        partitions: how many the layout has.
        before: what the step meets.
        number: the step's.
        step: what is done.
        outcome: what came back; None where it was not played.
        other: what to say of an outcome that is none of produce's.
    """
    title = f"step {number}: {_words(step, before)}"
    rows: tuple[Row, ...] = ()
    ladders: list[Ladder] = []
    if isinstance(step, Produce):
        answers = [_answer_of(outcome, step, place) for place in range(len(step.batches))]
        pairs = [*zip(step.batches, answers, strict=True)]
        rows = tuple([_sent_row(one, answer, before, partitions) for one, answer in pairs])
        drawn = [_times(one, answer, before.topic) for one, answer in pairs]
        ladders = [one for one in drawn if one is not None]
    elif isinstance(outcome, ReadAnswer):
        rows = tuple([_read_row(one, before.topic) for one in outcome.partitions])
    return Panel(title, rows, _outcome(outcome, other), tuple(ladders))


def _words(step: ProduceStep, before: Before) -> str:
    match step:
        case UseTopic(settings=settings):
            return f"the topic has {_settings(TopicSettings().changes_to(settings), settings)}"
        case ChangeTopic(settings=settings, elsewhere=elsewhere):
            changes = before.topic.changes_to(settings)
            whose = "another topic of the same configs" if elsewhere else "the topic"
            return f"{whose} is altered to {_settings(changes, TopicSettings())}"
        case Produce():
            return _request(step)
        case InitProducer():
            return _init(step)
        case EndOffsets():
            return "the latest offset of each partition is looked up"
        case LookUpTime(partition=partition, after_ms=None):
            return f"the largest timestamp of partition {partition} is looked up"
        case LookUpTime(partition=partition, after_ms=after):
            return f"{after} ms past the last log append time is looked up in partition {partition}"
        case ReadBack():
            return "all partitions are read back"
    return step.name


def _settings(changes: Mapping[str, str], settings: TopicSettings) -> str:
    """Configs in words; of a new topic also those that not each broker has."""
    own = ("segment", "decompressed")
    named = {n: value for n, value in settings.configs() if any(word in n for word in own)}
    shown = [f"{name}={value}" for name, value in {**changes, **named}.items()]
    return ", ".join(shown) or "its configs as they are"


def _request(step: Produce) -> str:
    words = [f"Produce v{step.version} acks={step.acks}"]
    words += [f"on connection {step.actor}"] if step.actor else []
    words += [f"filled up to {step.length} bytes"] if step.length else []
    return ", ".join(words)


def _init(step: InitProducer) -> str:
    named = {None: "no transactional id", EMPTY_ID: "an empty transactional id"}
    words = [
        f"InitProducerId v{step.version}",
        named.get(step.transactional, f"transactional id {step.transactional}"),
        f"timeout {step.timeout_ms} ms",
    ]
    if step.claim is not CarriedProducer.NONE:
        words.append(f"carries the producer: {step.claim.value.replace('_', ' ')}")
    return ", ".join(words)


def _answer_of(outcome: Outcome | None, step: Produce, place: int) -> BatchAnswer | None:
    """The answer on the batch at a place of the request; of several for one partition, the same."""
    if not isinstance(outcome, ProduceAnswer):
        return None
    number = step.batches[place].partition
    same = [one for one in outcome.partitions if one.partition == number]
    nth = [one.partition for one in step.batches[:place]].count(number)
    return same[min(nth, len(same) - 1)] if same else None


def _sent_row(batch: Outgoing, answer: BatchAnswer | None, before: Before, partitions: int) -> Row:
    """A batch that is sent, beside the sizes that the topic takes; green is what was accepted."""
    size = 0 if batch.flaw is Flaw.EMPTY else batch.size
    copies = 2 if batch.flaw is Flaw.TWO_BATCHES else 1
    words = _batch(batch, before)
    exists = batch.partition < partitions
    label = f"{batch.size} bytes"
    most = before.topic.max_message_bytes
    fences = [Fence(most, f"max.message.bytes={most}")]
    if before.topic.segment_bytes:
        at = before.topic.segment_bytes
        fences.append(Fence(at, f"the segment's {at} bytes"))
    return Row(
        f"to partition {batch.partition}{'' if exists else ', which does not exist'}: {words}",
        boxes=tuple([Box(size * copy, size, None, "plain", label) for copy in range(copies)])
        if size
        else (),
        length=size * copies,
        fences=tuple(fences) if exists else (),
        answered=((0, size * copies),) if answer is not None and not answer.error else (),
        answer=_answer(answer) if answer is not None else "",
        refused=answer is not None and bool(answer.error),
    )


def _batch(batch: Outgoing, before: Before) -> str:
    words = [f"{batch.size} bytes", count_of(batch.records, "record")]
    if batch.codec is not Codec.NONE:
        unpacked = f", {batch.unpacked} bytes unpacked" if batch.unpacked else ""
        words.append(f"{batch.codec.value}{unpacked}")
    if batch.keyed:
        without = f", but for {_places(batch.keyless)}" if batch.keyless else ""
        words.append(f"with keys{without}")
    elif before.topic.compacted:
        words.append("without keys")
    if batch.flaw is not Flaw.NONE:
        words.append(f"flaw: {batch.flaw.value.replace('_', ' ')}")
    if batch.producer is not None:
        words.append(_sequence(batch, batch.producer, before))
    return ", ".join(words)


def _sequence(batch: Outgoing, producer: int, before: Before) -> str:
    last = before.sequences.get((batch.partition, producer, batch.epoch))
    after = "" if last is None else f" after {last}"
    end = _last_sequence(batch)
    span = str(end) if end == batch.sequence else f"{batch.sequence} to {end}"
    return f"producer {producer} epoch {batch.epoch} sequence {span}{after}"


def _last_sequence(batch: Outgoing) -> int:
    """The sequence of its last record; after 2147483647 comes 0."""
    return (batch.sequence + batch.records - 1) % 2**31


def _answer(answer: BatchAnswer) -> str:
    words = [error_name(answer.error)] if answer.error else []
    if answer.base is not None:
        words.append(f"base offset {answer.base}")
    if answer.append_time:
        words.append("a log append time")
    if answer.log_start is not None:
        words.append(f"log start offset {answer.log_start}")
    if answer.record_errors:
        words.append(f"{_places(answer.record_errors)} named as refused")
    return ", ".join(words) or "without an error"


def _times(batch: Outgoing, answer: BatchAnswer | None, topic: TopicSettings) -> Ladder | None:
    """The times of a batch's records among those that its topic takes, ms from the clock."""
    if not batch.times or topic.timestamp_type is TimestampType.APPEND:
        return None
    places: dict[int, list[int]] = {}
    for place, time in enumerate(batch.times):
        places.setdefault(time, []).append(place)
    bounds = Range(
        None if topic.before_max_ms == INT64_MAX else -topic.before_max_ms,
        None if topic.after_max_ms == INT64_MAX else topic.after_max_ms,
    )
    error = None if answer is None else answer.error
    asked = [Asked(str(time), error, _places(found)) for time, found in places.items()]
    return ladder(f"times for partition {batch.partition}, ms from now", bounds, asked)


def _places(places: Sequence[int]) -> str:
    shown = ", ".join(map(str, places[:_MOST_NAMED]))
    more = ", …" if len(places) > _MOST_NAMED else ""
    return f"record{'s' * (len(places) != 1)} {shown}{more}"


def _read_row(part: ReadPartition, topic: TopicSettings) -> Row:
    boxes, start = list[Box](), 0
    for batch in part.batches:
        kind = "damaged" if not batch.sound else "plain" if batch.identical else "altered"
        boxes.append(Box(start, batch.size, batch.base, kind, _stored_text(batch, topic)))
        start += batch.size
    words = [error_name(part.error)] if part.error else []
    words += [_stored_text(batch, topic) for batch in part.batches[:_MOST_NAMED]]
    if len(part.batches) > _MOST_NAMED:
        words.append(f"and {len(part.batches) - _MOST_NAMED} more batches")
    return Row(
        f"partition {part.partition}, up to offset {part.high_watermark}",
        boxes=tuple(boxes),
        length=start,
        answer="; ".join(words) or "nothing",
    )


def _stored_text(batch: ReadBatch, topic: TopicSettings) -> str:
    one = batch.base == batch.last
    span = f"offset {batch.base}" if one else f"offsets {batch.base} to {batch.last}"
    words = [f"{batch.size} bytes at {span}"]
    words.append(f"of step {batch.sent[0]}" if batch.sent is not None else "sent by no step")
    if batch.records != batch.last - batch.base + 1:
        words.append(count_of(batch.records, "record"))
    if batch.codec != Codec.NONE or topic.compression is not Compression.PRODUCER:
        words.append(f"codec {batch.codec}" if batch.codec else "a codec that does not exist")
    if not batch.sound:
        words.append("a wrong checksum")
    if batch.times is not Times.SENT or topic.timestamp_type is TimestampType.APPEND:
        words.append(_TIMES[batch.times])
    if batch.altered:
        words.append(f"altered: {', '.join(batch.altered).replace('_', ' ')}")
    elif batch.sound and not batch.identical:
        words.append("altered")
    return ", ".join(words)


_TIMES = {
    Times.SENT: "the producer's times",
    Times.APPENDED: "the broker's times",
    Times.CHANGED: "other times than sent",
    Times.OTHER: "times that are neither sent nor the broker's",
}


def _outcome(outcome: Outcome | None, other: str) -> str:
    match outcome:
        case None | TopicReady() | TopicChanged() | ReadAnswer():
            return ""
        case ProduceAnswer(partitions=parts):
            return "" if parts else "answered without a partition"
        case NoAnswer():
            return "not answered, and the next request was"
        case EndOffsetsAnswer(ends=ends):
            shown = [
                f"{'no offset' if end is None else end} in partition {number}"
                for number, end in enumerate(ends)
            ]
            return f"answered {', '.join(shown)}"
        case ProducerGiven(error=error, producer=producer, epoch=epoch):
            return (
                f"answered {error_name(error)}"
                if error
                else f"answered producer {producer}, epoch {epoch}"
            )
        case TimeFound(error=error, offset=offset, found_ms=found):
            if error:
                return f"answered {error_name(error)}"
            where = "no offset" if offset is None else f"offset {offset}"
            return f"answered {where}" + ("" if found is None else f", its time {found} ms")
    return other
