"""A message at one version: the definition with every version question answered."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from conformance.wire.definitions import DefinitionError, version_range
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from conformance.wire.definitions import Definitions, Message

FIXED = {
    "bool": ("?", 1),
    "int8": ("b", 1),
    "int16": ("h", 2),
    "uint16": ("H", 2),
    "int32": ("i", 4),
    "uint32": ("I", 4),
    "int64": ("q", 8),
    "float64": ("d", 8),
    "uuid": ("16s", 16),
}
"""Types of fixed size: struct letter and bytes."""

BLOBS = frozenset({"bytes", "records"})
MAX_DEPTH = 16
WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
ZERO_UUID = bytes(16)
NAME = re.compile(r"[A-Za-z0-9_]+")
"""The form of a name in a definition: code is made of it."""


def snake_case(name: str) -> str:
    """`PartitionMaxBytes` to `partition_max_bytes`."""
    return WORD_START.sub("_", name).lower()


@frozen
class Field:
    """One field at one version.

    `kind` is a type of `FIXED`, `string`, `bytes`, `records` or `struct` (then `struct` is set). An
    `array` of structs is nullable as a whole: its elements never are.
    """

    key: str
    kind: str
    struct: Struct | None
    array: bool
    nullable: bool
    flexible: bool
    tag: int | None
    ignorable: bool
    default: Any

    @property
    def is_fixed(self) -> bool:
        """Whether the value takes the same number of bytes whatever it is."""
        return not self.array and self.kind in FIXED

    def minimum(self) -> int:
        """The fewest bytes this field takes as one plain value (not as a tagged field)."""
        if self.array:
            return 1 if self.flexible else 4
        return self.element_minimum()

    def element_minimum(self) -> int:
        """The fewest bytes of one element (or of the value itself, where the field isn't an
        array).
        """
        if self.kind in FIXED:
            return FIXED[self.kind][1]
        if self.struct is not None:
            return 1 if self.nullable and not self.array else self.struct.minimum()
        if self.flexible:
            return 1
        return 2 if self.kind == "string" else 4


@frozen
class Struct:
    """The fields that exist at one version, and those of other versions (needed only to refuse them
    by name).
    """

    name: str
    fields: tuple[Field, ...]
    tagged: tuple[Field, ...]
    absent: tuple[Field, ...]
    flexible: bool

    def minimum(self) -> int:
        """The fewest bytes a value of this struct takes."""
        return sum(each.minimum() for each in self.fields) + self.flexible


@frozen
class Schema:
    """One message at one version."""

    name: str
    version: int
    api_key: int
    flexible: bool
    root: Struct


def schema(definitions: Definitions, name: str, version: int) -> Schema:
    """Resolve a message for a version.

    Raises:
        DefinitionError: there is no such message or version, or its definition uses something
        unknown.
    """
    _check_name(name)
    message = definitions.message(name, version)
    flexible = version in version_range(message.get("flexibleVersions", "none"))
    commons = {each["name"]: each["fields"] for each in message.get("commonStructs", ())}
    structs = dict(_inline_structs(message.get("fields", ()))) | commons
    for fields in commons.values():
        structs |= dict(_inline_structs(fields))
    resolver = _Resolver(version, flexible, structs)
    root = resolver.struct(name, message.get("fields", ()), 0)
    return Schema(name, version, message.get("apiKey", -1), flexible, root)


def _inline_structs(fields: Any) -> Iterator[tuple[str, Any]]:
    for each in fields:
        if "fields" in each:
            yield each["type"].removeprefix("[]"), each["fields"]
            yield from _inline_structs(each["fields"])


@frozen
class _Resolver:
    version: int
    flexible: bool
    structs: Mapping[str, Any]

    def struct(self, name: str, fields: Any, depth: int) -> Struct:
        if depth > MAX_DEPTH:
            raise DefinitionError(
                f"{name}: structs nest deeper than {MAX_DEPTH}; expected a finite definition"
            )
        present = [each for each in fields if self.version in version_range(each["versions"])]
        resolved = [self.field(each, depth) for each in present]
        others = [each for each in fields if self.version not in version_range(each["versions"])]
        return Struct(
            name=name,
            fields=tuple(each for each in resolved if each.tag is None),
            tagged=tuple(
                sorted(
                    (each for each in resolved if each.tag is not None),
                    key=lambda each: each.tag or 0,
                )
            ),
            absent=tuple(self.field(each, depth) for each in others),
            flexible=self.flexible,
        )

    def field(self, field: Message, depth: int) -> Field:
        kind: str = field["type"]
        array = kind.startswith("[]")
        kind = kind.removeprefix("[]")
        struct = None
        if kind not in FIXED and kind not in BLOBS and kind != "string":
            nested = field.get("fields", self.structs.get(kind))
            if nested is None:
                raise DefinitionError(f"field {field['name']}: unknown type {field['type']!r}")
            struct = self.struct(_check_name(kind), nested, depth + 1)
            kind = "struct"
        flexible = self.flexible
        if "flexibleVersions" in field:
            flexible = self.version in version_range(field["flexibleVersions"])
        tagged = self.version in version_range(field.get("taggedVersions", "none"))
        return Field(
            key=snake_case(_check_name(field["name"])),
            kind=kind,
            struct=struct,
            array=array,
            nullable=self.version in version_range(field.get("nullableVersions", "none")),
            flexible=flexible,
            tag=_tag(field) if tagged else None,
            ignorable=field.get("ignorable", False),
            default=_default(field, kind, array=array),
        )


def _check_name(name: Any) -> str:
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise DefinitionError(
            f"expected a name of letters, digits and _, found {name!r}; correct the message "
            "definition"
        )
    return name


def _tag(field: Message) -> int:
    tag = field.get("tag")
    if not isinstance(tag, int):
        raise DefinitionError(
            f"field {field['name']}: expected a tag that is a number, found {tag!r}; correct the "
            "message definition"
        )
    return tag


def _default(field: Message, kind: str, *, array: bool) -> Any:
    """The value an absent field has: a struct's own default is `{}`, which stands for all its
    fields' defaults.
    """
    given = field.get("default")
    if given == "null":
        return None
    if array:
        return ()
    if kind == "string":
        return "" if given is None else str(given)
    if kind == "bool":
        return str(given).lower() == "true"
    if kind == "float64":
        return float(given or 0)
    if kind == "uuid":
        return ZERO_UUID
    if kind == "struct":
        return {}
    if kind in BLOBS:
        return b""
    return int(str(given), 0) if given is not None and given != "" else 0
