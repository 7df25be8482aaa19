"""The proxy distinguishes answers, keeps their order, holds them back side by side; faults change
what they say they change.
"""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from conformance.cli.common import make_codec
from conformance.cli.proxy import fault_named
from conformance.faults.advertised import with_address
from conformance.faults.proxy import Proxy
from conformance.faults.wire import (
    Add,
    Alter,
    Cut,
    Drop,
    End,
    FlipByte,
    Planted,
    Put,
    Repeat,
    Reply,
    Reset,
    Send,
    Truncate,
    alter_field,
    with_length,
)
from conformance.wire.codec import Codec
from conformance.wire.connection import Connection
from conformance.wire.outcomes import Answer, Closed, Garbled, Silent
from tests.processes import awaited

ANSWER = {"throttle_time_ms": 0, "responses": []}


@pytest.fixture(scope="module")
def codec() -> Codec:
    return make_codec()


def fetched(codec: Codec, frame: bytes) -> bytes:
    """An empty answer to a Fetch v4 frame."""
    return with_length(
        codec.request("Fetch", 4).encode_response(
            codec.decode_request(frame).correlation_id, ANSWER
        )
    )


@contextmanager
def broker(answer: Callable[[bytes], bytes]) -> Iterator[tuple[str, int]]:
    """A port where one connection's request frames are each answered so."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with (
                suppress(ConnectionError),  # the client may go with answers unread
                connection,
                connection.makefile("rb") as stream,
            ):
                while len(head := stream.read(4)) == 4:
                    connection.sendall(answer(stream.read(int.from_bytes(head, "big"))))

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()
        thread.join()


@contextmanager
def through(
    codec: Codec, *planted: Planted, delay: float = 0.0
) -> Iterator[tuple[Connection, Proxy]]:
    """A connection through a proxy to a broker that answers every Fetch with nothing."""
    with (
        broker(lambda frame: fetched(codec, frame)) as address,
        Proxy(address, codec, planted, delay=delay) as proxy,
        Connection(*proxy.address, codec, timeout=5) as connection,
    ):
        yield connection, proxy


def send(connection: Connection) -> None:
    connection.send(
        "Fetch",
        4,
        {"max_wait_ms": 0, "min_bytes": 0, "max_bytes": 1, "isolation_level": 0, "topics": []},
    )


def test_pipelined_answers_are_held_back_side_by_side_and_in_order(codec: Codec) -> None:
    with through(codec, delay=0.5) as (connection, _):
        began = time.monotonic()
        for _ in range(20):
            send(connection)
        found = [connection.receive() for _ in range(20)]
    assert all(isinstance(one, Answer) for one in found)
    times = [one.received_at - began for one in found if isinstance(one, Answer)]
    assert times == sorted(times)
    assert times[0] >= 0.5
    assert times[-1] < 20 * 0.5


@pytest.mark.parametrize(
    ("planted", "expected"),
    [
        (Planted(Cut(), after=1), [Answer, Closed, Closed]),
        (Planted(Truncate(), after=1, times=1), [Answer, Garbled, Answer]),
        (Planted(Repeat(), after=1, times=1), [Answer, Answer, Garbled]),
        (Planted(Drop(), after=1, times=1), [Answer, Garbled, Closed]),
        (Planted(Drop(), api="Produce"), [Answer, Answer, Answer]),
    ],
    ids=str,
)
def test_a_fault_strikes_the_answers_it_names(
    codec: Codec, planted: Planted, expected: list[type]
) -> None:
    """The first answer is read before more is asked: a request that meets a closed connection
    resets it, and takes away what was not read.
    """
    with through(codec, planted) as (connection, _):
        send(connection)
        first = connection.receive()
        for _ in range(2):
            send(connection)
        assert [
            type(one) for one in (first, connection.receive(), connection.receive())
        ] == expected


def test_a_reset_strikes_the_answer_it_names(codec: Codec) -> None:
    """One request after the other: a reset takes away what its peer has not read yet."""
    with through(codec, Planted(Reset(), after=1)) as (connection, proxy):
        send(connection)
        assert isinstance(connection.receive(), Answer)
        send(connection)
        assert isinstance(connection.receive(), Closed)
        assert awaited(lambda: proxy.struck == (1,), 20)


def test_a_dropped_answer_with_none_behind_it_is_silence(codec: Codec) -> None:
    with through(codec, Planted(Drop())) as (connection, proxy):
        send(connection)
        assert isinstance(connection.receive(0.3), Silent)
        assert proxy.struck == (1,)


def test_an_altered_answer_differs_in_that_field_alone(codec: Codec) -> None:
    with through(codec, Planted(Alter("throttle_time_ms", Add(7)))) as (connection, _):
        send(connection)
        found = connection.receive()
    assert isinstance(found, Answer)
    assert found.value == {**ANSWER, "throttle_time_ms": 7}


def test_a_request_that_gets_no_answer_does_not_shift_the_others(codec: Codec) -> None:
    def answer(frame: bytes) -> bytes:
        return b"" if frame[:2] == b"\0\0" else fetched(codec, frame)

    unanswered: dict[str, object] = {
        "transactional_id": None,
        "acks": 0,
        "timeout_ms": 1,
        "topic_data": [],
    }
    with (
        broker(answer) as address,
        Proxy(address, codec, [Planted(Alter("throttle_time_ms", Put(1)))]) as proxy,
    ):
        with Connection(*proxy.address, codec, timeout=5) as connection:
            connection.send("Produce", 3, unanswered, answered=False)
            send(connection)
            found = connection.receive()
        assert isinstance(found, Answer)
        assert found.value["throttle_time_ms"] == 1


def test_what_is_no_frame_goes_through_as_it_is(codec: Codec) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        Proxy(server.getsockname(), codec) as proxy,
        socket.create_connection(proxy.address) as client,
        client.makefile("rb") as stream,
    ):
        client.sendall(b"GET / HTTP/1.0\r\n\r\n")
        connection, _ = server.accept()
        with connection:
            assert connection.recv(18, socket.MSG_WAITALL) == b"GET / HTTP/1.0\r\n\r\n"
            connection.sendall(b"HTTP/1.0 400 Bad Request\r\n\r\n")
        assert stream.read() == b"HTTP/1.0 400 Bad Request\r\n\r\n"


def test_a_broker_that_is_not_there_is_a_connection_that_ends(codec: Codec) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with (
            Proxy(taken.getsockname(), codec) as proxy,
            Connection(*proxy.address, codec, timeout=5) as connection,
        ):
            send(connection)
            assert isinstance(connection.receive(), Closed)


def test_the_first_field_that_can_be_changed_is_changed_and_no_other() -> None:
    value = {
        "error_code": 0,
        "parts": [
            {"records": None, "error_code": 0},
            {"records": b"ab", "error_code": 0},
            {"records": b"cd"},
        ],
    }
    flipped, changed = alter_field(value, "records", FlipByte(0))
    assert changed
    assert flipped == {
        **value,
        "parts": [
            value["parts"][0],  # type: ignore[index]
            {"records": b"\x9eb", "error_code": 0},
            {"records": b"cd"},
        ],
    }
    assert alter_field(value, "parts.error_code", Put(3))[0]["parts"][0]["error_code"] == 3
    assert alter_field(value, "parts.error_code", Put(3))[0]["error_code"] == 0
    assert alter_field(value, "nothing", Put(3)) == (value, False)


def test_a_cut_never_sends_the_whole(codec: Codec) -> None:
    reply = Reply("Fetch", 4, b"\0\0\0\1")
    assert Cut(1000)(reply, codec) == (Send(b"\0\0\0\4\0\0\0"), End())
    assert Cut(0)(reply, codec) == (Send(b""), End())


def test_brokers_are_found_at_the_proxy_and_no_broker_stays_none() -> None:
    answer = {
        "brokers": [{"node_id": 1, "host": "there", "port": 9092}],
        "coordinators": [{"host": "", "port": -1}],
    }
    assert with_address(answer, "here", 1) == {
        "brokers": [{"node_id": 1, "host": "here", "port": 1}],
        "coordinators": [{"host": "", "port": -1}],
    }


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("cut", Cut()),
        ("high_watermark+1", Alter("high_watermark", Add(1))),
        ("high_watermark-2", Alter("high_watermark", Add(-2))),
        ("partitions.error_code=3", Alter("partitions.error_code", Put(3))),
        ("records~-1", Alter("records", FlipByte(-1))),
    ],
)
def test_a_fault_is_named_on_the_command_line(text: str, fault: object) -> None:
    assert fault_named(text) == fault
