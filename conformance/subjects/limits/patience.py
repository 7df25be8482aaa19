"""How long a broker is waited for that does not show yet what was decided."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.play.silence import SILENCE_S

SHOWN_S = SILENCE_S
"""How long a broker may take to show what its controller has decided, seconds: as long as an answer
may take, since nothing promises when.
"""
HASTY_S = 5.0
"""How long a broker may take that was given all that time often, and did not show it."""
OFTEN = 3


@dataclass
class Patience:
    """How long a broker is waited for that does not show yet what its controller has decided.

    Attributes:
        ran_out: how often it was given `SHOWN_S` and did not show it.
    """

    ran_out: int = 0

    def lasts(self, waited_s: float) -> bool:
        """Whether to continue after so many seconds."""
        hasty = self.ran_out >= OFTEN
        if waited_s < (HASTY_S if hasty else SHOWN_S):
            return True
        self.ran_out += not hasty
        return False
