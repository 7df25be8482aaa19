"""The share of a history in which it only waits."""

from spec.observation import Exchange, Observation
from spec.share.examples import FIVES, fetch, history
from spec.share.outcomes import Done, GroupChanged, ShareFetchAnswer
from spec.share.steps import Pause, ShareFetch, SharePartition
from spec.share.waiting import waited_ms


def test_pauses_held_fetches_and_the_gaps_of_a_patient_fetch_are_waiting_and_count_once() -> None:
    parked = ShareFetch((SharePartition(0),), max_wait_ms=600, version=2, actor=1, parked=True)
    scenario = history((FIVES,), fetch(0), parked, Pause(500))
    exchanges = (
        Exchange(0, GroupChanged(), 0, 10),
        Exchange(1, ShareFetchAnswer(0), 10, 20),
        Exchange(1, ShareFetchAnswer(1), 50, 60),
        Exchange(2, ShareFetchAnswer(0), 60, 660),
        Exchange(3, Done(), 61, 561),
    )
    assert waited_ms(scenario, Observation(exchanges)) == 30 + 600


def test_a_history_without_waits_waits_for_nothing() -> None:
    exchanges = (Exchange(0, GroupChanged(), 0, 10), Exchange(1, ShareFetchAnswer(0), 10, 20))
    assert waited_ms(history((FIVES,), fetch(0)), Observation(exchanges)) == 0
