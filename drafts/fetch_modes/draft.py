"""The draft in one object."""

from drafts.fetch_modes.change import MODE, RECORDS, SUBJECT, draft_change, is_known
from drafts.fetch_modes.clauses import ISSUE, Turn, chapter
from drafts.fetch_modes.profile import Profile
from drafts.fetch_modes.requirements import FROZEN
from spec.clause import Reading, clauses_by_id
from spec.draft import Draft
from spec.fetch.draft_observer import judge_by
from spec.fetch.dry_run import answer_all
from spec.fetch.steps import Fetch
from spec.judgement import Judgement, infrastructure
from spec.observation import Observation
from spec.ranges import INT8, INT32
from spec.readings import Axis, Questions
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.subject import Subject
from spec.verdict import Outcome

NOT_KNOWN = "no Kafka release has modes in FetchRequest; it takes `serve --draft fetch-modes`"

QUESTIONS: Questions[Profile] = Questions(
    Profile,
    (
        Axis(
            id="FMD-A1",
            name="first",
            asks=(
                "In record_limit mode, what becomes of a first batch that alone is over the limit?"
            ),
            readings=(
                Reading("returned", "It is returned, or the consumer would never move on."),
                Reading("refused", "It is left out, and the answer stays empty."),
            ),
            says="KIP-1206 cuts a batch there; a classic fetch returns batches as they are stored",
        ),
        Axis(
            id="FMD-A2",
            name="unknown",
            asks="What does a mode mean that is not known?",
            readings=(
                Reading("invalid", "The request is refused with INVALID_REQUEST."),
                Reading("batch_optimized", "It is taken as batch_optimized."),
            ),
            says="nothing is said",
        ),
    ),
    draft_change,
)

_CLAUSES = clauses_by_id((chapter,))


def judge(scenario: Scenario, observation: Observation, semantics: Semantics) -> Judgement:
    """Judge one play; `unsupported` where the broker does not have the draft."""
    if not is_known(semantics) and observation.broken is None:
        return Judgement((infrastructure(Outcome.UNSUPPORTED, NOT_KNOWN),))
    return judge_by(_CLAUSES, Turn, scenario, observation, semantics)


DRAFT = Draft(
    name="fetch-modes",
    issue=ISSUE,
    title="the acquire modes of KIP-1206 in FetchRequest",
    subject=Subject(
        name=SUBJECT,
        prefix="FMD",
        steps=(Fetch,),
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
    fields={RECORDS: INT32, MODE: INT8},
)
