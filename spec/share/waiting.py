"""The part of its time that a history of a share group only waits: for locks to run out, for a
parked fetch, or to ask again.
"""

from collections.abc import Iterator
from itertools import pairwise

from spec.observation import Exchange, Observation
from spec.scenario import Scenario
from spec.share.outcomes import ShareFetchAnswer
from spec.share.steps import Pause, ShareFetch
from spec.waiting import covered_ms


def waited_ms(scenario: Scenario, observation: Observation) -> float:
    """The milliseconds of a play in which nothing was to be sent, or a fetch was under way that the
    broker may hold back.
    """
    return covered_ms(_spans(scenario, observation))


def _spans(scenario: Scenario, observation: Observation) -> Iterator[tuple[float, float]]:
    for exchange in observation.exchanges:
        step = scenario.steps[exchange.step]
        if isinstance(step, Pause) or (isinstance(step, ShareFetch) and step.max_wait_ms > 0):
            yield exchange.sent_ms, exchange.answered_ms
    for before, after in pairwise(observation.exchanges):
        if before.step == after.step:  # a patient fetch is sent again after a while
            yield before.answered_ms, after.sent_ms


def ran_out(scenario: Scenario, observation: Observation) -> bool:
    """Whether a patient fetch was sent again for as long as it is patient, and acquired nothing."""
    first: dict[int, Exchange] = {}
    for exchange in observation.exchanges:
        began = first.setdefault(exchange.step, exchange).sent_ms
        step = scenario.steps[exchange.step]
        if (
            isinstance(step, ShareFetch)
            and isinstance(exchange.outcome, ShareFetchAnswer)
            and 0 < step.patience_ms <= exchange.answered_ms - began
            and not any(part.acquired for part in exchange.outcome.partitions)
        ):
            return True
    return False
