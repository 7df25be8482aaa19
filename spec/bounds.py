"""Whether a scenario can be asked: each subject says what its steps may hold."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache

from spec.draft_registry import drafts
from spec.kafka import CURRENT_MAGIC
from spec.layout import Batch, LayoutError, validate_batch
from spec.ranges import ACTOR, IN_LAYOUT, INT64, LONGEST_TEXT, TIME, Fields, Range, Words
from spec.scenario import Scenario
from spec.steps import Append, DeleteRecords
from spec.subject_registry import SUBJECTS

_SHARED: Mapping[type, Fields] = {
    Append: {"partition": IN_LAYOUT, "actor": ACTOR, "after_ms": TIME},
    DeleteRecords: {"partition": IN_LAYOUT, "offset": INT64, "actor": ACTOR, "after_ms": TIME},
}
"""The steps of several subjects. A batch to append is not here: it is looked at as those of a
layout are.
"""


@cache
def numbers() -> Mapping[type, Fields]:
    """The range of each number of each class, by the field."""
    return {
        kind: found
        for one in (_SHARED, *[subject.numbers for subject in SUBJECTS])
        for kind, found in one.items()
    }


@cache
def words_of() -> Mapping[type, Words]:
    """The words that may stand where a number may, by class and field."""
    return {kind: words for subject in SUBJECTS for kind, words in subject.words.items()}


@cache
def field_ranges() -> Mapping[str, Range]:
    """The range of each field that a draft adds to a request, by its name."""
    return {name: one for draft in drafts() for name, one in draft.fields.items()}


class BoundsError(ValueError):
    """A scenario that can't be asked. The message names the field by its path, what was expected
    and what was found.
    """


def validate(scenario: Scenario) -> None:
    """Raise BoundsError where the steps or the configuration hold what can't be asked."""
    for problem in _problems(scenario):
        raise BoundsError(problem)


def _problems(scenario: Scenario) -> Iterator[str]:
    if not scenario.steps:
        yield "$.steps: expected at least one step, found none"
    partitions = len(scenario.layout.partitions)
    subject = next((one for one in SUBJECTS if one.name == scenario.subject), None)
    if subject is None:
        known = ", ".join(one.name for one in SUBJECTS)
        found = (
            repr(scenario.subject)
            if scenario.subject
            else "none, and steps that several have; name it"
        )
        yield f"$.subject: expected one of {known}, found {found}"
        return
    for number, step in enumerate(scenario.steps):
        where = f"$.steps[{number}]"
        if not isinstance(step, subject.steps):
            yield (
                f"{where}.kind: expected steps of one subject, {scenario.subject} as others here, "
                f"found {step.name}"
            )
        yield from (f"{where}.{problem}" for problem in step.problems())
        yield from _of_object(step, where, partitions)
        yield from _of_config(getattr(step, "config", ()), f"{where}.config", subject.configs)
    yield from _of_config(scenario.config, "$.config", subject.configs)


def _of_config(
    config: tuple[tuple[str, str], ...], where: str, known: Mapping[str, Range]
) -> Iterator[str]:
    """The settings a broker would be started with: nothing but the limits that the subject's model
    knows.
    """
    for key, value in config:
        if key not in known:
            yield f"{where}: expected configs out of {', '.join(known)}, found {key!r:.60}"
        elif (
            not _WHOLE_NUMBER.fullmatch(value)
            or not known[key].low <= int(value) <= known[key].high
        ):
            yield f"{where}: expected {key} to be {known[key]}, found {value!r:.60}"


_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,19}")


def _of_object(value: object, where: str, partitions: int) -> Iterator[str]:
    if isinstance(value, Batch):
        yield from _of_batch(value, where)
        return
    ranges, words = numbers()[type(value)], words_of().get(type(value), {})
    for field in fields(value):  # type: ignore[arg-type]  # it is one of our dataclasses
        if field.metadata.get("spread"):
            for one in getattr(value, field.name):
                yield from _of_value(
                    one.value, f"{where}.{one.name}", field_ranges()[one.name], (), partitions
                )
            continue
        yield from _of_value(
            getattr(value, field.name),
            f"{where}.{field.name}",
            ranges.get(field.name),
            words.get(field.name, ()),
            partitions,
        )


def _of_value(
    value: object,
    where: str,
    expected: Range | tuple[Range, ...] | None,
    words: tuple[str, ...],
    partitions: int,
) -> Iterator[str]:
    if isinstance(value, tuple):
        for index, item in enumerate(value):
            inner = expected
            if isinstance(expected, tuple) and not isinstance(item, tuple):
                inner = expected[index]
            yield from _of_value(item, f"{where}[{index}]", inner, words, partitions)
    elif isinstance(value, str) and not isinstance(value, Enum):
        yield from _of_text(value, where, words)
    elif is_dataclass(value):
        yield from _of_object(value, where, partitions)
    elif isinstance(expected, Range) and isinstance(value, int):
        high = partitions - 1 if expected is IN_LAYOUT else expected.high
        if not expected.low <= value <= high:
            yield f"{where}: expected {Range(expected.low, high, expected.what)}, found {value}"


def _of_text(value: str, where: str, words: tuple[str, ...]) -> Iterator[str]:
    if words and value not in words:
        yield f"{where}: expected a number or {' or '.join(map(repr, words))}, found {value!r:.60}"
        return
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        yield f"{where}: expected text that UTF-8 has, found half of a surrogate pair"
        return
    if size > LONGEST_TEXT:
        yield f"{where}: expected text of at most {LONGEST_TEXT} bytes, found {size}"


def _of_batch(batch: Batch, where: str) -> Iterator[str]:
    """A batch to append is what a producer sends: without holes, of the current format, outside of
    transactions.
    """
    try:
        validate_batch(where, batch)
    except LayoutError as error:
        yield str(error)
    if batch.gap or batch.span or batch.txn is not None or batch.magic != CURRENT_MAGIC:
        yield f"{where}: expected a batch without gap, span, txn and magic, found {batch}"
