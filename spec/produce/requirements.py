"""The published requirement sets about produce: none is frozen yet."""

from collections.abc import Mapping

FROZEN: Mapping[str, str] = {}
