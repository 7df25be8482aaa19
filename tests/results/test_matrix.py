"""Clauses by system: what several runs say, side by side."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from results.matrix import Matrix, Row, State, matrix_of
from results.matrix_export import write_matrix
from results.matrix_text import show_matrix
from results.summary import Summary, summarise
from spec.verdict import Verdict
from tests.results.synthetic import (
    CLAUSES,
    HOSTILE,
    conforms,
    deviates,
    footer,
    header,
    judged,
    layout,
    placed,
    violates,
)

if TYPE_CHECKING:
    from spec.events import Event

PLACE = layout((5070,))
COUNTING = ("FET-001", "FET-002", "FET-004")


def run_on(
    version: str, *verdicts: Verdict, clauses: tuple[str, ...] = COUNTING, **facts: str
) -> Summary:
    known = {"implementation": "apache-kafka", "kafka.version": version, **facts}
    events: list[Event] = [header(facts=known, clauses=clauses)]
    events += [placed(PLACE), judged(PLACE, *verdicts), footer()]
    return summarise(events, CLAUSES, {("FET-002", "listed"): "KAFKA-1"})


def states(matrix: Matrix, clause: str) -> tuple[State, ...]:
    return next(row.states for row in matrix.rows if row.clause == clause)


def test_each_release_is_a_column_in_the_order_of_the_runs() -> None:
    matrix = matrix_of([run_on("4.4.0", conforms()), run_on("4.0.2", violates())])
    assert matrix.systems == ("Kafka 4.4.0", "Kafka 4.0.2")
    assert states(matrix, "FET-001") == (State.CONFORMS, State.VIOLATES)


def test_several_runs_on_one_system_are_one_column_and_the_worst_counts() -> None:
    matrix = matrix_of(
        [
            run_on("4.3.1", conforms(), deviates(signature="listed")),
            run_on("4.3.1", violates(), deviates()),
            run_on("4.3.1"),
        ]
    )
    assert matrix.systems == ("Kafka 4.3.1",)
    assert states(matrix, "FET-001") == (State.VIOLATES,)
    assert states(matrix, "FET-002") == (State.DEVIATES,)
    assert states(matrix, "FET-004") == (State.NOT_EXERCISED,)


def test_a_clause_that_a_release_does_not_have_is_absent_there() -> None:
    older = run_on("4.0.2", conforms(), clauses=("FET-001",))
    matrix = matrix_of([older, run_on("4.3.1", conforms(), deviates(signature="listed"))])
    assert states(matrix, "FET-002") == (State.ABSENT, State.KNOWN)


def test_a_broker_of_another_make_is_named_as_it_is() -> None:
    other = run_on("0.9", implementation="kfake")
    plain = summarise([header(), footer()], CLAUSES)
    assert matrix_of([other, plain]).systems == ("kfake 0.9", "embedded as 4.3")


def test_what_holds_everywhere_is_counted_and_shown_on_request() -> None:
    matrix = matrix_of([run_on("4.0.2", conforms(), deviates()), run_on("4.3.1", conforms())])
    assert [row.clause for row in matrix.telling_rows] == ["FET-002", "FET-004"]
    for verbose in (False, True):
        console = Console(record=True, width=100)
        show_matrix(matrix, console, verbose=verbose)
        text = console.export_text()
        assert ("FET-001" in text) is verbose
        assert "DEVIATES" in text
        assert ("1 other clause held" in text) is not verbose
        assert "Kafka 4.0.2: 1 deviates, 1 conforms, 1 not exercised" in text


def test_names_from_outside_do_not_reach_the_terminal_as_they_are() -> None:
    console = Console(record=True, width=200)
    show_matrix(Matrix((HOSTILE,), (Row("FET-001", (State.VIOLATES,)),)), console)
    assert not set("\x1b\x07\u202e") & set(console.export_text())


def test_the_file_says_what_the_table_says(tmp_path: Path) -> None:
    matrix = matrix_of([run_on("4.0.2", violates()), run_on("4.3.1", conforms())])
    found = json.loads(write_matrix(matrix, tmp_path / "sub" / "matrix.json").read_text())
    assert found["fencepost_matrix"] == 1
    assert found["systems"] == ["Kafka 4.0.2", "Kafka 4.3.1"]
    assert found["clauses"][0] == {
        "id": "FET-001",
        "states": {"Kafka 4.0.2": "violates", "Kafka 4.3.1": "conforms"},
    }
