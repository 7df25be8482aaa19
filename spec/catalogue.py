"""All clauses in one place, in the order in which a break is diagnosed, with the requirement sets and the errata of the sources."""

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any

from spec.clause import Chapter, Clause, Example
from spec.fetch.clauses import answers, exact, holes, isolation, limits, positions, sessions, waiting
from spec.groups.clauses import exact as group_exact
from spec.groups.clauses import loading, migrating, mixed, named, rebalancing, sizes, statics, streams
from spec.max_records import clauses as max_records_clauses
from spec.share.clauses import acknowledgements, configs, data, delivery, progress, ranges, requests, shapes
from spec.share.clauses import answers as share_answers
from spec.share.clauses import exact as share_exact
from spec.share.clauses import limits as share_limits
from spec.share.clauses import sessions as share_sessions
from spec.share.clauses.comparing import NOTHING

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

SHARE_CHAPTERS = (
    share_answers.chapter,
    share_sessions.chapter,
    requests.chapter,
    delivery.chapter,
    share_limits.chapter,
    data.chapter,
    shapes.chapter,
    acknowledgements.chapter,
    progress.chapter,
    configs.chapter,
    share_exact.chapter,
    ranges.chapter,
)

GROUP_CHAPTERS = (
    statics.chapter,
    sizes.chapter,
    named.chapter,
    streams.chapter,
    mixed.chapter,
    migrating.chapter,
    loading.chapter,
    rebalancing.chapter,
    group_exact.chapter,
)

CHAPTERS: Mapping[str, tuple[Chapter[Any], ...]] = {
    "fetch": FETCH_CHAPTERS,
    "share": SHARE_CHAPTERS,
    "groups": GROUP_CHAPTERS,
    "max_records": (max_records_clauses.chapter,),
}
"""The chapters of each subject. A subject's clauses look at turns of its own kind."""

TIMED = frozenset([clause.id for clause in waiting.chapter.clauses] + ["SHR-143", "SHR-155", "SHR-140", "SHR-503", "GRP-154", "GRP-155"])
"""Clauses whose verdict depends on the clock."""

SUBJECTS: Mapping[str, str] = {"fetch": "FET", "share": "SHR", "groups": "GRP", "max_records": "MXR"}
"""The subjects of the catalogue, each with the prefix of its clauses."""


class UnknownClauseError(LookupError):
    """No clause has this id."""


@cache
def clauses_of(subject: str) -> Mapping[str, Clause[Any]]:
    """The clauses of one subject by id, in the order in which a break is diagnosed."""
    found: dict[str, Clause[Any]] = {}
    for chapter in CHAPTERS[subject]:
        for clause in chapter.clauses:
            assert clause.id not in found, f"{clause.id} is used twice"
            found[clause.id] = clause
    return found


@cache
def catalogue() -> Mapping[str, Clause[Any]]:
    """Every clause by id, subject by subject."""
    return {clause_id: clause for subject in CHAPTERS for clause_id, clause in clauses_of(subject).items()}


@cache
def examples() -> Mapping[str, tuple[Example, ...]]:
    """The worked examples of each clause that has some."""
    return {
        clause_id: tuple(found) for chapters in CHAPTERS.values() for chapter in chapters for clause_id, found in chapter.examples.items()
    }


def clause(clause_id: str) -> Clause[Any]:
    """The clause of this id or alias.

    Raises:
        UnknownClauseError: where there is none; the message names ids that are close.
    """
    wanted = clause_id.upper()
    for found in catalogue().values():
        if wanted in {found.id, *found.aliases}:
            return found
    near = get_close_matches(wanted, catalogue(), n=6)
    hint = f", near it are {', '.join(sorted(near))}" if near else ""
    raise UnknownClauseError(f"no clause {clause_id!r}; `fencepost spec` lists them all{hint}")


def hangs_on_the_clock(clause_id: str, signature: str) -> bool:
    """Whether a break of this clause with this signature counts only when further plays show it again."""
    return clause_id in TIMED or (signature == NOTHING and clause_id in clauses_of("share"))
