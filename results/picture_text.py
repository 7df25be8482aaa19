"""A scenario drawn to scale in characters, for the terminal and for JUnit."""

from collections.abc import Callable
from textwrap import wrap

from results.geometry import panels
from results.shapes import Fence, Ladder, Panel, Row
from results.text import plain
from spec.observation import Observation
from spec.scenario import Scenario

WIDTH = 76
_INDENT = "  "
_MOST_STEPS = 8
_MOST_TITLE_LINES = 6
_Column = Callable[[int], int]


def sketch(scenario: Scenario, observation: Observation | None = None, width: int = WIDTH) -> str:
    """The layout with a fetch's start, its limits as fences and what came back, to scale in bytes,
    or in offsets for share groups.

    Each `[===]` is a batch, `[c]` and `[a]` are commit and abort markers, `‖` begins a segment, `>`
    marks where the fetch starts, `|` a limit, `#` what was answered. A batch too small for the
    scale still gets one column. On a ladder of numbers, `|` stands before those that are allowed,
    `>` before those that were asked for, and a line of `-` is the fence between them.

    Args:
        scenario: what was asked.
        observation: what came back; None where it was not played.
        width: columns to use, at least 40.

    Returns:
        Lines of at most `width` columns, without control characters and without a final line break.
    """
    drawn = panels(scenario, observation)
    lines: list[str] = []
    for panel in drawn[:_MOST_STEPS]:
        lines.extend(_panel(panel, max(width, 40)))
    if len(drawn) > _MOST_STEPS:
        lines.append(f"… and {len(drawn) - _MOST_STEPS} more steps")
    if observation and observation.broken is not None:
        lines.append(plain(f"could not be judged: {observation.broken}", width))
    return "\n".join(lines)


def _panel(panel: Panel, width: int) -> list[str]:
    title = plain(panel.title, _MOST_TITLE_LINES * width)
    lines = wrap(title, width, subsequent_indent=2 * _INDENT)
    longest = max((row.extent for row in panel.rows), default=0)
    for row in panel.rows:
        lines.extend(_row(row, longest, width))
    for ladder in panel.ladders:
        lines.extend(_ladder(ladder, width))
    if panel.outcome:
        lines.append(plain(_INDENT + panel.outcome, width))
    return lines


def _row(row: Row, longest: int, width: int) -> list[str]:
    canvas = width - len(_INDENT)
    lines = _wrap_text(row.title, width)

    def column(place: int) -> int:
        return place * (canvas - 2) // longest if longest else 0

    if row.boxes:
        lines.append(_INDENT + _log(row, column, canvas))
        lines.append(plain(_INDENT + _names(row, column, canvas), width))
    lines.extend(
        _fence(fence, column(fence.at) if fence.at <= longest else None, width)
        for fence in row.fences
    )
    if row.answer:
        if row.answered:
            lines.append(_INDENT + _bar(row, column, canvas))
        lines.extend(_wrap_text(f"answered {row.answer}", width))
    return [line.rstrip() for line in lines]


def _wrap_text(text: str, width: int) -> list[str]:
    shown = plain(text, _MOST_TITLE_LINES * width)
    return wrap(shown, width, initial_indent=_INDENT, subsequent_indent=2 * _INDENT)


def _ladder(ladder: Ladder, width: int) -> list[str]:
    lines = _wrap_text(ladder.title, width)
    longest = max((len(rung.number) for rung in ladder.rungs), default=0)
    for place, rung in enumerate(ladder.rungs):
        if place in ladder.fences:
            lines.append(_INDENT + "-" * (longest + 4))
        marks = ("|" if rung.allowed else " ") + (">" if rung.asked else " ")
        shown = f"{_INDENT}{marks} {rung.number.rjust(longest)}  {rung.words}"
        lines.append(plain(shown, width))
    return lines


def _log(row: Row, column: _Column, canvas: int) -> str:
    cells = [" "] * canvas
    for box in row.boxes:
        left, right = column(box.start), max(column(box.start + box.size) - 1, column(box.start))
        fill = {"commit": "c", "abort": "a", "txn": "~"}.get(box.kind, "=")
        cells[left : right + 1] = fill * (right - left + 1)
        if right > left:
            cells[left], cells[right] = "[", "]"
        if box.rolls:
            cells[left] = "‖"
    return "".join(cells).rstrip()


def _bar(row: Row, column: _Column, canvas: int) -> str:
    cells = [" "] * canvas
    for place, size in row.answered:
        left = column(place)
        wide = max(1, column(place + size) - left)
        cells[left : left + wide] = "#" * wide
    return "".join(cells).rstrip()


def _names(row: Row, column: _Column, canvas: int) -> str:
    """Each batch's size under it where there is room, `>` under the byte that the fetch starts
    from.
    """
    cells = [" "] * canvas
    for box in row.boxes:
        left, right = column(box.start) + 1, column(box.start + box.size)
        name = str(box.size)
        if right - left >= len(name):
            cells[left : left + len(name)] = name
    if row.reads_from is not None:
        cells[column(row.reads_from)] = ">"
    return "".join(cells).rstrip()


def _fence(fence: Fence, column: int | None, width: int) -> str:
    if column is None:
        return plain(f"{_INDENT}{fence.label} >>".rjust(width), width)
    beside = " " * column + f"| {fence.label}"
    if len(_INDENT + beside) > width:
        beside = f"{fence.label} |".rjust(column + 1)
    return plain(_INDENT + beside, width)
