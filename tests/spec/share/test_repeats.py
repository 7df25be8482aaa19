"""A member sends a share fetch again over another connection while the first one waits."""

from dataclasses import replace

from spec.judge import judge
from spec.kafka import Error
from spec.layout import Batch
from spec.observation import Observation
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.share.dry_run import answer_all
from spec.share.examples import FIVES, fetch, history
from spec.share.outcomes import ShareFetchAnswer
from spec.share.steps import ShareFetch, line_of
from spec.steps import Append

KAFKA = semantics_for("4.3")
WAITS = ShareFetch(version=2, max_wait_ms=600, parked=True)
REPEAT = replace(WAITS, epoch=1, parked=False, connection=1)


def _repeated() -> Scenario:
    everything = fetch(0, patience_ms=0)
    return history((FIVES,), everything, WAITS, REPEAT, Append(0, Batch(100)))


def _broken(scenario: Scenario, observation: Observation) -> set[str]:
    return {verdict.clause for verdict in judge(scenario, observation, KAFKA).breaks}


def test_the_repeat_is_refused_at_once_and_the_first_is_answered() -> None:
    scenario = _repeated()
    observation = answer_all(scenario, KAFKA)
    first, repeat = observation.exchanges[-3:-1]
    assert isinstance(first.outcome, ShareFetchAnswer)
    assert isinstance(repeat.outcome, ShareFetchAnswer)
    assert (first.outcome.error, repeat.outcome.error) == (0, Error.INVALID_SHARE_SESSION_EPOCH)
    assert repeat.answered_ms < first.answered_ms
    assert _broken(scenario, observation) == set()


def test_the_repeat_may_have_come_first() -> None:
    scenario = _repeated()
    *before, first, repeat, append = answer_all(scenario, KAFKA).exchanges
    swapped = (
        replace(first, outcome=repeat.outcome, answered_ms=first.sent_ms + 2),
        replace(repeat, outcome=first.outcome, answered_ms=first.answered_ms),
    )
    assert _broken(scenario, Observation((*before, *swapped, append))) == set()


def test_of_two_that_carry_one_epoch_only_one_is_taken() -> None:
    scenario = _repeated()
    *before, first, repeat, append = answer_all(scenario, KAFKA).exchanges
    assert isinstance(first.outcome, ShareFetchAnswer)
    empty = replace(first.outcome, partitions=())
    both = (first, replace(repeat, outcome=empty))
    assert "SHR-004" in _broken(scenario, Observation((*before, *both, append)))


def test_a_request_that_nothing_overtakes_is_not_excused() -> None:
    again = ShareFetch(version=2)
    scenario = history((FIVES,), fetch(0, patience_ms=0), again)
    *before, last = answer_all(scenario, KAFKA).exchanges
    assert isinstance(last.outcome, ShareFetchAnswer)
    refused = ShareFetchAnswer(last.outcome.epoch, Error.INVALID_SHARE_SESSION_EPOCH)
    observation = Observation((*before, replace(last, outcome=refused)))
    assert "SHR-003" in _broken(scenario, observation)


def test_each_connection_has_a_line_of_its_own() -> None:
    steps = (WAITS, REPEAT, replace(WAITS, actor=1), replace(REPEAT, actor=1))
    assert len({line_of(step) for step in steps}) == len(steps)
