"""The model's answers to a scenario on several brokers."""

from collections.abc import Callable

from spec.frozen import frozen, replace
from spec.observation import Exchange, Observation
from spec.outcomes import NotSent, Outcome
from spec.replication.model import MODEL_BROKERS, State, after, answer
from spec.replication.outcomes import Brokers
from spec.replication.steps import Asked, AskEpochEnd, LookAtBrokers, Read
from spec.scenario import Scenario
from spec.semantics import Semantics

Answering = Callable[[State, Asked], Outcome]
NO_SUCH_EPOCH = "the partition has had no such leader epoch"


@frozen
class Served:
    """How the brokers of a dry run answer.

    Attributes:
        answering: what is answered.
        brokers: what they say of themselves.
    """

    answering: Answering = answer
    brokers: Brokers = MODEL_BROKERS


REFERENCE = Served()


def has_epoch(state: State, step: Asked) -> bool:
    """Whether the epochs that a step names relative to the current one are not below zero."""
    named = step.epoch if isinstance(step, Read | AskEpochEnd) else None
    return named is None or state.epoch + named >= 0


def answer_all(scenario: Scenario, semantics: Semantics, served: Served = REFERENCE) -> Observation:
    """What the model answers, in the order of the steps."""
    del semantics
    state = State()
    exchanges = []
    for number, step in enumerate(scenario.steps):
        outcome: Outcome
        if isinstance(step, LookAtBrokers):
            outcome = served.brokers
            state = replace(state, brokers=served.brokers)
        else:
            assert isinstance(step, Asked)
            sent = has_epoch(state, step)
            outcome = served.answering(state, step) if sent else NotSent(NO_SUCH_EPOCH)
            state = after(state, step, outcome)
        exchanges.append(Exchange(number, outcome))
    return Observation(tuple(exchanges))
