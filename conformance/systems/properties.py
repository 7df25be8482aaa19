"""Java properties files, as Kafka's own tools read them (`java.util.Properties.load`: ISO 8859-1,
escapes, continued lines).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conformance.misuse import BadConfiguration

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_BLANKS = " \t\f"


def read(path: Path) -> dict[str, str]:
    """The settings in a properties file.

    Raises:
        BadConfiguration: the file can't be read or an escape in it is broken.
    """
    try:
        text = path.read_bytes().decode("iso-8859-1")
    except OSError as failed:
        raise BadConfiguration(
            f"expected a properties file at {path}, found: {failed.strerror}; check the path given "
            "as --command-config"
        ) from failed
    return parse(text)


def parse(text: str) -> dict[str, str]:
    """The settings in the text of a properties file; of a key that comes twice, the last.

    Raises:
        BadConfiguration: an escape is broken; the message names the line, not its content.
    """
    settings = {}
    for number, line in _logical_lines(text):
        at = 0
        while at < len(line) and line[at] not in "=:" + _BLANKS:
            at += 2 if line[at] == "\\" else 1
        separator = re.compile(r"[ \t\f]*[=:]?[ \t\f]*").match(line, at)
        assert separator is not None
        settings[_unescape(line[:at], number)] = _unescape(line[separator.end() :], number)
    return settings


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    joined, began = "", 0
    for number, natural in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        line = natural.lstrip(_BLANKS)
        if not began and (not line or line[0] in "#!"):
            continue
        began = began or number
        if (len(line) - len(line.rstrip("\\"))) % 2:
            joined += line[:-1]
            continue
        yield began, joined + line
        joined, began = "", 0
    if began:
        yield began, joined


def _unescape(text: str, number: int) -> str:
    def character(found: re.Match[str]) -> str:
        escape = found[1]
        if not escape.startswith("u"):
            return _ESCAPES.get(escape, escape)
        if len(escape) != 5:
            raise BadConfiguration(
                f"expected four hexadecimal digits after \\u in line {number} of the properties "
                "file, found fewer; "
                "write a backslash that is meant as such twice"
            )
        return chr(int(escape[1:], 16))

    return re.sub(r"\\(u[0-9A-Fa-f]{0,4}|.)", character, text)
