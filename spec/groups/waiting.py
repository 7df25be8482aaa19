"""The part of its time that a history of groups only waits, on which its cost depends."""

from spec.groups.steps import JoinGroup, RestartWith, SyncGroup, WaitFor
from spec.observation import Observation
from spec.scenario import Scenario
from spec.waiting import covered_ms

HELD = (JoinGroup, SyncGroup, WaitFor, RestartWith)
"""Requests that a broker may hold back until others have come or a timer fires, and pauses."""


def waited_ms(scenario: Scenario, observation: Observation) -> float:
    """The milliseconds of a play in which at least one request was under way that the broker may
    hold back, or nothing was to be sent.

    Such a request that is answered at once counts for as long as its answer took.
    """
    return covered_ms(
        [
            (exchange.sent_ms, exchange.answered_ms)
            for exchange in observation.exchanges
            if isinstance(scenario.steps[exchange.step], HELD)
        ]
    )
