"""The one player against a scripted broker: what the peer does becomes evidence, what fails here
makes the scenario inconclusive.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from conformance.cluster import MissingApiError
from conformance.placement.placed_partition import Placed, PlacedPartition
from conformance.play import connection as play_connection
from conformance.play import silence
from conformance.play.background import Background, play_alone
from conformance.play.history import History
from conformance.play.request import Request
from conformance.play.silence import SILENCE_S
from conformance.retries import async_tries
from conformance.subjects.fetch.history import FetchHistory
from spec.fetch.outcomes import FetchAnswer
from spec.fetch.steps import OWN, Fetch, FetchPartition
from spec.judge import judge
from spec.layout import Batch, Layout, Partition
from spec.outcomes import AppendAnswer, Closed, Garbled, NotReady, NotSent, Outcome, Silent
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.steps import Append, DeleteRecords, Step
from spec.verdict import Outcome as Said
from tests.conformance.play.scripted import Peer, Scripted, answers_versions, broker, silent
from tests.processes import awaited

if TYPE_CHECKING:
    from spec.observation import Observation

LAYOUT = Layout((Partition(((Batch(100),),)),))
EMPTY: dict[str, Any] = {"throttle_time_ms": 0, "error_code": 0, "session_id": 0, "responses": []}
FETCH = Fetch((FetchPartition(0, 0),))
APPEND = Append(0, Batch(100))
SOON_S = 20.0
"""Within so many seconds a busy machine does what is awaited here."""


def placed() -> Placed:
    return Placed(
        LAYOUT, (PlacedPartition("topic", bytes(16), 0, base=0, leader_epoch=0, timestamp=1000),)
    )


def history(scripted: Scripted, *steps: Step) -> FetchHistory:
    return FetchHistory(scripted.cluster, Scenario(LAYOUT, steps), placed())


def outcomes(observation: Observation) -> list[Outcome]:
    assert observation.broken is None, observation.broken
    return [exchange.outcome for exchange in observation.exchanges]


def produced(offset: int) -> dict[str, Any]:
    part = {
        "index": 0,
        "error_code": 0,
        "base_offset": offset,
        "log_append_time_ms": -1,
        "log_start_offset": 0,
    }
    return {"responses": [{"name": "topic", "partition_responses": [part]}], "throttle_time_ms": 0}


async def answers(peer: Peer) -> None:
    """Answer all that comes."""
    while True:
        asked = await peer.request()
        peer.answer(
            asked,
            {"error_code": 0, "api_keys": []}
            if asked.api == "ApiVersions"
            else produced(0)
            if asked.api == "Produce"
            else EMPTY,
        )


def test_what_an_actor_can_not_do_makes_the_scenario_inconclusive_and_ends_the_others() -> None:
    with broker(answers) as scripted:
        observation = play_alone(
            history(
                scripted,
                FETCH,
                Append(1, Batch(100), actor=1, after_ms=50),
                replace(FETCH, after_ms=20_000),
            )
        )
    assert observation.broken is not None
    assert "step 1 (append, actor 1) failed: IndexError" in observation.broken
    verdicts = judge(Scenario(LAYOUT, (FETCH,)), observation, semantics_for("4.3")).verdicts
    assert [verdict.outcome for verdict in verdicts] == [Said.INCONCLUSIVE]
    assert [request.api for _, request in scripted.heard] == ["Fetch"]


def test_a_batch_that_can_not_be_made_is_no_failure_and_ends_the_history() -> None:
    with broker(answers) as scripted:
        observation = play_alone(
            history(
                scripted,
                FETCH,
                Append(0, Batch(126), actor=1, after_ms=50),
                replace(FETCH, after_ms=20_000),
            )
        )
    assert [request.api for _, request in scripted.heard] == ["Fetch"]
    first, unmade = outcomes(observation)
    assert first == FetchAnswer()
    assert isinstance(unmade, NotSent)
    assert unmade.impossible
    assert unmade.reason.startswith("step 1 (append): expected a size that 1 records")


def test_a_step_whose_api_is_not_there_ends_the_history_as_not_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with broker(answers) as scripted:
        played = history(scripted, FETCH, FETCH)
        asked: list[Step] = []

        def request(step: Step) -> Request | NotSent | None:
            asked.append(step)
            if len(asked) > 1:
                raise MissingApiError("expected a broker that has Fetch, found none")
            return as_before(step)

        as_before = played._request
        monkeypatch.setattr(played, "_request", request)
        observation = play_alone(played)
    assert observation.broken is None
    assert outcomes(observation) == [
        FetchAnswer(),
        NotSent("expected a broker that has Fetch, found none"),
    ]


def test_a_refused_connection_is_a_broker_that_is_gone() -> None:
    with broker(answers) as scripted:
        pass
    observation = play_alone(history(scripted, FETCH))
    assert observation.broken is not None
    assert observation.broken.startswith("the broker is gone: expected a broker at 127.0.0.1")


def test_answers_are_stamped_when_they_come_and_requests_before_they_go() -> None:
    async def late(peer: Peer) -> None:
        asked = await peer.request()
        came = time.monotonic()
        await asyncio.sleep(0.2)
        moments.extend([came, time.monotonic()])
        peer.answer(asked, EMPTY)

    moments: list[float] = []
    with broker(late) as scripted:
        playing = history(scripted, FETCH)
        observation = play_alone(playing)
        moments.append(time.monotonic())
    [exchange] = observation.exchanges
    assert exchange.outcome == FetchAnswer()
    came, answered, read = [(moment - playing.started) * 1000 for moment in moments]
    assert 0 <= exchange.sent_ms <= came
    assert answered <= exchange.answered_ms <= read


def test_a_connection_that_is_closed_in_the_middle_of_an_answer_is_closed() -> None:
    async def cut(peer: Peer) -> None:
        if peer.number:
            await answers_versions(peer)
        else:
            peer.answer(await peer.request(), EMPTY, cut=3)

    with broker(cut) as scripted:
        observation = play_alone(history(scripted, FETCH, FETCH))
    assert outcomes(observation) == [Closed("end of stream", control_answered=True)]


def test_an_answer_to_another_request_is_garbled_and_ends_the_scenario() -> None:
    async def shifted(peer: Peer) -> None:
        peer.answer(await peer.request(), EMPTY, shift=1)

    with broker(shifted) as scripted:
        observation = play_alone(history(scripted, FETCH, FETCH))
    assert outcomes(observation) == [Garbled("correlation id 1, expected 0")]


@pytest.mark.parametrize("control", [True, False])
def test_silence_is_distinguished_from_a_dead_broker_by_a_control_request(
    monkeypatch: pytest.MonkeyPatch, control: bool
) -> None:
    monkeypatch.setattr("conformance.subjects.fetch.history.SILENCE_S", 0.2)
    monkeypatch.setattr(silence, "CONTROL_S", 0.2)

    async def script(peer: Peer) -> None:
        await (answers_versions(peer) if peer.number and control else silent(peer))

    with broker(script) as scripted:
        observation = play_alone(history(scripted, replace(FETCH, max_wait_ms=100, min_bytes=1)))
    [found] = outcomes(observation)
    assert isinstance(found, Silent)
    assert found.control_answered == control
    assert 199 <= found.waited_ms < 2_000
    assert observation.exchanges[0].elapsed_ms >= 299


def test_an_array_without_an_entry_is_garbled() -> None:
    async def script(peer: Peer) -> None:
        peer.answer(await peer.request(), {"throttle_time_ms": 0, "topics": []})

    with broker(script) as scripted:
        observation = play_alone(history(scripted, DeleteRecords(0, 1)))
    [found] = outcomes(observation)
    assert isinstance(found, Garbled)
    assert "expected one entry in topics, found none" in found.reason


def test_an_actor_does_not_wait_for_the_others() -> None:
    fetched = asyncio.Event()

    async def script(peer: Peer) -> None:
        asked = await peer.request()
        if asked.api == "Fetch":
            await fetched.wait()  # until the append that comes later has been answered
            peer.answer(asked, EMPTY)
        else:
            peer.answer(asked, produced(0))
            fetched.set()

    with broker(script) as scripted:
        observation = play_alone(
            history(
                scripted, replace(FETCH, max_wait_ms=9_000), replace(APPEND, actor=1, after_ms=50)
            )
        )
    assert outcomes(observation) == [FetchAnswer(), AppendAnswer(0, 0)]
    fetch, append = observation.exchanges
    assert fetch.sent_ms < 50 <= append.sent_ms < append.answered_ms <= fetch.answered_ms + 1


def test_nothing_is_begun_after_a_write_that_failed() -> None:
    async def script(peer: Peer) -> None:
        asked = await peer.request()
        value = produced(-1)
        value["responses"][0]["partition_responses"][0]["error_code"] = 3
        peer.answer(asked, value)
        await silent(peer)

    with broker(script) as scripted:
        observation = play_alone(
            history(scripted, APPEND, FETCH, replace(FETCH, actor=1, after_ms=30_000))
        )
    assert outcomes(observation) == [AppendAnswer(3, None)]


def test_a_step_that_the_broker_does_not_offer_is_not_sent() -> None:
    with broker(answers) as scripted:
        observation = play_alone(history(scripted, replace(FETCH, version=18)))
    assert outcomes(observation) == [NotSent("the broker does not advertise Fetch v18")]
    assert scripted.heard == []


def test_a_session_is_closed_in_the_end() -> None:
    async def script(peer: Peer) -> None:
        while True:
            asked = await peer.request()
            peer.answer(asked, {**EMPTY, "session_id": 77})

    with broker(script) as scripted:
        observation = play_alone(
            history(scripted, replace(FETCH, epoch=0), replace(FETCH, epoch=1, session=OWN))
        )
    assert [found.session for found in outcomes(observation) if isinstance(found, FetchAnswer)] == [
        2,
        1,
    ]
    bodies = [request.body.value for _, request in scripted.heard]
    assert [(body["session_id"], body["session_epoch"]) for body in bodies] == [
        (0, 0),
        (77, 1),
        (77, -1),
    ]


def test_histories_are_played_side_by_side_and_come_back_in_their_order() -> None:
    all_came, others_answered = asyncio.Barrier(20), asyncio.Semaphore(0)

    async def script(peer: Peer) -> None:
        asked = await peer.request()
        number = asked.body.value["max_bytes"]
        async with asyncio.timeout(SOON_S):
            await all_came.wait()
            for _ in range(0 if number else 19):
                await others_answered.acquire()
        peer.answer(asked, {**EMPTY, "error_code": number})
        others_answered.release()

    background = Background()
    with broker(script) as scripted:
        asked = [replace(FETCH, max_bytes=number) for number in range(20)]
        found = list(background.play([history(scripted, fetch) for fetch in asked]))
        background.close()
    assert [outcomes(one) for one in found] == [[FetchAnswer(number)] for number in range(20)]
    assert scripted.opened == 20


def test_no_more_are_played_at_a_time_than_wanted() -> None:
    at_once: list[int] = [0, 0]

    async def script(peer: Peer) -> None:
        asked = await peer.request()
        at_once[0] += 1
        at_once[1] = max(at_once)
        await asyncio.sleep(0.01)
        at_once[0] -= 1
        peer.answer(asked, EMPTY)

    background = Background()
    with broker(script) as scripted:
        list(background.play([history(scripted, FETCH) for _ in range(9)], side_by_side=3))
        background.close()
    assert at_once == [0, 3]


def test_an_interrupt_ends_all_that_is_played_at_once() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # as from a terminal
    background = Background()
    with broker(silent) as scripted:
        histories = [
            history(scripted, FETCH, replace(APPEND, actor=1, after_ms=30_000)) for _ in range(5)
        ]
        before = set(threading.enumerate())

        def interrupt() -> None:
            if awaited(lambda: len(scripted.heard) == 5, SOON_S):
                os.kill(os.getpid(), signal.SIGINT)

        interrupting = threading.Thread(target=interrupt)
        interrupting.start()
        with pytest.raises(KeyboardInterrupt):
            list(background.play(histories))
        (playing,) = set(threading.enumerate()) - before - {interrupting}
        background.close()
        interrupting.join()
        assert not playing.is_alive()
    assert [request.api for _, request in scripted.heard] == ["Fetch"] * 5


def test_an_event_loop_is_made_by_its_own_thread_which_no_interrupt_reaches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made_by = []
    make = asyncio.SelectorEventLoop.__init__

    def noted(loop: asyncio.SelectorEventLoop, *given: Any) -> None:
        made_by.append(threading.current_thread().name)
        make(loop, *given)

    monkeypatch.setattr(asyncio.SelectorEventLoop, "__init__", noted)
    background = Background()
    background.wait(asyncio.sleep(0))
    background.close()
    assert made_by == ["player"]


def test_a_peer_that_takes_no_connection_is_left_at_once_too() -> None:
    background = Background()
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener, broker(silent) as scripted:
        full = [socket.socket() for _ in range(4)]
        for one in full:
            one.setblocking(False)
            one.connect_ex(listener.getsockname())
        cluster = replace(scripted.cluster, port=listener.getsockname()[1])
        playing = background.play([FetchHistory(cluster, Scenario(LAYOUT, (FETCH,)), placed())])
        began = time.monotonic()
        background.close()
        took = time.monotonic() - began
        for one in full:
            one.close()
    del playing
    assert took < SILENCE_S / 2


class Ordered(History):
    """Appends and fetches one after the other over all actors; a fetch that waits is parked."""

    def request(self, step: Step) -> Request | NotSent | None:
        """Make a Fetch request."""
        if not isinstance(step, Fetch):
            return None
        parked = step.max_wait_ms > 0
        value = {"max_wait_ms": step.max_wait_ms, "min_bytes": 0, "topics": []}
        return Request("Fetch", 12, value, 30.0, parked=parked, finally_s=0.3 if parked else 30.0)

    def outcome(self, step: Step, request: Request, answer: Any) -> Outcome:
        """Read nothing of it."""
        return FetchAnswer()

    def continues(self, step: Step, outcome: Outcome) -> bool:
        """Continue after each answer."""
        return isinstance(outcome, FetchAnswer)


PARKED = Fetch((FetchPartition(0, 0),), max_wait_ms=5_000)


def test_steps_come_in_order_over_all_actors_and_only_its_own_actor_waits_for_a_parked_one() -> (
    None
):
    third = asyncio.Event()

    async def script(peer: Peer) -> None:
        while True:
            asked = await peer.request()
            if asked.body.value["max_wait_ms"]:
                await third.wait()
            elif len([one for one, _ in peer.heard if one != 0]) == 2:
                third.set()
            peer.answer(asked, EMPTY)

    with broker(script) as scripted:
        steps = (PARKED, replace(FETCH, actor=1), replace(FETCH, actor=2), FETCH)
        observation = play_alone(Ordered(scripted.cluster, Scenario(LAYOUT, steps)))
    assert outcomes(observation) == [FetchAnswer()] * 4
    assert [number for number, _ in scripted.heard] == [0, 1, 2, 0]
    parked, second, last, own = observation.exchanges
    assert parked.sent_ms < second.sent_ms < second.answered_ms <= last.sent_ms
    assert parked.answered_ms <= own.sent_ms


def test_a_parked_request_is_given_up_once_everything_else_is_over() -> None:
    async def script(peer: Peer) -> None:
        if peer.number == 2:
            await answers_versions(peer)
        while True:
            asked = await peer.request()
            if not asked.body.value["max_wait_ms"]:
                peer.answer(asked, EMPTY)

    with broker(script) as scripted:
        observation = play_alone(
            Ordered(scripted.cluster, Scenario(LAYOUT, (PARKED, replace(FETCH, actor=1))))
        )
    first, second = outcomes(observation)
    assert isinstance(first, Silent)
    assert first.control_answered
    assert second == FetchAnswer()
    assert 299 <= observation.exchanges[0].elapsed_ms < 20_000


async def answers_once(peer: Peer) -> None:
    """Answer one request, and close the connection."""
    asked = await peer.request()
    versions = {"error_code": 0, "api_keys": []}
    peer.answer(asked, versions if asked.api == "ApiVersions" else EMPTY)


@dataclass
class AwaitingTheEnd(FetchHistory):
    """Sends the second request over a connection when the broker has closed it."""

    async def prepare(self, step: Step) -> None:
        if self._exchanges:
            connection = self._connections[step.actor]
            async for _ in async_tries(SOON_S):
                if connection.closed_as_idle:
                    break
        await super().prepare(step)


@dataclass
class HeldByConnection(AwaitingTheEnd):
    """What it holds goes with its connection."""

    holds_by_connection: ClassVar[bool] = True


@pytest.mark.parametrize(
    ("kind", "expected"), [(AwaitingTheEnd, FetchAnswer), (HeldByConnection, NotReady)]
)
def test_a_connection_that_was_closed_as_idle_is_opened_again_unless_something_went_with_it(
    kind: type[AwaitingTheEnd], expected: type[Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play_connection, "IDLE_S", 0.0)
    with broker(answers_once) as scripted:
        observation = play_alone(kind(scripted.cluster, Scenario(LAYOUT, (FETCH, FETCH)), placed()))
    assert [type(one) for one in outcomes(observation)] == [FetchAnswer, expected]


def test_a_connection_that_is_closed_at_once_after_an_answer_was_not_idle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(play_connection, "IDLE_S", 600.0)
    with broker(answers_once) as scripted:
        observation = play_alone(history(scripted, FETCH, replace(FETCH, after_ms=1)))
    assert [type(one) for one in outcomes(observation)] == [FetchAnswer, Closed]
