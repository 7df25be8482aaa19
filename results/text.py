"""Makes foreign text safe to show: broker messages, topic names and reasons are whatever the other
side sent.
"""

from typing import Any
from unicodedata import category

_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories that move the cursor, turn the writing direction, hide, or don't exist."""


def plain(text: str, limit: int | None = None) -> str:
    r"""The text on one line with control characters written out (`\x1b`), so that a terminal can't
    obey them.

    Args:
        text: anything.
        limit: at most so many characters, the last one `…` where something was left out. None: all.
    """
    safe = (
        text
        if text.isascii() and text.isprintable()
        else "".join([_visible(char) for char in text])
    )
    if limit is not None and len(safe) > limit:
        return safe[: max(limit - 1, 0)] + "…"
    return safe


def number(value: int) -> str:
    """With a comma between thousands: `12,345`."""
    return f"{value:,}"


def count_of(value: int, singular: str, plural: str = "") -> str:
    """A number and its noun: `1 layout`, `1,000 layouts`."""
    return f"{value:,} {singular if value == 1 else plural or singular + 's'}"


def without_surrogates(value: Any) -> Any:
    """Strings as UTF-8 can hold them: a broker's message may have lone surrogates."""
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, list):
        return [without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(item) for key, item in value.items()}
    return value


def _visible(char: str) -> str:
    if category(char) not in _UNSAFE:
        return char
    return char.encode("unicode_escape").decode()
