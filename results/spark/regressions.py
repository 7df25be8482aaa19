"""Differences from each run to the next, over many runs: the same words as `results.diff`, which
compares two without Spark.
"""

from functools import reduce
from operator import and_
from typing import Any

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812  everyone's name for it

from results.diff import BROKEN, RULES, Kind
from spec.judgement import EVERY_CLAUSE


def regressions(verdicts: DataFrame) -> DataFrame:
    """By clause, for each run and the one of the same subject and system that was started next: how
    many breaks are new, changed, fixed and so on.

    A scenario is compared with itself by its id; of several plays in one run the worst counts.
    Nothing cancels out.

    Returns:
        clause, before, after (run ids), and a count of (clause, scenario) pairs for each of
        `results.diff.Kind`; no row where a clause broke in neither run.
    """
    order = Window.partitionBy("subject", "system").orderBy("run_started", "before")
    named = F.col("run").alias("before")
    runs = verdicts.select("subject", "system", named, "run_started").distinct()
    pairs = runs.select("before", F.lead("before").over(order).alias("after")).where(
        F.col("after").isNotNull()
    )
    verdicts = _of_compared_plays(verdicts, pairs)
    words = _words(verdicts)
    was = pairs.join(_with_names(words, "was", "before"), "before")
    now = pairs.join(_with_names(words, "now", "after"), "after")
    played = verdicts.select("run", "scenario").distinct()
    compared = was.join(now, ["before", "after", "scenario", "clause"], "full").where(
        "was_broke is not null or now_broke is not null"
    )
    for name, run in (("in_before", "before"), ("in_after", "after")):
        compared = compared.join(
            played.select(F.col("run").alias(run), "scenario", F.lit(1).alias(name)),
            [run, "scenario"],
            "left",
        )
    doubt = words.where((F.col("clause") == EVERY_CLAUSE) & F.col("doubted"))
    compared = compared.join(
        doubt.select(F.col("run").alias("after"), "scenario", F.lit(1).alias("lost")),
        ["after", "scenario"],
        "left",
    )
    kinds = compared.select("clause", "before", "after", _kind().alias("kind"))
    return kinds.groupBy("clause", "before", "after").agg(
        *[_times(F.col("kind") == kind.value).alias(kind.value) for kind in Kind]
    )


def _of_compared_plays(verdicts: DataFrame, pairs: DataFrame) -> DataFrame:
    """The verdicts on those scenarios that broke in a run, in that run and in the ones before and
    after it: of the others no row comes.

    They are few; each executor holds 8 bytes for each of their plays, and nothing else is shuffled.
    """
    broken = verdicts.where(_is_broken()).select("run", "scenario").distinct()
    beside = pairs.select("before", "after").union(pairs.select("after", "before"))
    others = beside.toDF("run", "other").join(broken, "run").select("other", "scenario")
    play = F.xxhash64("run", "scenario")
    plays = broken.union(others).select(play.alias("play")).distinct()
    return verdicts.withColumn("play", play).join(F.broadcast(plays), "play", "left_semi")


def _is_broken() -> Column:
    return F.col("outcome").isin([outcome.value for outcome in BROKEN])


def _words(verdicts: DataFrame) -> DataFrame:
    """Each clause's word on each scenario of each run: its worst break, whether it held, whether it
    could not be judged.
    """
    unlisted = F.col("known").isNull()
    found = F.struct(
        unlisted.alias("unlisted"),
        (F.col("outcome") == "violates").alias("violates"),
        F.col("signature"),
    )
    broken = _is_broken()
    return verdicts.groupBy("run", "scenario", "clause").agg(
        F.max(F.when(broken, found)).alias("broke"),
        F.max(F.col("outcome") == "conforms").alias("held"),
        F.max(F.col("outcome").isin("inconclusive", "unsupported", "unexercised")).alias("doubted"),
    )


def _with_names(words: DataFrame, prefix: str, run: str) -> DataFrame:
    return words.select(
        F.col("run").alias(run),
        "scenario",
        "clause",
        *[F.col(n).alias(f"{prefix}_{n}") for n in ("broke", "held", "doubted")],
    )


def _kind() -> Column:
    """The kind by `results.diff.RULES`."""
    broke = {name: F.col(f"{name}_broke").isNotNull() for name in ("was", "now")}
    facts = {
        "played_before": F.col("in_before").isNotNull(),
        "played_after": F.col("in_after").isNotNull(),
        "broke_before": broke["was"],
        "broke_after": broke["now"],
        "same": F.coalesce(F.col("was_broke") == F.col("now_broke"), F.lit(False)),
        "settled_after": F.coalesce(
            F.col("now_held") & ~F.col("now_doubted") & F.col("lost").isNull(), F.lit(False)
        ),
    }
    rules = [
        (kind, [facts[name] if value else ~facts[name] for name, value in wanted.items()])
        for kind, wanted in RULES
    ]
    return F.coalesce(
        *[F.when(reduce(and_, conditions, F.lit(True)), kind.value) for kind, conditions in rules]
    )


def _times(condition: Any) -> Any:
    return F.count(F.when(condition, 1))
