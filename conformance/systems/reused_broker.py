"""A broker that is kept for what is played next in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.systems.embedded import Embedded

if TYPE_CHECKING:
    from collections.abc import Mapping


class ReusedBroker(Embedded):
    """An embedded broker that runs until this process ends: it is started by the first run, and
    left as the first found it to every other.

    Args:
        version: as for `Embedded`.
        config: its settings at the beginning of every run.
    """

    def __init__(self, version: str, *, config: Mapping[str, str] | None = None) -> None:
        super().__init__(version, config=config)
        self._first = dict(config or {})
        self._runs = False

    def start(self) -> None:
        """Bring it up, or give one that runs its first settings again.

        Raises:
            SystemProblem: as for `Embedded`.
        """
        if not self._runs and self.alive and self._config != self._first:
            self._runs = True
            self.restart(self._first)
        self._runs = True
        super().start()

    def stop(self, *, archive: bool = True) -> None:
        """Leave it to the next run."""
        del archive
        self._runs = False
