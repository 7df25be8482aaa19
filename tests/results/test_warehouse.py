"""Tables of many runs: a run is there once, older runs are read, late and cut ones are named."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from results import job_tables
from results.log import LOG_NAME, read_header
from results.spark.warehouse import job_frames, stored_tables, take_in
from tests.results.synthetic import header, small_run, write

pytestmark = pytest.mark.spark

OLDER = Path(__file__).parent / "older_run.jsonl.gz"
"""The log of a run on the served model, as Fencepost wrote it before logs had cursors: format 1."""


def take(spark: Any, place: Path, *folders: Path) -> dict[str, list[Any]]:
    logs = [folder / LOG_NAME for folder in folders]
    take_in(spark, logs, [read_header(log) for log in logs], f"file://{place}")
    return content(spark, place)


def content(spark: Any, place: Path) -> dict[str, list[Any]]:
    tables = stored_tables(spark, f"file://{place}")
    return {name: sorted(map(repr, frame.collect())) for name, frame in tables.items()}


def test_a_run_that_is_taken_in_twice_is_there_once(spark: Any, tmp_path: Path) -> None:
    first = write(tmp_path / "a", small_run("a"))
    cut = write(
        tmp_path / "b", [header("b", started="2026-11-27T02:00:00Z"), *small_run("b")[1:-1]]
    )
    place = tmp_path / "place"
    once = take(spark, place, first)
    both = take(spark, place, cut)
    assert len(both["verdicts"]) == 2 * len(once["verdicts"])
    assert take(spark, place, cut, first) == both
    runs = {row.run: row for row in stored_tables(spark, f"file://{place}")["runs"].collect()}
    assert {name: (row.truncated, row.late) for name, row in runs.items()} == {
        "a": (False, False),
        "b": (True, True),
    }
    assert sorted(path.name for path in (place / "verdicts").glob("*/*=*")) == ["run=a", "run=b"]


def test_an_older_run_is_taken_in_beside_a_new_one(spark: Any, tmp_path: Path) -> None:
    older = tmp_path / "older"
    older.mkdir()
    text = gzip.decompress(OLDER.read_bytes())
    (older / LOG_NAME).write_bytes(text)
    assert read_header(older / LOG_NAME).requirement_set == "fetch-4.3@1"
    assert b'"kind":"cursor"' not in text
    place = tmp_path / "place"
    found = take(spark, place, older, write(tmp_path / "new", small_run("new")))
    assert len(found["runs"]) == 2
    assert found["broken_lines"] == []
    tables = stored_tables(spark, f"file://{place}")
    judged = tables["scenarios"].where("run <> 'new'")
    assert judged.count() == text.count(b'"kind":"judged"')
    assert judged.where("subject = 'fetch' AND waited_ms IS NOT NULL").count() == judged.count()
    frames = job_frames(tables)
    assert frames.keys() == {table.name for table in job_tables.JOBS}
    for table in job_tables.JOBS:
        assert frames[table.name].columns == list(table.names)


def test_a_column_that_older_tables_lack_is_null(spark: Any, tmp_path: Path) -> None:
    place = tmp_path / "place"
    take(spark, place, write(tmp_path / "a", small_run("a")))
    part = place / "flaky" / "subject=fetch" / "run=old"
    spark.createDataFrame([("FET-001",)], "clause STRING").write.parquet(f"file://{part}")
    runs = place / "runs" / "subject=fetch" / "run=old"
    spark.createDataFrame([("embedded",)], "system STRING").write.parquet(f"file://{runs}")
    (row,) = stored_tables(spark, f"file://{place}")["flaky"].where("run = 'old'").collect()
    assert (row.clause, row.subject, row.replays, row.run_started) == (
        "FET-001",
        "fetch",
        None,
        None,
    )
