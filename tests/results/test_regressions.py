"""Regressions over many runs, by Spark, agree with the comparison of two without it."""

from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from results.diff import Kind, compare, view
from results.log import LOG_NAME, scan
from results.report import report
from results.spark import ingest
from results.spark.regressions import regressions
from spec.events import Event
from spec.known import known_to_facts
from spec.verdict import Outcome, Verdict
from tests.results.synthetic import (
    CLAUSES,
    conforms,
    deviates,
    fetch,
    footer,
    header,
    judged,
    layout,
    placed,
    violates,
    write,
)

pytestmark = pytest.mark.spark

PLACE = layout((100,))
KNOWN = {("FET-001", "listed"): "as always"}
WORDS = (
    conforms(),
    violates(),
    violates(signature="listed"),
    violates(signature="too little"),
    deviates("FET-001"),
    Verdict("FET-001", Outcome.INCONCLUSIVE, why="silent"),
    Verdict("*", Outcome.INCONCLUSIVE, why="gone", signature="infrastructure"),
    conforms("FET-002"),
    deviates(),
)


def drawn(name: str, day: int, system: str = "embedded") -> list[Event]:
    random = Random(day)
    runs = [
        judged(PLACE, *random.sample(WORDS, 2), steps=(fetch(max_bytes=random.randrange(40)),))
        for _ in range(60)
    ]
    return [
        header(
            name,
            started=f"2026-11-{day:02}T02:00:00Z",
            facts=known_to_facts(KNOWN),
            system=system,
        ),
        placed(PLACE),
        *runs,
        footer(60),
    ]


def by_spark(spark: Any, folders: Iterable[Path]) -> dict[tuple[str, str, str], dict[str, int]]:
    logs = [folder / LOG_NAME for folder in folders]
    known = {(folder.name, *key): reason for folder in folders for key, reason in KNOWN.items()}
    found = regressions(ingest.tables_of(ingest.read_lines(spark, logs), CLAUSES, known).verdicts)
    return {
        (row.clause, row.before, row.after): {kind.value: row[kind.value] for kind in Kind}
        for row in found.collect()
    }


def test_each_run_is_compared_with_the_one_of_its_system_that_was_started_next(
    spark: Any, tmp_path: Path
) -> None:
    folders = [
        write(tmp_path / name, drawn(name, day))
        for name, day in (("third", 9), ("first", 3), ("second", 7))
    ]
    folders.append(write(tmp_path / "between", drawn("between", 5, "kfake")))
    views = {folder.name: view(scan(folder / LOG_NAME)) for folder in folders}
    expected = {
        (clause, before, after): {kind.value: counts[kind] for kind in Kind}
        for before, after in (("first", "second"), ("second", "third"))
        for clause, counts in compare(views[before], views[after]).by_clause.items()
    }
    assert by_spark(spark, folders) == expected
    assert all(any(counts[kind.value] for counts in expected.values()) for kind in Kind)


def test_one_run_alone_has_no_regressions(spark: Any, tmp_path: Path) -> None:
    assert by_spark(spark, [write(tmp_path / "first", drawn("first", 3))]) == {}


def test_the_report_of_two_runs_shows_what_changed(spark: Any, tmp_path: Path) -> None:
    folders = [
        write(tmp_path / name, drawn(name, day)) for name, day in (("first", 3), ("second", 7))
    ]
    page = report(folders, tmp_path / "out").paths["report"].read_text()
    assert "From each run to the next" in page
    alone = report(folders[:1], tmp_path / "alone", spark=True).paths["report"].read_text()
    assert "From each run to the next" not in alone
