"""Text from anywhere in Markdown."""

import re

from results.text import plain


def escape(text: str, limit: int = 400) -> str:
    """Text that Markdown shows as it is: no markup, no links, no HTML, no new cell of a table."""
    return (
        re.sub(r"([\\`*_{}\[\]<>()#+\-.!|~@&$:])", r"\\\1", plain(text, limit))
        .replace("\\<", "&lt;")
        .replace("\\&", "&amp;")
    )


def code_block(text: str, language: str = "text") -> str:
    """A code block whose fence no line of the text can close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{plain_lines(text)}\n{fence}"


def plain_lines(text: str) -> str:
    """Each line made safe."""
    return "\n".join([plain(line) for line in text.split("\n")])
