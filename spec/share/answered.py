"""Answers by readings of share groups that the model does not follow: the model's own, changed on
their way.
"""

from collections.abc import Callable

from spec.clause import Answered, Answers
from spec.frozen import replace
from spec.observation import Exchange, Observation
from spec.scenario import Scenario
from spec.share.outcomes import Acquired, ShareFetchAnswer
from spec.share.steps import ShareFetch


def answered_with_error(instead: int) -> Answered:
    """What the model answers, each top-level error of a ShareFetch replaced by another."""

    def change(_: ShareFetch, exchange: Exchange) -> Exchange:
        outcome = exchange.outcome
        if isinstance(outcome, ShareFetchAnswer) and outcome.error:
            return replace(exchange, outcome=replace(outcome, error=instead))
        return exchange

    return _change_answers(change)


def answered_in_ranges(divide: Callable[[ShareFetch, Acquired], list[Acquired]]) -> Answered:
    """What the model answers, each acquired range divided."""

    def change(step: ShareFetch, exchange: Exchange) -> Exchange:
        outcome = exchange.outcome
        if not isinstance(outcome, ShareFetchAnswer):
            return exchange
        parts = []
        for part in outcome.partitions:
            pieces = [one for found in part.acquired for one in divide(step, found)]
            parts.append(replace(part, acquired=tuple(pieces)))
        return replace(exchange, outcome=replace(outcome, partitions=tuple(parts)))

    return _change_answers(change)


def _at_max_wait(step: ShareFetch, exchange: Exchange) -> Exchange:
    if not step.parked:
        return exchange
    return replace(exchange, answered_ms=exchange.sent_ms + step.max_wait_ms)


def _change_answers(change: Callable[[ShareFetch, Exchange], Exchange]) -> Answered:
    def answered(scenario: Scenario, answers: Answers) -> Observation:
        observation = answers(scenario)
        exchanges = []
        for exchange in observation.exchanges:
            step = scenario.steps[exchange.step]
            exchanges.append(change(step, exchange) if isinstance(step, ShareFetch) else exchange)
        return replace(observation, exchanges=tuple(exchanges))

    return answered


answered_at_max_wait = _change_answers(_at_max_wait)
"""What the model answers, but a parked fetch only when its MaxWaitMs is over."""
