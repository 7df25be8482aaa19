"""The factors of a scenario and their levels: its relations of limits, and what it is like.

A level is written `factor=level`. A limit has the levels below, at and above; the place at which it
was met is left out.
"""

from typing import Any

from pyspark.sql import functions as F  # noqa: N812  everyone's name for it

PLAIN = ("isolation", "version", "epochs", "transactional")
"""Columns of `scenarios` whose values are levels themselves."""
SIZES = ("partitions", "segments", "batches", "asked", "steps")
"""Columns of `scenarios` whose values are levels by size: 0, 1, 2-3, 4-7, 8-15, 16+."""
_STEPS = ((0, "0"), (1, "1"), (3, "2-3"), (7, "4-7"), (15, "8-15"))


def levels() -> Any:
    """A column over `scenarios`: all levels of a scenario, each once."""
    relations = F.transform("relations", lambda name: F.substring_index(name, ":", 1))
    codecs = F.transform(
        F.coalesce("codecs", F.expr("cast(array() AS ARRAY<STRING>)")),
        lambda codec: F.concat(F.lit("codec="), codec),
    )
    plain = [_name_level(name, F.col(name).cast("string")) for name in PLAIN]
    sizes = [_name_level(name, _size_class(name)) for name in SIZES]
    others = F.array_compact(F.array(*plain, *sizes))
    return F.array_distinct(F.concat(relations, codecs, others))


def level_key(level: Any) -> Any:
    """The 64-bit hash of a column of levels, which costs a fraction of what its text does where
    rows are counted; two of some hundred levels with the same one are not to be expected.
    """
    return F.xxhash64(level)


def factor(level: str) -> Any:
    """The factor of a column of levels."""
    return F.substring_index(level, "=", 1)


def _name_level(name: str, value: Any) -> Any:
    return F.concat(F.lit(f"{name}="), value)


def _size_class(name: str) -> Any:
    found = F.when(F.col(name).isNull(), None)
    for most, label in _STEPS:
        found = found.when(F.col(name) <= most, label)
    return found.otherwise("16+")
