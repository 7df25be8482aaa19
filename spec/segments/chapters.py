"""The clauses about segments, in the order that decides which break is primary."""

from collections.abc import Mapping

from spec.clause import Chapter, Clause, clauses_by_id
from spec.segments.clauses import appends, audited, files, kept, retention, rolls, times, unstored
from spec.segments.turn import Turn

CHAPTERS: tuple[Chapter[Turn], ...] = (
    appends.chapter,
    kept.chapter,
    times.chapter,
    retention.chapter,
    rolls.chapter,
    unstored.chapter,
    files.chapter,
    audited.chapter,
)
CLAUSES: Mapping[str, Clause[Turn]] = clauses_by_id(CHAPTERS)
"""By id."""
