"""The clauses about fair consumption, in the order that decides which break is primary."""

from spec.clause import Chapter, clauses_by_id
from spec.fairness.clauses import (
    calls,
    joining,
    order,
    positions,
    producers,
    records,
    requests,
    shares,
    spans,
    truncations,
)
from spec.fairness.turn import Turn
from spec.judgement import Clauses

CHAPTERS: tuple[Chapter[Turn], ...] = (
    calls.chapter,
    records.chapter,
    truncations.chapter,
    spans.chapter,
    positions.chapter,
    joining.chapter,
    order.chapter,
    requests.chapter,
    shares.chapter,
    producers.chapter,
)
CHECKS: Clauses[Turn] = Clauses(clauses_by_id(CHAPTERS))
