"""A limit that no constant defines: what it is computed from, by which formula, with examples."""

from collections.abc import Callable, Mapping
from dataclasses import field
from fractions import Fraction

from spec.frozen import frozen
from spec.limits.quantities import read_quantity


@frozen
class Quantity:
    """One thing that a limit depends on.

    Attributes:
        name: `max_map_count`.
        unit: a base unit, or the plural of what is counted.
        default: what is taken where nothing is given, as text; None where it must be given.
        meaning: what it is, and where the default comes from.
        effect: the limit's way when it grows: 1 never falls, -1 never rises, 0 either.
        least: the smallest that makes sense.
    """

    name: str
    unit: str
    default: str | None
    meaning: str
    effect: int
    least: Fraction = Fraction(1)


@frozen
class WorkedExample:
    """One computation with its result.

    Attributes:
        given: the quantities that are not the default, as texts.
        result: what comes out, as text.
        stated: the number of the source where it is another one; empty where it is this.
    """

    given: Mapping[str, str]
    result: str
    stated: str = ""


@frozen
class Calculator:
    """A limit that is computed.

    Attributes:
        name: `mmap-partitions`.
        title: what it is, in a phrase.
        formula: as text, with the names of the quantities.
        unit: the unit of the limit.
        quantities: what it depends on, in the order of the function's arguments.
        compute: the function.
        examples: computations with their results.
        note: what else is known of it.
    """

    name: str
    title: str
    formula: str
    unit: str
    quantities: tuple[Quantity, ...]
    compute: Callable[..., Fraction]
    examples: tuple[WorkedExample, ...] = field(default=())
    note: str = ""

    def __call__(self, given: Mapping[str, str]) -> Fraction:
        """The limit, from quantities as texts.

        Raises:
            BadGivenError: a name is unknown, or one that has no default is missing, or too small.
            BadQuantityError: a text is no quantity.
        """
        unknown = given.keys() - {one.name for one in self.quantities}
        if unknown:
            known = ", ".join(one.name for one in self.quantities)
            raise BadGivenError(f"expected {known}, found {', '.join(sorted(unknown))}")
        return self.compute(*[self._value(one, given) for one in self.quantities])

    def _value(self, quantity: Quantity, given: Mapping[str, str]) -> Fraction:
        text = given.get(quantity.name, quantity.default)
        if text is None:
            raise BadGivenError(f"expected {quantity.name} ({quantity.meaning}), found none")
        value = read_quantity(text, quantity.unit)
        if value < quantity.least:
            raise BadGivenError(
                f"{quantity.name}: expected at least {quantity.least} {quantity.unit}, found {text}"
            )
        return value


class BadGivenError(ValueError):
    """Quantities that a limit can't be computed from."""
