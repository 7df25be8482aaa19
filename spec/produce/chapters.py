"""The clauses about produce, in the order that decides which break is primary."""

from collections.abc import Mapping

from spec.clause import Chapter, Clause, clauses_by_id
from spec.produce.clauses import (
    answers,
    compression,
    formats,
    headers,
    producers,
    records,
    requests,
    sequences,
    sizes,
    stored,
)
from spec.produce.turn import Turn

CHAPTERS: tuple[Chapter[Turn], ...] = (
    sizes.chapter,
    compression.chapter,
    formats.chapter,
    headers.chapter,
    records.chapter,
    requests.chapter,
    sequences.chapter,
    producers.chapter,
    answers.chapter,
    stored.chapter,
    stored.searches,
)
CLAUSES: Mapping[str, Clause[Turn]] = clauses_by_id(CHAPTERS)
"""By id."""
