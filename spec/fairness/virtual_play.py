"""A client's history played in virtual time."""

from typing import Protocol

from spec.observation import Exchange, Observation
from spec.outcomes import Outcome
from spec.scenario import Scenario
from spec.steps import Step

ROUND_TRIP_MS = 1.0
"""The virtual time that a step, or a request with its response, takes at least."""


class VirtualPlay(Protocol):
    """A client under way; `now` is virtual time, ms."""

    now: float

    def outcome(self, step: Step) -> Outcome:
        """What the client returns to a step."""


def play_through(scenario: Scenario, play: VirtualPlay) -> Observation:
    """What the client returns to each step, in order."""
    exchanges = []
    for number, step in enumerate(scenario.steps):
        sent = play.now
        outcome = play.outcome(step)
        play.now += ROUND_TRIP_MS
        exchanges.append(Exchange(number, outcome, sent, play.now))
    return Observation(tuple(exchanges))
