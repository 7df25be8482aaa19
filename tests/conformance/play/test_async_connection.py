"""The connection for coroutines: pipelined, each request with its own deadline, over TLS too."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from conformance.play.connection import AsyncConnection
from conformance.retries import async_tries
from conformance.wire.outcomes import Answer, Closed, NoAnswer, NotConnected, Outcome, Silent
from conformance.wire.sasl import Plain
from conformance.wire.security import Security
from conformance.wire.transcript import Transcript
from tests.conformance.play.scripted import Peer, Script, broker, silent
from tests.conformance.wire.test_connection_over_tls import KEY_PAIR

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.cluster import Cluster

EMPTY: dict[str, Any] = {"throttle_time_ms": 0, "error_code": 0, "session_id": 0, "responses": []}
SIZE = 3_000_000
SASL_APIS = {17: 1, 36: 2}
"""The newest versions of SaslHandshake and SaslAuthenticate, by their API keys."""


async def echo(peer: Peer) -> None:
    """Answer with the request's max_wait as the throttle time, after so many milliseconds."""
    while True:
        asked = await peer.request()
        await asyncio.sleep(asked.body.value["max_wait_ms"] / 1000)
        peer.answer(asked, {**EMPTY, "throttle_time_ms": asked.body.value["max_wait_ms"]})


async def asked(cluster: Cluster, *requests: tuple[int, float]) -> list[Outcome]:
    """The outcomes of fetches that were sent together: (max wait in ms, seconds until it is given
    up).
    """
    connection = await AsyncConnection.open(cluster, 10.0)
    try:
        sent = [
            connection.send("Fetch", 12, {"max_wait_ms": wait, "topics": []}, within_s)
            for wait, within_s in requests
        ]
        return [await one.answered for one in sent]
    finally:
        connection.close()


def values(outcomes: list[Outcome]) -> list[int | str]:
    return [
        one.value["throttle_time_ms"] if isinstance(one, Answer) else type(one).__name__
        for one in outcomes
    ]


def test_requests_are_pipelined_and_answered_in_their_order() -> None:
    with broker(echo) as scripted:
        assert values(
            asyncio.run(asked(scripted.cluster, *[(wait, 10.0) for wait in (30, 0, 20, 1, 2)]))
        ) == [30, 0, 20, 1, 2]


def test_a_request_that_is_given_up_does_not_take_the_answer_to_the_next() -> None:
    with broker(echo) as scripted:
        outcomes = asyncio.run(asked(scripted.cluster, (400, 0.1), (5, 10.0)))
    assert values(outcomes) == ["Silent", 5]
    assert isinstance(outcomes[0], Silent)
    assert 0.09 <= outcomes[0].waited < 0.4


def test_a_request_with_an_earlier_deadline_is_given_up_once_those_before_it_are_settled() -> None:
    with broker(echo) as scripted:
        assert values(asyncio.run(asked(scripted.cluster, (300, 10.0), (300, 0.1)))) == [
            300,
            "Silent",
        ]


def test_what_is_under_way_when_the_peer_closes_is_closed() -> None:
    async def once(peer: Peer) -> None:
        await peer.request()
        peer.answer(await peer.request(), EMPTY)

    with broker(once) as scripted:
        outcomes = asyncio.run(asked(scripted.cluster, (0, 10.0), (0, 10.0), (0, 10.0)))
    assert [type(one).__name__ for one in outcomes] == ["Garbled", "Closed", "Closed"]


def test_a_large_request_is_written_as_the_peer_takes_it() -> None:
    async def slow(peer: Peer) -> None:
        await asyncio.sleep(0.3)
        peer.answer(await peer.request(), {"responses": [], "throttle_time_ms": 0})

    async def large(cluster: Cluster) -> Outcome:
        connection = await AsyncConnection.open(cluster, 10.0)
        part = {"index": 0, "records": bytes(SIZE)}
        value = {
            "acks": -1,
            "timeout_ms": 1000,
            "topic_data": [{"name": "t", "partition_data": [part]}],
        }
        try:
            return await connection.send("Produce", 9, value, 10.0).answered
        finally:
            connection.close()

    with broker(slow) as scripted:
        assert isinstance(asyncio.run(large(scripted.cluster)), Answer)


def test_what_can_not_be_read_is_raised_where_the_outcome_is_waited_for() -> None:
    def read(outcome: Outcome) -> None:
        raise LookupError(type(outcome).__name__)

    async def reading(cluster: Cluster) -> None:
        connection = await AsyncConnection.open(cluster, 10.0)
        try:
            await connection.send("Fetch", 12, {"topics": []}, 10.0, read).answered
        finally:
            connection.close()

    with broker(echo) as scripted, pytest.raises(LookupError, match="Answer"):
        asyncio.run(reading(scripted.cluster))


def test_asking_wants_an_answer() -> None:
    async def ask(cluster: Cluster) -> None:
        connection = await AsyncConnection.open(cluster, 10.0)
        try:
            await connection.ask("Fetch", 12, {"topics": []}, 0.1)
        finally:
            connection.close()

    with broker(silent) as scripted, pytest.raises(NoAnswer, match="none within"):
        asyncio.run(ask(scripted.cluster))


def test_over_tls_all_is_the_same(tmp_path: Path) -> None:
    pair = tmp_path / "pair.pem"
    pair.write_text(KEY_PAIR)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(pair)
    with broker(echo, server) as scripted:
        trusting = replace(
            scripted.cluster, security=Security(ssl.create_default_context(cafile=str(pair)))
        )
        assert values(asyncio.run(asked(trusting, (20, 10.0), (0, 10.0), (500, 0.1)))) == [
            20,
            0,
            "Silent",
        ]
        with pytest.raises(NotConnected, match=r"(?i)certificate"):
            asyncio.run(
                asked(replace(trusting, security=Security(ssl.create_default_context())), (0, 10.0))
            )


def test_a_peer_that_does_not_shake_hands_is_no_broker() -> None:
    async def opened(cluster: Cluster) -> None:
        await AsyncConnection.open(cluster, 0.3)

    async def mute(peer: Peer) -> None:
        await peer.reader.read()

    with broker(mute) as scripted, pytest.raises(NotConnected, match="no connection within"):
        asyncio.run(
            opened(replace(scripted.cluster, security=Security(ssl.create_default_context())))
        )


def test_a_connection_that_nothing_is_under_way_on_is_not_watched() -> None:
    async def closing(peer: Peer) -> None:
        peer.answer(await peer.request(), EMPTY)

    async def twice(cluster: Cluster) -> tuple[bool, Outcome]:
        connection = await AsyncConnection.open(cluster, 10.0)
        await connection.ask("Fetch", 12, {"topics": []}, 10.0)
        await asyncio.sleep(0.2)
        alive = connection.alive
        outcome = await connection.send("Fetch", 12, {"topics": []}, 10.0).answered
        connection.close()
        return alive, outcome

    with broker(closing) as scripted:
        alive, outcome = asyncio.run(twice(scripted.cluster))
    assert alive
    assert isinstance(outcome, Closed)


def authenticating(*lasts_ms: int) -> Script:
    """Take any credentials for a session of so many milliseconds, each time for the next of these,
    and echo a fetch.
    """

    async def script(peer: Peer) -> None:
        left = [*lasts_ms]
        while True:
            asked = await peer.request()
            if asked.api == "ApiVersions":
                keys = [
                    {"api_key": key, "min_version": 0, "max_version": newest}
                    for key, newest in SASL_APIS.items()
                ]
                peer.answer(asked, {"error_code": 0, "api_keys": keys})
            elif asked.api == "SaslHandshake":
                peer.answer(asked, {"error_code": 0, "mechanisms": ["PLAIN"]})
            elif asked.api == "SaslAuthenticate":
                granted = {"session_lifetime_ms": left.pop(0), "auth_bytes": b""}
                peer.answer(asked, {"error_code": 0, "error_message": None, **granted})
            else:
                peer.answer(asked, EMPTY)

    return script


async def session_over(connection: AsyncConnection) -> None:
    async for _ in async_tries(10.0):
        if connection.is_stale:
            return


def with_sasl(cluster: Cluster) -> Cluster:
    versions = replace(
        cluster.versions,
        ranges={**cluster.versions.ranges, **{key: (0, new) for key, new in SASL_APIS.items()}},
    )
    return replace(cluster, versions=versions, security=Security(sasl=Plain("u", "s3cret")))


def test_a_session_that_is_nearly_over_is_renewed_in_place() -> None:
    async def fetches(cluster: Cluster) -> None:
        connection = await AsyncConnection.open(cluster, 10.0)
        for ends in (True, True, False):
            if ends:
                await session_over(connection)
            await connection.renew(cluster, 10.0)
            await connection.ask("Fetch", 12, {"topics": []}, 10.0)
        connection.close()

    transcript = Transcript()
    with broker(authenticating(1, 1, 3_600_000)) as scripted:
        cluster = with_sasl(scripted.cluster)
        asyncio.run(fetches(replace(cluster, transcript=transcript)))
        apis = [request.api for _, request in scripted.heard]
    again = ["SaslHandshake", "SaslAuthenticate"]
    assert scripted.opened == 1
    assert apis == ["ApiVersions", *again, *again, "Fetch", *again, "Fetch", "Fetch"]
    assert [one.ticket.api for one in transcript.asked] == ["Fetch", "Fetch", "Fetch"]


def test_a_session_is_not_renewed_while_a_request_is_under_way() -> None:
    async def fetches(cluster: Cluster) -> None:
        connection = await AsyncConnection.open(cluster, 10.0)
        await session_over(connection)
        sent = connection.send("Fetch", 12, {"topics": []}, 10.0)
        await connection.renew(cluster, 10.0)
        await sent.answered
        connection.close()

    with broker(authenticating(1)) as scripted:
        asyncio.run(fetches(with_sasl(scripted.cluster)))
        assert [request.api for _, request in scripted.heard][-1] == "Fetch"
