"""The clauses about Fetch, in the order that decides which break is primary."""

from collections.abc import Mapping

from spec.clause import Chapter, Clause, clauses_by_id
from spec.fetch.clauses import (
    answers,
    errors,
    exact,
    holes,
    isolation,
    limits,
    positions,
    rotation,
    sessions,
    versions,
    waiting,
)
from spec.fetch.turn import Turn

CHAPTERS: tuple[Chapter[Turn], ...] = (
    answers.chapter,
    errors.chapter,
    versions.chapter,
    sessions.chapter,
    rotation.chapter,
    positions.chapter,
    holes.chapter,
    limits.chapter,
    isolation.chapter,
    waiting.chapter,
    exact.chapter,
)
CLAUSES: Mapping[str, Clause[Turn]] = clauses_by_id(CHAPTERS)
"""By id."""
