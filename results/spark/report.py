"""The rows of a report on many runs: event logs to Parquet tables, and the jobs over those."""

import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from results.clauses import catalogue
from results.costs import costs_of
from results.files import ReportError
from results.one_run import Rows
from results.schema import TABLES
from results.spark import ingest, jobs
from results.spark.regressions import regressions
from results.spark.warehouse import job_frames, take_in, write_jobs
from spec.events import ReadingCost, RunStarted
from spec.known import known_of

_AT_ONCE = 3
"""Spark jobs in flight: a small one keeps hardly one core busy."""

T = TypeVar("T")


def rows_of(spark: Any, logs: Sequence[Path], headers: Sequence[RunStarted], folder: Path) -> Rows:
    """Write the tables, then run the jobs over them.

    Args:
        spark: the session.
        logs: the event logs.
        headers: their headers, in the same order.
        folder: where the tables go, in place of those of an earlier report.

    Raises:
        ReportError: a job failed, or a table can't be written. The tables of an earlier report are
        then still whole.
    """
    known = {
        (header.run, *key): reason
        for header in headers
        for key, reason in known_of(header.facts).items()
    }
    try:
        lines = ingest.read_lines(spark, logs).persist()
        with ThreadPoolExecutor(1) as pool:
            read = pool.submit(lines.count)  # while the tables are planned
            tables = ingest.tables_of(lines, catalogue(), known)
            read.result()
        _write_tables(tables.by_name(), folder)
        for frame in tables.cached:
            frame.unpersist()
        stored = {
            table.name: spark.read.schema(table.ddl).parquet(_uri(folder / table.name))
            for table in TABLES
        }
        return _at_once(
            {
                "matrix": lambda: _rows(
                    jobs.matrix(stored["verdicts"]), "clause", "system", "kafka"
                ),
                "clusters": lambda: _rows(
                    jobs.clusters(stored["divergences"]), "clause", "signature"
                ),
                "regressions": lambda: (
                    _rows(regressions(stored["verdicts"]), "before", "clause")
                    if len(headers) > 1
                    else ()
                ),
                "relations": lambda: _rows(jobs.relations(stored["scenarios"]), "relation"),
                "pairs": lambda: _rows(jobs.pairs(stored["scenarios"]), "one", "other"),
                "runs": lambda: _rows(stored["runs"], "run_started", "run"),
                "costs": lambda: costs_of(
                    [ReadingCost(**row.asDict()) for row in jobs.costs(stored["costs"]).collect()]
                ),
                "readings": lambda: _rows(stored["readings"], "clause", "reading"),
                "flaky": lambda: _rows(stored["flaky"], "clause", "signature"),
                "broken_lines": lambda: _rows(stored["broken_lines"], "run", "line"),
            }
        )
    except PySparkException as error:
        what = str(error).strip().splitlines() or [type(error).__name__]
        raise ReportError(
            f"expected the Spark jobs to finish, found: {what[0][:300]}; check the space in "
            f"{folder.parent} and in the "
            "temporary folder, then make the report again by `fencepost report`"
        ) from error


def rows_over_runs(spark: Any, folder: Path) -> Rows:
    """The rows of the jobs over several runs that the page shows, from the tables in a folder, by
    the names of `results.html.ManyRuns`; only those that it shows are collected.

    Raises:
        ReportError: a job failed.
    """
    try:
        frames = job_frames(
            {
                table.name: spark.read.schema(table.ddl).parquet(_uri(folder / table.name))
                for table in TABLES
            }
        )
        return _at_once({name: partial(_collect, frames[name]) for name in OVER_RUNS})
    except PySparkException as error:
        what = str(error).strip().splitlines() or [type(error).__name__]
        raise ReportError(
            f"expected the jobs over the runs to finish, found: {what[0][:300]}; make the report "
            "again by `fencepost report`"
        ) from error


OVER_RUNS = ("along_releases", "flaky_rates", "lift", "interactions", "readings_left")
"""Jobs over several runs, of those in `results.job_tables`, that the page shows."""


def _collect(frame: Any) -> tuple[dict[str, Any], ...]:
    return _rows(frame, *frame.columns[:5])


def tables_at(spark: Any, logs: Sequence[Path], headers: Sequence[RunStarted], place: str) -> None:
    """Take runs into the tables at a place, and compute the jobs over all runs there.

    Raises:
        ReportError: a job failed, or the place can't be read or written.
    """
    try:
        take_in(spark, logs, headers, place)
        write_jobs(spark, place)
    except (PySparkException, Py4JError) as error:
        what = str(error).strip().splitlines() or [type(error).__name__]
        raise ReportError(
            f"expected tables at {place}, found: {' '.join(what)[:300]}; make the place writable, "
            "or give Spark what its filesystem needs, then take the runs in again"
        ) from error


def _write_tables(tables: Mapping[str, Any], folder: Path) -> None:
    """Each table to its own Parquet folder, all of them put in place of the old ones at once."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=".tables-", dir=folder.parent))
        try:
            _at_once(
                {
                    name: partial(_write, table, scratch / "new" / name)
                    for name, table in tables.items()
                }
            )
            if folder.exists():
                folder.replace(scratch / "old")
            (scratch / "new").replace(folder)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    except OSError as error:
        raise ReportError(
            f"expected to write tables to {folder}, found: {error.strerror or error}; make room or "
            "name another place by --out"
        ) from error


def _write(table: Any, folder: Path) -> None:
    table.coalesce(1).write.parquet(_uri(folder))


def _uri(folder: Path) -> str:
    return folder.resolve().as_uri()


def _at_once(jobs: Mapping[str, Callable[[], T]]) -> dict[str, T]:
    """The result of each job, by its name; the first error where one fails."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        started = {name: pool.submit(job) for name, job in jobs.items()}
        return {name: future.result() for name, future in started.items()}


def _rows(frame: Any, *order: str) -> tuple[dict[str, Any], ...]:
    """The rows as dicts, sorted by some columns; few enough to be sorted here."""
    rows = [row.asDict(recursive=True) for row in frame.collect()]
    return tuple(sorted(rows, key=lambda row: tuple([str(row[name]) for name in order])))
