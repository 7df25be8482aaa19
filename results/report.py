"""The report of one or more runs: Parquet tables and one self-contained HTML page, made from event logs by the Spark jobs."""

import shutil
import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from results.clauses import catalogue, known_of
from results.coverage import coverage
from results.files import ReportError, write_whole
from results.log import LOG_NAME, read_header
from results.schema import TABLES
from spec.events import RunStarted

REPORT_NAME = "report.html"
TABLES_NAME = "tables"
_AT_ONCE = 3
"""Spark jobs in flight: a small one keeps hardly one core busy."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ReportResult:
    """What was written, by name, how many seconds it took, and the version of the Java that Spark chose."""

    paths: dict[str, Path]
    seconds: float
    java: str


def report(
    runs: Sequence[Path],
    out: Path | None = None,
    *,
    java: Path | None = None,
    spark_master: str = "local[*]",
    relations: Collection[str] | None = None,
) -> ReportResult:
    """Make tables and page of some run folders. Everything comes from the event logs, so it can be made again at any time.

    Args:
        runs: run folders, each with an `events.jsonl`.
        out: where to write; the last run's folder if None.
        java: the Java that Spark runs on; found if None.
        spark_master: as Spark takes it.
        relations: all relations of limits that there are, so that those never tried are listed; None takes it from those seen.

    Raises:
        LogError: a log without a readable header.
        ReportError: two logs are of the same run, Spark or Java or another part of the extra `report` is missing, a job failed,
            or a file can't be written. Files of an earlier report are then still whole.
    """
    began = time.monotonic()
    logs = [run / LOG_NAME for run in runs]
    headers = _headers(logs)
    target = out or runs[-1]
    from results.spark.session import java_of, missing_extra, spark_session  # noqa: PLC0415  Spark is an extra

    try:
        from results import charts  # noqa: PLC0415
        from results.html import Page, page  # noqa: PLC0415
    except ImportError as error:
        raise missing_extra(error) from error
    with ThreadPoolExecutor(1) as pool:
        prepared = pool.submit(charts.prepare)
        with spark_session(java, spark_master) as spark:
            rows = _compute(spark, logs, headers, target / TABLES_NAME)
            version = java_of(spark)
        prepared.result()
    found = Page(
        headers=tuple(headers),
        runs=rows["runs"],
        matrix=rows["matrix"],
        clusters=rows["clusters"],
        regressions=rows["regressions"],
        coverage=coverage(
            {row["relation"]: row["count"] for row in rows["relations"]},
            {(row["one"], row["other"]): row["count"] for row in rows["pairs"]},
            relations,
        ),
        readings=rows["readings"],
        broken_lines=rows["broken_lines"],
        costs=rows["costs"],
    )
    written = write_whole(target / REPORT_NAME, page(found, catalogue(*sorted({header.subject for header in headers}))))
    return ReportResult({"tables": target / TABLES_NAME, "report": written}, time.monotonic() - began, version)


def _headers(logs: Sequence[Path]) -> list[RunStarted]:
    headers = [read_header(log) for log in logs]
    seen: dict[str, Path] = {}
    for header, log in zip(headers, logs, strict=True):
        if header.run in seen:
            raise ReportError(
                f"expected each run once, found run {header.run} in {seen[header.run]} and in {log}, which would count twice; "
                "name one of them"
            )
        seen[header.run] = log
    return headers


def _compute(spark: Any, logs: Sequence[Path], headers: Sequence[RunStarted], folder: Path) -> dict[str, tuple[dict[str, Any], ...]]:
    """Write the tables, then run the jobs over them: their rows by the job's name, and the small tables' by theirs."""
    from pyspark.errors import PySparkException  # noqa: PLC0415  an extra

    from results.spark import ingest, jobs  # noqa: PLC0415
    from results.spark.regressions import regressions  # noqa: PLC0415

    known = {(header.run, *key): reason for header in headers for key, reason in known_of(header.facts).items()}
    try:
        lines = ingest.read_lines(spark, logs).persist()
        with ThreadPoolExecutor(1) as pool:
            read = pool.submit(lines.count)  # while the tables are planned
            tables = ingest.tables_of(lines, catalogue(), known)
            read.result()
        _write_tables(tables.named(), folder)
        for frame in tables.cached:
            frame.unpersist()
        stored = {table.name: spark.read.schema(table.ddl).parquet(_uri(folder / table.name)) for table in TABLES}
        return _at_once(
            {
                "matrix": lambda: _rows(jobs.matrix(stored["verdicts"]), "clause", "system", "kafka"),
                "clusters": lambda: _rows(jobs.clusters(stored["divergences"]), "clause", "signature"),
                "regressions": lambda: _rows(regressions(stored["verdicts"]), "before", "clause") if len(headers) > 1 else (),
                "relations": lambda: _rows(jobs.relations(stored["scenarios"]), "relation"),
                "pairs": lambda: _rows(jobs.pairs(stored["scenarios"]), "one", "other"),
                "runs": lambda: _rows(stored["runs"], "run_started", "run"),
                "costs": lambda: _rows(jobs.costs(stored["costs"]), "shape", "reading"),
                "readings": lambda: _rows(stored["readings"], "clause", "reading"),
                "broken_lines": lambda: _rows(stored["broken_lines"], "run", "line"),
            }
        )
    except PySparkException as error:
        what = str(error).strip().splitlines() or [type(error).__name__]
        raise ReportError(
            f"expected the Spark jobs to finish, found: {what[0][:300]}; check the space in {folder.parent} and in the "
            "temporary folder, then make the report again by `fencepost report`"
        ) from error


def _write_tables(tables: Mapping[str, Any], folder: Path) -> None:
    """Each table to its own Parquet folder, all of them put in place of the old ones at once."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=".tables-", dir=folder.parent))
        try:
            _at_once({name: partial(_write, table, scratch / "new" / name) for name, table in tables.items()})
            if folder.exists():
                folder.replace(scratch / "old")
            (scratch / "new").replace(folder)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    except OSError as error:
        raise ReportError(
            f"expected to write tables to {folder}, found: {error.strerror or error}; make room or name another place by --out"
        ) from error


def _write(table: Any, folder: Path) -> None:
    table.coalesce(1).write.parquet(_uri(folder))


def _uri(folder: Path) -> str:
    return folder.resolve().as_uri()


def _at_once(jobs: Mapping[str, Callable[[], T]]) -> dict[str, T]:
    """What each job gives, by its name; the first error where one fails."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        started = {name: pool.submit(job) for name, job in jobs.items()}
        return {name: future.result() for name, future in started.items()}


def _rows(frame: Any, *order: str) -> tuple[dict[str, Any], ...]:
    """The rows as dicts, sorted by some columns; few enough to be sorted here."""
    rows = [row.asDict(recursive=True) for row in frame.collect()]
    return tuple(sorted(rows, key=lambda row: tuple([str(row[name]) for name in order])))
