"""What is started and stopped, as a context manager."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType


class StartsAndStops(ABC):
    """Something that runs from its start to its stop; `with` does both."""

    __slots__ = ()

    @abstractmethod
    def start(self) -> None:
        """Bring it up; returns when it can be used."""

    @abstractmethod
    def stop(self) -> None:
        """Let it go; nothing happens where it has gone already."""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
