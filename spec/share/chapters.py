"""The clauses about share groups, in the order that decides which break is primary."""

from collections.abc import Mapping

from spec.clause import Chapter, Clause, clauses_by_id
from spec.share.clauses import (
    acknowledgements,
    answers,
    configs,
    data,
    delivery,
    exact,
    limits,
    progress,
    ranges,
    requests,
    sessions,
    shapes,
)
from spec.share.turn import Turn

CHAPTERS: tuple[Chapter[Turn], ...] = (
    answers.chapter,
    sessions.chapter,
    requests.chapter,
    delivery.chapter,
    limits.chapter,
    data.chapter,
    shapes.chapter,
    acknowledgements.chapter,
    progress.chapter,
    configs.chapter,
    exact.chapter,
    ranges.chapter,
)
CLAUSES: Mapping[str, Clause[Turn]] = clauses_by_id(CHAPTERS)
"""By id."""
