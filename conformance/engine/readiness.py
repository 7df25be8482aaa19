"""Whether what scenarios need gets ready at all: a broker on which nothing does for a while is not
waited for in one scenario after the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spec.judgement import NOT_READY

if TYPE_CHECKING:
    from conformance.engine.play_result import Played

MOST_UNREADY = 3
"""Scenarios in a row for which something was not ready, before a run ends for it."""
LASTING_S = 60.0
"""How long that must have lasted then, seconds."""


@dataclass(slots=True)
class Readiness:
    """The scenarios in a row for which something was not ready, even when played again.

    Those that are played side by side wait at the same time, so that they are one place of the row:
    it ends where one of them was ready.
    """

    _unready: int = 0
    _since: float = 0.0
    _why: str = ""
    _any_ready: bool = False

    def see(self, played: Played, began: float) -> None:
        """Take in a play that counts, which was over at this moment of the monotonic clock, before
        it was played again.
        """
        doubt = played.doubt
        if doubt is None or doubt.signature != NOT_READY:
            self._any_ready = True
            return
        if not self._unready:
            self._since = began
        self._unready += 1
        self._why = doubt.why

    def lasting(self, now: float) -> str:
        """Why a run ends, after all that was played side by side; empty where it continues."""
        if self._any_ready:
            self._unready, self._any_ready = 0, False
        if self._unready < MOST_UNREADY or now - self._since < LASTING_S:
            return ""
        return (
            f"in {self._unready} scenarios in a row, over {now - self._since:.0f} s, something was "
            f"not ready in time, of the last one {self._why}"
        )
