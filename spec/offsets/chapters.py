"""The clauses about offsets, in the order that decides which break is primary."""

from spec.clause import Chapter, clauses_by_id
from spec.judgement import Clauses
from spec.offsets.clauses import (
    answers,
    commits,
    deleting,
    ends,
    epoch_ends,
    epochs,
    relations,
    times,
)
from spec.offsets.turn import Turn

CHAPTERS: tuple[Chapter[Turn], ...] = (
    answers.chapter,
    deleting.chapter,
    epoch_ends.chapter,
    epochs.chapter,
    ends.chapter,
    times.chapter,
    commits.chapter,
    relations.chapter,
)
CHECKS: Clauses[Turn] = Clauses(clauses_by_id(CHAPTERS))
