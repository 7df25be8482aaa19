"""Judging that tests share: most planted faults and deviations answer most of what is drawn as the
reference does, and of the same answers the clauses say the same.
"""

from spec import judge as judging
from spec.judgement import Judgement
from spec.observation import Observation
from spec.recent import Recent
from spec.scenario import Scenario
from spec.semantics import Semantics

SCENARIOS, OBSERVATIONS = 2000, 3
"""How many scenarios are kept, and how many observations of each."""
DIRECT = frozenset({"fetch"})
"""Subjects whose scenarios are judged faster than they are compared."""
_JUDGED: Recent[tuple[Scenario, str, int], list[tuple[Observation, Semantics, Judgement]]] = Recent(
    SCENARIOS
)


def judge_once(scenario: Scenario, observation: Observation, semantics: Semantics) -> Judgement:
    """What `spec.judge.judge` says; an observation of a scenario that is equal to an earlier one is
    not judged again.
    """
    if scenario.subject in DIRECT:
        return judging.judge(scenario, observation, semantics)
    key = scenario, semantics.release, id(semantics)
    judged = _JUDGED.get(key)
    if judged is None:
        judged = _JUDGED[key] = []
    for before, _, judgement in judged:
        if before == observation:
            return judgement
    judgement = judging.judge(scenario, observation, semantics)
    if len(judged) < OBSERVATIONS:
        judged.append((observation, semantics, judgement))
    return judgement
