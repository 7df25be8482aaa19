"""The factors of a scenario and their levels: its relations of limits, and what it is like.

A level is written `factor=level`. A limit has the levels below, at and above; the place at which it
was met is left out.

Rows are counted by the keys of levels, and the few names are found once: text costs many times what
a number does.
"""

from functools import reduce
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  everyone's name for it

PLAIN = ("isolation", "version", "epochs", "transactional")
"""Columns of `scenarios` whose values are levels themselves."""
SIZES = ("partitions", "segments", "batches", "asked", "steps")
"""Columns of `scenarios` whose values are levels by size: 0, 1, 2-3, 4-7, 8-15, 16+."""
_STEPS = ((0, "0"), (1, "1"), (3, "2-3"), (7, "4-7"), (15, "8-15"))
_NULL = "cast(array(null) AS ARRAY<BIGINT>)"


def level_keys() -> Any:
    """A column over `scenarios`: the keys of all levels of a scenario, each once."""
    relations = F.transform("relations", lambda name: level_key(_of_relation(name)))
    codecs = F.transform("codecs", lambda codec: level_key(_of_codec(codec)))
    none = F.expr("cast(array() AS ARRAY<BIGINT>)")
    others = F.array(*[F.when(one.isNotNull(), level_key(one)) for one in _others()])
    every = F.concat(relations, F.coalesce(codecs, none), others)
    return F.array_except(every, F.expr(_NULL))


def level_names(scenarios: DataFrame) -> DataFrame:
    """All levels that the scenarios of a subject have: `subject`, `level` and its `key`."""
    others = [one.alias(f"level_{number}") for number, one in enumerate(_others())]
    named = (
        scenarios.select("subject", *others)
        .distinct()
        .select("subject", F.explode(F.array(*[f"level_{at}" for at in range(len(others))])))
        .where("col IS NOT NULL"),
        scenarios.select("subject", F.explode("relations"))
        .distinct()
        .select("subject", _of_relation(F.col("col"))),
        scenarios.select("subject", F.explode("codecs"))
        .distinct()
        .select("subject", _of_codec(F.col("col"))),
    )
    every = reduce(DataFrame.union, named).toDF("subject", "level").distinct()
    return every.withColumn("key", level_key(F.col("level")))


def level_key(level: Any) -> Any:
    """The 64-bit hash of a level of a row's subject; two of some hundred levels with the same one
    are not to be expected.
    """
    return F.xxhash64("subject", level)


def factor(level: str) -> Any:
    """The factor of a column of levels."""
    return F.substring_index(level, "=", 1)


def _of_relation(relation: Any) -> Any:
    return F.substring_index(relation, ":", 1)


def _of_codec(codec: Any) -> Any:
    return F.concat(F.lit("codec="), codec)


def _others() -> list[Any]:
    """The levels that each scenario has one or none of."""
    plain = [_name_level(name, F.col(name).cast("string")) for name in PLAIN]
    return plain + [_name_level(name, _size_class(name)) for name in SIZES]


def _name_level(name: str, value: Any) -> Any:
    return F.concat(F.lit(f"{name}="), value)


def _size_class(name: str) -> Any:
    found = F.when(F.col(name).isNull(), None)
    for most, label in _STEPS:
        found = found.when(F.col(name) <= most, label)
    return found.otherwise("16+")
