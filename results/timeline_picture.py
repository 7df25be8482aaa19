"""The timeline of a group as SVG: a row for each client, a column for each step, and beneath them
the group's size as bars with its limits as fences.
"""

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from results.group_timeline import LETTERS, Lane, Limit, Mark, Timeline
from results.text import plain

_NAMES = 62
"""Pixels for the names of the rows."""
_COLUMN, _LANE, _MARK, _UNIT, _HEAD = 21, 24, 15, 14, 16
"""Pixels of a column, a row, a mark, a member in the bars, and the line of step numbers."""
_MOST_MEMBERS = 12
"""Members that the bars have room for."""
_CHARACTER = 6.3
_INK, _SOFT, _GOOD, _BAD = "#16202c", "#56626e", "#2e7d4f", "#b3261e"
_MEMBER, _BAR, _RULE = "#dbe8f5", "#9dbfe0", "#d5dbe1"


def draw_timeline(timeline: Timeline, titles: Sequence[str], width: int) -> str:
    """An SVG element without scripts, styles or links; all text in it is escaped. Where the steps
    do not fit beside each other they continue underneath.

    Args:
        timeline: the group.
        titles: each step in words, shown where a pointer rests on its mark.
        width: pixels.
    """
    parts: list[str] = []
    height = add_timeline(parts, timeline, titles, 0, width)
    label = quoteattr("timeline of the group, with its size and its limits")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label={label} viewBox="0 0 '
        f'{width} {height:.0f}" width="{width}" height="{height:.0f}" '
        f'font-family="ui-monospace, monospace" font-size="11">{"".join(parts)}</svg>'
    )


def add_timeline(
    parts: list[str], timeline: Timeline, titles: Sequence[str], y: float, width: int
) -> float:
    """The elements of `draw_timeline` from a height on; the height where they end."""
    fit, end = max((width - _NAMES) // _COLUMN, 1), len(timeline.sizes)
    for first in range(0, end, fit):
        band = _Band(timeline, titles, range(first, min(first + fit, end)), y)
        parts.extend(band.parts())
        y += band.height
    return y


def legend(timeline: Timeline) -> str:
    """What the letters of a timeline stand for."""
    used = {mark.letter for lane in timeline.lanes for mark in lane.marks}
    words = [f"{letter} {meaning}" for letter, meaning in LETTERS.items() if letter in used]
    return (
        f"{', '.join(words)}; red was refused. A line leads to the step before which the answer "
        "came. Behind a row: the client is a member, as far as the answers show; the bars count "
        "them."
    )


class _Band:
    """Some of the columns, from a height on."""

    def __init__(
        self, timeline: Timeline, titles: Sequence[str], columns: range, top: float
    ) -> None:
        self._timeline, self._titles, self._columns, self._top = timeline, titles, columns, top
        limits = [value or 0 for limit in timeline.limits for value in limit.values]
        self._most = min(max([*timeline.sizes, *limits]), _MOST_MEMBERS)
        self._bars = top + _HEAD + len(timeline.lanes) * _LANE + 8
        self._floor = self._bars + self._most * _UNIT + 4
        self._keys = _keys(timeline.limits)
        self.height = self._floor + 6 + 14 * len(self._keys) + 8 - top

    def parts(self) -> Iterator[str]:
        """The elements of it."""
        for column in self._columns:
            yield _text(self._middle(column), self._top + 11, str(column), _SOFT, "middle")
        for row, lane in enumerate(self._timeline.lanes):
            yield from self._lane(lane, self._top + _HEAD + row * _LANE)
        yield from self._sizes()
        yield from self._fences()

    def _left(self, column: int) -> int:
        return _NAMES + (column - self._columns.start) * _COLUMN

    def _middle(self, column: int) -> float:
        return self._left(column) + _COLUMN / 2

    def _lane(self, lane: Lane, y: float) -> Iterator[str]:
        middle = y + _LANE / 2
        joins = any(mark.letter == "J" for mark in lane.marks)
        yield _text(0, middle + 4, f"{'member' if joins else 'client'} {lane.actor}", _INK)
        for column in [column for column in lane.member if column in self._columns]:
            yield _box(self._left(column), y + 2, _COLUMN, _LANE - 4, _MEMBER)
        end = self._left(self._columns.stop)
        yield _line(_NAMES, y + _LANE, end, y + _LANE, _RULE)
        for mark in lane.marks:
            yield from self._wait(mark, middle)
        for mark in [mark for mark in lane.marks if mark.step in self._columns]:
            yield from self._mark(mark, middle)

    def _wait(self, mark: Mark, middle: float) -> Iterator[str]:
        """From a request to its answer, where others were sent between."""
        last = self._timeline_end if mark.answered is None else mark.answered
        inside = range(max(mark.step, self._columns.start), min(last + 1, self._columns.stop))
        if last == mark.step or not inside:
            return
        colour = _BAD if mark.refused else _GOOD
        end = self._left(inside[-1]) + _COLUMN - 3
        start = self._middle(inside[0]) if mark.step in inside else self._left(inside[0])
        y = middle + _MARK / 2 + 1
        yield _line(start, y, end, y, colour, dashed=mark.answered is None)
        if mark.answered == inside[-1]:
            yield f'<circle cx="{end}" cy="{y:.1f}" r="2.5" fill="{colour}"/>'

    @property
    def _timeline_end(self) -> int:
        return len(self._timeline.sizes) - 1

    def _mark(self, mark: Mark, middle: float) -> Iterator[str]:
        x = self._middle(mark.step)
        colour = _SOFT if mark.answered is None else _BAD if mark.refused else _GOOD
        title = escape(plain(self._titles[mark.step]))
        yield (
            f'<g><title>{title}</title><rect x="{x - _MARK / 2:.1f}" y="{middle - _MARK / 2:.1f}" '
            f'width="{_MARK}" height="{_MARK}" rx="3" fill="{colour if mark.refused else "#fff"}" '
            f'stroke="{colour}" stroke-width="1.5"/>'
        )
        yield _text(x, middle + 4, mark.letter, "#fff" if mark.refused else colour, "middle")
        yield "</g>"

    def _sizes(self) -> Iterator[str]:
        yield _text(0, self._floor - 3, "size", _INK)
        for column in self._columns:
            size = self._timeline.sizes[column]
            height = min(size, self._most) * _UNIT
            if size:
                x = self._left(column)
                yield _box(x + 1, self._floor - height, _COLUMN - 2, height, _BAR)
                yield _text(self._middle(column), self._floor - 3, str(size), _INK, "middle", "on")
        yield _line(_NAMES, self._floor, self._left(self._columns.stop), self._floor, _SOFT)

    def _fences(self) -> Iterator[str]:
        """Each limit as a line at its height, and its name beneath; one that is higher than the
        bars' room, or not set, has its name alone.
        """
        for limit in self._timeline.limits:
            for column in self._columns:
                value = limit.values[column]
                if value is not None and value <= self._most:
                    x, y = self._left(column), self._floor - value * _UNIT
                    yield _line(x, y, x + _COLUMN, y, _BAD)
        for row, (keys, limit) in enumerate(self._keys):
            values = _changes([limit.values[column] for column in self._columns])
            yield _text(_NAMES, self._floor + 16 + row * 14, f"{keys}: {values}", _BAD)


def _keys(limits: Sequence[Limit]) -> list[tuple[str, Limit]]:
    """The limits, those that are equal throughout in one."""
    same: dict[tuple[int | None, ...], list[Limit]] = {}
    for limit in limits:
        same.setdefault(limit.values, []).append(limit)
    return [(", ".join([one.key for one in found]), found[0]) for found in same.values()]


def _changes(values: Sequence[int | None]) -> str:
    changed = [
        value for place, value in enumerate(values) if not place or value != values[place - 1]
    ]
    return ", then ".join(["not set" if value is None else str(value) for value in changed])


def _box(x: float, y: float, width: float, height: float, colour: str) -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{colour}"/>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, *, dashed: bool = False) -> str:
    dash = ' stroke-dasharray="3 2"' if dashed else ""
    return (
        f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{colour}" '
        f'stroke-width="1.5"{dash}/>'
    )


def _text(x: float, y: float, text: str, colour: str, anchor: str = "start", kind: str = "") -> str:
    """A text; of the kind `on` where it stands on a coloured box, not on the page itself."""
    named = f' class="{kind}"' if kind else ""
    return (
        f'<text x="{x}" y="{y}"{named} fill="{colour}" text-anchor="{anchor}">'
        f"{escape(plain(text))}</text>"
    )
