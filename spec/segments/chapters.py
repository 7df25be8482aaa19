"""The clauses about segments, in the order that decides which break is primary."""

from collections.abc import Mapping

from spec.clause import Chapter, Clause, clauses_by_id
from spec.segments.clauses import (
    appends,
    audited,
    files,
    retention,
    rolls,
    times,
    unstored,
    whole_log,
)
from spec.segments.turn import Turn

CHAPTERS: tuple[Chapter[Turn], ...] = (
    appends.chapter,
    whole_log.chapter,
    times.chapter,
    retention.chapter,
    rolls.chapter,
    unstored.chapter,
    files.chapter,
    audited.chapter,
)
CLAUSES: Mapping[str, Clause[Turn]] = clauses_by_id(CHAPTERS)
"""By id."""
