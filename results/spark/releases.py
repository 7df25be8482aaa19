"""What becomes of clauses and of readings from one release of a system to the next."""

from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812  everyone's name for it

from results.spark.jobs import IMPLEMENTATION

STATES = ("conforms", "known", "deviates", "violates")
"""The states of a clause on an implementation, the worst last: figures of its matrix of which one
is not 0. A clause without any is `undecided`."""
UNDECIDED = "undecided"


def beside_earlier_release(matrix: DataFrame) -> DataFrame:
    """Each clause on each version of a system, beside the version before it.

    Versions are ordered by their numbers, 4.10 after 4.9; within a system only versions that had a
    verdict of the clause are compared.

    Args:
        matrix: what `results.spark.jobs.matrix` gives.

    Returns:
        The columns of `results.job_tables.ALONG_RELEASES`.
    """
    state = reduce(
        lambda found, name: F.when(F.col(name) > 0, name).otherwise(found),
        STATES,
        F.lit(UNDECIDED),
    )
    order = Window.partitionBy("clause", "system").orderBy(
        _numbers("kafka"), "kafka", _numbers("release"), "release"
    )
    return (
        matrix.select("clause", "strength", *IMPLEMENTATION, state.alias("state"))
        .withColumn("earlier", F.lag("kafka").over(order))
        .withColumn("earlier_state", F.lag("state").over(order))
        .withColumn("change", _change())
    )


def readings_left(readings: DataFrame, runs: DataFrame) -> DataFrame:
    """Each reading that was ruled out somewhere, on every implementation of its subject.

    Returns:
        The columns of `results.job_tables.READINGS_LEFT`.
    """
    where = ["subject", *IMPLEMENTATION]
    tested = runs.groupBy(*where).agg(F.count_distinct("run").alias("runs"))
    ruled_out = readings.groupBy(*where, "clause", "reading").agg(
        F.count_distinct("run").alias("ruled_out"), F.min("why").alias("why")
    )
    named = readings.select("subject", "clause", "reading").distinct()
    return (
        named.join(tested, "subject")
        .join(ruled_out, [*where, "clause", "reading"], "left")
        .select(
            "subject",
            "clause",
            "reading",
            *IMPLEMENTATION,
            "runs",
            F.coalesce("ruled_out", F.lit(0)).alias("ruled_out"),
            "why",
        )
    )


def _numbers(version: str) -> Any:
    """The numbers of a version, which Spark compares in order."""
    return F.transform(
        F.regexp_extract_all(F.col(version), F.lit(r"(\d+)")), lambda part: part.cast("bigint")
    )


def _change() -> Column:
    now, before = (
        F.array_position(F.array(*map(F.lit, STATES)), F.col(name))
        for name in ("state", "earlier_state")
    )
    undecided = (F.col("state") == UNDECIDED) | (F.col("earlier_state") == UNDECIDED)
    return (
        F.when(F.col("earlier_state").isNull(), "first")
        .when(now == before, "same")
        .when(undecided, F.lit(UNDECIDED))
        .when(now > before, "worse")
        .otherwise("better")
    )
