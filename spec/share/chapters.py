"""The clauses about share groups, in the order that decides which break is primary."""

from collections.abc import Mapping

from spec.clause import Chapter, Clause, clauses_by_id
from spec.share.clauses import (
    acknowledgements,
    acquired_count,
    answers,
    configs,
    data,
    delivery,
    limits,
    progress,
    ranges,
    redelivery,
    requests,
    sessions,
    shapes,
    start_offset,
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
    start_offset.chapter,
    redelivery.chapter,
    acquired_count.chapter,
    ranges.chapter,
)
CLAUSES: Mapping[str, Clause[Turn]] = clauses_by_id(CHAPTERS)
"""By id."""
