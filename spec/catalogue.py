"""All clauses in one place, in the order in which a break is diagnosed."""

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any

from spec.clause import Clause, Example, clauses_by_id
from spec.subject_registry import SUBJECTS, subject_named


class UnknownClauseError(LookupError):
    """No clause has this id."""


@cache
def clauses_of(subject: str) -> Mapping[str, Clause[Any]]:
    """The clauses of one subject by id, in the order in which a break is diagnosed."""
    return clauses_by_id(subject_named(subject).chapters)


@cache
def catalogue() -> Mapping[str, Clause[Any]]:
    """Every clause by id, subject by subject."""
    return {
        clause_id: clause
        for subject in SUBJECTS
        for clause_id, clause in clauses_of(subject.name).items()
    }


@cache
def examples() -> Mapping[str, tuple[Example, ...]]:
    """The worked examples of each clause that has some."""
    return {
        clause_id: clause.examples for clause_id, clause in catalogue().items() if clause.examples
    }


def clause(clause_id: str) -> Clause[Any]:
    """The clause of this id, slug or alias.

    Raises:
        UnknownClauseError: where there is none; the message names ids that are close.
    """
    wanted = clause_id.upper()
    for found in catalogue().values():
        if wanted in {found.id, found.slug.upper(), *[one.upper() for one in found.aliases]}:
            return found
    names = {found.slug.upper() if "/" in wanted else found.id for found in catalogue().values()}
    near = [
        one.lower() if "/" in one else one for one in get_close_matches(wanted, sorted(names), n=6)
    ]
    hint = f", near it are {', '.join(sorted(near))}" if near else ""
    raise UnknownClauseError(f"no clause {clause_id!r}; `fencepost spec` lists them all{hint}")


def is_timing_sensitive(clause_id: str, signature: str) -> bool:
    """Whether a break of this clause with this signature depends on the clock, so that it counts
    only when further plays reproduce it.
    """
    of = next((subject for subject in SUBJECTS if clause_id in clauses_of(subject.name)), None)
    return of is not None and (
        catalogue()[clause_id].timing_sensitive or signature in of.timing_signatures
    )
