"""Judging one play of a scenario: its subject's observer follows the evidence."""

from spec.judgement import Judgement, not_ready
from spec.observation import Observation
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.subject_registry import subject_named


def judge(scenario: Scenario, observation: Observation, semantics: Semantics) -> Judgement:
    """The verdict of each clause of the scenario's subject on one play."""
    if (stopped := not_ready(observation)) is not None:
        return Judgement((stopped,))
    return subject_named(scenario.subject).judge(scenario, observation, semantics)
