"""Figures of plays: how long they took, and which breaks were not reproduced."""

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  everyone's name for it

from results.spark.jobs import IMPLEMENTATION, matrix

PERCENTILES = (("p50", 0.5), ("p90", 0.9), ("p99", 0.99))
ACCURACY = 10_000
"""A percentile of many plays is off by at most one part in so many of their number."""


def timings(scenarios: DataFrame) -> DataFrame:
    """Percentiles of how long plays took and waited.

    Returns:
        The columns of `results.job_tables.TIMINGS`.
    """
    wanted = [figure for name in ("elapsed_ms", "waited_ms") for figure in _figures(name)]
    return scenarios.groupBy(*IMPLEMENTATION, "subject", "family").agg(
        F.count(F.lit(1)).alias("plays"), *wanted
    )


def flaky_rates(flaky: DataFrame, verdicts: DataFrame) -> DataFrame:
    """Breaks that were not reproduced, with how often replays showed them and in what share of the
    scenarios that exercised the clause they came.

    Returns:
        The columns of `results.job_tables.FLAKY_RATES`.
    """
    exercised = matrix(verdicts).select("clause", *IMPLEMENTATION, "exercised")
    return (
        flaky.groupBy(*IMPLEMENTATION, "clause", "signature", "outcome")
        .agg(
            F.count(F.lit(1)).alias("plays"),
            F.sum("reproduced").alias("reproduced"),
            F.sum("replays").alias("replays"),
        )
        .join(exercised, ["clause", *IMPLEMENTATION], "left")
        .select(
            *IMPLEMENTATION,
            "clause",
            "signature",
            "outcome",
            "plays",
            "reproduced",
            "replays",
            F.try_divide("reproduced", "replays").alias("rate"),
            F.coalesce("exercised", F.lit(0)).alias("exercised"),
            F.try_divide("plays", "exercised").alias("share"),
        )
    )


def _figures(name: str) -> list[Any]:
    percentiles = [
        F.percentile_approx(name, share, ACCURACY).alias(f"{name}_{part}")
        for part, share in PERCENTILES
    ]
    return [*percentiles, F.max(name).alias(f"{name}_max")]
