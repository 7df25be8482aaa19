"""The draft MaxRecords as a subject: scenarios of fetches that carry its field."""

from spec.fetch.model.answer import answer_all
from spec.fetch.steps import Fetch
from spec.max_records.clauses import chapter
from spec.max_records.judging import judge
from spec.max_records.requirements import SETS
from spec.steps import Append, DeleteRecords
from spec.subject import Subject

SUBJECT = Subject(
    name="max_records",
    prefix="MXR",
    steps=(Fetch, Append, DeleteRecords),
    outcomes=(),
    numbers={},
    words={},
    chapters=(chapter,),
    releases={},
    requirement_sets=SETS,
    judge=judge,
    answer_all=answer_all,
)
