"""All clauses in one place, in the order in which a break is diagnosed, with the requirement sets and the errata of the sources."""

from collections.abc import Mapping
from functools import cache

from spec.clause import Clause, Example
from spec.fetch import answers, exact, holes, isolation, limits, positions, sessions, waiting
from spec.fetch.turn import Turn

FETCH_CHAPTERS = (
    answers.chapter,
    sessions.chapter,
    positions.chapter,
    holes.chapter,
    limits.chapter,
    isolation.chapter,
    waiting.chapter,
    exact.chapter,
)

TIMED = frozenset(clause.id for clause in waiting.chapter.clauses)
"""Clauses whose verdict depends on the clock: a break of one counts only when a second play shows it again."""

SUBJECTS: Mapping[str, str] = {"fetch": "FET"}
"""The subjects that can be run, each with the prefix of its clauses."""


class UnknownClauseError(LookupError):
    """No clause has this id."""


@cache
def catalogue() -> Mapping[str, Clause[Turn]]:
    """Every clause by id, in the order in which a break is diagnosed."""
    found: dict[str, Clause[Turn]] = {}
    for chapter in FETCH_CHAPTERS:
        for clause in chapter.clauses:
            assert clause.id not in found, f"{clause.id} is used twice"
            found[clause.id] = clause
    return found


@cache
def examples() -> Mapping[str, tuple[Example, ...]]:
    """The worked examples of each clause that has some."""
    return {clause_id: tuple(found) for chapter in FETCH_CHAPTERS for clause_id, found in chapter.examples.items()}


def clause(clause_id: str) -> Clause[Turn]:
    """The clause of this id or alias.

    Raises:
        UnknownClauseError: where there is none; the message names ids that are close.
    """
    wanted = clause_id.upper()
    for found in catalogue().values():
        if wanted in {found.id, *found.aliases}:
            return found
    near = [known for known in catalogue() if known.startswith(wanted[:5])] or list(catalogue())[:3]
    raise UnknownClauseError(f"no clause {clause_id!r}; `fencepost spec` lists them all, near it are {', '.join(sorted(near)[:6])}")
