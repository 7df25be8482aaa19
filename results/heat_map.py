"""The map of clauses by implementation: one cell for each, with its state."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from results.clauses import Clauses
from results.figures import ENOUGH, rate_interval
from results.text import count_of
from spec.frozen import frozen
from spec.judgement import EVERY_CLAUSE

STATES = ("violates", "inconclusive", "deviates", "known", "conforms", "unsupported")
"""The states of a clause on an implementation, the most severe first; each is a figure, and holds
where that is not 0 and none before it.
"""
UNEXERCISED = "unexercised"
"""The state of a clause that had no verdict there."""
SIGNS: Mapping[str, str] = {
    "violates": "✗",
    "inconclusive": "?",
    "deviates": "≠",
    "known": "•",
    "conforms": "✓",
    "unsupported": "/",
    UNEXERCISED: "·",
}
"""A sign for each state, beside its colour."""
MEANINGS: Mapping[str, str] = {
    "violates": "a promise is broken",
    "inconclusive": "could not be judged in some scenario",
    "deviates": "legal, yet other than Apache Kafka",
    "known": "differs as a finding lists",
    "conforms": "held wherever it was exercised",
    "unsupported": "what it needs is not there",
    UNEXERCISED: "its condition never arose",
}
_COUNTED = ("violates", "inconclusive", "deviates", "known")


@frozen
class Implementation:
    """A version of a system.

    Attributes:
        system, kafka, release: as the matrix has them.
    """

    system: str
    kafka: str
    release: str

    @property
    def name(self) -> str:
        """`embedded 4.3.1`."""
        return f"{self.system} {self.kafka}"


@frozen
class Cell:
    """A clause on an implementation.

    Attributes:
        state: one of `STATES`, or `UNEXERCISED`.
        count: scenarios that make its state.
        exercised: scenarios that exercised it.
        words: all of that in words.
        few: it conforms in fewer scenarios than count as tried.
    """

    state: str
    count: int
    exercised: int
    words: str
    few: bool = False

    @property
    def sign(self) -> str:
        """The sign of its state."""
        return SIGNS[self.state]


@frozen
class MapRow:
    """A clause on every implementation.

    Attributes:
        clause: its id.
        strength: `must`, `reference`, `best_effort`; `?` for one that this catalogue lacks.
        statement: what it says; empty for one that this catalogue lacks.
        cells: in the order of the map's implementations.
    """

    clause: str
    strength: str
    statement: str
    cells: tuple[Cell, ...]

    @property
    def states(self) -> tuple[str, ...]:
        """Its states, each once, the most severe first."""
        found = {cell.state for cell in self.cells}
        return tuple([state for state in (*STATES, UNEXERCISED) if state in found])

    @property
    def differs(self) -> bool:
        """Whether implementations that exercised it disagree."""
        return len({*self.states} - {UNEXERCISED, "unsupported"}) > 1

    @property
    def exercised(self) -> int:
        """Scenarios that exercised it, on all of them."""
        return sum(cell.exercised for cell in self.cells)


@frozen
class HeatMap:
    """The map.

    Attributes:
        implementations: its columns, by system and by the numbers of their versions.
        rows: by clause.
    """

    implementations: tuple[Implementation, ...]
    rows: tuple[MapRow, ...]

    @property
    def states(self) -> tuple[str, ...]:
        """The states that some cell has, the most severe first."""
        found = {state for row in self.rows for state in row.states}
        return tuple([state for state in (*STATES, UNEXERCISED) if state in found])

    @property
    def systems(self) -> tuple[tuple[str, int], ...]:
        """Each system with how many columns it has, in their order."""
        found: dict[str, int] = {}
        for one in self.implementations:
            found[one.system] = found.get(one.system, 0) + 1
        return tuple(found.items())

    def tally(self, column: int) -> Mapping[str, int]:
        """How many clauses have each state on the implementation of a column."""
        found = dict.fromkeys((*STATES, UNEXERCISED), 0)
        for row in self.rows:
            found[row.cells[column].state] += 1
        return found


def heat_map(matrix: Sequence[Mapping[str, Any]], clauses: Clauses) -> HeatMap:
    """The map of a matrix's rows, with the clauses that count and had no verdict.

    Args:
        matrix: rows of `results.one_run` or of the Spark job of that name; those that stand for
            every clause at once are left out.
        clauses: those that count, and those that can't be tested, which are left out.
    """
    columns = sorted(
        {Implementation(row["system"], row["kafka"], row["release"]) for row in matrix},
        key=lambda one: (one.system, _numbers(one.kafka), one.kafka, one.release),
    )
    rows: dict[str, dict[Implementation, Mapping[str, Any]]] = {
        name: {} for name, one in clauses.items() if not one.excluded
    }
    strengths: dict[str, str] = {}
    for row in matrix:
        if row["clause"] == EVERY_CLAUSE:
            continue
        where = Implementation(row["system"], row["kafka"], row["release"])
        rows.setdefault(row["clause"], {})[where] = row
        strengths[row["clause"]] = row["strength"] or "?"
    return HeatMap(
        tuple(columns),
        tuple(
            [
                MapRow(
                    name,
                    clauses[name].strength.value if name in clauses else strengths[name],
                    clauses[name].statement if name in clauses else "",
                    tuple([_cell(found.get(one), one) for one in columns]),
                )
                for name, found in sorted(rows.items())
            ]
        ),
    )


def state_of(figures: Mapping[str, int]) -> str:
    """The state that the figures of a clause make."""
    return next((state for state in STATES if figures[state]), UNEXERCISED)


def break_rate(figures: Mapping[str, int]) -> str:
    """The rate of breaks that the figures leave plausible, listed ones included, in words; empty
    where nothing was exercised.
    """
    exercised = figures["exercised"]
    if not exercised:
        return ""
    broke = figures["violates"] + figures["deviates"] + figures["known"]
    low, high = rate_interval(broke, exercised)
    if not broke:
        return f"at most {_percent(high)}"
    return f"{_percent(max(low, 0.0))} to {_percent(min(high, 1.0))}"


def _percent(rate: float) -> str:
    return f"{100 * rate:.2g} %" if rate < 0.1 else f"{100 * rate:.0f} %"


def _cell(row: Mapping[str, Any] | None, one: Implementation) -> Cell:
    if row is None:
        return Cell(UNEXERCISED, 0, 0, f"{one.name}: not exercised")
    state, exercised = state_of(row), row["exercised"]
    count = row[state] if state != UNEXERCISED else 0
    broken = [f"{name} in {row[name]:,}" for name in _COUNTED if row[name]]
    words, joined = (", ".join(broken), "of") if broken else (state, "in")
    of = f" {joined} {count_of(exercised, 'scenario')}" if exercised else ""
    few = state == "conforms" and exercised < ENOUGH
    return Cell(state, count, exercised, f"{one.name}: {words}{of}", few)


def _numbers(version: str) -> Iterable[int]:
    return [int(part) for part in re.findall(r"\d+", version)]
