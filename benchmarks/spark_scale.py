"""How the Spark jobs grow: realistic tables of 1 to 100 million verdicts, made by Spark itself.

For each size the tables are written as Parquet, partitioned by subject and run. Each job is then
timed next to the mere reading of the columns that it needs, and next to DuckDB on the same files
where that can say the same in SQL; both answers must agree. Run, with the package duckdb installed:
python benchmarks/spark_scale.py [--rows 1,10] [--job NAME] [--out DIR] [--memory 4g] [--no-duckdb]
(millions of verdicts; more than 10 in tens). A line for each job; the table of docs/scale.md.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

MILLION = 1_000_000
KIB_PER_MIB = 1024
DRAWN_MILLIONS = 10
"""Millions of verdicts that are drawn; of larger tables each run stands there under many names."""
VERDICTS_PER_SCENARIO = 12
SCENARIOS_PER_RUN = 25_000
SHARD = 32
CLAUSES = 96
DUCKDB_MEMORY = "4GB"
SETTINGS = {
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.shuffle.partitions": str(SHARD),
    "spark.sql.files.maxPartitionBytes": "64m",
    "spark.sql.maxConcurrentOutputFileWriters": "4",
}
READS = {
    "matrix": "clause strength system release kafka outcome sides known",
    "regressions": "run run_started scenario clause outcome signature known",
    "lift": "subject clause run scenario outcome signature",
    "timings": "system release kafka subject family elapsed_ms waited_ms",
    "interactions": "subject relations codecs isolation version epochs transactional partitions "
    "segments batches asked steps",
}
"""The columns that a job reads: of `scenarios` the last two, otherwise of `verdicts`."""
OF_SCENARIOS = {"timings", "interactions"}
IN_DUCKDB = {
    "matrix": """
        SELECT clause, system, release, kafka,
            count(*) FILTER (outcome IN ('conforms', 'deviates', 'violates')) AS exercised,
            count(*) FILTER (outcome IN ('conforms', 'deviates', 'violates')
                AND list_contains(sides, 'below')) AS below,
            count(*) FILTER (outcome IN ('conforms', 'deviates', 'violates')
                AND list_contains(sides, 'at')) AS at,
            count(*) FILTER (outcome IN ('conforms', 'deviates', 'violates')
                AND list_contains(sides, 'above')) AS above,
            count(*) FILTER (outcome = 'conforms') AS conforms,
            count(*) FILTER (outcome = 'violates' AND known IS NULL) AS violates
        FROM verdicts GROUP BY ALL ORDER BY ALL""",
    "timings": """
        SELECT system, release, kafka, subject, family, count(*) AS plays,
            max(elapsed_ms) AS elapsed_ms_max, approx_quantile(elapsed_ms, 0.5) > 0 AS has_median,
            approx_quantile(elapsed_ms, 0.99) > 0 AS has_tail
        FROM scenarios GROUP BY ALL ORDER BY ALL""",
    "interactions": """
        WITH levels AS (
            SELECT subject, list_sort(list_distinct(list_concat(
                list_transform(relations, lambda r: split_part(r, ':', 1)),
                list_transform(codecs, lambda c: 'codec=' || c)))) AS levels, count(*) AS n
            FROM scenarios GROUP BY ALL),
        ones AS (SELECT subject, levels, n, unnest(levels) AS one FROM levels),
        pairs AS (SELECT subject, one, n, unnest(levels) AS other FROM ones)
        SELECT subject, one, other, sum(n)::BIGINT AS count FROM pairs
        WHERE split_part(one, '=', 1) < split_part(other, '=', 1)
        GROUP BY ALL ORDER BY ALL""",
}
SHARED = {
    "matrix": "clause system release kafka exercised below at above conforms violates",
    "timings": "system release kafka subject family plays elapsed_ms_max",
    "interactions": "subject one other count",
}
"""The columns in which both must agree; interactions by limits and codecs alone."""


def main() -> int:
    """Measure each size; 0 where both engines agree."""
    if sys.argv[1:2] == ["--duckdb"]:
        return in_duckdb(sys.argv[2], Path(sys.argv[3]))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default="1,10", help="millions of verdicts, ascending")
    parser.add_argument("--out", type=Path, help="where the tables stay; otherwise they go")
    parser.add_argument("--memory", default="4g")
    parser.add_argument("--job", action="append", choices=READS, help="only this; repeatable")
    parser.add_argument("--no-duckdb", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fencepost-scale-") as scratch:
        place = asked.out or Path(scratch)
        agree = [
            measured(
                int(size),
                place / f"{size}m",
                asked.memory,
                asked.job or [*READS],
                duckdb=not asked.no_duckdb,
            )
            for size in asked.rows.split(",")
        ]
    return 0 if all(agree) else 1


def measured(
    millions: int, place: Path, memory: str, names: Sequence[str], *, duckdb: bool
) -> bool:
    """Measure one size in a JVM of its own; whether both engines agree."""
    from results.spark.session import spark_session  # noqa: PLC0415

    agree = True
    with spark_session(memory=memory, settings=SETTINGS, sustained=True) as spark:
        if not (place / "verdicts").exists():
            before = jvm_cpu(spark)
            seconds, _ = timed(partial(make_tables, spark, millions, place))
            show(millions, "generate", "spark", seconds, jvm_peak(spark), jvm_cpu(spark) - before)
        size = sum(file.stat().st_size for file in place.rglob("*.parquet"))
        print(f"{millions:>4} M  {size / 2**20:,.0f} MiB of Parquet", flush=True)
        verdicts, scenarios = (
            spark.read.parquet(f"{place}/{n}") for n in ("verdicts", "scenarios")
        )
        for name, job in jobs_over(verdicts, scenarios):
            if name not in names:
                continue
            table = scenarios if name in OF_SCENARIOS else verdicts
            wanted = table.select(*READS[name].split()).where("run IS NOT NULL")
            before = jvm_cpu(spark)
            read, _ = timed(partial(nothing_of, wanted))
            between = jvm_cpu(spark)
            seconds, rows = timed(job().collect)
            cpu = jvm_cpu(spark) - between
            show(millions, name, "spark", seconds, jvm_peak(spark), cpu, (read, between - before))
            if duckdb and name in IN_DUCKDB:
                other = run_duckdb(name, place)
                show(millions, name, "duckdb", other["seconds"], other["peak_mib"], other["cpu"])
                same = plain(rows, SHARED[name].split(), name) == sorted(map(tuple, other["rows"]))
                agree &= same
                if not same:
                    print(f"{name}: expected DuckDB's rows, found others", flush=True)
    return agree


def jobs_over(verdicts: Any, scenarios: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Each job, not computed yet."""
    from results.spark import jobs  # noqa: PLC0415
    from results.spark.interactions import interactions  # noqa: PLC0415
    from results.spark.lift import lift  # noqa: PLC0415
    from results.spark.plays import timings  # noqa: PLC0415
    from results.spark.regressions import regressions  # noqa: PLC0415

    yield "matrix", lambda: jobs.matrix(verdicts)
    yield "timings", lambda: timings(scenarios)
    yield "regressions", lambda: regressions(verdicts)
    yield "interactions", lambda: interactions(scenarios)
    yield "lift", lambda: lift(verdicts, scenarios)


def make_tables(spark: Any, millions: int, place: Path) -> None:
    """Write tables of so many millions of verdicts; what is more than 10 is 10 many times, by hard
    links: reading and counting them is the same work.
    """
    if millions <= DRAWN_MILLIONS:
        generate(spark, millions * MILLION, place)
        return
    drawn = place.with_name(f"{DRAWN_MILLIONS}m")
    if not (drawn / "verdicts").exists():
        generate(spark, DRAWN_MILLIONS * MILLION, drawn)
    for file in sorted(drawn.glob("*/*/*/*.parquet")):
        table, subject, run = file.relative_to(drawn).parts[:3]
        for copy in range(millions // DRAWN_MILLIONS):
            folder = place / table / subject / f"{run}-{copy}"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / file.name).hardlink_to(file)


def generate(spark: Any, rows: int, place: Path) -> None:
    """Write `verdicts` and `scenarios` as runs of five releases leave them.

    Some 2 % of the scenarios break, all of those of one level more often, with signatures; a
    scenario has the same id in every run of its subject, as a corpus and worked examples have.
    """
    from pyspark.sql import functions as F  # noqa: N812, PLC0415

    from results import schema  # noqa: PLC0415

    runs = max(rows // VERDICTS_PER_SCENARIO // SCENARIOS_PER_RUN, 2)
    scenarios = rows // VERDICTS_PER_SCENARIO // runs

    def drawn(salt: str, of: int) -> Any:
        return F.pmod(F.xxhash64("id", F.lit(salt)), F.lit(of)).cast("int")

    def chosen(salt: str, *names: str) -> Any:
        return F.element_at(F.array(*map(F.lit, names)), drawn(salt, len(names)) + 1)

    number = F.expr(f"id div {scenarios}").cast("int")
    within = F.expr(f"id % {scenarios}")
    release = F.element_at(
        F.array(*map(F.lit, ("4.0.2", "4.1.2", "4.2.2", "4.3.1", "4.4.0"))),
        F.pmod(number, F.lit(5)) + 1,
    )
    subject = F.when(F.pmod(number, F.lit(2)) == 0, "fetch").otherwise("share")
    sides = ("below", "at", "above")
    names = ("max_bytes", "partition_max_bytes", "min_bytes", "records", "locks")
    relations = [
        F.concat(
            F.lit(f"{name}="), chosen(name, *sides), F.lit(":"), chosen(f"{name}p", "first", "last")
        )
        for name in names
    ]
    base = (
        spark.range(0, runs * scenarios, 1, runs)
        .withColumn("number", number)
        .withColumns(
            {
                "run": F.format_string("r%04d", "number"),
                "run_started": F.timestamp_seconds(F.lit(1_790_000_000) + F.col("number") * 3600),
                "system": F.lit("embedded"),
                "kafka": release,
                "release": F.substring_index(release, ".", 2),
                "seed": F.col("number").cast("string"),
                "subject": subject,
                "scenario": _id_of(within),
                "layout": _id_of(F.expr(f"(id % {scenarios}) div 4")),
                "family": chosen("family", "question", "history", "crafted"),
                "elapsed_ms": F.exp(F.rand(1) * 6),
                "waited_ms": F.rand(2) * 3,
                "partitions": drawn("p", 8) + 1,
                "segments": drawn("s", 9) + 1,
                "batches": drawn("b", 30),
                "bytes": drawn("y", 1 << 20).cast("bigint"),
                "transactional": drawn("t", 4) == 0,
                "steps": drawn("n", 6) + 1,
                "asked": drawn("a", 8) + 1,
                "partition_max_bytes": drawn("m", 1 << 20).cast("bigint"),
                "max_bytes": drawn("x", 1 << 20).cast("bigint"),
                "min_bytes": drawn("i", 100).cast("bigint"),
                "max_wait_ms": F.lit(0).cast("bigint"),
                "isolation": drawn("o", 2),
                "version": drawn("v", 14) + 4,
                "epochs": chosen("e", "sessionless", "full", "full+incremental"),
                "codecs": F.array(chosen("c", "none", "lz4", "zstd", "snappy", "gzip")),
                "relations": F.array(*relations),
            }
        )
    )
    part = ["subject", "run"]
    (base.select(*schema.SCENARIOS.names).write.partitionBy(*part).parquet(f"{place}/scenarios"))
    at_limit = F.array_contains("relations", "max_bytes=at:first")
    lots = F.pmod(F.xxhash64("id", "clause"), F.lit(10_000))
    breaks = F.when(at_limit, 40).otherwise(2)
    outcome = (
        F.when(lots < breaks, "violates")
        .when(lots < breaks * 2, "deviates")
        .when(lots < 130, "inconclusive")
        .when(lots < 140, "unsupported")
        .otherwise("conforms")
    )
    ids = F.transform(
        F.sequence(F.lit(0), F.lit(VERDICTS_PER_SCENARIO - 1)),
        lambda at: F.pmod(at * 8 + F.pmod(F.col("id"), F.lit(8)).cast("int"), F.lit(CLAUSES)),
    )
    clauses = F.array(*[F.lit(f"FET-{clause:03}") for clause in range(CLAUSES)])
    broke = F.col("outcome").isin("violates", "deviates")
    why = F.when(broke, F.format_string("expected %d bytes, found %d", "max_bytes", "bytes"))
    (
        base.withColumn("clause_number", F.explode(ids))
        .withColumn("clause", F.element_at(clauses, F.col("clause_number") + 1))
        .withColumn("outcome", outcome)
        .withColumns(
            {
                "strength": F.when(F.col("clause_number") % 3 == 0, "reference").otherwise("must"),
                "sides": F.array(chosen("side", *sides)),
                "signature": F.when(broke, chosen("sig", "too-much", "shorter", "cut")).otherwise(
                    ""
                ),
                "primary": broke,
                "why": F.coalesce(why, F.lit("")),
                "known": F.when(broke & (F.col("clause_number") == 3), "KAFKA-1"),
            }
        )
        .select(*schema.VERDICTS.names)
        .write.partitionBy(*part)
        .parquet(f"{place}/verdicts")
    )


def _id_of(number: Any) -> Any:
    """An id of 16 hexadecimal digits."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415

    return F.lower(F.lpad(F.hex(F.xxhash64(number)), 16, "0"))


def nothing_of(frame: Any) -> None:
    """Read and decode all of a data frame, and do nothing with it."""
    frame.write.format("noop").mode("overwrite").save()


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds, and the result."""
    began = time.monotonic()
    result = work()
    return time.monotonic() - began, result


def plain(rows: list[Any], names: list[str], job: str) -> list[tuple[Any, ...]]:
    """Spark's rows as DuckDB has them."""
    of_limits = ("max_bytes", "partition_max_bytes", "min_bytes", "records", "locks", "codec")
    return sorted(
        tuple(row[name] for name in names)
        for row in rows
        if job != "interactions"
        or (row["count"] and {row[n].partition("=")[0] for n in ("one", "other")} <= {*of_limits})
    )


def show(
    millions: int,
    job: str,
    engine: str,
    seconds: float,
    peak: float,
    cpu: float,
    reading: tuple[float, float] | None = None,
) -> None:
    """A line: millions of verdicts, seconds, CPU seconds, rows a CPU second, peak memory, and what
    reading alone took.
    """
    alone = "" if reading is None else "  reading {:5.1f} s, CPU {:5.1f} s".format(*reading)
    print(
        f"{millions:>4} M  {job:<13}{engine:<7}{seconds:7.1f} s  CPU {cpu:6.1f} s "
        f"{millions * MILLION / cpu:>11,.0f} rows/CPU s  peak {peak:6,.0f} MiB{alone}",
        flush=True,
    )


def jvm_pid(spark: Any) -> int:
    """The process id of the session's JVM."""
    return int(spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid())  # noqa: SLF001


def jvm_cpu(spark: Any) -> float:
    """The CPU seconds that the JVM has used, which other load on the machine distorts less."""
    fields = Path(f"/proc/{jvm_pid(spark)}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def jvm_peak(spark: Any) -> float:
    """The most memory that the JVM has had resident, MiB."""
    for line in Path(f"/proc/{jvm_pid(spark)}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / KIB_PER_MIB
    return 0.0


def run_duckdb(name: str, place: Path) -> Any:
    """DuckDB's answer, seconds and peak memory, from a process of its own."""
    command = [sys.executable, __file__, "--duckdb", name, str(place)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=os.environ)  # noqa: S603
    return json.loads(done.stdout)


def in_duckdb(name: str, place: Path) -> int:
    """Answer one job by DuckDB and print it as JSON."""
    import duckdb  # noqa: PLC0415

    connection = duckdb.connect()
    connection.execute(f"SET memory_limit = '{DUCKDB_MEMORY}'")
    connection.execute(f"SET temp_directory = '{place / 'duckdb'}'")
    for table in ("verdicts", "scenarios"):
        files = f"{place}/{table}/*/*/*.parquet"
        connection.execute(
            f"CREATE VIEW {table} AS FROM read_parquet('{files}', hive_partitioning = true)"
        )
    began = time.monotonic()
    found = connection.execute(IN_DUCKDB[name])
    names = [one[0] for one in found.description or ()]
    rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    seconds = time.monotonic() - began
    shutil.rmtree(place / "duckdb", ignore_errors=True)
    used = resource.getrusage(resource.RUSAGE_SELF)
    wanted = SHARED[name].split()
    shown = [[row[one] for one in wanted] for row in rows]
    usage = {"peak_mib": used.ru_maxrss / KIB_PER_MIB, "cpu": used.ru_utime + used.ru_stime}
    print(json.dumps({"seconds": seconds, **usage, "rows": shown}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
