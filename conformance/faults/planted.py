"""The common part of planted faults of all subjects: a name, a clause that must name them, and
what is expected of it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from conformance.misuse import BadConfiguration


class Expected(StrEnum):
    """The verdict that the suite must give on a fault."""

    VIOLATES = "violates"
    DEVIATES = "deviates"
    """Caught only under --strict: the documents allow it."""
    CONFORMS = "conforms"
    """A legal variant, that must pass both ways."""


class PlantedFault(Protocol):
    """A way for a broker to be wrong, or different."""

    @property
    def name(self) -> str:
        """How it is chosen, `partition-limit-ignored`."""
        ...

    @property
    def clause(self) -> str:
        """The clause that must name it; empty for a legal variant."""
        ...

    @property
    def expected(self) -> Expected:
        """See `Expected`."""
        ...

    @property
    def summary(self) -> str:
        """The broker's behaviour, in one sentence."""
        ...


class UnknownFaultError(BadConfiguration):
    """No fault has that name: wrong use."""
