"""The draft MaxRecords (KAFKA-19554) in one object, its scenarios a subject of their own: fetches
that carry its field.
"""

from drafts.max_records.axes import QUESTIONS
from drafts.max_records.change import FIELD, SUBJECT
from drafts.max_records.clauses import ISSUE, chapter
from drafts.max_records.errata import ERRATA
from drafts.max_records.observer import judge
from drafts.max_records.requirements import FROZEN
from spec.draft import Draft
from spec.fetch.dry_run import answer_all
from spec.fetch.steps import Fetch
from spec.ranges import INT32
from spec.steps import Append, DeleteRecords
from spec.subject import Subject

DRAFT = Draft(
    name="max-records",
    issue=ISSUE,
    title="MaxRecords in FetchRequest",
    subject=Subject(
        name=SUBJECT,
        prefix="MXR",
        steps=(Fetch, Append, DeleteRecords),
        outcomes=(),
        numbers={},
        words={},
        chapters=(chapter,),
        releases={},
        frozen=FROZEN,
        judge=judge,
        answer_all=answer_all,
    ),
    questions=QUESTIONS,
    fields={FIELD: INT32},
    errata=ERRATA,
)
