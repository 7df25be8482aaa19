"""The dry run of a share group's history: what the reference answers, in virtual time.

Each step takes a millisecond, a pause and a fetch that waits as long as they do.
"""

from dataclasses import dataclass, field

from spec.dry_run import fired_timers
from spec.observation import Exchange, Observation
from spec.outcomes import Closed
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.share.model.machine import ShareMachine, ShareStepResult, share_machine
from spec.share.model.seams import REFERENCE, Sharing
from spec.share.model.state import Parked, State, initial_state
from spec.share.outcomes import Done, ShareFetchAnswer
from spec.share.steps import Pause, RestartBroker, ShareFetch, asked_again, line_of
from spec.steps import Step

STEP_MS = 1.0
AGAIN_MS = 1500.0
"""How long before a patient fetch is sent again, ms."""


@dataclass
class SharePlay:
    """A history under way on the model, step by step; a generator draws the next step by it.

    Attributes:
        scenario: its layout and config; its steps are not looked at.
        semantics: the decisions in force.
        sharing: the seams of planted faults.
        state: what the steps so far have led to.
        clock: milliseconds since the start.
    """

    scenario: Scenario
    semantics: Semantics
    sharing: Sharing = REFERENCE
    clock: float = 0.0
    state: State = field(init=False)
    machine: ShareMachine = field(init=False)
    _sent: dict[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin before the first step."""
        self.state = initial_state(self.scenario)
        self.machine = share_machine(self.semantics, dict(self.scenario.config), self.sharing)

    @property
    def parked_fetches(self) -> tuple[Parked, ...]:
        """The fetches that wait, in the order in which they were sent."""
        return self.state.parked

    def take(self, number: int, step: Step) -> list[Exchange]:
        """Do one step.

        A step waits until the fetches that its own member has parked are answered; a restart waits
        for all.

        Args:
            number: the step's, which identifies its exchange.
            step: what is done.

        Returns:
            The exchanges that it ends, its own among them unless it is a parked fetch that waits.
        """
        ended = self._await(step)
        if isinstance(step, Pause):
            sent = self.clock
            ended += self.wait(step.ms)
            return [*ended, Exchange(number, Done(), sent, self.clock)]
        sent = self._sent[number] = self.clock
        ended += self._advance(sent)
        ended += self._exchanges(self.machine.take(self.state, number, step, sent), sent)
        self.clock = sent + STEP_MS
        while number in self._sent and not (isinstance(step, ShareFetch) and step.parked):
            ended += self._wait()
        return ended

    def wait(self, ms: float) -> list[Exchange]:
        """Send nothing for so long; the exchanges of parked fetches that end meanwhile."""
        return self._advance(self.clock + ms)

    def rest(self) -> list[Exchange]:
        """Wait for the fetches that are still parked, when all steps are done; their exchanges."""
        ended: list[Exchange] = []
        while self.parked_fetches:
            ended += self._wait()
        return ended

    def _await(self, step: Step) -> list[Exchange]:
        """Wait until what a step has to wait for is answered."""
        ended: list[Exchange] = []
        everyone = isinstance(step, RestartBroker)
        alone = not isinstance(step, Pause)
        line = line_of(step)
        while alone and any(everyone or one.step.line == line for one in self.parked_fetches):
            ended += self._wait()
        return ended

    def _advance(self, until_ms: float) -> list[Exchange]:
        """Let the time pass up to a moment; the exchanges that end by then."""
        ended: list[Exchange] = []
        for due, stepped in fired_timers(self.machine, self.state, until_ms):
            ended += self._exchanges(stepped, due)
        self.clock = max(self.clock, until_ms)
        return ended

    def _wait(self) -> list[Exchange]:
        """Let the time pass until something happens by itself; what is done next is done after the
        answers that it brings.
        """
        ended = self._advance(self.machine.due(self.state))
        self.clock = max([self.clock, *[one.answered_ms for one in ended]])
        return ended

    def _exchanges(self, stepped: ShareStepResult, now: float) -> list[Exchange]:
        """Take on the state after a step; the exchanges that it ends, whose answers take a
        millisecond on their way.
        """
        self.state = stepped.state
        return [
            Exchange(number, outcome, self._sent.pop(number), now + STEP_MS)
            for number, outcome in stepped.replies
        ]


def answer_all(
    scenario: Scenario,
    semantics: Semantics,
    sharing: Sharing = REFERENCE,
    *,
    patient: bool = False,
) -> Observation:
    """The answers of the model to a share group's history.

    Args:
        scenario: what is asked.
        semantics: the decisions in force.
        sharing: how the model handles it, where a fault is planted.
        patient: whether a patient fetch that acquires nothing is sent again; after the first one
            that acquired nothing in all its time no other is.
    """
    play = SharePlay(scenario, semantics, sharing)
    exchanges: list[Exchange] = []
    for number, step in enumerate(scenario.steps):
        exchanges += play.take(number, step)
        if patient and isinstance(step, ShareFetch) and not step.parked:
            exchanges += _sent_again(play, number, step, exchanges)
            patient = step.patience_ms == 0 or not _went_empty(exchanges[-1], number)
        if exchanges and isinstance(exchanges[-1].outcome, Closed):
            break
    else:
        exchanges += play.rest()
    return Observation(tuple(sorted(exchanges, key=lambda one: one.step)))


def _sent_again(
    play: SharePlay, number: int, step: ShareFetch, before: list[Exchange]
) -> list[Exchange]:
    """The exchanges of a patient fetch that is sent again until it acquires something."""
    over_ms = play.clock - STEP_MS + step.patience_ms
    found: list[Exchange] = []
    last = before[-1]
    while _went_empty(last, number) and play.clock < over_ms:
        found += play.wait(AGAIN_MS)
        found += play.take(number, asked_again(step))
        last = found[-1]
    return found


def _went_empty(exchange: Exchange, number: int) -> bool:
    """Whether a fetch went through and acquired nothing."""
    outcome = exchange.outcome
    return (
        exchange.step == number
        and isinstance(outcome, ShareFetchAnswer)
        and not outcome.error
        and not any(part.acquired for part in outcome.partitions)
    )
