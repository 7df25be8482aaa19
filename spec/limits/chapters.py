"""The clauses about limits of administration, in the order that decides which break is primary."""

from spec.clause import Chapter, clauses_by_id
from spec.judgement import Clauses
from spec.limits.clauses import (
    answers,
    codes,
    configs,
    connections,
    growth,
    listener,
    names,
    numbers,
    pages,
    topics_afterwards,
    totals,
)
from spec.limits.turn import Turn

CHAPTERS: tuple[Chapter[Turn], ...] = (
    answers.chapter,
    names.chapter,
    numbers.chapter,
    totals.chapter,
    growth.chapter,
    configs.chapter,
    codes.chapter,
    topics_afterwards.chapter,
    pages.chapter,
    connections.chapter,
    listener.chapter,
)
CHECKS: Clauses[Turn] = Clauses(clauses_by_id(CHAPTERS))
