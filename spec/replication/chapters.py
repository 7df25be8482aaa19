"""The clauses about several brokers, in the order that decides which break is primary."""

from spec.clause import Chapter, clauses_by_id
from spec.judgement import Clauses
from spec.replication.clauses import answers, in_sync, leaders, records
from spec.replication.turn import Turn

CHAPTERS: tuple[Chapter[Turn], ...] = (
    answers.chapter,
    leaders.chapter,
    in_sync.chapter,
    records.chapter,
)
CHECKS: Clauses[Turn] = Clauses(clauses_by_id(CHAPTERS))
