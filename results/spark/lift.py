"""Which features of scenarios come with a kind of break."""

from typing import Any

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812  everyone's name for it

from results.figures import DIVERGING
from results.spark.levels import level_keys, level_names
from spec.verdict import Outcome

ALL = "*"
"""Stands for every signature."""
ALL_LEVELS = 0
"""Stands for every level, among their keys."""
_EXERCISED = (Outcome.CONFORMS, *DIVERGING)
_CLAUSE = ("subject", "clause")
_BITS = 63
"""Clauses in a word, of which each has a bit."""


def lift(verdicts: DataFrame, scenarios: DataFrame) -> DataFrame:
    """For each kind of break and each level of a factor: support, confidence and lift.

    Only clauses that broke are looked at, in the scenarios that exercised them; a scenario that a
    run played more than once counts once in it. The clauses of a play are counted together, as the
    bits of a word, so that the work grows with the plays and not with the verdicts.

    Returns:
        The columns of `results.job_tables.LIFT`; no row for a level that never came with the break.
    """
    diverging = F.col("outcome").isin([one.value for one in DIVERGING])
    exercised = verdicts.where(F.col("outcome").isin([one.value for one in _EXERCISED]))
    bits = F.broadcast(_bits_of(verdicts.where(diverging)))
    asked = _clauses_of(exercised.withColumn("signature", F.lit(ALL)), bits)
    broke = _clauses_of(exercised.where(diverging), bits)
    features = scenarios.select(_play(), level_keys().alias("keys")).dropDuplicates(["play"])
    named = F.broadcast(level_names(scenarios))
    cells = (
        asked.union(broke)
        .join(features, "play")
        .withColumn("key", F.explode(F.concat("keys", F.array(F.lit(ALL_LEVELS)))))
        .groupBy("signature", "word", "clauses", "key")
        .agg(F.count(F.lit(1)).alias("plays"))
        .join(bits, "word")
        .where(F.col("clauses").bitwiseAND(F.col("bit")) != 0)
        .groupBy(*_CLAUSE, "signature", "key")
        .agg(F.sum("plays").alias("together"))
        .withColumn("with_level", _total(F.col("signature") == ALL, "key"))
        .withColumn("broke", _total(F.col("key") == ALL_LEVELS, "signature"))
        .withColumn("exercised", _total((F.col("signature") == ALL) & (F.col("key") == ALL_LEVELS)))
        .where((F.col("signature") != ALL) & (F.col("key") != ALL_LEVELS))
        .join(named, ["subject", "key"])
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


def _play() -> Any:
    """The 64-bit hash of a scenario in a run; where two of a billion plays have the same one, a
    count is off by one.
    """
    return F.xxhash64("run", "scenario").alias("play")


def _bits_of(diverging: DataFrame) -> DataFrame:
    """The clauses that broke, each with a word and a bit of its own."""
    number = F.row_number().over(Window.orderBy(*_CLAUSE)) - 1
    bit = F.expr(f"shiftleft(1L, number % {_BITS})")
    numbered = diverging.select(*_CLAUSE).distinct().withColumn("number", number)
    word = F.expr(f"number div {_BITS}")
    return numbered.select(*_CLAUSE, word.alias("word"), bit.alias("bit"))


def _clauses_of(verdicts: DataFrame, bits: DataFrame) -> DataFrame:
    """The clauses of each play and signature that have a bit, by words."""
    return (
        verdicts.select(*_CLAUSE, _play(), "signature")
        .join(bits, list(_CLAUSE))
        .groupBy("play", "signature", "word")
        .agg(F.bit_or("bit").alias("clauses"))
    )


def _total(condition: Any, *of: str) -> Any:
    """The count of the cell that stands for all, for each cell of the same clause (and `of`)."""
    return F.max(F.when(condition, F.col("together"))).over(Window.partitionBy(*_CLAUSE, *of))
