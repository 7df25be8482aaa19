"""What the reference answers is always permitted, whatever is asked: the two formulations do not contradict each other."""

from hypothesis import HealthCheck, given, settings

from generators.fences import sample
from generators.histories import session_histories
from generators.layouts import layouts
from spec.answering import answer_all
from spec.judge import judge
from spec.layout import Layout
from spec.scenario import Scenario
from spec.semantics import semantics_for

SEMANTICS = semantics_for("4.3")
LISTED = {("FET-071", "negative limit"), ("FET-071", "isolation level"), ("FET-071", "session id outside the shards")}

quick = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), database=None)


def breaks(scenario: Scenario) -> set[tuple[str, str]]:
    return {(v.clause, v.signature) for v in judge(scenario, answer_all(scenario, SEMANTICS), SEMANTICS).breaks} - LISTED


@quick
@given(layouts())
def test_the_reference_answer_to_every_fence_question_is_permitted(layout: Layout) -> None:
    for question in sample(layout, SEMANTICS):
        assert breaks(Scenario(layout, (question.fetch,))) == set(), question


@quick
@given(session_histories(SEMANTICS))
def test_the_reference_answer_to_every_session_is_permitted(scenario: Scenario) -> None:
    assert breaks(scenario) == set()
