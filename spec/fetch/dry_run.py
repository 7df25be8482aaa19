"""The dry run of fetches and writes: what the machine answers, in virtual time.

It makes the catalogue's worked examples, and stands in for a broker in tests of the judge.
"""

from collections import deque
from math import inf

from spec.dry_run import fired_timers
from spec.fetch.model.answer import answer_fetch, turn_of_fetch
from spec.fetch.model.machine import (
    Answering,
    FetchMachine,
    FetchState,
    FetchStepResult,
    LogStep,
    Rejecting,
    TakingOn,
    close_on_unknown_version,
)
from spec.fetch.model.session import admit, on_arrival
from spec.fetch.steps import Fetch
from spec.fetch.turn import Turn
from spec.log import log_of
from spec.observation import Exchange, Observation
from spec.outcomes import Closed
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.steps import Append, DeleteRecords

TICK = 0.001
"""Milliseconds from a request to its answer where nothing holds it back, so that what was caused
comes after its cause.
"""


def answer_all(
    scenario: Scenario,
    semantics: Semantics,
    answering: Answering | None = None,
    rejecting: Rejecting = close_on_unknown_version,
    taking_on: TakingOn = on_arrival,
) -> Observation:
    """The answers of the reference, or of `answering`, `rejecting` and `taking_on`, to a scenario.

    Each step is sent as soon as its actor is free and its time has come; a fetch that is held back
    is looked at again at each write.
    """
    answers = answering or answer_fetch
    return FetchPlay(scenario, semantics, answers, rejecting, taking_on).observation()


def turns_of(scenario: Scenario, semantics: Semantics) -> tuple[tuple[int, Turn], ...]:
    """Each fetch of a scenario by its step's number, as the reference takes and reads it when it is
    sent.
    """
    play = FetchPlay(scenario, semantics, answer_fetch)
    play.observation()
    return tuple(sorted(play.turns, key=lambda pair: pair[0]))


class FetchPlay:
    """A scenario under way on the model, in which only waiting takes time.

    Args:
        scenario: what is played.
        semantics: the decisions in force.
        answering: what answers a fetch.
        rejecting: what rejects a fetch by its version.
        taking_on: what a session becomes when a request arrives.

    Raises:
        TypeError: a step is of another subject.
    """

    def __init__(
        self,
        scenario: Scenario,
        semantics: Semantics,
        answering: Answering,
        rejecting: Rejecting = close_on_unknown_version,
        taking_on: TakingOn = on_arrival,
    ) -> None:
        self.semantics = semantics
        self.machine = FetchMachine(semantics, answering, rejecting, taking_on)
        partitions = enumerate(scenario.layout.partitions)
        self.state = FetchState({number: log_of(partition) for number, partition in partitions})
        self.turns: list[tuple[int, Turn]] = []
        self._exchanges: list[Exchange] = []
        self._ended = False
        self._queues: dict[int, deque[tuple[int, LogStep]]] = {}
        for number, step in enumerate(scenario.steps):
            if not isinstance(step, Fetch | Append | DeleteRecords):
                raise TypeError(
                    f"expected a step of the subject fetch, found {step.name}; its own "
                    "subject answers it"
                )
            self._queues.setdefault(step.actor, deque()).append((number, step))
        self._free = dict.fromkeys(self._queues, 0.0)
        self._sent: dict[int, tuple[LogStep, float]] = {}

    def observation(self) -> Observation:
        """Play to the end."""
        while not self._ended and (self._sent or any(self._queues.values())):
            self._next()
        return Observation(tuple(sorted(self._exchanges, key=lambda exchange: exchange.step)))

    def _next(self) -> None:
        """The earliest thing that is due: a held fetch whose time is up, or a step."""
        busy = {step.actor for step, _ in self._sent.values()}
        ready = [
            (max(self._free[actor], float(queue[0][1].after_ms)), queue[0][0], actor)
            for actor, queue in self._queues.items()
            if queue and actor not in busy
        ]
        until = min(ready)[0] if ready else inf
        if (timer := next(fired_timers(self.machine, self.state, until), None)) is not None:
            due, stepped = timer
            self._apply(stepped, due)
            return
        now, number, actor = min(ready)
        _, step = self._queues[actor].popleft()
        before = self.state
        self._sent[number] = step, now
        self._apply(self.machine.take(before, number, step, now), now)
        if isinstance(step, Fetch) and not self._ended:
            admission = admit(step, before.session)
            turn = turn_of_fetch(step, admission, self.semantics, before.logs)
            self.turns.append((number, turn))

    def _apply(self, stepped: FetchStepResult, now: float) -> None:
        self.state = stepped.state
        for number, outcome in stepped.replies:
            step, sent = self._sent.pop(number)
            self._free[step.actor] = now + TICK
            self._ended |= isinstance(outcome, Closed)
            answered = now if isinstance(outcome, Closed) else now + TICK
            self._exchanges.append(Exchange(number, outcome, sent, answered))
