"""Pairwise coverage of the factors of scenarios, with its holes."""

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  everyone's name for it

from results.coverage import SIDES
from results.spark.levels import factor, level_key, level_keys, level_names


def interactions(scenarios: DataFrame) -> DataFrame:
    """Each two levels of different factors, and how many scenarios had both.

    The levels of a factor are those that some scenario of the subject had; a limit has all three
    sides as soon as one was met. Pairs are counted by one number, the exclusive or of the keys of
    their levels.

    Returns:
        The columns of `results.job_tables.INTERACTIONS`, holes included.
    """
    keys = scenarios.select(level_keys().alias("keys"))
    counted = (
        keys.select("keys", F.posexplode("keys").alias("place", "key"))
        .select("key", F.explode(F.expr("slice(keys, place + 2, size(keys))")).alias("other_key"))
        .groupBy(_pair().alias("pair"))
        .agg(F.count(F.lit(1)).alias("count"))
    )
    every = _existing(level_names(scenarios))
    others = every.withColumnsRenamed({"level": "other", "key": "other_key"})
    return (
        every.join(others, "subject")
        .where(factor("level") < factor("other"))
        .withColumn("pair", _pair())
        .join(F.broadcast(counted), "pair", "left")
        .select(
            "subject",
            F.col("level").alias("one"),
            "other",
            F.coalesce("count", F.lit(0)).alias("count"),
        )
    )


def _pair() -> Any:
    return F.col("key").bitwiseXOR(F.col("other_key"))


def _existing(seen: DataFrame) -> DataFrame:
    """All levels there are, those of a limit that none had included."""
    side: Any = F.substring_index("level", "=", -1)
    limits = seen.where(side.isin(*SIDES)).select("subject", factor("level").alias("limit"))
    sides = limits.distinct().withColumn("side", F.explode(F.array(*map(F.lit, SIDES))))
    named = sides.select("subject", F.concat_ws("=", "limit", "side").alias("level"))
    return seen.union(named.withColumn("key", level_key(F.col("level")))).distinct()
