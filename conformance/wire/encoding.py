"""Encoders, generated for one message at one version.

`_Generator` writes the Python source of a function and compiles it. Values of fixed size that
follow each other are packed by one call; where a string, an array or a tag section comes between
them, what is pending is packed first.
"""

from __future__ import annotations

from struct import Struct as Packing
from struct import error as StructError  # noqa: N812 - the standard library's name is lower case
from struct import pack
from typing import TYPE_CHECKING, Any

from conformance.wire.decoding import MAX_STRING, TAGS
from conformance.wire.schema import FIXED, ZERO_UUID
from conformance.wire.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.wire.schema import Field, Schema, Struct

NOTHING: Mapping[str, Any] = {}


class EncodeError(ValueError):
    """A value that the message can't carry at this version; the text names the field and the
    version.
    """


def unsigned_varint(value: int) -> bytes:
    """Encode `0 <= value < 2**32` in 1 to 5 bytes."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def tag_section(tags: Mapping[int, bytes]) -> bytes:
    """Encode tagged fields: count, then tag, size and bytes of each in ascending order."""
    parts = [unsigned_varint(len(tags))]
    for tag in sorted(tags):
        parts += (unsigned_varint(tag), unsigned_varint(len(tags[tag])), tags[tag])
    return b"".join(parts)


def encoder(schema: Schema) -> Callable[[Mapping[str, Any], bytes], bytes]:
    """Compile an encoder: `(value, prefix) -> prefix + encoded value`. Absent keys take the
    definition's default.

    Raises (the encoder):
        EncodeError: a key or a type or a range that the message hasn't at this version.
    """
    return _Generator(f"{schema.name} v{schema.version}").compile_struct(schema.root)


def is_default(field: Field, value: Any) -> bool:
    """Whether a value is what the field has when it isn't given."""
    if value is None or field.default is None:
        return value is None and field.default is None
    if field.array:
        return len(value) == 0
    if field.struct is not None:
        members = (*field.struct.fields, *field.struct.tagged, *field.struct.absent)
        return all(is_default(each, value[each.key]) for each in members if each.key in value)
    return bool(value == field.default)


class _Generator:
    """Writes the source of one encoder. Each method adds the lines that write one kind of value.

    In its arguments `value` and `name` are the name that holds a value in the generated source,
    `label` is the field for error messages, and `path` what its label begins with.

    Attributes:
        title: the message and version for error messages.
        pending: what is packed by one call once it is flushed: a letter of `struct.pack` and the
            expression of its value each; a letter `x`, a zero byte, has none.
        pending_labels: the fields that these are of.
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self.source = Source(
            {
                "StructError": StructError,
                "EncodeError": EncodeError,
                "pack": pack,
                "uvarint": unsigned_varint,
                "tag_section": tag_section,
                "unencodable": self._unencodable,
                "unknown_tags": self._unknown_tags,
                "ZERO": ZERO_UUID,
                "NOTHING": NOTHING,
            }
        )
        self.pending: list[tuple[str, str]] = []
        self.pending_labels: list[str] = []

    def _unencodable(self, problem: Exception) -> EncodeError:
        label = self.source.label_of(problem.__traceback__) or "its value"
        return EncodeError(
            f"{self.title}: expected a value that fits {label}; {type(problem).__name__}: {problem}"
        )

    def _unknown_tags(
        self, value: Mapping[str, Any], struct: Struct, path: str
    ) -> Mapping[int, bytes]:
        """Look at the keys that aren't fields of this version: unknown tags are given back, the
        rest is refused, but for the default of an absent field and one that is ignorable. Called by
        the generated encoder, as `unknown_tags`.
        """
        absent = {each.key: each for each in struct.absent}
        known = {each.key for each in (*struct.fields, *struct.tagged)}
        for key in value.keys() - known - {TAGS}:
            field = absent.get(key)
            if field is None:
                raise EncodeError(
                    f"{self.title}: {path or 'the message'} has no field {key!r} in any version"
                )
            if not field.ignorable and not is_default(field, value[key]):
                raise EncodeError(
                    f"{self.title}: field {path}{key} doesn't exist in this version, so expected "
                    "its default "
                    f"{field.default!r}, found {value[key]!r}; use another version or leave it out"
                )
        tags: Mapping[int, bytes] = value.get(TAGS) or {}
        if tags and not struct.flexible:
            raise EncodeError(f"{self.title}: {path}{TAGS}: this version has no tagged fields")
        return tags

    def compile_struct(
        self, struct: Struct, path: str = ""
    ) -> Callable[[Mapping[str, Any], bytes], bytes]:
        """An encoder of a struct's fields (and its tags)."""
        return self._compile(lambda: self.struct(struct, "x", path))

    def compile_field(self, field: Field, path: str) -> Callable[[Any, bytes], bytes]:
        """An encoder of one field's value."""
        return self._compile(lambda: self.value(field, "x", path))

    def _compile(self, body: Callable[[], None]) -> Callable[[Any, bytes], bytes]:
        source = self.source
        with source.block("def encode(x, prefix):"):
            source.line("parts = [prefix]")
            source.line("w = parts.append")
            with source.block("try:"):
                body()
                self.flush()
                source.line("return b''.join(parts)")
            with source.block(
                "except (StructError, TypeError, AttributeError, UnicodeEncodeError) as problem:"
            ):
                source.line("raise unencodable(problem) from None")
        return source.compile("encode", f"encode {self.title}")

    # Values of fixed size, and the length of what follows them, are written together.

    def write_fixed(self, letter: str, expression: str, label: str) -> None:
        """Write a value of fixed size once it is flushed."""
        self.pending.append((letter, expression))
        self.pending_labels.append(label)

    def flush(self, size: str = "") -> None:
        """Add the lines that write what is pending; after it `size`, if any: the name of a compact
        length, to which 1 was added as the wire has it.
        """
        letters = "".join(letter for letter, _ in self.pending)
        arguments = [expression for _, expression in self.pending if expression]
        label = ", ".join(dict.fromkeys(each for each in self.pending_labels if each))
        self.pending.clear()
        self.pending_labels.clear()
        if size:
            with self.source.block(f"if {size} < 128:"):
                self._pack(letters + "B", [*arguments, size], label)
            with self.source.block("else:"):
                self._pack(letters, arguments, label)
                self.source.line(f"w(uvarint({size}))")
        else:
            self._pack(letters, arguments, label)

    def _pack(self, letters: str, arguments: list[str], label: str) -> None:
        if letters and not arguments:
            self.source.line(f"w({bytes(len(letters))!r})", label)
        elif letters:
            packer = self.source.constant("p", Packing(">" + letters).pack)
            self.source.line(f"w({packer}({', '.join(arguments)}))", label)

    def default(self, field: Field) -> str:
        """The expression of a field's default."""
        if field.kind == "struct" and field.default == {} and not field.array:
            return "NOTHING"
        return "ZERO" if field.kind == "uuid" and not field.array else repr(field.default)

    def struct(self, struct: Struct, value: str, path: str) -> None:
        """Write a struct's fields, then its tag section in a flexible version."""
        source = self.source
        get, others = source.name("g"), source.name("others")
        members = (*struct.fields, *struct.tagged)
        known = source.constant("known", frozenset(each.key for each in members))
        shape = source.constant("struct", struct)
        source.line(f"{get} = {value}.get", path.rstrip("."))
        source.line(
            f"{others} = None if {value}.keys() <= {known} "
            f"else unknown_tags({value}, {shape}, {path!r})"
        )
        for each in struct.fields:
            self.field(each, get, path)
        if struct.tagged:
            self.tags(struct, get, others, path)
        elif struct.flexible:
            self.other_tags(others, path + TAGS)

    def other_tags(self, others: str, label: str) -> None:
        """Write the tag section of a struct without tagged fields: mostly empty, which is one zero
        byte behind what is pending.
        """
        source = self.source
        pending, labels = list(self.pending), list(self.pending_labels)
        with source.block(f"if {others}:"):
            self.flush()
            source.line(f"w(tag_section({others}))", label)
        with source.block("else:"):
            self.pending, self.pending_labels = [*pending, ("x", "")], labels
            self.flush()

    def tags(self, struct: Struct, get: str, others: str, path: str) -> None:
        """Write the tag section of a struct with tagged fields: those that differ from their
        defaults, and unknown ones.
        """
        source = self.source
        self.flush()
        tags = source.name("tags")
        source.line(f"{tags} = dict({others}) if {others} else {{}}")
        for each in struct.tagged:
            self.tag(each, get, tags, path + each.key)
        source.line(f"w(tag_section({tags}) if {tags} else b'\\0')", path + TAGS)

    def tag(self, field: Field, get: str, tags: str, label: str) -> None:
        """Put a tagged field into the tags, encoded by itself, unless it has its default."""
        source = self.source
        encode_alone = _Generator(self.title).compile_field(field, label)
        encode = source.constant("e", encode_alone)
        value = source.name("x")
        source.line(f"{value} = {get}({field.key!r}, {self.default(field)})")
        if field.struct is not None and not field.array and field.default is not None:
            # a struct that names some members may be the default all the same: its bytes show it
            default = source.constant("d", encode_alone({}, b""))
            with source.block(f"if {value} is None or {value}:"):
                source.line(f"{value} = {encode}({value}, b'')")
                with source.block(f"if {value} != {default}:"):
                    source.line(f"{tags}[{field.tag}] = {value}")
            return
        if field.default is None:
            differs = f"{value} is not None"
        elif field.array:
            differs = f"{value} is None or len({value})"
        else:
            differs = f"{value} != {self.default(field)}"
        with source.block(f"if {differs}:", label):
            source.line(f"{tags}[{field.tag}] = {encode}({value}, b'')")

    def field(self, field: Field, get: str, path: str) -> None:
        """Write a field that is not tagged."""
        label = path + field.key
        expression = f"{get}({field.key!r}, {self.default(field)})"
        if field.is_fixed and field.kind != "uuid":
            self.write_fixed(FIXED[field.kind][0], expression, label)
            return
        name = self.source.name("x")
        self.source.line(f"{name} = {expression}")
        self.value(field, name, label)

    def value(self, field: Field, name: str, label: str) -> None:
        """Write the value of a field that a name holds, whatever its kind."""
        if field.array:
            self.array(field, name, label)
        elif field.struct is not None and field.nullable:
            self.flush()
            with self.source.block(f"if {name} is None:"):
                self.source.line("w(b'\\xff')")
            with self.source.block("else:"):
                self.write_fixed("b", "1", label)
                self.struct(field.struct, name, f"{label}.")
                self.flush()
        else:
            self.element(field, name, label)

    def element(self, field: Field, name: str, label: str) -> None:
        """Write a value that is no array and no null struct, or one element of an array."""
        if field.kind == "uuid":
            with self.source.block(f"if len({name}) != 16:", label):
                self.source.line(
                    f"raise EncodeError(f'{self.title}: {label}: expected 16 bytes, found "
                    f"{{len({name})}}')"
                )
        if field.kind in FIXED:
            self.write_fixed(FIXED[field.kind][0], name, label)
        elif field.struct is not None:
            self.struct(field.struct, name, f"{label}.")
        else:
            self.text_or_bytes(field, name, label)

    def size(self, field: Field, expression: str, label: str, *, wide: bool) -> None:
        """Write a length (-1 is null) after what is pending, and flush."""
        if field.flexible:
            size = self.source.name("n")
            self.source.line(f"{size} = {expression} + 1", label)
            self.flush(size)
        else:
            self.write_fixed("i" if wide else "h", expression, label)
            self.flush()

    def text_or_bytes(self, field: Field, name: str, label: str) -> None:
        """Write a string, bytes or records, with their length."""
        source = self.source
        text = field.kind == "string"
        nullable = field.nullable and not field.array
        data = source.name("d")
        encoded = f"{name}.encode()" if text else name
        source.line(
            f"{data} = {encoded} if {name} is not None else None"
            if nullable
            else f"{data} = {encoded}",
            label,
        )
        length = f"(-1 if {data} is None else len({data}))" if nullable else f"len({data})"
        if text:
            guard = f"{data} is not None and " if nullable else ""
            with source.block(f"if {guard}len({data}) > {MAX_STRING}:"):
                source.line(
                    f"raise EncodeError('{self.title}: {label}: a string of more than {MAX_STRING} "
                    "bytes')"
                )
        self.size(field, length, label, wide=not text)
        if nullable:
            with source.block(f"if {data}:"):
                source.line(f"w({data})")
        else:
            source.line(f"w({data})", label)

    def array(self, field: Field, name: str, label: str) -> None:
        """Write an array, with the number of its elements."""
        source = self.source
        self.size(
            field,
            f"(-1 if {name} is None else len({name}))" if field.nullable else f"len({name})",
            label,
            wide=True,
        )
        with source.block(f"if {name}:"):
            if field.kind in FIXED and field.kind != "uuid":
                source.line(f"w(pack(f'>{{len({name})}}{FIXED[field.kind][0]}', *{name}))", label)
            else:
                each = source.name("x")
                with source.block(f"for {each} in {name}:", label):
                    self.element(field, each, label)
                    self.flush()
