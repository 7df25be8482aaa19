"""The judgement of a scenario on several brokers: its steps take effect one after the other."""

from spec.judgement import Judgement, infrastructure, step_failed, stopped_by
from spec.kafka import Error, error_name
from spec.observation import Observation
from spec.outcomes import Outcome as Seen
from spec.replication.chapters import CHECKS
from spec.replication.model import State, after, after_look, is_left_open, loses
from spec.replication.outcomes import Brokers, Moved, Replicas
from spec.replication.steps import Asked, ElectLeader, LookAtBrokers, Outage
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
            state = after_look(state, step, outcome)
            continue
        assert isinstance(step, Asked)
        if not _is_done(state, step, outcome):
            return results.judgement(step_failed(exchange.step, step.name, str(outcome)))
        turn = Turn(step, state, outcome)
        results.judge(turn)
        if not turn.is_answered or loses(state, outcome):
            return results.judgement()
        if is_left_open(outcome):
            why = step_failed(exchange.step, step.name, error_name(turn.error))
            return results.judgement(None if _may_be_so(turn) else why)
        state = after(state, step, outcome)
    return results.judgement()


def _is_done(state: State, step: Asked, outcome: Seen) -> bool:
    """Whether a step that changes the brokers or the leader did so; true of all others."""
    if isinstance(step, ElectLeader):
        return isinstance(outcome, Moved) and outcome.leader == state.follower
    return isinstance(outcome, Replicas) or not isinstance(step, Outage)


def _may_be_so(turn: Turn) -> bool:
    """Whether an error that leaves open what is stored is one that the documentation gives for the
    write.
    """
    return turn.state.is_short and turn.error == Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND
