"""The answers of the model itself: the observation of a scenario that the reference would give.

It makes the catalogue's worked examples, and stands in for a broker in tests of the judge.
"""

from spec.observation import Observation
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.subject_registry import subject_named


def answer_all(scenario: Scenario, semantics: Semantics) -> Observation:
    """The answers of the reference to a scenario, in a time of its own in which only waiting takes
    any.
    """
    return subject_named(scenario.subject).answer_all(scenario, semantics)
