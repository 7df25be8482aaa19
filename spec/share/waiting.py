"""The part of its time that a history of a share group only waits: for locks to run out, for a
parked fetch, or to ask again; and how long it has to wait on a slow broker.
"""

import math
from collections.abc import Iterable, Iterator
from itertools import pairwise

from spec.frozen import frozen
from spec.observation import Exchange, Observation
from spec.scenario import Scenario
from spec.share.outcomes import ShareFetchAnswer
from spec.share.steps import Pause, RestartBroker, ShareFetch
from spec.share.turn import SETTLE_MS
from spec.steps import Step
from spec.waiting import covered_ms

SETTLE_FACTOR = 4
"""On a broker that is slow, what happens by itself is given this many times as long as the slowest
answer was late, or as a plain request was delayed.
"""
PROGRESS_FACTOR = 8
"""The same for records that must come: a share partition that is loaded first asks its coordinator,
again after seconds where that is not ready, before a fetch acquires anything.
"""
RESTART_PART = 0.5
"""The part of a restart's time that a broker may need after it, until it gives records."""


@frozen
class Slowness:
    """How slow a broker, or the machine, was in what was played of a history.

    Attributes:
        late_ms: how late the slowest answer was.
        delay_ms: the longest delay that was measured beside it, see `Observation`.
        restart_ms: how long the slowest restart took.
    """

    late_ms: float = 0.0
    delay_ms: float = 0.0
    restart_ms: float = 0.0

    @property
    def settle_ms(self) -> float:
        """The time that hidden events may take."""
        return max(SETTLE_MS, SETTLE_FACTOR * max(self.late_ms, self.delay_ms))

    @property
    def progress_ms(self) -> float:
        """The time that records which can be acquired may take to come (SHR-155)."""
        slow = max(self.late_ms, self.delay_ms)
        return max(SETTLE_MS, PROGRESS_FACTOR * slow, RESTART_PART * self.restart_ms)


def slowness(played: Iterable[tuple[Step, Exchange]], delay_ms: float) -> Slowness:
    """How slow a broker was, by the steps with their exchanges and a measured delay."""
    late, restart = 0.0, 0.0
    for step, exchange in played:
        late = max(late, exchange.elapsed_ms - _meant_ms(step))
        if isinstance(step, RestartBroker):
            restart = max(restart, exchange.elapsed_ms)
    return Slowness(late, delay_ms, restart)


def _meant_ms(step: Step) -> float:
    """The time that a step may take on a fast broker, ms."""
    if isinstance(step, ShareFetch):
        return max(0, step.max_wait_ms)
    return math.inf if isinstance(step, Pause | RestartBroker) else 0.0


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
