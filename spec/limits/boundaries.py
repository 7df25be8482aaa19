"""The values at the ends of a config's range, and one step beyond."""

from collections.abc import Iterator
from enum import StrEnum

from spec.frozen import frozen
from spec.limits.configs import Config

STEP = 0.125
"""The step of a number that is not whole: exact in binary, so that its text is short."""


class Place(StrEnum):
    """Where a value stands in its config's range."""

    BELOW = "min - 1"
    LEAST = "min"
    GREATEST = "max"
    ABOVE = "max + 1"
    BESIDES = "the number besides the range"

    __hash__ = str.__hash__


@frozen
class Boundary:
    """One value to try.

    Attributes:
        config: of which config.
        place: where it stands.
        value: as it is sent.
    """

    config: Config
    place: Place
    value: str

    @property
    def within(self) -> bool:
        """Whether the config's definition takes it."""
        return self.place not in {Place.BELOW, Place.ABOVE}


def boundaries(config: Config) -> Iterator[Boundary]:
    """The boundary values of a numeric config; none of any other one. Where its definition states
    no bound, that of its type is tried; a DOUBLE without a bound has none.
    """
    if not config.numeric:
        return
    bounds = config.bounds
    step = STEP if config.type == "DOUBLE" else 1
    if bounds.least is not None:
        below = bounds.least - step
        if below != bounds.besides:
            yield Boundary(config, Place.BELOW, _text(below))
        yield Boundary(config, Place.LEAST, _text(bounds.least))
    if bounds.greatest is not None:
        yield Boundary(config, Place.GREATEST, _text(bounds.greatest))
        yield Boundary(config, Place.ABOVE, _text(bounds.greatest + step))
    if bounds.besides is not None:
        yield Boundary(config, Place.BESIDES, _text(bounds.besides))


def _text(number: float) -> str:
    return str(number)
