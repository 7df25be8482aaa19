"""Tables of many runs at one place: Parquet, partitioned by subject and run, on any filesystem that
Spark reads (`file:`, `hdfs:`, `s3a:`).

A run is taken in whole: its partitions are replaced, and its row in `runs` comes last, so that a
run that is taken in twice is there once, and one that was interrupted is not there at all.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  everyone's name for it

from results import job_tables
from results.clauses import catalogue
from results.schema import RUNS, TABLES, Column, Table
from results.spark import ingest, jobs
from results.spark.interactions import interactions
from results.spark.lift import lift
from results.spark.plays import flaky_rates, timings
from results.spark.releases import beside_earlier_release, readings_left
from spec.events import RunStarted
from spec.known import known_of

PARTITION = ("subject", "run")
LATE = Column(
    "late",
    "BOOLEAN",
    "a run of the same subject and system that was started later was there before it",
)
STORED_RUNS = Table(RUNS.name, RUNS.meaning, (*RUNS.columns, LATE))
STORED = (*[table for table in TABLES if table.name != RUNS.name], STORED_RUNS)
"""The tables, `runs` last."""
JOBS_NAME = "jobs"
_AT_ONCE = 3


def take_in(spark: Any, logs: Sequence[Path], headers: Sequence[RunStarted], place: str) -> None:
    """Take runs into the tables at a place, which is made where it is missing.

    Nothing else may write to the place meanwhile. A log that was cut off is taken in with
    `truncated`, and replaced when it is taken in again.

    Args:
        spark: the session.
        logs: the event logs.
        headers: their headers, in the same order.
        place: a folder, as a URL or a path.
    """
    known = {
        (header.run, *key): reason
        for header in headers
        for key, reason in known_of(header.facts).items()
    }
    tables = ingest.tables_of(ingest.read_lines(spark, logs).persist(), catalogue(), known)
    named = dict(tables.by_name())
    for table in STORED:
        _filesystem(spark, f"{place}/{table.name}", lambda files, path: files.mkdirs(path))
    rows = _with_late(named[RUNS.name], _read(spark, place, STORED_RUNS)).collect()
    named[RUNS.name] = spark.createDataFrame(rows, STORED_RUNS.ddl)
    for table in reversed(STORED):
        for header in headers:
            _remove(spark, f"{place}/{table.name}", header)

    def write(table: Table) -> None:
        frame = named[table.name].repartition(*PARTITION)
        frame.write.mode("append").partitionBy(*PARTITION).parquet(f"{place}/{table.name}")

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(write, STORED[:-1]))
    write(STORED_RUNS)
    for cached in tables.cached:
        cached.unpersist()


def stored_tables(spark: Any, place: str) -> Mapping[str, DataFrame]:
    """The tables at a place by their names, with all their columns: one that an older Fencepost
    did not write is null. Runs that were not taken in to the end are left out.
    """
    frames = {table.name: _read(spark, place, table) for table in STORED}
    whole = F.broadcast(frames[RUNS.name].select("run"))
    return {
        name: frame if name == RUNS.name else frame.join(whole, "run", "left_semi")
        for name, frame in frames.items()
    }


def job_frames(tables: Mapping[str, DataFrame]) -> Mapping[str, DataFrame]:
    """Every job of `results.job_tables` over the tables, not yet computed."""
    verdicts, scenarios = tables["verdicts"], tables["scenarios"]
    matrix = jobs.matrix(verdicts)
    return {
        job_tables.CONFIDENCE.name: jobs.confidence(matrix),
        job_tables.CAUSES.name: jobs.causes(tables["divergences"]),
        job_tables.FLAKY_RATES.name: flaky_rates(tables["flaky"], verdicts),
        job_tables.INTERACTIONS.name: interactions(scenarios),
        job_tables.LIFT.name: lift(verdicts, scenarios),
        job_tables.TIMINGS.name: timings(scenarios),
        job_tables.ALONG_RELEASES.name: beside_earlier_release(matrix),
        job_tables.READINGS_LEFT.name: readings_left(tables["readings"], tables[RUNS.name]),
    }


def write_jobs(spark: Any, place: str) -> None:
    """Compute every job over all runs at a place, and write each to `jobs/NAME` there."""

    def write(job: tuple[str, DataFrame]) -> None:
        name, frame = job
        frame.coalesce(1).write.mode("overwrite").parquet(f"{place}/{JOBS_NAME}/{name}")

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(write, job_frames(stored_tables(spark, place)).items()))


def _with_late(runs: DataFrame, before: DataFrame) -> DataFrame:
    """The rows of new runs with `late`; a run that is taken in again keeps what it was."""
    others = before.join(runs.select("run"), "run", "left_anti")
    newest = others.groupBy("subject", "system").agg(F.max("run_started").alias("newest"))
    was = before.select("run", F.col("late").alias("was_late"))
    late = F.coalesce("was_late", F.col("run_started") < F.col("newest"), F.lit(False))
    return (
        runs.join(newest, ["subject", "system"], "left")
        .join(was, "run", "left")
        .withColumn("late", late)
        .select(*STORED_RUNS.names)
    )


def _read(spark: Any, place: str, table: Table) -> DataFrame:
    frame: DataFrame = spark.read.schema(table.ddl).parquet(f"{place}/{table.name}")
    return frame.select(*table.names)


def _remove(spark: Any, folder: str, header: RunStarted) -> None:
    """Remove the partition of a run."""
    name = spark._jvm.org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils  # noqa: SLF001  no public way
    parts = [
        name.getPartitionPathString(column, value)
        for column, value in zip(PARTITION, (header.subject, header.run), strict=True)
    ]
    where = "/".join([folder, *parts])
    _filesystem(spark, where, lambda files, path: files.delete(path, True))


def _filesystem(spark: Any, where: str, work: Callable[[Any, Any], object]) -> None:
    """Do something with a path on the filesystem that its URL names."""
    path = spark._jvm.org.apache.hadoop.fs.Path(where)  # noqa: SLF001  PySpark has no way of its own
    work(path.getFileSystem(spark._jsc.hadoopConfiguration()), path)  # noqa: SLF001
