"""A ladder of numbers as SVG: a bar beside those that are allowed, a red line at each fence, a mark
at what was asked for.
"""

from textwrap import wrap
from xml.sax.saxutils import escape

from results.shapes import Ladder, Rung
from results.text import plain

_LINE, _BAR, _LEFT = 17, 6, 24
"""Pixels of a rung, of the bar of allowed numbers, and in front of the numbers."""
_CHARACTER = 6.7
"""Pixels of a character of a wide font."""
_INK, _ALLOWED, _FENCE, _TAKEN = "#16202c", "#9dbfe0", "#b3261e", "#2e7d4f"


def add_ladder(parts: list[str], ladder: Ladder, y: float, width: int) -> float:
    """The elements of a ladder from a height on; the height where they end. All text is escaped.

    Args:
        parts: what they are added to.
        ladder: the numbers.
        y: where it begins.
        width: pixels.
    """
    for line in wrap(plain(ladder.title), int(width / _CHARACTER)):
        parts.append(_text(0, y, line, _INK))
        y += _LINE
    longest = max((len(rung.number) for rung in ladder.rungs), default=0)
    beside = _LEFT + (longest + 2) * _CHARACTER
    for place, rung in enumerate(ladder.rungs):
        lines = wrap(plain(rung.words), max(int((width - beside) / _CHARACTER), 12)) or [""]
        height = len(lines) * _LINE
        if place in ladder.fences:
            parts.append(
                f'<line x1="0" y1="{y:.0f}" x2="{beside:.0f}" y2="{y:.0f}" stroke="{_FENCE}" '
                'stroke-width="1.5"/>'
            )
        parts.extend(_rung(rung, y, height))
        colour = _colour(rung)
        parts.append(_text(beside - 2 * _CHARACTER, y, rung.number, colour, "end"))
        for number, line in enumerate(lines):
            parts.append(_text(beside, y + number * _LINE, line, colour))
        y += height
    return y + 4


def _rung(rung: Rung, y: float, height: int) -> list[str]:
    found = []
    if rung.allowed:
        found.append(
            f'<rect x="1" y="{y:.0f}" width="{_BAR}" height="{height}" fill="{_ALLOWED}"/>'
        )
    if rung.asked:
        middle = y + _LINE / 2
        found.append(
            f'<path d="M{_BAR + 5} {middle - 4:.1f} l7 4 l-7 4 z" fill="{_colour(rung)}"/>'
        )
    return found


def _colour(rung: Rung) -> str:
    return _INK if not rung.asked else _FENCE if rung.refused else _TAKEN


def _text(x: float, y: float, text: str, colour: str, anchor: str = "start") -> str:
    return (
        f'<text x="{x:.1f}" y="{y + 12:.0f}" fill="{colour}" text-anchor="{anchor}">'
        f"{escape(plain(text))}</text>"
    )
