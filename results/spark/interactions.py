"""Pairwise coverage of the factors of scenarios, with its holes."""

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  everyone's name for it

from results.coverage import SIDES
from results.spark.levels import factor, level_key, levels


def interactions(scenarios: DataFrame) -> DataFrame:
    """Each two levels of different factors, and how many scenarios had both.

    The levels of a factor are those that some scenario of the subject had; a limit has all three
    sides as soon as one was met. Pairs are counted by the keys of their levels.

    Returns:
        The columns of `results.job_tables.INTERACTIONS`, holes included.
    """
    named = scenarios.select("subject", levels().alias("levels"))
    every = _existing(named).withColumn("key", level_key("one"))
    keys = named.select("subject", F.transform("levels", level_key).alias("keys"))
    counted = (
        keys.withColumn("one_key", F.explode("keys"))
        .withColumn("other_key", F.explode("keys"))
        .where("one_key < other_key")
        .groupBy("subject", "one_key", "other_key")
        .agg(F.count(F.lit(1)).alias("count"))
    )
    others = every.withColumnsRenamed({"one": "other", "key": "other_key"})
    pairs = every.join(others, "subject").where(factor("one") < factor("other"))
    lesser = F.least("key", "other_key")
    greater = F.greatest("key", "other_key")
    return (
        pairs.select("subject", "one", "other", lesser.alias("one_key"), greater.alias("other_key"))
        .join(F.broadcast(counted), ["subject", "one_key", "other_key"], "left")
        .select("subject", "one", "other", F.coalesce("count", F.lit(0)).alias("count"))
    )


def _existing(sets: DataFrame) -> DataFrame:
    """All levels there are: `subject` and `one`."""
    seen = sets.select("subject", F.explode("levels").alias("one")).distinct()
    side: Any = F.substring_index("one", "=", -1)
    limits = seen.where(side.isin(*SIDES)).select("subject", factor("one").alias("limit"))
    sides = limits.distinct().withColumn("side", F.explode(F.array(*map(F.lit, SIDES))))
    named = sides.select("subject", F.concat_ws("=", "limit", "side").alias("one"))
    return seen.union(named).distinct()
