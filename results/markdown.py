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


def escape(text: str, limit: int = 400) -> str:
    """Text that Markdown shows as it is: no markup, no links, no HTML, no new cell of a table; what
    needs no escape has none, so that it reads well as it stands too.
    """
    shown = plain(text.strip(), limit)
    escaped = _SIGNS.sub(lambda sign: _ENTITIES.get(sign[0], f"\\{sign[0]}"), shown)
    return _BEGINNING.sub(r"\1\\\2", escaped)


def code_block(text: str, language: str = "text") -> str:
    """A code block whose fence no line of the text can close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{plain_lines(text)}\n{fence}"


def plain_lines(text: str) -> str:
    """Each line made safe."""
    return "\n".join([plain(line) for line in text.split("\n")])
