"""Pairwise coverage of the factors of scenarios, with its holes."""

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  everyone's name for it

from results.coverage import SIDES
from results.spark.levels import factor, levels


def interactions(scenarios: DataFrame) -> DataFrame:
    """Each two levels of different factors, and how many scenarios had both.

    The levels of a factor are those that some scenario of the subject had; a limit has all three
    sides as soon as one was met. Scenarios are counted by their set of levels first, so that the
    pairs are made of few rows.

    Returns:
        The columns of `results.job_tables.INTERACTIONS`, holes included.
    """
    sets = (
        scenarios.select("subject", levels().alias("levels"))
        .groupBy("subject", "levels")
        .agg(F.count(F.lit(1)).alias("count"))
    )
    counted = (
        _pairs(sets.withColumn("one", F.explode("levels")).withColumn("other", F.explode("levels")))
        .groupBy("subject", "one", "other")
        .agg(F.sum("count").alias("count"))
    )
    every = _existing(sets)
    others = every.withColumnRenamed("one", "other")
    return (
        _pairs(every.join(others, "subject"))
        .join(counted, ["subject", "one", "other"], "left")
        .select("subject", "one", "other", F.coalesce("count", F.lit(0)).alias("count"))
    )


def _pairs(frame: DataFrame) -> DataFrame:
    return frame.where(factor("one") < factor("other"))


def _existing(sets: DataFrame) -> DataFrame:
    """All levels there are: `subject` and `one`."""
    seen = sets.select("subject", F.explode("levels").alias("one")).distinct()
    side: Any = F.substring_index("one", "=", -1)
    limits = seen.where(side.isin(*SIDES)).select("subject", factor("one").alias("limit"))
    sides = limits.distinct().withColumn("side", F.explode(F.array(*map(F.lit, SIDES))))
    named = sides.select("subject", F.concat_ws("=", "limit", "side").alias("one"))
    return seen.union(named).distinct()
