"""The clauses about groups and their members, in the order that decides which break is primary."""

from collections.abc import Mapping

from spec.clause import Chapter, Clause, clauses_by_id
from spec.groups.clauses import (
    answers,
    assigning,
    codes,
    committing,
    exact,
    loading,
    migrating,
    mixed,
    named,
    offset_fetching,
    rebalancing,
    sizes,
    statics,
    streams,
)
from spec.groups.turn import Turn

CHAPTERS: tuple[Chapter[Turn], ...] = (
    answers.chapter,
    statics.chapter,
    sizes.chapter,
    named.chapter,
    streams.chapter,
    mixed.chapter,
    migrating.chapter,
    loading.chapter,
    committing.chapter,
    offset_fetching.chapter,
    rebalancing.chapter,
    assigning.chapter,
    codes.chapter,
    exact.chapter,
)
CLAUSES: Mapping[str, Clause[Turn]] = clauses_by_id(CHAPTERS)
"""By id."""
