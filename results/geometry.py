"""Where things lie in the picture of a scenario: one panel for each step, one row for each
partition in it.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from results import limit_state, produce_geometry
from results.limit_geometry import limit_panel
from results.offset_geometry import offset_panel
from results.produce_geometry import produce_panel
from results.shapes import Box, Fence, Panel, Row
from results.share_geometry import share_panel
from results.text import count_of
from spec.canonical import to_json
from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
from spec.fetch.steps import Fetch, FetchPartition
from spec.in_words import in_words
from spec.kafka import MARKER_SIZE, READ_COMMITTED, READ_UNCOMMITTED, error_name
from spec.layout import Batch, Layout, Marker, Partition
from spec.limits.steps import LimitStep
from spec.log import log_of
from spec.observation import Observation
from spec.offsets.steps import AppendTimed, OffsetStep
from spec.outcomes import AppendAnswer, Closed, Garbled, NotReady, NotSent, Outcome, Silent
from spec.produce.steps import ProduceStep
from spec.scenario import Scenario
from spec.share.steps import ShareStep
from spec.steps import Append, DeleteRecords, Step

_SOME_BYTES = 100
"""Stands for the bytes of a batch that is drawn by its offsets."""
WAITED_MS = 10
"""Milliseconds from which on the time of an answer is worth a word, in virtual time."""


def panels(scenario: Scenario, observation: Observation | None) -> tuple[Panel, ...]:
    """One panel for each step of the scenario, in order."""
    outcomes = (
        {exchange.step: exchange.outcome for exchange in observation.exchanges}
        if observation
        else {}
    )
    return tuple(_panels(scenario, outcomes))


def _panels(scenario: Scenario, outcomes: Mapping[int, Outcome]) -> Iterator[Panel]:
    logs = [log_of(partition) for partition in scenario.layout.partitions]
    produced, limited = produce_geometry.Before(), limit_state.Before()
    for number, step in enumerate(scenario.steps):
        outcome = outcomes.get(number)
        if isinstance(step, ShareStep):
            yield share_panel(logs, number, step, outcome, _outcome_label(outcome))
        elif isinstance(step, OffsetStep):
            yield offset_panel(logs, number, step, outcome, _outcome_label(outcome))
        elif isinstance(step, ProduceStep):
            other = _outcome_label(outcome)
            yield produce_panel(len(logs), produced, number, step, outcome, other)
        elif isinstance(step, LimitStep):
            yield limit_panel(limited, number, step, outcome, _outcome_label(outcome))
        else:
            yield _panel(scenario.layout, number, step, outcome)
        produced, limited = produced.after(step, outcome), limited.after(step, outcome)
        if isinstance(step, Append):
            logs[step.partition] = logs[step.partition].with_batch(step.batch)
        elif isinstance(step, AppendTimed):
            batch = Batch(_SOME_BYTES, len(step.times), step.codec)
            logs[step.partition] = logs[step.partition].with_batch(batch)
        elif isinstance(step, DeleteRecords):
            logs[step.partition] = logs[step.partition].deleted_to(step.offset)


def _panel(layout: Layout, number: int, step: Step, outcome: Outcome | None) -> Panel:
    match step:
        case Append(partition=partition, batch=batch):
            title = f"step {number}: append {_batch_label(batch)} to partition {partition}"
            return Panel(title, (), _outcome_label(outcome))
        case DeleteRecords(partition=partition, offset=offset):
            title = f"step {number}: delete records of partition {partition} before offset {offset}"
            return Panel(title, (), _outcome_label(outcome))
        case Fetch():
            return _fetch_panel(layout, number, step, outcome)
    return Panel(
        f"step {number}: member {step.actor}, {_in_words(step)}", (), _outcome_label(outcome)
    )


def _fetch_panel(layout: Layout, number: int, step: Fetch, outcome: Outcome | None) -> Panel:
    answers = outcome.partitions if isinstance(outcome, FetchAnswer) else ()
    rows = []
    left: int | None = step.max_bytes
    for position, asked in enumerate(step.partitions):
        answer = _answer_of(answers, asked, position)
        rows.append(_row(layout, asked, answer, left))
        left = left - answer.size if answer is not None and left is not None else None
    return Panel(f"step {number}: {_fetch_label(step)}", tuple(rows), _outcome_label(outcome))


def _answer_of(
    answers: tuple[PartitionAnswer, ...], asked: FetchPartition, position: int
) -> PartitionAnswer | None:
    if position < len(answers) and answers[position].partition == asked.partition:
        return answers[position]
    return next((answer for answer in answers if answer.partition == asked.partition), None)


def _row(
    layout: Layout, asked: FetchPartition, answer: PartitionAnswer | None, left: int | None
) -> Row:
    offset = f"offset {asked.offset}{' (absolute)' if asked.absolute else ''}"
    title = f"partition {asked.partition}, {offset}"
    words = _answer_label(answer) if answer else ""
    if not 0 <= asked.partition < len(layout.partitions):
        return Row(f"{title}: does not exist", answer=words)
    partition = layout.partitions[asked.partition]
    boxes = _boxes(partition)
    length = boxes[-1].start + boxes[-1].size if boxes else 0
    reads_from = None if asked.absolute else _byte_of(partition, boxes, asked.offset)
    fences: list[Fence] = []
    if reads_from is not None:
        fences.append(
            Fence(reads_from + max(asked.max_bytes, 0), f"partition_max_bytes={asked.max_bytes}")
        )
        if left is not None:
            fences.append(Fence(reads_from + max(left, 0), f"max_bytes: {max(left, 0)} left"))
    return Row(
        title=title,
        boxes=boxes,
        length=length,
        log_start=_byte_of(partition, boxes, partition.log_start) if partition.log_start else None,
        reads_from=reads_from,
        fences=tuple(fences),
        answered=((reads_from, answer.size),)
        if answer and answer.size and reads_from is not None
        else (),
        answer=words,
    )


def _boxes(partition: Partition) -> tuple[Box, ...]:
    boxes: list[Box] = []
    start = base = 0
    for number, segment in enumerate(partition.segments):
        for index, entry in enumerate(segment):
            rolls = bool(number) and not index
            if isinstance(entry, Marker):
                kind = "commit" if entry.commit else "abort"
                box = Box(
                    start,
                    MARKER_SIZE,
                    base,
                    kind,
                    f"{kind} marker of transaction {entry.txn}",
                    rolls,
                )
                base += 1
            else:
                base += entry.gap
                kind = "plain" if entry.txn is None else "txn"
                box = Box(start, entry.size, base, kind, _batch_label(entry), rolls)
                base += entry.offsets
            boxes.append(box)
            start += box.size
    return tuple(boxes)


def _byte_of(partition: Partition, boxes: tuple[Box, ...], offset: int) -> int | None:
    end = 0
    for entry, box in zip(partition.entries(), boxes, strict=True):
        end = (box.base or 0) + (1 if isinstance(entry, Marker) else entry.offsets)
        if 0 <= offset < end:
            return box.start
    if offset == end:
        return boxes[-1].start + boxes[-1].size if boxes else 0
    return None


def _batch_label(batch: Batch) -> str:
    words = [f"{batch.size} bytes", count_of(batch.records, "record")]
    if batch.codec != "none":
        words.append(batch.codec.value)
    if batch.txn is not None:
        words.append(f"transaction {batch.txn}")
    if batch.magic != 2:
        words.append(f"magic {batch.magic}")
    return ", ".join(words)


_OTHER_SESSIONS = {
    2: ["a session id not seen before"],
    -1: ["the session id that was asked with, which is not its own"],
}
"""The words for the session of an answer that is in none, or not in the scenario's own."""


def _fetch_label(step: Fetch) -> str:
    drafted = [f"{one.name}={one.value}" for one in step.extra]
    words = [
        f"Fetch v{step.version}",
        *_session_words(step),
        *drafted,
        f"max_bytes={step.max_bytes}",
        f"min_bytes={step.min_bytes}",
    ]
    words.append(f"max_wait_ms={step.max_wait_ms}")
    names = {READ_UNCOMMITTED: "read_uncommitted", READ_COMMITTED: "read_committed"}
    words.append(names.get(step.isolation, f"isolation={step.isolation}"))
    if step.replica_id != -1:
        words.append(f"replica_id={step.replica_id}")
    return " ".join(words)


def _session_words(step: Fetch) -> list[str]:
    """The request's parts of a fetch session (KIP-227), each followed by a comma."""
    words = []
    match step.session, step.epoch:
        case 0, -1:
            pass
        case 0, 0:
            words.append("opens a session,")
        case "own", -1:
            words.append("closes its session,")
        case "own", 0:
            words.append("opens a session in place of its own,")
        case "own", epoch:
            words.append(f"in its session, epoch {epoch},")
        case session, epoch:
            words.append(f"session {session}, epoch {epoch},")
    if step.forgotten:
        words.append(f"forgets partition {', '.join(map(str, step.forgotten))},")
    return words


def _answer_label(answer: PartitionAnswer) -> str:
    if answer.garbled is not None:
        return f"records that can't be read: {answer.garbled}"
    words = [] if not answer.error else [error_name(answer.error)]
    whole = len(answer.batches)
    words.append(f"{answer.size} bytes, {whole} whole batch{'es' * (whole != 1)}")
    if answer.tail:
        words.append(f"{answer.tail} bytes of the next")
    if answer.batches:
        words.append(f"offsets {answer.batches[0].base} to {answer.batches[-1].last}")
    return ", ".join(words)


def _outcome_label(outcome: Outcome | None) -> str:
    match outcome:
        case None:
            return ""
        case FetchAnswer(error=error, session=session):
            words = [error_name(error)] if error else []
            words += _OTHER_SESSIONS.get(session, [])
            return f"answered {', '.join(words)}" if words else ""
        case AppendAnswer(error=error, offset=offset):
            words = [*([error_name(error)] if error else []), f"offset {in_words(offset)}"]
            return f"answered {', '.join(words)}"
        case Closed(reason=reason):
            return (
                f"the connection was closed without an answer: {reason}"
                if reason
                else "the connection was closed"
            )
        case Silent(waited_ms=waited, control_answered=answered):
            return (
                f"silent for {waited} ms, a control request "
                f"{'was answered' if answered else 'was not answered either'}"
            )
        case Garbled(reason=reason):
            return f"an answer that can't be decoded: {reason}"
        case NotSent(reason=reason):
            return f"not sent: {reason}"
        case NotReady(reason=reason):
            return f"not ready in time: {reason}"
    return f"answered {_in_words(outcome)}"


def _in_words(value: Step | Outcome) -> str:
    """The part that is not drawn: its kind, its error by name, and each unusual field."""
    fields = json.loads(to_json(value))
    kind = str(fields.pop("kind")).removesuffix("_answer").replace("_", " ")
    error = [error_name(fields.pop("error"))] if "error" in fields else []
    others = [f"{key}={_plain(each)}" for key, each in fields.items() if key != "actor"]
    return " ".join([kind, *error, *others])


def _plain(value: Any) -> str:
    """A value of the canonical form, lists and objects without the brackets, braces and quotes of
    JSON: `0, 1`, `(base=2 size=100), (base=3 size=100)`.
    """
    match value:
        case list():
            return ", ".join([_within_list(one) for one in value]) or "none"
        case dict():
            return f"({' '.join([f'{key}={_plain(one)}' for key, one in value.items()])})"
        case str():
            return value
    return json.dumps(value)


def _within_list(value: Any) -> str:
    return f"({_plain(value)})" if isinstance(value, list) else _plain(value)
