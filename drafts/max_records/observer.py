"""The observer of fetches with the draft MaxRecords: what holds under every reading."""

from drafts.max_records.change import profile_of
from drafts.max_records.clauses import chapter
from drafts.max_records.profile import Profile
from drafts.max_records.turn import Turn
from spec.clause import clauses_by_id
from spec.fetch.draft_observer import judge_by
from spec.judgement import Judgement, infrastructure
from spec.observation import Observation
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.verdict import Outcome

NOT_KNOWN = (
    "no Kafka release has MaxRecords in FetchRequest; it takes an implementation of the draft, "
    "such as `serve --draft max-records`"
)

_CLAUSES = clauses_by_id((chapter,))


def judge(scenario: Scenario, observation: Observation, semantics: Semantics) -> Judgement:
    """Judge one play of a scenario of fetches, of which some have the draft field.

    No clause applies to a broker that does not know the field: the verdict is `unsupported`,
    never a pass.
    """
    profile = profile_of(semantics)
    if profile is None and observation.broken is None:
        return Judgement((infrastructure(Outcome.UNSUPPORTED, NOT_KNOWN),))
    return judge_by(
        _CLAUSES,
        lambda fetched, earlier: Turn(fetched, profile or Profile(), earlier),
        scenario,
        observation,
        semantics,
    )
