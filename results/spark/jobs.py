"""Jobs over the tables: each job takes tables and gives a small data frame."""

from dataclasses import fields
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  everyone's name for it

from results.figures import FIGURES, Figure, rate_interval
from spec.events import ReadingCost
from spec.verdict import Outcome

IMPLEMENTATION = ("system", "release", "kafka")
"""The columns in which runs of the same implementation agree."""


def matrix(verdicts: DataFrame) -> DataFrame:
    """Clause by implementation: a row for each pair that had a verdict.

    Returns:
        clause, strength, system, release, kafka; and the counts of scenarios in
        `results.figures.FIGURES`.
    """
    spoken = verdicts.where(F.col("outcome") != Outcome.UNEXERCISED.value)
    counts = [_times(_counts_for(figure)).alias(figure.name) for figure in FIGURES]
    return spoken.groupBy("clause", "strength", *IMPLEMENTATION).agg(*counts)


def _counts_for(figure: Figure) -> Any:
    """Whether a verdict belongs to a figure, see `Figure.counts`."""
    condition = F.col("outcome").isin([outcome.value for outcome in figure.outcomes])
    if figure.listed is not None:
        condition &= F.col("known").isNotNull() if figure.listed else F.col("known").isNull()
    for name in figure.side.names:
        condition &= F.array_contains("sides", name)
    return condition


def confidence(found: DataFrame) -> DataFrame:
    """How sure a matrix is of each clause: one row for each pair that was exercised.

    Args:
        found: what `matrix` gives.

    Returns:
        The columns of `results.job_tables.CONFIDENCE`.
    """
    broke = F.col("deviates") + F.col("violates") + F.col("known")
    low, high = rate_interval(F.col("broke"), F.col("exercised"))
    return (
        found.where("exercised > 0")
        .withColumn("broke", broke)
        .select(
            "clause",
            "strength",
            *IMPLEMENTATION,
            "exercised",
            "broke",
            (F.col("broke") / F.col("exercised")).alias("rate"),
            F.greatest(low, F.lit(0.0)).alias("rate_low"),
            F.least(high, F.lit(1.0)).alias("rate_high"),
        )
    )


def causes(divergences: DataFrame) -> DataFrame:
    """Which break explains which other, in how many scenarios.

    A break that is not primary is explained by those of its scenario that are; `results.clusters`
    takes the most frequent one where every scenario of a kind has one.

    Returns:
        The columns of `results.job_tables.CAUSES`.
    """
    scenario = ["run", "scenario"]
    kind = ["clause", "signature", "outcome"]
    primary = divergences.where("primary").select(
        *scenario,
        F.col("clause").alias("cause_clause"),
        F.col("signature").alias("cause_signature"),
    )
    return (
        divergences.where("NOT primary")
        .select(*scenario, *kind)
        .join(primary, scenario)
        .groupBy(*kind, "cause_clause", "cause_signature")
        .agg(_all().alias("count"))
    )


def clusters(divergences: DataFrame) -> DataFrame:
    """Divergences that are the same: by clause, signature, outcome and whether a finding lists
    them.

    Returns:
        clause, strength, signature, outcome, known, count, primary (how many of them explain the
        other breaks), implementations (array of names), and the smallest example: example_json,
        observation_json, example_why, shrunk, run.
    """
    example = F.struct(
        F.coalesce("shrunk_json", "found_json").alias("example_json"),
        F.when(F.col("shrunk_json").isNotNull(), F.col("shrunk_observation_json"))
        .otherwise(F.col("found_observation_json"))
        .alias("observation_json"),
        F.coalesce("shrunk_why", "why").alias("example_why"),
        F.col("shrunk_json").isNotNull().alias("shrunk"),
        F.col("run"),
    )
    text = F.coalesce("shrunk_json", "found_json")
    size = F.struct(F.col("shrunk_json").isNull(), text.isNull(), F.length(text), "scenario", "run")
    name = F.concat_ws(" ", "system", "kafka")
    return (
        divergences.groupBy("clause", "strength", "signature", "outcome", "known")
        .agg(
            F.count(F.lit(1)).alias("count"),
            _times(F.col("primary")).alias("primary"),
            F.array_sort(F.collect_set(name)).alias("implementations"),
            F.min_by(example, size).alias("example"),
        )
        .select("*", "example.*")
        .drop("example")
    )


def relations(scenarios: DataFrame) -> DataFrame:
    """How many scenarios stood for each relation: relation, count."""
    return (
        scenarios.select(F.explode(F.array_distinct("relations")).alias("relation"))
        .groupBy("relation")
        .agg(_all().alias("count"))
    )


def pairs(scenarios: DataFrame) -> DataFrame:
    """How many scenarios stood for two relations of different things at once, such as two limits;
    places are left out.

    Returns:
        one, other (each `limit=side`, `one` sorted first), count.
    """
    sides = F.array_sort(
        F.array_distinct(
            F.transform("relations", lambda relation: F.substring_index(relation, ":", 1))
        )
    )
    return (
        scenarios.select(sides.alias("sides"))
        .select("sides", F.explode("sides").alias("one"))
        .select("one", F.explode("sides").alias("other"))
        .where(F.substring_index("one", "=", 1) < F.substring_index("other", "=", 1))
        .groupBy("one", "other")
        .agg(_all().alias("count"))
    )


def costs(table: DataFrame) -> DataFrame:
    """The reported costs of a draft, each once; few rows, for
    `results.costs.costs_of`.
    """
    return table.select(*[field.name for field in fields(ReadingCost)]).distinct()


def _times(condition: Any) -> Any:
    return F.count(F.when(condition, 1))


def _all() -> Any:
    return F.count(F.lit(1))
