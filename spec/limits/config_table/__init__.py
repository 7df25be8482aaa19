"""Configs and compiled constants of each release, as its jars define them.

The modules here are made by `tools/config_table.py`, not by hand. A line of `CONFIGS` has, between
tabs: the releases (`all` for every one), plane, name, type, default, validator, update mode,
`public` or `internal`, and the broker configs that a topic config falls back to. `<required>` is a
config that must be set, `null` a default of none, `-` nothing. A line of `CONSTANTS`: releases,
class and field, value.
"""

from spec.limits.config_table import broker, consumer, group, producer, topic
from spec.limits.config_table.constants import CONSTANTS, VERSIONS

CONFIGS = "".join([plane.CONFIGS for plane in (broker, consumer, group, producer, topic)])

__all__ = ["CONFIGS", "CONSTANTS", "VERSIONS"]
