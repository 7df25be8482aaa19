"""What a report says of a clause itself, and which differences are known."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Protocol, cast

from spec.clause import Never
from spec.verdict import LimitClass, Strength


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
    def never(self) -> Never:
        """The sides of its fence that can't be met."""


Clauses = Mapping[str, ClauseInfo]
"""Clauses by their id."""

Known = Mapping[tuple[str, str], str]
"""The reason of each known violation or deviation, by clause and signature."""

_KNOWN = "known "


def catalogue(*subjects: str) -> Clauses:
    """The clauses of some subjects (of all where none is named), imported on the first use: they are slow to build.

    A writer of logs has no need of them.
    """
    built = import_module("spec.catalogue")
    if not subjects:
        return cast("Clauses", built.catalogue())
    return {clause: info for subject in subjects for clause, info in cast("Clauses", built.clauses_of(subject)).items()}


def known_to_facts(known: Known) -> dict[str, str]:
    """The known differences as entries of a run header's `facts`, so that a report made later still knows them."""
    return {f"{_KNOWN}{clause} {signature}": reason for (clause, signature), reason in known.items()}


def known_of(facts: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """The known differences in a run header's `facts`; the opposite of `known_to_facts`."""
    found = {}
    for name, reason in facts.items():
        if name.startswith(_KNOWN):
            clause, _, signature = name.removeprefix(_KNOWN).partition(" ")
            found[clause, signature] = reason
    return found


def plain_facts(facts: Mapping[str, str]) -> dict[str, str]:
    """The facts of the system alone, without the known differences."""
    return {name: value for name, value in facts.items() if not name.startswith(_KNOWN)}
