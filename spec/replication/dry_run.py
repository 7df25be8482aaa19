"""The model's answers to a scenario on several brokers."""

from collections.abc import Callable

from spec.frozen import frozen
from spec.observation import Exchange, Observation
from spec.outcomes import NotSent, Outcome
from spec.replication.model import MODEL_BROKERS, State, after, after_look, answer, impossible
from spec.replication.outcomes import Brokers
from spec.replication.steps import Asked, LookAtBrokers
from spec.scenario import Scenario
from spec.semantics import Semantics

Answering = Callable[[State, Asked], Outcome]


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


def answer_all(scenario: Scenario, semantics: Semantics, served: Served = REFERENCE) -> Observation:
    """What the model answers, in the order of the steps."""
    del semantics
    state = State()
    exchanges = []
    for number, step in enumerate(scenario.steps):
        outcome: Outcome
        if isinstance(step, LookAtBrokers):
            outcome = served.brokers
            state = after_look(state, step, served.brokers)
        else:
            assert isinstance(step, Asked)
            why = impossible(state, step)
            outcome = NotSent(why) if why else served.answering(state, step)
            state = state if why else after(state, step, outcome)
        exchanges.append(Exchange(number, outcome))
    return Observation(tuple(exchanges))
