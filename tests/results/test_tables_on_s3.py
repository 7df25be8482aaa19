"""Tables on an object store: written, taken in once more, and read by the jobs."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conformance.cli import main
from results.job_tables import JOBS
from results.log import LOG_NAME, read_header
from results.spark.warehouse import stored_tables, take_in
from spec.events import Judged
from tests.object_store import object_store, s3a_jars
from tests.results.synthetic import small_run, write

pytestmark = pytest.mark.spark

BUCKET = "runs"


@pytest.fixture
def place(spark: Any, tmp_path: Path) -> Iterator[str]:
    """A folder in a bucket that Spark reads and writes by `s3a:`."""
    loader = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()
    for jar in s3a_jars():
        loader.addURL(spark._jvm.java.net.URI(jar.as_uri()).toURL())
    with object_store(tmp_path, BUCKET) as address:
        settings = spark._jsc.hadoopConfiguration()
        for name, value in {
            "endpoint": address,
            "endpoint.region": "us-east-1",
            "path.style.access": "true",
            "access.key": "KEY",
            "secret.key": "SECRET",
        }.items():
            settings.set(f"fs.s3a.{name}", value)
        yield f"s3a://{BUCKET}/tables"


def rows(tables: Mapping[str, Any]) -> dict[str, list[str]]:
    return {name: sorted(map(repr, tables[name].collect())) for name in ("runs", "verdicts")}


def test_the_command_takes_runs_into_an_object_store_and_writes_the_jobs(
    spark: Any, place: str, tmp_path: Path
) -> None:
    folder = write(tmp_path / "a", small_run("a"))
    take_in(spark, [folder / LOG_NAME], [read_header(folder / LOG_NAME)], place)
    once = rows(stored_tables(spark, place))
    done = CliRunner().invoke(main, ["report", str(folder), "--tables", place])
    assert (done.exit_code, done.output) == (0, f"tables: {place}\n")
    assert rows(stored_tables(spark, place)) == once
    judged = [event for event in small_run("a") if isinstance(event, Judged)]
    assert len(once["verdicts"]) == sum(len(event.verdicts) for event in judged)
    jobs = {table.name: spark.read.parquet(f"{place}/jobs/{table.name}") for table in JOBS}
    assert {name: frame.columns for name, frame in jobs.items()} == {
        table.name: list(table.names) for table in JOBS
    }
    found = jobs["confidence"].collect()
    assert {row.clause for row in found} == {"FET-001", "FET-002", "FET-004"}
