"""The counts of a clause: one definition for one run in memory and for many runs in Spark."""

from collections.abc import Mapping
from typing import Any

from spec.frozen import frozen
from spec.verdict import Outcome, Side

DIVERGING = (Outcome.VIOLATES, Outcome.DEVIATES)
"""Outcomes in which the observed differs from what the clause says."""

ENOUGH = 20
"""Scenarios on a side of a clause's fence from which on the side counts as tried."""


@frozen
class Figure:
    """A number of scenarios.

    Attributes:
        name: of the column.
        outcomes: the verdicts that count.
        listed: only those that a finding lists, or only those that none does; None: both.
        side: only those on this side of the clause's fence; `NONE`: all.
    """

    name: str
    outcomes: tuple[Outcome, ...]
    listed: bool | None = None
    side: Side = Side.NONE

    def counts(self, outcome: Outcome, sides: Side, *, listed: bool) -> bool:
        """Whether a verdict belongs to it."""
        return (
            outcome in self.outcomes
            and self.listed in {None, listed}
            and (self.side is Side.NONE or bool(sides & self.side))
        )


_EXERCISED = (Outcome.CONFORMS, *DIVERGING)

FIGURES = (
    Figure("exercised", _EXERCISED),
    *[Figure(side.names[0], _EXERCISED, side=side) for side in (Side.BELOW, Side.AT, Side.ABOVE)],
    Figure("conforms", (Outcome.CONFORMS,)),
    Figure("deviates", (Outcome.DEVIATES,), listed=False),
    Figure("violates", (Outcome.VIOLATES,), listed=False),
    Figure("known", DIVERGING, listed=True),
    Figure("inconclusive", (Outcome.INCONCLUSIVE,)),
    Figure("unsupported", (Outcome.UNSUPPORTED,)),
)
"""The columns of the clause table, in order. A finding lists diverging verdicts only."""

NAMES = tuple(figure.name for figure in FIGURES)


def short_sides(counts: Mapping[str, int], sides: Side, least: int = ENOUGH) -> tuple[str, ...]:
    """Those of these sides, which can be met, that were met in fewer than `least` scenarios."""
    return tuple(
        [figure.name for figure in FIGURES if figure.side & sides and counts[figure.name] < least]
    )


CONFIDENCE_Z = 1.959963984540054
"""Standard deviations on each side of a normal distribution that hold 95 % of it."""


def rate_interval(broke: Any, exercised: Any) -> tuple[Any, Any]:
    """The lowest and the highest rate of breaks that so many counts leave plausible, by Wilson's
    score interval at 95 %.

    Args:
        broke: how often it broke, a number or a column of Spark, since only arithmetic is done.
        exercised: how often it could have, at least as often and at least once.
    """
    z = CONFIDENCE_Z
    middle = (broke + z * z / 2) / (exercised + z * z)
    spread = (broke * (exercised - broke) / exercised + z * z / 4) ** 0.5
    half = spread * z / (exercised + z * z)
    return middle - half, middle + half
