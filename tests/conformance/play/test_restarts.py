"""A restart of the broker as an event, which the caller's thread does once all histories have come
to it, or ended.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from conformance.play import background as background_module
from conformance.play.background import Background
from conformance.play.history import Acted, History
from conformance.play.request import Request
from spec.fetch.outcomes import FetchAnswer
from spec.fetch.steps import Fetch, FetchPartition
from spec.groups.steps import RestartWith
from spec.layout import Layout
from spec.scenario import Scenario
from tests.conformance.play.scripted import Peer, Scripted, broker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.cluster import Cluster
    from conformance.play.restarts import Config
    from spec.outcomes import NotSent, Outcome
    from spec.steps import Step

FETCH = Fetch((FetchPartition(0, 0),))
LOW, HIGH = RestartWith((("limit", "1"),)), RestartWith((("limit", "2"),))


class Restarting(History):
    """Fetches, and restarts in between."""

    def sends(self, step: Step) -> bool:
        """A restart is no request."""
        return isinstance(step, Fetch)

    def request(self, step: Step) -> Request | NotSent | None:
        """Make a Fetch request."""
        return Request("Fetch", 12, {"topics": []}, 10.0) if isinstance(step, Fetch) else None

    def outcome(self, step: Step, request: Request, answer: Any) -> Outcome:
        """Read nothing of it."""
        return FetchAnswer()

    def continues(self, step: Step, outcome: Outcome) -> bool:
        """Continue."""
        return True

    async def act(self, number: int, step: Step) -> Outcome | Acted:
        """Restart."""
        assert isinstance(step, RestartWith)
        restarted = await self.restart_broker(number, step.config)
        return Acted(FetchAnswer(), restarted.began, restarted.ended)


async def answers(peer: Peer) -> None:
    while True:
        peer.answer(await peer.request(), {"throttle_time_ms": 0, "responses": []})


def played(
    scripted: Scripted, *histories: tuple[Step, ...], can: bool = True
) -> tuple[list[Any], list[Config | None]]:
    """The observations, and the restarts that were done, each in this very thread."""
    restarts: list[Config | None] = []

    def restart(config: Config | None) -> Cluster:
        assert threading.current_thread() is threading.main_thread()
        restarts.append(config)
        return scripted.cluster

    background = Background()
    begun = [Restarting(scripted.cluster, Scenario(Layout(()), steps)) for steps in histories]
    try:
        return list(background.play(begun, restart if can else None, side_by_side=2)), restarts
    finally:
        background.close()


def test_one_restart_serves_all_that_wait_for_it_though_few_are_played_at_a_time() -> None:
    with broker(answers) as scripted:
        found, restarts = played(scripted, *[(FETCH, LOW, FETCH)] * 4, (FETCH,))
    assert restarts == [LOW.config]
    assert [one.broken for one in found] == [None] * 5
    assert [len(one.exchanges) for one in found] == [3, 3, 3, 3, 1]
    spans = {
        (exchange.answered_ms - exchange.sent_ms >= 0)
        for one in found[:4]
        for exchange in one.exchanges[1:2]
    }
    assert spans == {True}
    assert all(one.exchanges[1].answered_ms <= one.exchanges[2].sent_ms for one in found[:4])


def test_a_second_restart_waits_for_those_only_that_are_still_played() -> None:
    with broker(answers) as scripted:
        found, restarts = played(scripted, (LOW, FETCH, HIGH), (FETCH, LOW))
    assert restarts == [LOW.config, HIGH.config]
    assert [one.broken for one in found] == [None, None]


def test_connections_are_new_after_a_restart() -> None:
    with broker(answers) as scripted:
        played(scripted, (FETCH, LOW, FETCH))
        assert [number for number, _ in scripted.heard] == [0, 1]


def test_other_settings_at_the_same_time_are_refused() -> None:
    with broker(answers) as scripted:
        found, restarts = played(scripted, (LOW,), (HIGH,))
    assert restarts == []
    assert {one.broken for one in found} == {
        "histories that are played together restart the broker with different settings"
    }


def test_a_broker_that_can_not_be_restarted_makes_the_scenario_inconclusive() -> None:
    with broker(answers) as scripted:
        [found], _ = played(scripted, (FETCH, LOW, FETCH), can=False)
    assert found.broken == "this system can't be restarted here"
    assert len(found.exchanges) == 1


def test_a_restart_that_fails_is_raised_where_it_was_done() -> None:
    def restart(config: Config | None) -> Cluster:
        raise ValueError(config)

    background = Background()
    with broker(answers) as scripted:
        history = Restarting(scripted.cluster, Scenario(Layout(()), (LOW,)))
        with pytest.raises(ValueError, match="limit"):
            list(background.play([history], restart))
        background.close()


@pytest.fixture
def interval(monkeypatch: pytest.MonkeyPatch) -> Iterator[float]:
    """The interpreter's own interval, whatever players of other tests are open meanwhile."""
    found = sys.getswitchinterval()
    monkeypatch.setattr(background_module, "_HASTE", background_module._Haste())
    sys.setswitchinterval(0.005)
    yield sys.getswitchinterval()
    sys.setswitchinterval(found)


def test_threads_take_turns_sooner_while_any_background_plays(interval: float) -> None:
    with broker(answers) as scripted:
        first, second = Background(), Background()
        for background in (first, second):
            list(background.play([Restarting(scripted.cluster, Scenario(Layout(()), (FETCH,)))]))
        first.close()
        assert sys.getswitchinterval() < interval
        first.close()
        second.close()
    assert sys.getswitchinterval() == interval
