"""The patience of a run on a broker that never offers what it should: verdicts come first, then
histories wait less, and that is counted.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.engine.play_result import Played
from conformance.engine.player import Omission
from conformance.play.background import play_alone
from conformance.serve.settings import Settings
from conformance.subjects.registry import find_fault
from conformance.subjects.share.broker_player import ShareBrokerPlayer
from conformance.subjects.share.patience import (
    CLAUSES,
    HASTY_MS,
    RAN_OUT,
    SHORT_MS,
    WHOLE_ONE_IN,
    Patience,
    with_short_patience,
)
from spec.judgement import Judgement
from spec.observation import Exchange, Observation
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.share.examples import FIVES, fetch, history, release
from spec.share.outcomes import Acquired, ShareAnswerPartition, ShareFetchAnswer
from spec.share.waiting import ran_out
from spec.verdict import Outcome, Verdict
from tests.conformance.play.scripted import Peer, broker
from tests.conformance.serve.listening import serving
from tests.conformance.subjects.share.test_history import FETCH, LAYOUT, acquiring
from tests.conformance.subjects.share.test_history import history as scripted_history

if TYPE_CHECKING:
    from spec.outcomes import Outcome as Came

PATIENT = replace(FETCH, patience_ms=4_000)
STUCK = Verdict("SHR-155", Outcome.VIOLATES, signature="nothing acquired")
EMPTY = ShareFetchAnswer()
FULL = ShareFetchAnswer(partitions=(ShareAnswerPartition(0, acquired=(Acquired(0, 4, 1),)),))


def asked_for(ms: float, last: Came = EMPTY, *verdicts: Verdict) -> Played:
    """A play of one patient fetch that was asked for so long."""
    exchanges = (Exchange(0, EMPTY, 0.0, 5.0), Exchange(0, last, ms - 5, ms))
    return Played(Scenario(LAYOUT, (PATIENT,)), Observation(exchanges), Judgement(verdicts))


def test_patience_ran_out_only_where_nothing_came_until_its_end() -> None:
    def of(played: Played) -> bool:
        return ran_out(played.scenario, played.observation)

    assert of(asked_for(4_000))
    assert not of(asked_for(3_999))
    assert not of(asked_for(4_000, FULL))


def test_histories_wait_less_only_after_the_same_reason_came_often() -> None:
    patience = Patience()
    for number in range(RAN_OUT - 1):
        patience.see(asked_for(4_100, EMPTY, STUCK))
        patience.see(asked_for(4_100, EMPTY, replace(STUCK, signature=f"other {number}")))
        patience.see(asked_for(4_100, FULL, STUCK))
        patience.see(asked_for(4_100))
    assert {patience.of_history().allowed_ms(4_000) for _ in range(WHOLE_ONE_IN)} == {4_000}
    patience.see(asked_for(4_100, EMPTY, STUCK))
    allowed = [patience.of_history().allowed_ms(4_000) for _ in range(2 * WHOLE_ONE_IN)]
    assert allowed == 2 * [4_000, *[SHORT_MS] * (WHOLE_ONE_IN - 1)]


def test_replays_wait_as_long_as_they_should() -> None:
    patience = Patience()
    for _ in range(RAN_OUT):
        patience.see(asked_for(4_100, EMPTY, STUCK))
    with patience.whole():
        allowed = {patience.of_history().allowed_ms(4_000) for _ in range(WHOLE_ONE_IN)}
    assert allowed == {4_000}


def test_a_hastened_history_is_patient_for_as_long_as_the_clause_needs() -> None:
    impatient = replace(FETCH, patience_ms=300)
    whole = Scenario(LAYOUT, (PATIENT, impatient, FETCH))
    hasty = replace(PATIENT, patience_ms=HASTY_MS)
    assert with_short_patience(whole) == Scenario(LAYOUT, (hasty, impatient, FETCH))


def test_a_history_that_waits_less_is_counted_with_the_reason() -> None:
    patience = Patience()
    for _ in range(RAN_OUT):
        patience.see(asked_for(4_100, EMPTY, STUCK))
    patience.of_history()

    async def script(peer: Peer) -> None:
        while True:
            peer.answer(await peer.request(), acquiring())

    with broker(script) as scripted:
        played = scripted_history(scripted, replace(PATIENT, patience_ms=60_000))
        played.patience = patience.of_history()
        observation = play_alone(played)
    assert observation.broken is None
    assert not ran_out(played.scenario, observation)
    [omission] = patience.omissions
    assert omission == Omission(omission.reason, CLAUSES, 1)
    assert omission.reason.endswith("all their time ran out with SHR-155 'nothing acquired'")


def test_a_fetch_is_sent_for_longer_where_the_broker_is_slow() -> None:
    """Seen on a machine under load: records came after the patience of 4 s was over."""

    async def script(peer: Peer) -> None:
        for number in range(8):
            asked = await peer.request()
            if number == 0:
                await asyncio.sleep(0.2)
            peer.answer(asked, acquiring((0, 0)) if number == 7 else acquiring())

    with broker(script) as scripted:
        slow = scripted_history(scripted, replace(PATIENT, patience_ms=300))
        slow.delay_s = lambda since: 0.5 if since == slow.started else 0.0
        observation = play_alone(slow)
    assert observation.broken is None
    assert observation.delay_ms == 500
    assert len(observation.exchanges) == 8
    assert observation.exchanges[-1].sent_ms > 300


@pytest.mark.parametrize("delay_s", [0.0, 0.3])
def test_records_that_never_come_are_detected_on_a_busy_machine_too(
    monkeypatch: pytest.MonkeyPatch, delay_s: float
) -> None:
    """The member asks for longer there: for eight times the delay that was measured."""
    lost = history((FIVES,), fetch(0), release(0, 4), fetch(0, actor=1, patience_ms=2_000))
    _, fault = find_fault("released-is-lost")
    with serving(Settings("4.3.1")) as state:
        fault.plant(state)
        cluster = reach(state.host, state.port, make_codec())
        player = ShareBrokerPlayer(cluster, semantics_for("4.3"), "late")
        monkeypatch.setattr(player.broker.pulse, "delay_s", lambda _: delay_s)
        try:
            played = player.play_one(lost)
        finally:
            player.close()
    assert played.observation.delay_ms == delay_s * 1000
    assert ("SHR-155", "nothing acquired") in played.kinds
    asked = [one for one in played.observation.exchanges if one.step == 3]
    assert asked[-1].answered_ms - asked[0].sent_ms >= max(2_000, 8_000 * delay_s)


@pytest.mark.slow
def test_the_verdict_comes_first_on_a_broker_that_never_offers_what_was_released(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("conformance.subjects.share.patience.RAN_OUT", 1)
    lost = history((FIVES,), fetch(0), release(0, 4), fetch(0, actor=1, patience_ms=2_000))
    semantics = semantics_for("4.3")
    _, fault = find_fault("released-is-lost")
    with serving(Settings("4.3.1")) as state:
        fault.plant(state)
        cluster = reach(state.host, state.port, make_codec())
        player = ShareBrokerPlayer(cluster, semantics, "patience")
        try:
            first = player.play_one(lost)
            later = [one for _, one in player.play([lost, lost]) if isinstance(one, Played)]
            replayed = player.play_one(lost)
        finally:
            player.close()
    assert all(ran_out(one.scenario, one.observation) for one in (first, replayed))
    assert first.judgement.breaks
    assert first.judgement.breaks == replayed.judgement.breaks
    assert sum(ran_out(one.scenario, one.observation) for one in later) == 1
    assert [one.times for one in player.omissions] == [1]
