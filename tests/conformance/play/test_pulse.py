"""A broker that answers nothing at all for a while stands still, and one that is gone does not."""

import asyncio
import threading
from time import monotonic

import pytest

from conformance.play import pulse
from conformance.play.pulse import Pulse
from tests.conformance.play.scripted import Peer, answers_versions, broker, silent
from tests.processes import awaited

SOON_S = 20.0


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse, "STALL_S", 0.3)
    monkeypatch.setattr(pulse, "PULSE_S", 0.02)


async def once(peer: Peer) -> None:
    """Answer one request, then no other."""
    await answers_versions(peer)
    await silent(peer)


def test_a_broker_that_answers_nothing_any_more_stands_still() -> None:
    with broker(once) as scripted:
        watching = Pulse(lambda: scripted.cluster)
        watching.start()
        began = monotonic()
        assert awaited(lambda: watching.standstill_s(began) > 0, SOON_S)
        assert watching.standstill_s(began) >= 0.3
        watching.close()


def test_a_standstill_counts_for_what_was_under_way_then() -> None:
    resumed = threading.Event()

    async def late(peer: Peer) -> None:
        asked = await peer.request()
        await asyncio.to_thread(resumed.wait, SOON_S)
        peer.answer(asked, {"error_code": 0, "api_keys": []})
        while True:
            await answers_versions(peer)

    with broker(late) as scripted:
        watching = Pulse(lambda: scripted.cluster)
        watching.start()
        began = monotonic()
        assert awaited(lambda: watching.standstill_s(began) > 0, SOON_S)
        resumed.set()
        asked = len(scripted.heard)
        assert awaited(lambda: len(scripted.heard) > asked + 1, SOON_S)
        assert watching.standstill_s(began) >= 0.3
        assert awaited(lambda: watching.standstill_s(monotonic()) == 0, SOON_S)
        watching.close()


def test_an_answer_that_is_lost_is_no_standstill_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse, "LOST_S", 0.6)

    async def loses_one(peer: Peer) -> None:
        if peer.number == 0:
            await silent(peer)
        while True:
            await answers_versions(peer)

    with broker(loses_one) as scripted:
        watching = Pulse(lambda: scripted.cluster)
        watching.start()
        began = monotonic()
        assert awaited(lambda: sum(number == 1 for number, _ in scripted.heard) > 1, SOON_S)
        assert watching.standstill_s(began) >= 0.6
        assert awaited(lambda: watching.standstill_s(monotonic()) == 0, SOON_S)
        watching.close()


def test_a_long_standstill_is_one_over_all_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse, "LOST_S", 0.6)
    with broker(silent) as scripted:
        watching = Pulse(lambda: scripted.cluster)
        watching.start()
        assert awaited(lambda: scripted.opened > 1, SOON_S)
        later = monotonic()
        assert awaited(lambda: watching.standstill_s(later) > 0, SOON_S)
        watching.close()


def test_a_broker_that_ends_its_connections_does_not_stand_still() -> None:
    async def ends(peer: Peer) -> None:
        await peer.request()

    with broker(ends) as scripted:
        watching = Pulse(lambda: scripted.cluster)
        watching.start()
        began = monotonic()
        assert awaited(lambda: scripted.opened > 10, SOON_S)
        assert awaited(lambda: watching.standstill_s(began) == 0, SOON_S)
        watching.close()


def test_its_thread_ends_with_it_whatever_it_waits_for() -> None:
    with broker(silent) as scripted:
        others = set(threading.enumerate())  # a shared player of another test has a pulse too
        watching = Pulse(lambda: scripted.cluster)
        watching.start()
        assert awaited(lambda: len(scripted.heard) > 0, SOON_S)
        (own,) = [one for one in set(threading.enumerate()) - others if one.name == "pulse"]
        watching.close()
        assert not own.is_alive()


def test_the_delay_of_a_plain_request_is_measured_from_when_it_was_due(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pulse, "STALL_S", 5.0)
    monkeypatch.setattr(pulse, "NOTED_S", 0.2)

    async def slow_once(peer: Peer) -> None:
        if peer.number == 0:
            await answers_versions(peer)
        asked = await peer.request()
        await asyncio.sleep(0.3)
        peer.answer(asked, {"error_code": 0, "api_keys": []})
        while True:
            await answers_versions(peer)

    with broker(slow_once) as scripted:
        watching = Pulse(lambda: scripted.cluster)
        began = monotonic()
        watching.start()
        assert awaited(lambda: len(scripted.heard) > 3, SOON_S)
        assert watching.delay_s(began) >= 0.3
        watching.close()
        late = Pulse(lambda: scripted.cluster)
        began = monotonic()
        with scripted.cluster.connect() as connection:
            assert late._send_pulse(connection, began - 0.4)
        assert late.delay_s(began) >= 0.4
        assert late.delay_s(monotonic()) == 0
