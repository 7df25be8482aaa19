"""A scenario drawn to scale as SVG: the timeline of each group; the strip of a client; the log of
each partition, the limits as fence lines, what came back beneath.
"""

from collections.abc import Callable
from textwrap import wrap
from xml.sax.saxutils import escape, quoteattr

from results.client_strip import add_strip, strip_of
from results.geometry import panels
from results.group_timeline import timelines
from results.ladder_picture import add_ladder
from results.shapes import Panel, Row
from results.text import plain
from results.timeline_picture import add_timeline
from spec.observation import Observation
from spec.scenario import Scenario

WIDTH = 760
_LINE = 17
_BATCH = 22
_BAR = 7
_MOST_STEPS = 16
_FILLS = {
    "plain": "#9dbfe0",
    "txn": "#c9b3e6",
    "commit": "#5d9c6c",
    "abort": "#c8645a",
    "altered": "#e6c98f",
    "damaged": "#c8645a",
}
_FENCE = "#b3261e"
_ANSWER = "#2e7d4f"
_MOST_TITLE_LINES = 6
_CHARACTER = 6.3
_WIDEST = 6.7
"""Pixels of a character, and of one in a wide font."""
_Scale = Callable[[int], float]


def draw(scenario: Scenario, observation: Observation | None = None, width: int = WIDTH) -> str:
    """An SVG element without scripts, styles or links; all text in it is escaped. Its picture is
    described in `sketch`'s terms.

    Args:
        scenario: what was asked.
        observation: what came back; None where it was not played.
        width: pixels.
    """
    drawn = panels(scenario, observation)
    parts: list[str] = []
    y = 0.0
    titles = [f"{panel.title}: {panel.outcome}" for panel in drawn]
    for timeline in timelines(scenario, observation):
        y = add_timeline(parts, timeline, titles, y, width)
    if (strip := strip_of(observation)) is not None:
        y = add_strip(parts, strip, y, width)
    for panel in drawn[:_MOST_STEPS]:
        y = _panel(parts, panel, y, width)
    if len(drawn) > _MOST_STEPS:
        y = _text(parts, 0, y, f"… and {len(drawn) - _MOST_STEPS} more steps", width)
    if observation and observation.broken is not None:
        y = _text(parts, 0, y, f"could not be judged: {observation.broken}", width)
    return _element(parts, y + 6, width)


def draw_rows(panel: Panel, width: int = WIDTH) -> str:
    """The rows and ladders of one step alone, as `draw` draws them; without any an empty text.

    Args:
        panel: the step.
        width: pixels.
    """
    parts: list[str] = []
    y = _rows_and_ladders(parts, panel, 0.0, width)
    return _element(parts, y, width) if panel.rows or panel.ladders else ""


def _element(parts: list[str], height: float, width: int) -> str:
    label = quoteattr("layout to scale, with limits and answer")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label={label} viewBox="0 0 '
        f'{width} {height:.0f}" '
        f'width="{width}" height="{height:.0f}" font-family="ui-monospace, monospace" '
        'font-size="11">' + "".join(parts) + "</svg>"
    )


def _panel(parts: list[str], panel: Panel, y: float, width: int) -> float:
    title = plain(panel.title, _MOST_TITLE_LINES * int(width / _CHARACTER))
    for line in wrap(title, int(width / _WIDEST), subsequent_indent="  "):
        y = _text(parts, 0, y, line, width, weight="bold")
    y = _rows_and_ladders(parts, panel, y, width)
    outcome = plain(panel.outcome, _MOST_TITLE_LINES * int(width / _CHARACTER))
    for line in wrap(outcome, int(width / _WIDEST), subsequent_indent="  "):
        y = _text(parts, 0, y, line, width)
    return y + 6


def _rows_and_ladders(parts: list[str], panel: Panel, y: float, width: int) -> float:
    y = _rows(parts, panel, y, width)
    for one in panel.ladders:
        y = add_ladder(parts, one, y, width)
    return y


def _rows(parts: list[str], panel: Panel, y: float, width: int) -> float:
    longest = max((row.extent for row in panel.rows), default=0)

    def scale(byte: int) -> float:
        return min(byte, longest) * (width - 2) / longest + 1 if longest else 1

    for row in panel.rows:
        y = _row(parts, row, y, scale, longest, width)
    return y


def _row(parts: list[str], row: Row, y: float, scale: _Scale, longest: int, width: int) -> float:
    y = _wrap_text(parts, y, row.title, width)
    top = y + 7
    for box in row.boxes:
        left, right = scale(box.start), scale(box.start + box.size)
        label = box.label if box.base is None else f"offset {box.base}: {box.label}"
        parts.append(
            f'<rect x="{left:.1f}" y="{top:.0f}" width="{max(right - left - 1, 1):.1f}" '
            f'height="{_BATCH}" '
            f'fill="{_FILLS[box.kind]}"><title>'
            f"{_safe(label)}</title></rect>"
        )
        name = str(box.size)
        if right - left > len(name) * _CHARACTER + 6:
            parts.append(
                f'<text x="{left + 4:.1f}" y="{top + 15:.0f}" class="on" fill="#16202c">'
                f"{name}</text>"
            )
        if box.rolls:
            parts.append(_line(left, top - 4, left, top + _BATCH + 4, "#16202c", dashed=True))
    y = top + _BATCH + 3 if row.boxes else y
    if row.log_start is not None:
        at = scale(row.log_start)
        parts.append(
            f'<rect x="1" y="{top:.0f}" width="{max(at - 1, 0):.1f}" height="{_BATCH}" '
            'fill="#ffffff" fill-opacity="0.65"/>'
        )
    if row.reads_from is not None:
        at = scale(row.reads_from)
        parts.append(
            f'<path d="M{at:.1f} {top - 1:.0f} l-4 -6 h8 z" fill="{_ANSWER}"><title>the fetch '
            "starts here</title></path>"
        )
    for place, size in row.answered:
        left, right = scale(place), scale(place + size)
        parts.append(
            f'<rect x="{left:.1f}" y="{y:.0f}" width="{max(right - left, 1):.1f}" height="{_BAR}" '
            f'fill="{_ANSWER}"/>'
        )
    y += _BAR + 3 if row.answered else 0
    for fence in row.fences:
        beyond = fence.at > longest
        at = float(width) if beyond else scale(fence.at)
        label = fence.label + (" →" if beyond else "")
        if not beyond:
            parts.append(_line(at, top - 4, at, y + 12, _FENCE))
        ends = at + 5 + len(label) * _CHARACTER > width
        y = _text(
            parts,
            at - 4 if ends else at + 4,
            y,
            label,
            width,
            colour=_FENCE,
            anchor="end" if ends else "start",
        )
    colour = _FENCE if row.refused else _ANSWER
    if row.answer:
        y = _wrap_text(parts, y, f"answered {row.answer}", width, colour=colour)
    return y + 4


def _wrap_text(
    parts: list[str], y: float, text: str, width: int, *, colour: str = "#16202c"
) -> float:
    shown = plain(text, _MOST_TITLE_LINES * int(width / _CHARACTER))
    for line in wrap(shown, int(width / _WIDEST), subsequent_indent="  "):
        y = _text(parts, 0, y, line, width, colour=colour)
    return y


def _text(
    parts: list[str],
    x: float,
    y: float,
    text: str,
    width: int,
    *,
    colour: str = "#16202c",
    weight: str = "normal",
    anchor: str = "start",
) -> float:
    shown = plain(text, int(width / _CHARACTER))
    parts.append(
        f'<text x="{x:.1f}" y="{y + 12:.0f}" fill="{colour}" font-weight="{weight}" '
        f'text-anchor="{anchor}">{_safe(shown)}</text>'
    )
    return y + _LINE


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, *, dashed: bool = False) -> str:
    dash = ' stroke-dasharray="3 2"' if dashed else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.0f}" x2="{x2:.1f}" y2="{y2:.0f}" stroke="{colour}" '
        f'stroke-width="1.5"{dash}/>'
    )


def _safe(text: str) -> str:
    return escape(plain(text), {'"': "&quot;", "'": "&#39;"})
