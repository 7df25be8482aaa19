"""The one JSON form of layouts, scenarios, observations and events, and the ids made from it.

The form: keys in the order of the dataclass, fields at their default left out, no white space,
tuples as arrays. Where a value can be of several classes, `kind` says which (a record batch, the
commonest entry of a layout, goes without). The id of a layout or scenario is the first 16 hex
digits of the SHA-256 of its form.
"""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from spec import bounds, events, layout, scenario, verdict
from spec.draft_registry import draft_with
from spec.fetch.steps import DraftField
from spec.outcomes import AppendAnswer, Closed, Garbled, NotReady, NotSent, Outcome, Silent
from spec.steps import Step
from spec.subject_registry import SUBJECTS

T = TypeVar("T")
Made = TypeVar("Made")


def _cache_by_class(make: Callable[[Any], Made]) -> Callable[[Any], Made]:
    """`functools.cache`, for which a type is no Hashable."""
    return cache(make)


def kind_of(made: Any) -> str | None:
    """The `kind` of a class that shares its place with others: its name in snake case, or the one
    that older logs have. None for any other class.
    """
    if made is events.ReadingCost:
        return "costed"
    shares = made in _BY_ITSELF or (isinstance(made, type) and issubclass(made, Step | Outcome))
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", made.__name__).lower() if shares else None


_BY_ITSELF = frozenset((layout.Marker, *get_args(events.Event)))


@cache
def known_classes(base: Any) -> tuple[type, ...]:
    """Every step, or every outcome, that a scenario may have."""
    if base is Step:
        return tuple(dict.fromkeys([step for subject in SUBJECTS for step in subject.steps]))
    return (
        AppendAnswer,
        Closed,
        Silent,
        Garbled,
        NotSent,
        NotReady,
        *[outcome for subject in SUBJECTS for outcome in subject.outcomes],
    )


SCENARIO_FORMAT = 1
"""Version of the scenario file's format."""
CONFORMS = verdict.Outcome.CONFORMS


class FormatError(ValueError):
    """JSON that is not of the form. The message names the place, what was expected and what was
    found.
    """


def to_plain(value: Any) -> Any:
    """The value as dicts, lists, strings and numbers, ready for JSON."""
    form: Callable[[Any], Any] = _form_of(type(value))
    return form(value)


def to_json(value: Any) -> str:
    """The canonical form as one line."""
    return json.dumps(to_plain(value), separators=(",", ":"), ensure_ascii=False)


def from_plain(kind: type[T], plain: Any, where: str = "$") -> T:
    """Build a `kind` from plain data.

    Raises:
        FormatError: on a missing, unknown or mistyped field, naming its path.
    """
    decode: Callable[[Any, str], Any] = _decoder(kind)
    decoded: T = decode(plain, where)
    return decoded


def from_json(kind: type[T], text: str | bytes) -> T:
    """Build a `kind` from its JSON form.

    Raises:
        FormatError: where the text is not JSON, or not of the form.
    """
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"expected JSON, found something else: {error}") from error
    return from_plain(kind, plain)


def identity(value: Any) -> str:
    """The id of a layout or scenario: 16 hex digits."""
    return hashlib.sha256(to_json(value).encode()).hexdigest()[:16]


def scenario_identity(layout_json: str, steps_json: str, config_json: str = "[]") -> str:
    """The id of a scenario whose parts are at hand in canonical form; equal to
    `identity(scenario)`.
    """
    config = "" if config_json == "[]" else f',"config":{config_json}'
    form = f'{{"layout":{layout_json},"steps":{steps_json}{config}}}'
    return hashlib.sha256(form.encode()).hexdigest()[:16]


def write_scenario(value: scenario.Scenario) -> str:
    """The text of a scenario file: the canonical form, indented, with the format's version in
    front.
    """
    return json.dumps(file_form(value), indent=2, ensure_ascii=False) + "\n"


def file_form(value: scenario.Scenario) -> dict[str, Any]:
    """The content of a scenario file."""
    return {"fencepost_scenario": SCENARIO_FORMAT, "subject": value.subject, **to_plain(value)}


def read_scenario(text: str | bytes) -> scenario.Scenario:
    """Read a scenario file.

    Raises:
        FormatError: not JSON, not a scenario, of a newer format, a layout that contradicts itself,
        or steps that can't be asked.
    """
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"expected a scenario as JSON, found something else: {error}") from error
    if not isinstance(plain, dict) or "fencepost_scenario" not in plain:
        raise FormatError(
            'expected an object with the key "fencepost_scenario"; is this a scenario file?'
        )
    version = plain.pop("fencepost_scenario")
    if version != SCENARIO_FORMAT:
        raise FormatError(
            f"expected scenario format {SCENARIO_FORMAT}, found {version!r}; if a newer Fencepost "
            "wrote it, upgrade and try again"
        )
    found = from_plain(scenario.Scenario, plain)
    try:
        layout.validate(found.layout)
    except layout.LayoutError as error:
        raise FormatError(f"$.layout: {error}") from error
    try:
        bounds.validate(found)
    except bounds.BoundsError as error:
        raise FormatError(str(error)) from error
    return found


@_cache_by_class
def _form_of(kind: Any) -> Callable[[Any], Any]:
    """Convert a value of this class to plain JSON values."""
    if kind is scenario.Scenario:
        return _scenario_form
    if kind is verdict.Verdict:
        return _verdict_form
    if is_dataclass(kind):
        return _encoder(kind)
    if issubclass(kind, tuple | list):
        return lambda value: [to_plain(item) for item in value]
    if issubclass(kind, dict):
        return lambda value: {key: to_plain(item) for key, item in value.items()}
    if issubclass(kind, Enum):
        return lambda value: value._value_
    return lambda value: value


def _scenario_form(value: scenario.Scenario) -> dict[str, Any]:
    """A scenario without its subject where its steps say it, so that its id depends on what is done
    alone.
    """
    form = _encoder(scenario.Scenario)(value)
    if value.subject == scenario.subject_of(value.steps):
        form.pop("subject", None)
    return form


def _verdict_form(value: verdict.Verdict) -> dict[str, Any]:
    """A verdict. Each scenario has dozens, nearly all of which say only that a clause held: those
    forms are few, and kept.
    """
    if value.outcome is CONFORMS and not (value.why or value.signature or value.primary):
        return dict(_conforming_form(value.clause, value.sides))
    return _encoder(verdict.Verdict)(value)


@cache
def _conforming_form(clause: str, sides: verdict.Side) -> dict[str, Any]:
    """The form of the verdict that a clause held."""
    return _encoder(verdict.Verdict)(verdict.Verdict(clause, CONFORMS, sides))


@_cache_by_class
def _encoder(kind: Any) -> Callable[[Any], dict[str, Any]]:
    names = [
        (f.name, f.default if f.default is not MISSING else _default_of(f.default_factory))
        for f in fields(kind)
    ]
    spread = {f.name for f in fields(kind) if is_spread(f)}
    tag = kind_of(kind)

    def encode(value: Any) -> dict[str, Any]:
        plain: dict[str, Any] = {} if tag is None else {"kind": tag}
        for name, default in names:
            item = getattr(value, name)
            if item is default or (item == default and type(item) is type(default)):
                continue
            if name in spread:
                plain.update({one.name: one.value for one in item})
            else:
                plain[name] = item if type(item) in _PLAIN else to_plain(item)
        return plain

    return encode


def is_spread(field: Field[Any]) -> bool:
    """Whether the fields of a draft that this one holds stand beside the others, not within it."""
    return bool(field.metadata.get("spread"))


_PLAIN = frozenset((int, str, bool, float, NoneType))


def _default_of(factory: Any) -> Any:
    return MISSING if factory is MISSING else factory()


@_cache_by_class
def _decoder(kind: Any) -> Callable[[Any, str], Any]:
    origin = get_origin(kind)
    if kind in (Step, Outcome):
        return _union_decoder(known_classes(kind))
    if origin in (Union, UnionType):
        return _union_decoder(get_args(kind))
    if origin is tuple:
        return _tuple_decoder(get_args(kind))
    if origin is dict:
        return _decode_dict
    if isinstance(kind, type) and is_dataclass(kind):
        return _dataclass_decoder(kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _enum_decoder(kind)
    return _scalar_decoder(kind)


def _union_decoder(members: tuple[Any, ...]) -> Callable[[Any, str], Any]:
    classes = {kind_of(m): _decoder(m) for m in members if isinstance(m, type) and is_dataclass(m)}
    others = [m for m in members if not is_dataclass(m) and m is not NoneType]
    nullable = NoneType in members

    def decode(plain: Any, where: str) -> Any:
        if plain is None and nullable:
            return None
        if isinstance(plain, dict) and classes:
            tag = plain.get("kind")
            if not isinstance(tag, str | None) or tag not in classes:
                known = ", ".join(sorted(str(k) for k in classes if k))
                raise FormatError(f"{where}.kind: expected one of {known}, found {tag!r:.60}")
            return classes[tag](plain, where)
        for member in others:
            try:
                return _decoder(member)(plain, where)
            except FormatError:
                if member is others[-1]:
                    raise
        raise FormatError(f"{where}: found {plain!r:.60}, which fits none of what may stand here")

    return decode


def _tuple_decoder(items: tuple[Any, ...]) -> Callable[[Any, str], Any]:
    if len(items) == 2 and items[1] is Ellipsis:
        inner = _decoder(items[0])

        def decode(plain: Any, where: str) -> Any:
            if not isinstance(plain, list):
                raise FormatError(f"{where}: expected an array, found {plain!r:.60}")
            return tuple([inner(item, f"{where}[{index}]") for index, item in enumerate(plain)])

        return decode
    inners = [_decoder(item) for item in items]

    def decode_fixed(plain: Any, where: str) -> Any:
        if not isinstance(plain, list) or len(plain) != len(inners):
            raise FormatError(f"{where}: expected an array of {len(inners)}, found {plain!r:.60}")
        return tuple([inner(item, where) for inner, item in zip(inners, plain, strict=True)])

    return decode_fixed


def _decode_dict(plain: Any, where: str) -> dict[str, str]:
    if not isinstance(plain, dict) or not all(isinstance(item, str) for item in plain.values()):
        raise FormatError(f"{where}: expected an object of strings, found {plain!r:.60}")
    return dict(plain)


def _dataclass_decoder(kind: type) -> Callable[[Any, str], Any]:
    hints = get_type_hints(kind)
    inner = {f.name: _decoder(hints[f.name]) for f in fields(kind)}
    required = [
        f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING
    ]
    tag = kind_of(kind)
    spread = next((f.name for f in fields(kind) if is_spread(f)), None)
    inner.pop(spread or "", None)
    number = _decoder(int)

    def decode(plain: Any, where: str) -> Any:
        if not isinstance(plain, dict):
            raise FormatError(f"{where}: expected an object ({kind.__name__}), found {plain!r:.60}")
        values: dict[str, Any] = {}
        for name, item in plain.items():
            if name in inner:
                values[name] = inner[name](item, f"{where}.{name}")
            elif spread is not None and (draft := draft_with(name)) is not None:
                added = DraftField(name, number(item, f"{where}.{name}"), draft.subject.name)
                values[spread] = (*values.get(spread, ()), added)
            elif name != "kind" or item != tag:
                raise FormatError(f"{where}: {kind.__name__} has no field {name!r}")
        for name in required:
            if name not in values:
                raise FormatError(f"{where}: {kind.__name__} needs the field {name!r}")
        return kind(**values)

    return decode


def _enum_decoder(kind: type[Enum]) -> Callable[[Any, str], Any]:
    def decode(plain: Any, where: str) -> Any:
        try:
            return kind(plain)
        except ValueError:
            raise FormatError(
                f"{where}: expected one of {[item.value for item in kind]}, found {plain!r:.60}"
            ) from None

    return decode


def _scalar_decoder(kind: Any) -> Callable[[Any, str], Any]:
    def decode(plain: Any, where: str) -> Any:
        fits = isinstance(plain, kind) and (kind is bool or not isinstance(plain, bool))
        if fits or (kind is float and isinstance(plain, int)):
            return plain
        raise FormatError(f"{where}: expected {kind.__name__}, found {plain!r:.60}")

    return decode
