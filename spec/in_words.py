"""Values as messages name them: in words, and not in the forms of Python."""

import re
from collections.abc import Iterable
from dataclasses import Field, fields, is_dataclass
from enum import Enum
from typing import Any

from spec.kafka import error_name

WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")


def in_words(value: object) -> str:
    """A value in words: `none`, `yes`, `3`, `1, 2`, `error NOT_LEADER_OR_FOLLOWER, offset none`.

    An object that does not say itself how it is named is named by its fields, those that are empty
    or not so left out; an error code has its name.
    """
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case Enum():
            return str(value.value)
        case bytes():
            return f"{len(value)} bytes"
        case range():
            return f"{value.start} to {value.stop - 1}" if value else "none"
        case tuple() | list() | set() | frozenset():
            return _many(value)
        case _ if is_dataclass(value) and type(value).__str__ is object.__str__:
            return fields_in_words(value)
        case _:
            return str(value) or "none"


def spans_in_words(spans: Iterable[tuple[int, int]]) -> str:
    """First and last offsets: `0 to 4, 5 to 9`; `none` where there are none."""
    return ", ".join([f"{first} to {last}" for first, last in spans]) or "none"


def quote(text: str | None) -> str:
    """A text in quotes, control characters escaped; `none` where there is none."""
    return "none" if text is None else repr(text)


def _many(values: Iterable[object]) -> str:
    return ", ".join(
        [f"({in_words(one)})" if _has_parts(one) else in_words(one) for one in values]
    ) or ("none")


def _has_parts(value: object) -> bool:
    return isinstance(value, tuple) or is_dataclass(value)


def fields_in_words(value: Any) -> str:
    """An object by its fields; by its class where none says anything."""
    parts = [_part(one, getattr(value, one.name)) for one in fields(value)]
    named = ", ".join([part for part in parts if part])
    return named or WORD.sub(" ", type(value).__name__).lower()


def _part(field: Field[Any], value: object) -> str:
    """A field by its name; empty where it says nothing."""
    if field.name == "error" and isinstance(value, int):
        return f"error {error_name(value)}" if value else "no error"
    if value is False or value in ((), ""):
        return ""
    name = field.name.replace("_", " ")
    return f"{name} ({in_words(value)})" if _has_parts(value) else f"{name} {in_words(value)}"
