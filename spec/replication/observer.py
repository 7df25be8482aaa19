"""The judgement of a scenario on several brokers: its steps take effect one after the other."""

from spec.frozen import replace
from spec.judgement import Judgement, infrastructure, step_failed, stopped_by
from spec.kafka import error_name
from spec.observation import Observation
from spec.replication.chapters import CHECKS
from spec.replication.model import State, after, is_left_open
from spec.replication.outcomes import Brokers, Moved
from spec.replication.steps import Asked, ElectLeader, LookAtBrokers
from spec.replication.turn import Turn
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.turn_by_turn import TurnByTurn
from spec.verdict import Outcome


def judge(scenario: Scenario, observation: Observation, semantics: Semantics) -> Judgement:
    """What each clause says of one play."""
    del semantics
    if observation.broken is not None:
        return Judgement((infrastructure(Outcome.INCONCLUSIVE, observation.broken),))
    state = State()
    results = TurnByTurn(CHECKS)
    for exchange in observation.exchanges:
        step, outcome = scenario.steps[exchange.step], exchange.outcome
        if (stopped := stopped_by(outcome)) is not None:
            left_out = results.held and stopped.outcome is Outcome.UNSUPPORTED
            return results.judgement(None if left_out else stopped)
        if isinstance(step, LookAtBrokers):
            if not isinstance(outcome, Brokers):
                return results.judgement(step_failed(exchange.step, step.name, str(outcome)))
            state = replace(state, brokers=outcome)
            continue
        assert isinstance(step, Asked)
        if isinstance(step, ElectLeader) and not (
            isinstance(outcome, Moved) and outcome.leader == state.follower
        ):
            return results.judgement(step_failed(exchange.step, step.name, str(outcome)))
        turn = Turn(step, state, outcome)
        results.judge(turn)
        if not turn.is_answered:
            return results.judgement()
        if is_left_open(outcome):
            return results.judgement(step_failed(exchange.step, step.name, error_name(turn.error)))
        state = after(state, step, outcome)
    return results.judgement()
