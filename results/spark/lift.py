"""Which features of scenarios come with a kind of break."""

from typing import Any

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812  everyone's name for it

from results.figures import DIVERGING
from results.spark.levels import level_key, levels
from spec.verdict import Outcome

ALL = "*"
"""Stands for every signature."""
ALL_LEVELS = 0
"""Stands for every level, among their keys."""
_EXERCISED = (Outcome.CONFORMS, *DIVERGING)
_CLAUSE = ("subject", "clause")


def lift(verdicts: DataFrame, scenarios: DataFrame) -> DataFrame:
    """For each kind of break and each level of a factor: support, confidence and lift.

    Only clauses that broke are looked at, in the scenarios that exercised them; a scenario that a
    run played more than once counts once in it.

    Returns:
        The columns of `results.job_tables.LIFT`; no row for a level that never came with the break.
    """
    diverging = F.col("outcome").isin([one.value for one in DIVERGING])
    broken = F.broadcast(verdicts.where(diverging).select("clause").distinct())
    asked = (
        verdicts.where(F.col("outcome").isin([one.value for one in _EXERCISED]))
        .join(broken, "clause", "left_semi")
        .groupBy("subject", "clause", "run", "scenario")
        .agg(F.collect_set(F.when(diverging, F.col("signature"))).alias("signatures"))
    )
    named = scenarios.select("run", "scenario", levels().alias("levels"))
    features = named.withColumn("keys", F.transform("levels", level_key)).drop("levels")
    names = named.select(F.explode("levels").alias("level")).distinct()
    cells = (
        asked.join(features.dropDuplicates(["run", "scenario"]), ["run", "scenario"])
        .withColumn("signature", F.explode(_with(ALL, "signatures")))
        .withColumn("key", F.explode(_with(ALL_LEVELS, "keys")))
        .groupBy(*_CLAUSE, "signature", "key")
        .agg(F.count(F.lit(1)).alias("together"))
        .withColumn("with_level", _total(F.col("signature") == ALL, "key"))
        .withColumn("broke", _total(F.col("key") == ALL_LEVELS, "signature"))
        .withColumn("exercised", _total((F.col("signature") == ALL) & (F.col("key") == ALL_LEVELS)))
        .where((F.col("signature") != ALL) & (F.col("key") != ALL_LEVELS))
        .join(F.broadcast(names.withColumn("key", level_key("level"))), "key")
    )
    confidence = F.col("together") / F.col("with_level")
    return cells.select(
        *_CLAUSE,
        "signature",
        "level",
        "together",
        "with_level",
        "broke",
        "exercised",
        (F.col("together") / F.col("exercised")).alias("support"),
        confidence.alias("confidence"),
        (confidence * F.col("exercised") / F.col("broke")).alias("lift"),
    )


def _with(one: str | int, others: str) -> Any:
    return F.concat(F.col(others), F.array(F.lit(one)))


def _total(condition: Any, *of: str) -> Any:
    """The count of the cell that stands for all, for each cell of the same clause (and `of`)."""
    return F.max(F.when(condition, F.col("together"))).over(Window.partitionBy(*_CLAUSE, *of))
