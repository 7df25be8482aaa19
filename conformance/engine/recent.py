"""The last of many things, by their ids: so much is kept of them, however long a run is."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

LAYOUTS = 512
"""Layouts whose ids a run keeps: one that was not used for so many others is told again."""


class Recent(Generic[K, V]):
    """A mapping that forgets what was not used for the longest time.

    Args:
        most: how many it keeps.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, key: K) -> bool:
        return key in self._kept

    def use(self, key: K) -> V | None:
        """What is kept under a key, which is the last one used then; None where nothing is."""
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key]

    def keep(self, key: K, value: V) -> None:
        """Keep something, and forget what was not used for the longest time."""
        self._kept[key] = value
        self._kept.move_to_end(key)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
