"""Text from anywhere in Markdown."""

import re

from results.text import plain

_SIGNS = re.compile(
    r"""
    [\\`*\[\]<>|~@&$\#]           # markup, links, HTML, cells of tables, mentions, formulas
    | (?<![^\W_])_ | _(?![^\W_])   # emphasis, which an underscore within a word is not
    | (?<=\bwww)\. | :(?=//)       # addresses that become links by themselves
    | :(?=[\w+-]+:)                # pictures named by words
    | (?<=\])\(                     # where a link goes
    """,
    re.VERBOSE | re.IGNORECASE,
)
_BEGINNING = re.compile(r"^(\d*)([-+=.)])")
"""What makes a list or a heading of a line that begins with it."""
_ENTITIES = {"<": "&lt;", "&": "&amp;"}
_OWN_SIGNS = re.compile(r"[\\*<&~@$]|(?<![^\W_])_|_(?![^\W_])")
"""Those of `_SIGNS` that are markup wherever they stand, a backtick aside."""
_CODE = re.compile(r"(`[^`]+`)")


def escape(text: str, limit: int = 400) -> str:
    """Text that Markdown shows as it is: no markup, no links, no HTML, no new cell of a table; what
    needs no escape has none, so that it reads well as it stands too.
    """
    return _BEGINNING.sub(r"\1\\\2", escape_within(text, limit))


def escape_within(text: str, limit: int = 400) -> str:
    """Likewise, text that does not begin a line, such as a cell of a table: `4.3.1` begins no list
    there.
    """
    return _SIGNS.sub(_escape_sign, plain(text.strip(), limit))


def prose(text: str) -> str:
    """Text of our own, such as a clause's statement: what stands in backticks is code, the rest is
    shown as it is.
    """
    parts = _CODE.split(plain(text.strip(), len(text)))
    parts[::2] = [_OWN_SIGNS.sub(_escape_sign, part) for part in parts[::2]]
    return _BEGINNING.sub(r"\1\\\2", "".join(parts))


def _escape_sign(sign: re.Match[str]) -> str:
    return _ENTITIES.get(sign[0], f"\\{sign[0]}")


def code_block(text: str, language: str = "text") -> str:
    """A code block whose fence no line of the text can close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{plain_lines(text)}\n{fence}"


def plain_lines(text: str) -> str:
    """Each line made safe."""
    return "\n".join([plain(line) for line in text.split("\n")])
