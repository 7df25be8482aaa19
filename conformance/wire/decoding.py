"""Decoders, generated for one message at one version.

A decoder never believes a length before it has compared it with the bytes that are left, and it
raises one exception whatever is wrong. The time and memory it takes grow with the frame's size and
with nothing that the frame says: `MAX_ELEMENTS` bounds the objects that a frame of many tiny
elements can make.
"""

from __future__ import annotations

from struct import Struct as Packing
from struct import error as StructError  # noqa: N812 - the standard library's name is lower case
from struct import unpack_from
from typing import TYPE_CHECKING, Any

from conformance.wire.schema import FIXED, ZERO_UUID
from conformance.wire.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.wire.schema import Field, Schema, Struct

MAX_ELEMENTS = 1_000_000
"""Array elements and unknown tagged fields that one message may hold."""

MAX_STRING = 32767
"""Bytes of the longest string that Kafka's own reader takes."""

TAGS = "_tags"
"""Key under which unknown tagged fields are kept: `{tag: bytes}`."""

NULLS = "_nulls"
"""Key, in the whole message alone, under which a lenient decoder keeps the fields that were null
though they must have a value: a tuple of their names.
"""


class Malformed(Exception):  # noqa: N818 - it describes the bytes
    """Bytes that are no value of the message they are said to be.

    Attributes:
        what: the field and what is wrong with it.
        offset: where, in bytes from the start of the frame (or of the record data).
    """

    def __init__(self, what: str, offset: int) -> None:
        super().__init__(f"{what} (at byte {offset})")
        self.what = what
        self.offset = offset


def unsigned_varint(data: bytes, position: int) -> tuple[int, int]:
    """Read an unsigned varint of at most 5 bytes and 32 bits: its value and the position after it.

    Raises:
        Malformed: it is longer, or holds more than 32 bits.
        IndexError: the data ends inside it.
    """
    value = shift = 0
    for index in range(position, position + 5):
        byte = data[index]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value > 0xFFFFFFFF:
                break
            return value, index + 1
        shift += 7
    raise Malformed("a varint of more than 32 bits", position)


def decoder(
    schema: Schema, *, lenient: bool = False
) -> Callable[[bytes, int, int], tuple[dict[str, Any], int]]:
    """Compile a decoder: `(data, position, end) -> (value, position after it)`; `end` must be
    `len(data)`.

    A lenient one takes a null where none is allowed for an empty value, and notes it under `NULLS`.

    Raises (the decoder):
        Malformed: see the class.
    """
    return _Generator(schema, lenient=lenient).compile()


class _Generator:
    def __init__(self, schema: Schema, *, lenient: bool) -> None:
        self.schema = schema
        self.lenient = lenient
        self.source = Source(
            {
                "Malformed": Malformed,
                "StructError": StructError,
                "unpack_from": unpack_from,
                "uvarint": unsigned_varint,
                "malformed": self._malformed_error,
                "ZERO": ZERO_UUID,
            }
        )
        self.pending: list[tuple[str, str]] = []
        self.pending_labels: list[str] = []

    def _malformed_error(self, problem: Exception, position: int) -> Malformed:
        label = self.source.label_of(problem.__traceback__) or self.schema.name
        if isinstance(problem, UnicodeDecodeError):
            return Malformed(f"{label}: not UTF-8", position)
        return Malformed(f"{label}: the data ends inside it", position)

    def compile(self) -> Callable[[bytes, int, int], tuple[dict[str, Any], int]]:
        source = self.source
        with source.block("def decode(b, p, end):"):
            source.line(f"left = {MAX_ELEMENTS}")
            if self.lenient:
                source.line("nulls = {}")
            with source.block("try:"):
                value = self.struct(self.schema.root, "")
                self.flush()
                if self.lenient:
                    source.line(f"whole = {value}")
                    with source.block("if nulls:"):
                        source.line(f"whole[{NULLS!r}] = tuple(nulls)")
                    value = "whole"
                source.line(f"return {value}, p")
            with source.block("except (StructError, IndexError, UnicodeDecodeError) as problem:"):
                source.line("raise malformed(problem, p) from None")
        return source.compile("decode", f"decode {self.schema.name} v{self.schema.version}")

    # Values of fixed size, and the first byte of what follows them, are read together.

    def read(self, letter: str, prefix: str, label: str) -> str:
        name = self.source.name(prefix)
        self.pending.append((letter, name))
        self.pending_labels.append(label)
        return name

    def flush(self) -> None:
        if not self.pending:
            return
        packing = Packing(">" + "".join(letter for letter, _ in self.pending))
        unpack = self.source.constant("u", packing.unpack_from)
        names = ", ".join(name for _, name in self.pending)
        label = ", ".join(dict.fromkeys(each for each in self.pending_labels if each))
        if packing.format == ">B":
            self.source.line(f"{names} = b[p]", label)
        else:
            single = "," if len(self.pending) == 1 else ""
            self.source.line(f"{names}{single} = {unpack}(b, p)", label)
        self.source.line(f"p += {packing.size}")
        self.pending.clear()
        self.pending_labels.clear()

    def length(self, label: str, *, flexible: bool, wide: bool) -> str:
        """Read a length (or count); -1 is null. After this the pending reads are flushed."""
        if not flexible:
            name = self.read("i" if wide else "h", "n", label)
            self.flush()
            return name
        name = self.read("B", "n", label)
        self.flush()
        with self.source.block(f"if {name} > 127:"):
            self.source.line(f"{name}, p = uvarint(b, p - 1)", label)
        self.source.line(f"{name} -= 1")
        return name

    def struct(self, struct: Struct, path: str) -> str:
        """Read a struct; gives the expression that makes it."""
        values = {each.key: self.field(each, f"{path}{each.key}") for each in struct.fields}
        if not struct.flexible:
            self.flush()
            return self.literal(values)
        count = self.read("B", "n", f"{path}tagged fields")
        self.flush()
        name = self.source.name("s")
        values |= {each.key: self.default(each) for each in struct.tagged}
        self.source.line(f"{name} = {self.literal(values)}")
        with self.source.block(f"if {count}:"):
            self.tags(struct, path, count, name)
        return name

    @staticmethod
    def literal(values: dict[str, str]) -> str:
        return "{" + ", ".join(f"{key!r}: {value}" for key, value in values.items()) + "}"

    def default(self, field: Field) -> str:
        if field.default is None:
            return "None"
        if field.array:
            return "[]"
        if field.struct is not None:
            members = (*field.struct.fields, *field.struct.tagged)
            return self.literal({each.key: self.default(each) for each in members})
        return "ZERO" if field.kind == "uuid" else repr(field.default)

    def tags(self, struct: Struct, path: str, count: str, into: str) -> None:
        source = self.source
        label = f"{path}tagged fields"
        tag, size, stop, last, unknown = (
            source.name(each) for each in ("tag", "size", "stop", "last", "unknown")
        )
        with source.block(f"if {count} > 127:"):
            source.line(f"{count}, p = uvarint(b, p - 1)", label)
        self.bound(count, 2, label)
        source.line(f"{last} = -1")
        source.line(f"{unknown} = {{}}")
        with source.block(f"for _ in range({count}):"):
            source.line(f"{tag}, p = uvarint(b, p)", label)
            source.line(f"{size}, p = uvarint(b, p)", label)
            source.line(f"{stop} = p + {size}")
            with source.block(f"if {stop} > end:"):
                self.fail(f"{label}: tag {{{tag}}} claims {{{size}}} bytes, {{end - p}} are left")
            with source.block(f"if {tag} <= {last}:"):
                self.fail(f"{label}: tag {{{tag}}} after tag {{{last}}}")
            source.line(f"{last} = {tag}")
            keyword = "if"
            for each in struct.tagged:
                with source.block(f"{keyword} {tag} == {each.tag}:"):
                    value = self.field(each, f"{path}{each.key}")
                    self.flush()
                    source.line(f"{into}[{each.key!r}] = {value}")
                keyword = "elif"
            with source.block("else:" if struct.tagged else "if True:"):
                source.line(f"{unknown}[{tag}] = b[p:{stop}]")
                source.line(f"p = {stop}")
            with source.block(f"if p != {stop}:"):
                self.fail(
                    f"{label}: tag {{{tag}}} claims {{{size}}} bytes, its value takes {{p - {stop} "
                    f"+ {size}}}"
                )
        with source.block(f"if {unknown}:"):
            source.line(f"{into}[{TAGS!r}] = {unknown}")

    def fail(self, what: str) -> None:
        self.source.line(f'raise Malformed(f"{what}", p)')

    def bound(self, count: str, minimum: int, label: str) -> None:
        with self.source.block(f"if {count} * {max(1, minimum)} > end - p:"):
            self.fail(f"{label}: claims {{{count}}} elements, {{end - p}} bytes are left")
        self.source.line(f"left -= {count}")
        with self.source.block("if left < 0:"):
            self.fail(f"{label}: more than {MAX_ELEMENTS} elements in one message")

    def field(self, field: Field, path: str) -> str:
        """Read a field; gives the expression of its value."""
        if field.array:
            return self.array(field, path)
        if field.struct is not None and field.nullable:
            return self.nullable_struct(field.struct, path)
        return self.element(field, path)

    def element(self, field: Field, path: str) -> str:
        if field.kind in FIXED:
            return self.read(FIXED[field.kind][0], "f", path)
        if field.struct is not None:
            return self.struct(field.struct, f"{path}.")
        return self.text_or_bytes(field, path)

    def nullable_struct(self, struct: Struct, path: str) -> str:
        marker = self.read("b", "n", path)
        self.flush()
        name = self.source.name("s")
        with self.source.block(f"if {marker} < 0:"):
            self.source.line(f"{name} = None")
        with self.source.block("else:"):
            value = self.struct(struct, f"{path}.")
            self.flush()
            self.source.line(f"{name} = {value}")
        return name

    def null(
        self, field: Field, path: str, size: str, name: str, empty: str, *, element: bool = False
    ) -> None:
        """The meaning of a negative length; `empty` is the expression of an empty value."""
        with self.source.block(f"if {size} < 0:"):
            if field.nullable and not element:
                with self.source.block(f"if {size} < -1:"):
                    self.fail(f"{path}: length {{{size}}}")
                self.source.line(f"{name} = None")
            elif self.lenient:
                with self.source.block(f"if {size} < -1:"):
                    self.fail(f"{path}: length {{{size}}}")
                self.source.line(f"nulls[{path!r}] = None")
                self.source.line(f"{name} = {empty}")
            else:
                self.fail(f"{path}: null or negative length {{{size}}}, a value is required")

    def text_or_bytes(self, field: Field, path: str) -> str:
        source = self.source
        text = field.kind == "string"
        size = self.length(path, flexible=field.flexible, wide=not text)
        name = source.name("v")
        self.null(field, path, size, name, "''" if text else "b''", element=field.array)
        with source.block("else:"):
            stop = source.name("q")
            source.line(f"{stop} = p + {size}")
            with source.block(f"if {stop} > end:"):
                self.fail(f"{path}: claims {{{size}}} bytes, {{end - p}} are left")
            if text and field.flexible:
                with source.block(f"if {size} > {MAX_STRING}:"):
                    self.fail(f"{path}: a string of {{{size}}} bytes, the longest has {MAX_STRING}")
            source.line(f"{name} = b[p:{stop}]{'.decode()' if text else ''}", path)
            source.line(f"p = {stop}")
        return name

    def array(self, field: Field, path: str) -> str:
        source = self.source
        count = self.length(path, flexible=field.flexible, wide=True)
        name = source.name("a")
        self.null(field, path, count, name, "[]")
        with source.block("else:"):
            self.bound(count, field.element_minimum(), path)
            if field.kind in FIXED and field.kind != "uuid":
                letter, size = FIXED[field.kind]
                source.line(
                    f"{name} = list(unpack_from(f'>{{{count}}}{letter}', b, p)) if {count} else []",
                    path,
                )
                source.line(f"p += {count} * {size}")
            else:
                add = source.name("add")
                source.line(f"{name} = []")
                source.line(f"{add} = {name}.append")
                with source.block(f"for _ in range({count}):"):
                    value = self.element(field, path)
                    self.flush()
                    source.line(f"{add}({value})")
        return name
