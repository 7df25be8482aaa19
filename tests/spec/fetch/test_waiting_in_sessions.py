"""What a session makes of requests that come while one of its requests still waits."""

from dataclasses import replace

import pytest

from spec.fetch.dry_run import answer_all
from spec.fetch.observer import judge
from spec.fetch.outcomes import FetchAnswer
from spec.fetch.steps import OWN, Fetch, FetchPartition
from spec.kafka import FULL_EPOCH, SESSIONLESS_EPOCH, Error
from spec.layout import Batch, Layout, Partition
from spec.observation import Exchange, Observation
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.steps import Append
from spec.verdict import Outcome

KAFKA = Semantics()
FULL = Fetch((FetchPartition(0, 1),), epoch=FULL_EPOCH)
WAITS = Fetch(min_bytes=1, max_wait_ms=5000, session=OWN, epoch=1)
APPEND = Append(0, Batch(100), 1, 90)


def _history(*meanwhile: Fetch) -> Scenario:
    """A request that waits until the append at 90 ms, others from 30 ms on by another actor."""
    layout = Layout((Partition(((Batch(100),),)),))
    others = [replace(one, actor=2, after_ms=30) for one in meanwhile]
    return Scenario(layout, (FULL, WAITS, *others, APPEND), subject="fetch")


def _answers(scenario: Scenario) -> list[tuple[int, int, int]]:
    """Of each fetch: the error, the kind of session, and the bytes that are answered."""
    return [
        (one.outcome.error, one.outcome.session, sum(got.size for got in one.outcome.partitions))
        for one in answer_all(scenario, KAFKA).exchanges
        if isinstance(one.outcome, FetchAnswer)
    ]


def test_a_repeat_is_refused_at_once_and_the_first_is_answered() -> None:
    scenario = _history(WAITS)
    assert _answers(scenario)[1:] == [(0, 1, 100), (Error.INVALID_FETCH_SESSION_EPOCH, 0, 0)]
    repeat = answer_all(scenario, KAFKA).exchanges[2]
    assert repeat.elapsed_ms < 1


def test_a_request_that_is_overtaken_has_an_epoch_that_is_wrong_by_then() -> None:
    found = _answers(_history(replace(WAITS, epoch=2)))
    assert found[1:] == [(Error.INVALID_FETCH_SESSION_EPOCH, 1, 0), (0, 1, 100)]


@pytest.mark.parametrize("epoch", [SESSIONLESS_EPOCH, FULL_EPOCH])
def test_a_session_that_is_closed_still_answers_what_waits(epoch: int) -> None:
    closing = Fetch((FetchPartition(0, 1),), session=OWN, epoch=epoch)
    assert _answers(_history(closing))[1] == (0, 1, 100)


def test_the_epoch_after_a_repeat_is_the_one_after_the_first() -> None:
    follows = Fetch(session=OWN, epoch=2)
    assert _answers(_history(WAITS, follows))[3] == (0, 1, 0)


@pytest.mark.parametrize("second", [WAITS, replace(WAITS, epoch=2), replace(WAITS, epoch=3)])
def test_the_reference_breaks_no_clause(second: Fetch) -> None:
    scenario = _history(second)
    assert judge(scenario, answer_all(scenario, KAFKA), KAFKA).breaks == ()


def test_a_wrong_epoch_needs_another_request_to_be_excused() -> None:
    """Alone, a request with the right epoch may not be answered as one that was overtaken."""
    alone = _history()
    exchanges = answer_all(alone, KAFKA).exchanges
    refused = FetchAnswer(Error.INVALID_FETCH_SESSION_EPOCH, 1)
    observed = Observation(
        tuple([_with(refused, one) if one.step == 1 else one for one in exchanges])
    )
    found = judge(alone, observed, KAFKA).breaks
    assert [(one.clause, one.outcome) for one in found] == [("FET-032", Outcome.VIOLATES)]


def _with(answer: FetchAnswer, exchange: Exchange) -> Exchange:
    return replace(exchange, outcome=answer)
