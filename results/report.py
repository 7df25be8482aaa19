"""The report of one or more runs: Parquet tables and one self-contained HTML page, made from event logs by the Spark jobs."""

import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from results.clauses import catalogue, known_of
from results.files import ReportError, write_whole
from results.html import Page, page
from results.log import read_header


@dataclass(frozen=True, slots=True)
class ReportResult:
    """What was written, by name, and how many seconds it took."""

    paths: dict[str, Path]
    seconds: float


def report(runs: Sequence[Path], out: Path | None = None, *, java: Path | None = None, spark_master: str = "local[*]") -> ReportResult:
    """Make tables and page of some run folders.

    Args:
        runs: run folders, each with an `events.jsonl`.
        out: where to write; the last run's folder if None.
        java: the Java that Spark runs on; found if None.
        spark_master: as Spark takes it.

    Raises:
        LogError: a log without a readable header.
        ReportError: Spark or Java is missing, or a file can't be written.
    """
    began = time.monotonic()
    logs = [run / "events.jsonl" for run in runs]
    headers = [read_header(log) for log in logs]
    known = {(header.run, *key): reason for header in headers for key, reason in known_of(header.facts).items()}
    out = out or runs[-1]
    from results.spark.session import missing_extra, spark_session  # noqa: PLC0415 - Spark is an extra

    try:
        from results.spark import ingest, jobs  # noqa: PLC0415
    except ImportError as error:
        raise missing_extra(error) from error
    with spark_session(java, spark_master) as spark:
        tables, lines = ingest.ingest(spark, logs, catalogue(), known)
        written = _write_tables(spark, tables.named(), out / "tables")
        found = Page(
            headers=tuple(headers),
            matrix=_rows(jobs.matrix(written["verdicts"]), "clause"),
            clusters=_rows(jobs.clusters(written["divergences"]), "clause"),
            relations=_rows(jobs.relations(written["scenarios"]), "relation"),
            pairs=_rows(jobs.pairs(written["scenarios"]), "one"),
            readings=_rows(written["readings"], "clause"),
            broken_lines=_rows(written["broken_lines"], "log"),
            runs=_rows(written["runs"], "run"),
        )
        lines.unpersist()
    target = write_whole(out / "report.html", page(found, catalogue()))
    return ReportResult({"tables": out / "tables", "report": target}, time.monotonic() - began)


def _write_tables(spark: Any, tables: Any, folder: Path) -> dict[str, Any]:
    """Each table to its own Parquet folder, all at once in place of the old ones; the tables as read back."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=".tables-", dir=folder.parent))
        for name, table in tables.items():
            table.coalesce(1).write.parquet(str(made / name))
        if folder.exists():
            shutil.rmtree(folder)
        made.replace(folder)
    except OSError as failed:
        raise ReportError(f"expected to write tables to {folder}, found: {failed.strerror}; name another place by --out") from failed
    return {name: spark.read.parquet(str(folder / name)) for name in tables}


def _rows(frame: Any, order: str) -> tuple[dict[str, Any], ...]:
    return tuple([row.asDict(recursive=True) for row in frame.orderBy(order).collect()])
