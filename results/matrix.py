"""Clauses by system: what several runs say of each clause, side by side."""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from results.summary import ClauseCount, Summary
from spec.events import RunStarted
from spec.frozen import frozen


class State(StrEnum):
    """What the runs on one system say of a clause. The most severe one comes first and stands for
    several.
    """

    VIOLATES = "violates"
    """It did not hold, it is a promise, and no finding lists that."""
    DEVIATES = "deviates"
    """It did not hold, it is the reference's own behaviour, and no finding lists that."""
    KNOWN = "known"
    """It did not hold, as a finding lists."""
    CONFORMS = "conforms"
    """It was exercised and held each time."""
    UNDECIDED = "undecided"
    """Its condition arose, and it could not be judged."""
    NOT_EXERCISED = "not exercised"
    """It counts, and its condition did not arise."""
    ABSENT = "absent"
    """It does not count: the release that the system is judged as does not have it."""


SEVERITY = tuple(State)


@frozen
class Row:
    """One clause.

    Attributes:
        clause: its id.
        states: by system, in the order of the columns.
    """

    clause: str
    states: tuple[State, ...]

    @property
    def is_plain(self) -> bool:
        """Whether it holds on every system that has it."""
        return set(self.states) <= {State.CONFORMS, State.ABSENT}


@frozen
class Matrix:
    """Clauses by system.

    Attributes:
        systems: the columns, in the order in which the runs came.
        rows: the clauses of the subjects that were run, sorted by id.
    """

    systems: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def telling_rows(self) -> tuple[Row, ...]:
        """The clauses that do not simply hold everywhere."""
        return tuple([row for row in self.rows if not row.is_plain])


def system_of(header: RunStarted) -> str:
    """The column of a run: an exact version where it is known, otherwise what is judged as what."""
    if client := header.facts.get("client.tested"):
        return f"{header.system} {client}"
    version = header.facts.get("kafka.version")
    implementation = header.facts.get("implementation")
    if version and implementation == "apache-kafka":
        return f"Kafka {version}"
    name = implementation or header.system
    return f"{name} {version}" if version else f"{name} as {header.release}"


def matrix_of(summaries: Iterable[Summary]) -> Matrix:
    """Put runs side by side; several runs on one system are one column.

    Raises:
        ValueError: a run has no header.
    """
    columns: dict[str, dict[str, State]] = {}
    for summary in summaries:
        if summary.header is None:
            raise ValueError("expected a run with a header, found none")
        column = columns.setdefault(system_of(summary.header), {})
        for clause, state in _states(summary, summary.header).items():
            column[clause] = min(state, column.get(clause, State.ABSENT), key=SEVERITY.index)
    clauses = sorted({clause for column in columns.values() for clause in column})
    return Matrix(
        tuple(columns),
        tuple(
            [
                Row(
                    clause,
                    tuple([column.get(clause, State.ABSENT) for column in columns.values()]),
                )
                for clause in clauses
            ]
        ),
    )


def _states(summary: Summary, header: RunStarted) -> Mapping[str, State]:
    counting = set(header.clauses)
    return {
        count.clause: _state(count)
        for count in summary.clauses
        if count.strength is not None and (not counting or count.clause in counting)
    }


def _state(count: ClauseCount) -> State:
    if count.violates:
        return State.VIOLATES
    if count.deviates:
        return State.DEVIATES
    if count.known:
        return State.KNOWN
    if count.exercised:
        return State.CONFORMS
    if count.inconclusive or count.unsupported:
        return State.UNDECIDED
    return State.NOT_EXERCISED
