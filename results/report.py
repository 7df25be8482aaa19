"""The report of one or more runs: one self-contained HTML page, made from event logs; of many runs
Parquet tables too, by Spark.
"""

import time
from collections.abc import Collection, Sequence
from dataclasses import field
from pathlib import Path

from results.clauses import Clauses, catalogue
from results.coverage import coverage
from results.files import MADE_AGAIN, ReportError, write_whole
from results.html import ManyRuns, Page, page
from results.log import LOG_NAME, read_header, scan
from results.one_run import Rows, causes_of, not_given_of, scores_of
from results.one_run import rows_of as rows_of_one
from results.summary import Summary, summarise
from spec.events import RunStarted
from spec.frozen import frozen

REPORT_NAME = "report.html"
TABLES_NAME = "tables"


@frozen
class ReportResult:
    """The written files, by name, how many seconds it took, and the version of the Java that Spark
    ran on; None without Spark.
    """

    paths: dict[str, Path]
    seconds: float
    java: str | None = None


def report(
    runs: Sequence[Path],
    out: Path | None = None,
    *,
    spark: bool = False,
    java: Path | None = None,
    spark_master: str = "local[*]",
    relations: Collection[str] | None = None,
) -> ReportResult:
    """Make the page of some run folders. Everything comes from the event logs, so it can be made
    again at any time.

    One run takes neither Spark nor Java. Several runs go through the Spark jobs, which leave
    Parquet tables beside the page.

    Args:
        runs: run folders, each with an `events.jsonl`.
        out: where to write; the last run's folder if None.
        spark: use Spark for a single run too.
        java: the Java that Spark runs on; found if None.
        spark_master: as Spark takes it.
        relations: all relations of limits that there are, so that those never tried are listed;
            None takes it from those seen.

    Raises:
        LogError: a log without a readable header.
        ReportError: two logs are of the same run, a part of the extra `report` or Java is missing,
        a job failed, or a file can't
            be written. Files of an earlier report are then still whole.
    """
    began = time.monotonic()
    logs = [run / LOG_NAME for run in runs]
    headers = _headers(logs)
    target = out or runs[-1]
    if len(runs) == 1 and not spark:
        found = summarise(scan(logs[0]), catalogue())
        rows = rows_of_one(found, headers[0], catalogue())
        written = _write(rows, headers, target, relations, _Source(runs, found))
        return ReportResult({"report": written}, time.monotonic() - began)
    from results.spark.session import java_of, spark_session  # noqa: PLC0415  Spark is an extra

    with spark_session(java, spark_master) as session:
        from results.spark.report import rows_of, rows_over_runs  # noqa: PLC0415

        tables = target / TABLES_NAME
        rows = rows_of(session, logs, headers, tables)
        many = ManyRuns(**rows_over_runs(session, tables)) if len(runs) > 1 else ManyRuns()
        version = java_of(session)
    written = _write(rows, headers, target, relations, _Source(runs, many=many))
    return ReportResult(
        {"tables": target / TABLES_NAME, "report": written}, time.monotonic() - began, version
    )


def take_in(runs: Sequence[Path], place: str, *, spark_master: str = "local[*]") -> str:
    """Take runs into the tables of many runs at a place, and compute the jobs over all of them;
    the place as a URL.

    Args:
        runs: run folders.
        place: a URL of a filesystem that Spark reads, or a path.
        spark_master: as Spark takes it.

    Raises:
        LogError: a log without a readable header.
        ReportError: two logs are of the same run, Spark or Java is missing, or a job failed.
    """
    url = place if "://" in place else f"file://{Path(place).resolve()}"
    logs = [run / LOG_NAME for run in runs]
    headers = _headers(logs)
    from results.spark.session import spark_session  # noqa: PLC0415  Spark is an extra

    with spark_session(master=spark_master) as session:
        from results.spark.report import tables_at  # noqa: PLC0415

        tables_at(session, logs, headers, url.rstrip("/"))
    return url


def report_of(
    summary: Summary, folder: Path, *, relations: Collection[str] | None = None
) -> ReportResult:
    """Make the page of a run whose events were counted as they came: the same as `report` makes
    from its whole log.

    Raises:
        ReportError: no event was seen, a part of the extra `report` is missing, or the page can't
        be written.
    """
    began = time.monotonic()
    if summary.header is None:
        raise ReportError(f"expected a run with a header in {folder}, found none; do it again")
    rows = rows_of_one(summary, summary.header, catalogue())
    written = _write(rows, [summary.header], folder, relations, _Source([folder], summary))
    return ReportResult({"report": written}, time.monotonic() - began)


@frozen
class _Source:
    """What a page is made from besides the rows that every one has.

    Attributes:
        folders: the run folders, in the order of the headers.
        summary: that of a single run, which alone has a score.
        many: the rows over several runs.
    """

    folders: Sequence[Path]
    summary: Summary | None = None
    many: ManyRuns = field(default_factory=ManyRuns)


def _write(
    rows: Rows,
    headers: Sequence[RunStarted],
    folder: Path,
    relations: Collection[str] | None,
    source: _Source,
) -> Path:
    """Write the page."""
    summary = source.summary
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
        flaky=rows["flaky"],
        causes={} if summary is None else causes_of(summary),
        scores=() if summary is None else scores_of(summary),
        not_given=() if summary is None else not_given_of(summary),
        many=source.many,
        folders={one.run: place for one, place in zip(headers, source.folders, strict=True)},
    )
    return write_whole(folder / REPORT_NAME, page(found, _counted_clauses(headers)), MADE_AGAIN)


def _counted_clauses(headers: Sequence[RunStarted]) -> Clauses:
    """The clauses of the runs' subjects that can't be tested, or count in one of the runs."""
    every = catalogue(*sorted({header.subject for header in headers}))
    if not all(header.clauses for header in headers):
        return every
    counting = {clause for header in headers for clause in header.clauses}
    return {name: one for name, one in every.items() if one.excluded or name in counting}


def _headers(logs: Sequence[Path]) -> list[RunStarted]:
    headers = [read_header(log) for log in logs]
    seen: dict[str, Path] = {}
    for header, log in zip(headers, logs, strict=True):
        if header.run in seen:
            raise ReportError(
                f"expected each run once, found run {header.run} in {seen[header.run]} and in "
                f"{log}, which would count twice; "
                "name one of them"
            )
        seen[header.run] = log
    return headers
