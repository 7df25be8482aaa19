"""What is computed over the tables: each job takes tables and gives a small data frame."""

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  everyone's name for it

IMPLEMENTATION = ("system", "release", "kafka")
"""What makes two runs runs of the same implementation."""


def matrix(verdicts: DataFrame) -> DataFrame:
    """Clause by implementation: a row for each pair that had a verdict.

    Returns:
        clause, strength, system, release, kafka; counts of scenarios: exercised, below, at, above, conforms, deviates, violates,
        known, inconclusive, unsupported. `deviates` and `violates` are the unlisted ones.
    """
    exercised = F.col("outcome").isin("conforms", "deviates", "violates")
    unlisted = F.col("known").isNull()
    return verdicts.groupBy("clause", "strength", *IMPLEMENTATION).agg(
        _times(exercised).alias("exercised"),
        *[_times(exercised & F.array_contains("sides", side)).alias(side) for side in ("below", "at", "above")],
        *[_times((F.col("outcome") == name) & unlisted).alias(name) for name in ("conforms", "deviates", "violates")],
        _times(~unlisted).alias("known"),
        *[_times(F.col("outcome") == name).alias(name) for name in ("inconclusive", "unsupported")],
    )


def clusters(divergences: DataFrame) -> DataFrame:
    """Divergences that are the same: by clause, signature, outcome and whether a finding lists them.

    Returns:
        clause, strength, signature, outcome, known, count, primary (how many of them explain the other breaks), implementations
        (array of names), and the smallest example: example_json, observation_json, example_why, shrunk, run.
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
    size = F.struct(F.col("shrunk_json").isNull(), F.length(F.coalesce("shrunk_json", "found_json")), "scenario", "run")
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
    return scenarios.select(F.explode(F.array_distinct("relations")).alias("relation")).groupBy("relation").agg(_all().alias("count"))


def pairs(scenarios: DataFrame) -> DataFrame:
    """How many scenarios stood for two relations of different things at once, such as two limits; places are left out.

    Returns:
        one, other (each `limit=side`, `one` sorted first), count.
    """
    sides = F.array_sort(F.array_distinct(F.transform("relations", lambda relation: F.substring_index(relation, ":", 1))))
    return (
        scenarios.select(sides.alias("sides"))
        .select("sides", F.explode("sides").alias("one"))
        .select("one", F.explode("sides").alias("other"))
        .where(F.substring_index("one", "=", 1) < F.substring_index("other", "=", 1))
        .groupBy("one", "other")
        .agg(_all().alias("count"))
    )


def costs(table: DataFrame) -> DataFrame:
    """What a limit of records spares, beside what is fetched today; runs that tell the same of a log and a reading count once.

    Returns:
        shape, reading, records, held, fetches, fetched, stored, taken; thrown_away (bytes fetched beyond each batch once), and
        of_today (fetched as a share of what is fetched today; null where today's is not known).
    """
    each = table.select("shape", "reading", "records", "held", "fetches", "fetched", "stored", "taken").distinct()
    today = each.where("reading = 'today'").select("shape", "records", "held", F.col("fetched").alias("fetched_today"))
    thrown_away = F.greatest(F.col("fetched") - F.col("stored"), F.lit(0))
    return (
        each.join(F.broadcast(today), ["shape", "records", "held"], "left")
        .withColumns({"thrown_away": thrown_away, "of_today": F.try_divide("fetched", "fetched_today")})
        .drop("fetched_today")
    )


def _times(condition: Any) -> Any:
    return F.count(F.when(condition, 1))


def _all() -> Any:
    return F.count(F.lit(1))
