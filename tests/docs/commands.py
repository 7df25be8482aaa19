"""The commands that a page names, in its fenced blocks and in its text, whether it plays them or
not.
"""

import re
import shlex
from collections.abc import Iterator

from tests.docs.console import Command, blocks_of, parts_of

_SPAN = re.compile(r"`([^`\n]+)`")
_COMMAND = re.compile(r"^(?:\./fencepost|fencepost|python|python3|pip|uv|pytest|\.ci/run)(?: .*)?$")


def played_commands(text: str) -> list[str]:
    """The commands that a page plays."""
    return [part.line for part in parts_of(text) if isinstance(part, Command)]


def named_commands(text: str) -> Iterator[str]:
    """Each other command of a page, without its comment: a line of a fenced block, or what stands
    between back quotes with at least one argument.
    """
    prose = text
    for block in blocks_of(text):
        prose = prose.replace(block.group(), "")
        if block["info"].split()[:1] in ([], ["sh"], ["bash"]):
            for line in block["body"].splitlines():
                if _COMMAND.match(line.strip()):
                    yield without_comment(line)
    for span in _SPAN.findall(prose):
        if _COMMAND.match(span) and (" " in span or span.startswith(".")):
            yield without_comment(span)


def without_comment(line: str) -> str:
    """A command line without its comment."""
    return " ".join(line.split("  #", maxsplit=1)[0].split(" # ", maxsplit=1)[0].split())


def options_in(line: str) -> frozenset[str]:
    """The long options of a command line."""
    return frozenset(re.findall(r"(?<= )--[a-z-]+", line))


def subcommand(line: str) -> str | None:
    """The command of `fencepost` that a line calls; None for another program."""
    split = shlex.split(line.replace("'", "").rstrip("&"))
    if split[0].removeprefix("./") != "fencepost":
        return None
    return next((word for word in split[1:] if not word.startswith("-")), "")
