"""Names of sets of clauses: a subject (`offsets`), a group of its clauses (`offsets/commit`), which
is the beginning of their slugs, or one clause (`OFF-050`).
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING

from spec.catalogue import catalogue

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class UnknownScopeError(LookupError):
    """No subject, group of clauses or clause has this name; the message names what is close."""


@cache
def scopes() -> Mapping[str, frozenset[str]]:
    """The ids of the clauses of each subject, each group of clauses and each clause, by name."""
    found: dict[str, set[str]] = {}
    for clause in catalogue().values():
        subject, group, _ = clause.slug.split("/", 2)
        for name in (subject, f"{subject}/{group}", clause.id):
            found.setdefault(name, set()).add(clause.id)
    return {name: frozenset(ids) for name, ids in found.items()}


def clauses_in(names: Iterable[str]) -> frozenset[str]:
    """Ids of all clauses of some subjects, groups and clauses.

    Raises:
        UnknownScopeError: one is none of these.
    """
    return frozenset().union(*[_clauses_of(name) for name in names])


def close_to(name: str, names: Iterable[str]) -> str:
    """The end of a message that no such name is known: those that are close, if any are."""
    every = list(names)
    close = get_close_matches(name.lower(), {one.lower() for one in every}, n=4)
    near = [one for lower in close for one in every if one.lower() == lower]
    return f", close to it are {', '.join(near)}" if near else ""


def _clauses_of(name: str) -> frozenset[str]:
    found = scopes().get(name)
    if found is None:
        raise UnknownScopeError(
            f"expected a subject, a group of clauses or a clause's id, found {name!r}"
            f"{close_to(name, scopes())}"
        )
    return found
