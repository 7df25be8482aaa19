"""The model's own observation of a share group's history: what the reference would answer, by a clock of its own.

Each step takes a millisecond, a pause and a fetch that waits as long as they do. A parked fetch is answered as soon as it acquires
something, or when its MaxWaitMs is over.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from spec.observation import Exchange, Observation
from spec.outcomes import Closed
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.share.hidden import CLOCK_MS, passed
from spec.share.model.reply import REFERENCE, Sharing, acquired_nothing, reply
from spec.share.model.state import World, world_of
from spec.share.outcomes import Done
from spec.share.releases import ShareSemantics
from spec.share.steps import Pause, ShareFetch
from spec.steps import Step

STEP_MS = 1.0


@dataclass(frozen=True, slots=True)
class _Parked:
    """A fetch that waits: its step, that one's number, and when it was sent."""

    number: int
    step: ShareFetch
    sent_ms: float


@dataclass
class SharePlay:
    """A history under way on the model, step by step; what a generator draws the next step by.

    Attributes:
        scenario: its layout and config; its steps are not looked at.
        semantics: the decisions in force.
        world: what the steps so far have led to.
        clock: milliseconds since the start.
        parked: fetches that wait.
    """

    scenario: Scenario
    semantics: Semantics
    world: World
    clock: float = 0.0
    parked: list[_Parked] = field(default_factory=list)

    def take(self, number: int, step: Step) -> list[Exchange]:
        """Do one step; the exchanges that ended by it, its own among them unless it is parked."""
        if isinstance(step, Pause):
            woken = list(self._woken(self.clock + step.ms))
            paused = Exchange(number, Done(), self.clock, self.clock + step.ms)
            self.clock += step.ms
            return [*woken, paused]
        exchange, world = self._answer(number, step)
        if isinstance(step, ShareFetch) and step.max_wait_ms > 0 and acquired_nothing(exchange.outcome):
            if step.parked:
                self.parked.append(_Parked(number, step, self.clock))
                self.clock += STEP_MS
                return []
            sent = self.clock
            self.clock += step.max_wait_ms
            exchange, world = self._answer(number, step, sent)
        self.world = world
        self.clock += STEP_MS
        return [exchange, *self._woken(self.clock)]

    def rest(self) -> list[Exchange]:
        """The exchanges of fetches that are still parked, when all steps are done."""
        return list(self._woken(max([self.clock, *[one.sent_ms + one.step.max_wait_ms for one in self.parked]])))

    def _answer(self, number: int, step: Step, sent_ms: float | None = None) -> tuple[Exchange, World]:
        """What the reference answers to a step now, and the world after it."""
        sent, answered, broker = self.clock if sent_ms is None else sent_ms, self.clock + STEP_MS, dict(self.scenario.config)
        world = passed(self.world, answered + CLOCK_MS, self.semantics, broker)
        outcome, after = reply(world, step, sent, answered, self.semantics, broker)
        return Exchange(number, outcome, sent, answered), after

    def _woken(self, until_ms: float) -> Iterator[Exchange]:
        """The answers of parked fetches that have something to acquire by now, or whose time is over by `until_ms`."""
        now = self.clock
        for one in tuple(self.parked):
            due = one.sent_ms + one.step.max_wait_ms
            exchange, world = self._answer(one.number, one.step, one.sent_ms)
            if acquired_nothing(exchange.outcome):
                if due > until_ms:
                    continue
                self.clock = due
                exchange, world = self._answer(one.number, one.step, one.sent_ms)
                self.clock = now
            self.parked.remove(one)
            self.world = world
            yield exchange


def answer_all(scenario: Scenario, semantics: Semantics, sharing: Sharing = REFERENCE) -> Observation:
    """What the model answers to a share group's history; `sharing` is how it handles it, where a fault is planted."""
    play = SharePlay(scenario, semantics.having(sharing.decided(semantics.of(ShareSemantics))), world_of(scenario))
    exchanges: list[Exchange] = []
    for number, step in enumerate(scenario.steps):
        exchanges += play.take(number, sharing.misread(step))
        play.world = sharing.remembered(play.world)
        if exchanges and isinstance(exchanges[-1].outcome, Closed):
            break
    else:
        exchanges += play.rest()
    told = [replace(one, outcome=sharing.altered(scenario.steps[one.step], one.outcome)) for one in exchanges]
    return Observation(tuple(sorted(told, key=lambda one: one.step)))
