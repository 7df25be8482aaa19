"""Quantities with units: how they are read from text and shown.

A quantity is kept exactly, in the base unit of its kind: bytes, bytes per second, seconds, or a
plain count of something.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

BYTES = "B"
RATE = "B/s"
SECONDS = "s"
"""Base units; any other unit is the plural of what is counted, such as `partitions`."""

_DECIMAL = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
_SIZES = {
    **{f"{prefix}B": Fraction(factor) for prefix, factor in (_DECIMAL | _BINARY).items()},
    **{f"{prefix}bit": Fraction(factor, 8) for prefix, factor in _DECIMAL.items()},
}
SUFFIXES: Mapping[str, Mapping[str, Fraction]] = MappingProxyType(
    {
        BYTES: {"": Fraction(1), **_SIZES},
        RATE: {"": Fraction(1), **{f"{name}/s": factor for name, factor in _SIZES.items()}},
        SECONDS: {
            "": Fraction(1),
            "us": Fraction(1, 10**6),
            "ms": Fraction(1, 1000),
            "s": Fraction(1),
            "min": Fraction(60),
            "h": Fraction(3600),
            "d": Fraction(86400),
            "years": Fraction(365 * 86400),
        },
    }
)
"""For each base unit, what a suffix stands for; no suffix is the base unit itself."""
_COUNTS = {prefix: Fraction(factor) for prefix, factor in _DECIMAL.items()}
_QUANTITY = re.compile(r"\s*(-?\d[\d_,]*(?:\.\d+)?)\s*([A-Za-z/]*)\s*")


class BadQuantityError(ValueError):
    """A text that is no quantity of the unit that is needed."""


def read_quantity(text: str, unit: str) -> Fraction:
    """The quantity that a text states, in the base unit: `1 GiB`, `10 Gbit/s`, `5ms`, `200_000`.

    Raises:
        BadQuantityError: it is no number, or its suffix is of another kind.
    """
    suffixes = SUFFIXES.get(unit, _COUNTS)
    found = _QUANTITY.fullmatch(text)
    if found is None or found[2] not in suffixes:
        known = ", ".join(name for name in suffixes if name)
        raise BadQuantityError(
            f"expected a number of {unit}, alone or followed by one of {known}, found {text!r}"
        )
    return Fraction(found[1].replace("_", "").replace(",", "")) * suffixes[found[2]]


def show_quantity(value: Fraction | float, unit: str) -> str:
    """A quantity as text: the base unit, and where that is a long number, a larger one too."""
    exact = Fraction(value)
    base = f"{_digits(exact)} {unit}"
    scale = _scale(exact, unit)
    return base if scale is None else f"{base} ({_digits(exact / scale[1], 4)} {scale[0]})"


def _scale(value: Fraction, unit: str) -> tuple[str, Fraction] | None:
    """The largest unit of which a long number is at least one; None for a short number."""
    shown = {BYTES: "KiB MiB GiB TiB", RATE: "MB/s GB/s", SECONDS: "min h d years"}.get(unit, "")
    scales = [(name, SUFFIXES[unit][name]) for name in shown.split()]
    fitting = [(name, factor) for name, factor in scales if abs(value) >= factor]
    return fitting[-1] if fitting else None


def _digits(value: Fraction, significant: int = 15) -> str:
    """A number without an exponent, its thousands apart."""
    if value.denominator == 1:
        return f"{value.numerator:,}"
    text = f"{float(value):.{significant}g}"
    return f"{float(text):,}" if "e" not in text else text
