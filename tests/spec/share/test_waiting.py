"""The share of a history in which it only waits, and how long it has to wait on a slow broker."""

import pytest

from spec.catalogue import catalogue
from spec.judge import judge
from spec.model import answer_all
from spec.observation import Exchange, Observation
from spec.releases import semantics_for
from spec.share.examples import FIVES, fetch, history
from spec.share.outcomes import Done, GroupChanged, ShareFetchAnswer
from spec.share.steps import Pause, RestartBroker, ShareFetch, SharePartition
from spec.share.waiting import Slowness, slowness, waited_ms
from spec.verdict import Outcome

KAFKA = semantics_for("4.3")
RECORDS = history((FIVES,), fetch(0))
"""A member asks for records that are there, again and again, for its patience of 5 s."""
RESTARTED = history((FIVES,), RestartBroker(), fetch(0))
OK = GroupChanged()


def violated(*exchanges: Exchange, delay_ms: float = 0.0, restarted: bool = False) -> set[str]:
    """The clauses that a play of `RECORDS`, or of `RESTARTED`, violates."""
    scenario = RESTARTED if restarted else RECORDS
    found = judge(scenario, Observation(exchanges, delay_ms=delay_ms), KAFKA).breaks
    return {verdict.clause for verdict in found if verdict.outcome is Outcome.VIOLATES}


def empty(step: int, first_ms: float, last_ms: float) -> list[Exchange]:
    """Answers without records to a fetch that is sent every half second, 20 ms each."""
    count = round((last_ms - first_ms) / 500) + 1
    return [
        Exchange(step, ShareFetchAnswer(number), at, at + 20)
        for number, at in enumerate([first_ms + 500 * number for number in range(count)])
    ]


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


@pytest.mark.parametrize(
    ("elapsed_ms", "delay_ms", "late"),
    [
        (1_999, 0, False),
        (2_045, 0, True),
        (2_045, 300, False),
        (2_605, 300, True),
        (2_999, 600, False),
        (9_000, 600, True),
    ],
)
def test_an_answer_is_late_beyond_what_delays_a_plain_request_at_the_same_time(
    elapsed_ms: float, delay_ms: float, late: bool
) -> None:
    """2,045 ms and 2,999 ms: answers of Kafka 4.4.0 on a machine under load."""
    answers = Exchange(0, OK, 0, 10), Exchange(1, ShareFetchAnswer(0), 10, 10 + elapsed_ms)
    assert violated(*answers, delay_ms=delay_ms) == ({"SHR-143"} if late else set())


def test_records_may_come_later_on_a_slow_broker_and_must_come_in_the_end() -> None:
    quick = [Exchange(0, OK, 0, 10), *empty(1, 10, 5_010)]
    assert violated(*quick) == {"SHR-155"}
    assert violated(*quick, delay_ms=600) == {"SHR-155"}
    assert violated(*quick, delay_ms=700) == set()
    assert violated(Exchange(0, OK, 0, 10), *empty(1, 10, 8_010), delay_ms=700) == {"SHR-155"}
    slow = Exchange(0, OK, 0, 900)
    assert violated(slow, *empty(1, 900, 6_400)) == set()
    assert violated(slow, *empty(1, 900, 8_400)) == {"SHR-155"}


@pytest.mark.parametrize("clause", ["SHR-140", "SHR-155", "SHR-503"])
def test_records_that_come_at_once_exercise_what_is_said_of_them(clause: str) -> None:
    """On the model each answer takes a millisecond."""
    for example in catalogue()[clause].examples:
        played = answer_all(example.scenario, KAFKA)
        assert clause in {one.clause for one in judge(example.scenario, played, KAFKA).verdicts}


def test_a_broker_that_takes_long_to_restart_needs_longer_for_the_first_records() -> None:
    """52 s: a restart of Kafka 4.1.2 on a machine under load, after which records came more than
    4 s later.
    """

    def after_a_restart(restart_ms: float, asked_ms: float) -> set[str]:
        up = 10 + restart_ms
        around = Exchange(0, OK, 0, 10), Exchange(1, Done(), 10, up)
        return violated(*around, *empty(2, up, up + asked_ms), restarted=True)

    assert after_a_restart(3_000, 5_000) == {"SHR-155"}
    assert after_a_restart(52_000, 5_000) == set()
    assert after_a_restart(52_000, 26_000) == {"SHR-155"}


def test_slowness_is_that_of_the_slowest_answer_beyond_what_it_was_held_back() -> None:
    held = ShareFetch((SharePartition(0),), max_wait_ms=600)
    played = [
        (held, Exchange(0, ShareFetchAnswer(0), 0, 1_000)),
        (Pause(5_000), Exchange(1, Done(), 1_000, 6_000)),
        (RestartBroker(), Exchange(2, Done(), 6_000, 20_000)),
    ]
    assert slowness(played, 50) == Slowness(400, 50, 14_000)
    assert Slowness(400, 50, 14_000).settle_ms == 2_000
    assert Slowness(600, 50).settle_ms == 2_400
    assert Slowness(600, 700).settle_ms == 2_800
    assert Slowness(400, 50, 14_000).progress_ms == 7_000
