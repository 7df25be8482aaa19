"""How long to wait until a broker shows what its controller has decided."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.play.silence import SILENCE_S

SHOWN_S = SILENCE_S
"""How long a broker may take to show what its controller has decided, seconds: as long as an answer
may take, since nothing promises when.
"""
SHORTENED_S = 5.0
"""How long it may take, seconds, once it has not done so within `SHOWN_S` for `OFTEN` times."""
OFTEN = 3


@dataclass
class Patience:
    """How long to wait until a broker shows what its controller has decided; shorter for one that
    was often given the whole time and did not show it.

    Attributes:
        ran_out: how often the broker was given `SHOWN_S` and did not show it.
    """

    ran_out: int = 0

    def lasts(self, waited_s: float) -> bool:
        """Whether to wait longer after so many seconds; where the whole wait is over, that is
        counted.
        """
        shortened = self.ran_out >= OFTEN
        if waited_s < (SHORTENED_S if shortened else SHOWN_S):
            return True
        if not shortened:
            self.ran_out += 1
        return False
