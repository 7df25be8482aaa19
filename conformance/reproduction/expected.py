"""What should have come in place of what broke a clause, found by judging the same play with one
field of one answer changed.

Verdicts say it in words; a program compares fields. A field is the one that breaks a clause where
some other value of it does not.
"""

from __future__ import annotations

import re
from dataclasses import field
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from spec.canonical import write_scenario
from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
from spec.frozen import frozen, replace
from spec.groups.outcomes import GroupAnswer, JoinGroupAnswer, MemberHeartbeatAnswer
from spec.judge import judge
from spec.kafka import Error
from spec.log import log_of
from spec.model import answer_all
from spec.offsets.outcomes import ListOffsetsAnswer, OffsetFetchAnswer
from spec.produce.outcomes import ProduceAnswer
from spec.share.outcomes import (
    Acquired,
    ShareAcknowledgeAnswer,
    ShareAnswerPartition,
    ShareFetchAnswer,
)
from spec.verdict import Outcome as Verdicts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from conformance.engine.play_result import Played
    from spec.observation import Exchange
    from spec.outcomes import Outcome
    from spec.semantics import Semantics
    from spec.verdict import Verdict

Path = tuple[str | int, ...]
"""Where a field lies: names and places; on the wire `*` for the elements of all."""


@frozen
class Shape:
    """How an outcome lies in the response.

    Attributes:
        own: its fields by what the response calls them.
        parts: the name of its parts, and where they lie in the response.
        of_part: the fields of a part.
        ranges: the name of a part's ranges, in the response, and their fields.
    """

    own: Mapping[str, str]
    parts: tuple[str, Path] = ("", ())
    of_part: Mapping[str, str] = field(default_factory=dict)
    ranges: tuple[str, str, Mapping[str, str]] = ("", "", MappingProxyType({}))


_ERROR = {"error": "error_code"}
_RESPONSES: Path = ("responses", "*", "partitions")
_TOPICS: Path = ("topics", "*", "partitions")
SHAPES: Mapping[type[Outcome], Shape] = {
    FetchAnswer: Shape(
        _ERROR,
        ("partitions", _RESPONSES),
        _ERROR
        | {name: name for name in ("high_watermark", "last_stable_offset", "log_start_offset")},
    ),
    ShareFetchAnswer: Shape(
        _ERROR,
        ("partitions", _RESPONSES),
        _ERROR | {"acknowledge_error": "acknowledge_error_code"},
        (
            "acquired",
            "acquired_records",
            {"first": "first_offset", "last": "last_offset", "count": "delivery_count"},
        ),
    ),
    ListOffsetsAnswer: Shape({}, ("found", _TOPICS), _ERROR | {"offset": "offset"}),
    OffsetFetchAnswer: Shape(_ERROR),
    ShareAcknowledgeAnswer: Shape(_ERROR),
    ProduceAnswer: Shape(
        {},
        ("partitions", ("responses", "*", "partition_responses")),
        _ERROR | {"base": "base_offset", "log_start": "log_start_offset"},
    ),
    JoinGroupAnswer: Shape(_ERROR | {"generation": "generation_id"}),
    GroupAnswer: Shape(_ERROR),
    MemberHeartbeatAnswer: Shape(_ERROR | {"epoch": "member_epoch"}),
}
"""How outcomes lie in their responses, as far as their fields are compared."""
PREFIX = 12
"""Bytes of a batch that say where it begins and how long it is."""
GUESSES = (Error.NONE, Error.INVALID_REQUEST)
"""Error codes that may be right where a verdict names none."""


@frozen
class Expectation:
    """The field by which an answer breaks a clause.

    Attributes:
        exchange: the number of the exchange in the observation.
        path: where it lies in the response.
        observed: its value, as on the wire.
        expected: the one value that does not break the clause; None where several do not, or none
            was found.
        words: what the verdict expects.
    """

    exchange: int
    path: Path
    observed: Any
    expected: Any
    words: str


def main_break(played: Played) -> Verdict:
    """The break of a play that explains the others.

    Raises:
        ValueError: it breaks nothing.
    """
    for verdict in sorted(played.judgement.breaks, key=lambda one: not one.primary):
        return verdict
    raise ValueError("expected a play that breaks a clause, found none")


def expectation_of(played: Played, semantics: Semantics) -> Expectation | None:
    """The field by which a play breaks its main clause; where none is found, the last error code
    that is none of those promised; None where there is no such thing either.
    """
    verdict = main_break(played)
    exchanges = played.observation.exchanges
    words = words_of(verdict)
    for strictly, number in product((True, False), reversed(range(len(exchanges)))):
        changes = (
            *_changes(exchanges[number].outcome, played, verdict),
            *_model_changes(exchanges[number], played, semantics),
        )
        for change in changes:
            if right := [
                value
                for value, outcome in change.values
                if _is_mended(played, semantics, number, outcome, strictly=strictly)
            ]:
                only = right[0] if len(right) == 1 and not change.is_open else None
                return Expectation(number, change.path, change.observed, only, words)
    for number in reversed(range(len(exchanges))):
        for one in _fields(exchanges[number].outcome):
            if one.is_error and one.value:
                return Expectation(number, one.path, one.value, None, words)
    return None


def words_of(verdict: Verdict) -> str:
    """What a verdict expects, without what it found."""
    expected = re.sub(r",? found .*$", "", verdict.why, flags=re.DOTALL)
    return expected.removeprefix("expected ")


@frozen
class _Change:
    """Other values of one field, each with the outcome that has it.

    Attributes:
        is_open: whether a value that mends the play is only one of many that would.
    """

    path: Path
    observed: Any
    values: tuple[tuple[Any, Any], ...]
    is_open: bool = False


@frozen
class _Field:
    """A field of an outcome: its place there, and in the response."""

    inside: Path
    path: Path
    value: Any

    @property
    def is_error(self) -> bool:
        return str(self.path[-1]).endswith("error_code")


def _changes(outcome: Outcome, played: Played, verdict: Verdict) -> Iterator[_Change]:
    """The changes of an outcome that may mend a play."""
    fields = list(_fields(outcome))
    named = {int(number) for number in re.findall(r"-?\b\d+\b", verdict.why)}
    ends = {
        entry.last
        for partition in played.scenario.layout.partitions
        for entry in log_of(partition).batches
    }
    for one in fields:
        if one.is_error:
            if one.value:
                yield _other_error(outcome, one, fields, verdict)
        else:
            numbers = sorted({*named, *[number + 1 for number in named], *ends} - {one.value})
            made = tuple([(number, _with(outcome, one.inside, number)) for number in numbers])
            yield _Change(one.path, _on_the_wire(one.value), made)
    if isinstance(outcome, ListOffsetsAnswer):
        yield from _other_records(outcome, fields, named, played)
    if isinstance(outcome, ShareFetchAnswer):
        yield from _fewer_ranges(outcome)


def _other_error(
    outcome: Outcome, field: _Field, fields: list[_Field], verdict: Verdict
) -> _Change:
    """Another error code in a field, and in all fields that have the same."""
    named = [code for code in Error if re.search(rf"\b{code.name}\b", words_of(verdict))]
    values = []
    for code in dict.fromkeys((*named, *GUESSES)):
        changed: Any = outcome
        for same in fields:
            if same.is_error and same.value == field.value:
                changed = _with(changed, same.inside, int(code))
        values.append((int(code), changed))
    return _Change(field.path, field.value, tuple(values), is_open=not named)


def _other_records(
    outcome: ListOffsetsAnswer, fields: list[_Field], named: set[int], played: Played
) -> Iterator[_Change]:
    """Another record for a lookup: its offset with any timestamp of the scenario."""
    times = {int(text) for text in re.findall(r"-?\b\d+\b", write_scenario(played.scenario))}
    for one in fields:
        if one.path[-1] != "offset":
            continue
        made = []
        for number, time, epoch in product(sorted(named), sorted(times), (0, None)):
            found = _with(outcome, one.inside, number)
            found = _with(found, (*one.inside[:-1], "timestamp"), time)
            made.append((number, _with(found, (*one.inside[:-1], "leader_epoch"), epoch)))
        yield _Change(one.path, _on_the_wire(one.value), tuple(made))


def _fewer_ranges(outcome: ShareFetchAnswer) -> Iterator[_Change]:
    """The acquired ranges without one of them."""
    for place, part in enumerate(outcome.partitions):
        made = []
        for number in range(len(part.acquired)) if len(part.acquired) > 1 else ():
            kept = part.acquired[:number] + part.acquired[number + 1 :]
            made.append((_ranges(kept), _with(outcome, ("partitions", place, "acquired"), kept)))
        path = (*_RESPONSES, place, "acquired_records")
        yield _Change(path, _ranges(part.acquired), tuple(made))


def _model_changes(exchange: Exchange, played: Played, semantics: Semantics) -> Iterator[_Change]:
    """The answer's partitions as the model answers them."""
    outcome = exchange.outcome
    if not isinstance(outcome, FetchAnswer | ShareFetchAnswer):
        return
    for place, part in enumerate(outcome.partitions):
        for right in _model_partitions(exchange, played, semantics):
            if type(right) is not type(part) or right.partition != part.partition:
                continue
            name, seen = _seen_in(part)
            _, expected = _seen_in(right)
            if seen != expected:
                changed = _with(outcome, ("partitions", place), right)
                yield _Change((*_RESPONSES, place, name), seen, ((expected, changed),))


def _model_partitions(
    exchange: Exchange, played: Played, semantics: Semantics
) -> tuple[PartitionAnswer | ShareAnswerPartition, ...]:
    """The partitions that the model answers in the last exchange of a step."""
    found: tuple[PartitionAnswer | ShareAnswerPartition, ...] = ()
    for one in answer_all(played.scenario, semantics).exchanges:
        if one.step == exchange.step and isinstance(one.outcome, FetchAnswer | ShareFetchAnswer):
            found = one.outcome.partitions
    return found


def _seen_in(part: PartitionAnswer | ShareAnswerPartition) -> tuple[str, list[Any]]:
    """What is compared of a partition's part, and its name in the response."""
    if isinstance(part, ShareAnswerPartition):
        return "acquired_records", list(_ranges(part.acquired))
    return "records", list(_batch_sizes(part))


def _batch_sizes(part: PartitionAnswer) -> list[tuple[int, int]]:
    """(base offset, bytes) of each batch, a cut one at the end with the bytes that are there."""
    found = [(batch.base, batch.size) for batch in part.batches]
    if part.tail >= PREFIX:
        found.append((part.batches[-1].last + 1 if part.batches else -1, part.tail))
    return found


def _ranges(acquired: tuple[Acquired, ...]) -> list[dict[str, int]]:
    return [
        {"first_offset": one.first, "last_offset": one.last, "delivery_count": one.count}
        for one in acquired
    ]


def _with(outcome: Any, inside: Path, value: Any) -> Any:
    """The outcome with another value at a place in it."""
    if not inside:
        return value
    name, rest = inside[0], inside[1:]
    if isinstance(name, int):
        return (*outcome[:name], _with(outcome[name], rest, value), *outcome[name + 1 :])
    return replace(outcome, **{name: _with(getattr(outcome, name), rest, value)})


def _fields(outcome: Outcome) -> Iterator[_Field]:
    """The fields of an outcome that a program can compare."""
    shape = SHAPES.get(type(outcome))
    if shape is None:
        return
    for name, wire in shape.own.items():
        yield _Field((name,), (wire,), getattr(outcome, name))
    parts, where = shape.parts
    for place, part in enumerate(getattr(outcome, parts) if parts else ()):
        for name, wire in shape.of_part.items():
            yield _Field((parts, place, name), (*where, place, wire), getattr(part, name))
        ranges, on_wire, names = shape.ranges
        for number, one in enumerate(getattr(part, ranges) if ranges else ()):
            for name, wire in names.items():
                inside = (parts, place, ranges, number, name)
                yield _Field(inside, (*where, place, on_wire, number, wire), getattr(one, name))


def _is_mended(
    played: Played, semantics: Semantics, number: int, outcome: Any, *, strictly: bool
) -> bool:
    """Whether the play would not break its main clause with another outcome, nor another one that
    it does not break now; unless `strictly`, deviations from the reference are let pass.
    """
    exchanges = played.observation.exchanges
    changed = replace(
        played.observation,
        exchanges=(
            *exchanges[:number],
            replace(exchanges[number], outcome=outcome),
            *exchanges[number + 1 :],
        ),
    )
    breaks = judge(played.scenario, changed, semantics).breaks
    if main_break(played).clause in {one.clause for one in breaks}:
        return False
    now = {one.clause for one in played.judgement.breaks}
    return all(
        one.clause in now or (one.outcome is Verdicts.DEVIATES and not strictly) for one in breaks
    )


def _on_the_wire(value: Any) -> Any:
    return -1 if value is None else value
