"""A report's view of a clause itself, and the known differences."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Protocol, cast

from spec.fence import Fence
from spec.verdict import LimitClass, Side, Strength


class ClauseInfo(Protocol):
    """The part of `spec.clause.Clause` that reports need."""

    @property
    def id(self) -> str:
        """`FET-004`."""

    @property
    def statement(self) -> str:
        """The rule in our words."""

    @property
    def strength(self) -> Strength:
        """How much it binds."""

    @property
    def limit_class(self) -> LimitClass:
        """Where its limit comes from."""

    @property
    def sources(self) -> Sequence[object]:
        """Where it is promised or done; each is shown by its `str`."""

    @property
    def excluded(self) -> str:
        """Why it can't be tested; empty where it can."""

    @property
    def fence(self) -> Fence | None:
        """The value at which its outcome tips; None where there is none."""

    @property
    def sides(self) -> Side:
        """The sides of its fence that can be met; none where it has no fence."""


Clauses = Mapping[str, ClauseInfo]
"""Clauses by their id."""


def catalogue(*subjects: str) -> Clauses:
    """The clauses of some subjects (of all where none is named), imported on the first use: they
    are slow to build.

    A writer of logs has no need of them.
    """
    built = import_module("spec.catalogue")
    if not subjects:
        return cast("Clauses", built.catalogue())
    return {
        clause: info
        for subject in subjects
        for clause, info in cast("Clauses", built.clauses_of(subject)).items()
    }
