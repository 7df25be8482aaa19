"""A mapping that keeps what was used last, so that a long run or log takes no more memory than a
short one.
"""

from collections import OrderedDict
from collections.abc import Iterator, MutableMapping
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")

LAYOUTS = 512
"""Layouts whose ids a run keeps: one that was not used for so many others is recorded again."""


class Recent(MutableMapping[K, V]):
    """A mapping that forgets what was not used for the longest time; looking a key up is a use.

    Args:
        most: how many entries it keeps.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[K, V] = OrderedDict()

    def __getitem__(self, key: K) -> V:
        value = self._kept[key]
        self._kept.move_to_end(key)
        return value

    def __setitem__(self, key: K, value: V) -> None:
        self._kept[key] = value
        self._kept.move_to_end(key)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)

    def __delitem__(self, key: K) -> None:
        del self._kept[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)
