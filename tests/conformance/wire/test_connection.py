"""The client against a scripted peer: whatever the peer does becomes an outcome, never an
exception.
"""

import select
import selectors
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest

from conformance.wire.codec import Codec
from conformance.wire.connection import Connection
from conformance.wire.encoding import EncodeError
from conformance.wire.frames import BadLength, Frames
from conformance.wire.negotiation import negotiate, negotiate_by
from conformance.wire.outcomes import Answer, Closed, Garbled, NoAnswer, NotConnected, Silent
from conformance.wire.security import Security

WAIT = 20.0


Echo = Callable[..., bytes]


class Peer:
    """The other end of one connection."""

    def __init__(self, accepted: socket.socket) -> None:
        self.socket = accepted

    def frame(self) -> bytes:
        """The next request frame."""
        (size,) = struct.unpack(">i", self._exactly(4))
        return self._exactly(size)

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def send(self, frame: bytes) -> None:
        self.socket.sendall(len(frame).to_bytes(4, "big") + frame)


@contextmanager
def served(script: Callable[[Peer], None]) -> Iterator[int]:
    """Serve one connection by a script, in a thread; give the port."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(WAIT)
    problems: list[BaseException] = []

    def serve() -> None:
        try:
            accepted, _ = listener.accept()
            with accepted:
                accepted.settimeout(WAIT)
                script(Peer(accepted))
        except (OSError, EOFError):
            pass  # the client is done
        except BaseException as problem:  # noqa: BLE001 - it is raised in the test's own thread below
            problems.append(problem)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        thread.join(WAIT)
        listener.close()
    assert not problems, problems


@pytest.fixture
def echo(codec: Codec) -> Echo:
    """Answers each ListOffsets request; the throttle time in the answer is the request's replica
    id.
    """
    request = codec.request("ListOffsets", 6)

    def answer(peer: Peer, *, shift: int = 0) -> bytes:
        asked = codec.decode_request(peer.frame())
        return request.encode_response(
            asked.correlation_id + shift, {"throttle_time_ms": asked.body.value["replica_id"]}
        )

    return answer


def until_closed(peer: Peer) -> None:
    assert peer.socket.recv(1) == b""


def test_requests_that_were_encoded_before_are_sent_together_in_their_order(
    codec: Codec, echo: Echo
) -> None:
    def script(peer: Peer) -> None:
        peer.send(echo(peer))
        peer.send(echo(peer))
        until_closed(peer)

    with served(script) as port, Connection("127.0.0.1", port, codec) as connection:
        request = codec.request("ListOffsets", 6)
        tickets = connection.send_together(
            [request.encode_ahead({"replica_id": number}) for number in (5, 6)]
        )
        outcomes = [connection.receive(), connection.receive()]
    assert [ticket.correlation_id for ticket in tickets] == [0, 1]
    assert [
        outcome.value["throttle_time_ms"] for outcome in outcomes if isinstance(outcome, Answer)
    ] == [5, 6]


def test_an_answer_carries_its_value_length_and_times(codec: Codec, echo: Echo) -> None:
    def script(peer: Peer) -> None:
        peer.send(echo(peer) + b"\7\7")
        until_closed(peer)

    with served(script) as port, Connection("127.0.0.1", port, codec) as connection:
        before = time.monotonic()
        ticket = connection.send("ListOffsets", 6, {"replica_id": 5})
        outcome = connection.receive()
    assert isinstance(outcome, Answer)
    assert outcome.value["throttle_time_ms"] == 5
    assert outcome.trailing == 2
    assert outcome.raw_length == 4 + 1 + 4 + 1 + 1 + 2
    assert before <= ticket.sent_at == outcome.sent_at <= outcome.received_at <= time.monotonic()


def test_pipelined_requests_are_answered_in_order(codec: Codec, echo: Echo) -> None:
    def script(peer: Peer) -> None:
        frames = [echo(peer) for _ in range(50)]
        data = b"".join(len(frame).to_bytes(4, "big") + frame for frame in frames)
        for start in range(0, len(data), 7):
            peer.socket.sendall(data[start : start + 7])
        until_closed(peer)

    with served(script) as port, Connection("127.0.0.1", port, codec) as connection:
        for number in range(50):
            connection.send("ListOffsets", 6, {"replica_id": number})
        assert connection.pending == 50
        found = [connection.receive() for _ in range(50)]
        assert connection.pending == 0
    assert [each.value["throttle_time_ms"] for each in found if isinstance(each, Answer)] == list(
        range(50)
    )


def test_ask_gives_the_value_or_raises_with_the_outcome(codec: Codec, echo: Echo) -> None:
    def script(peer: Peer) -> None:
        peer.send(echo(peer))
        peer.frame()

    with served(script) as port, Connection("127.0.0.1", port, codec) as connection:
        assert connection.ask("ListOffsets", 6, {"replica_id": 3})["throttle_time_ms"] == 3
        with pytest.raises(
            NoAnswer,
            match=(
                "expected an answer to ListOffsets v6, found: the connection was closed before it "
                "came"
            ),
        ) as caught:
            connection.ask("ListOffsets", 6, {})
    assert isinstance(caught.value.outcome, Closed)


def test_ask_opens_a_connection_again_that_the_broker_closed_as_idle(
    codec: Codec, echo: Echo
) -> None:
    closed = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        for _ in range(2):
            accepted, _ = listener.accept()
            with accepted:
                accepted.settimeout(WAIT)
                peer = Peer(accepted)
                peer.send(echo(peer))
            closed.set()

    thread = threading.Thread(target=serve)
    thread.start()
    with listener, Connection("127.0.0.1", listener.getsockname()[1], codec) as connection:
        assert connection.ask("ListOffsets", 6, {"replica_id": 3})["throttle_time_ms"] == 3
        assert closed.wait(WAIT)
        assert select.select([connection], [], [], WAIT)[0]
        assert connection.ask("ListOffsets", 6, {"replica_id": 4})["throttle_time_ms"] == 4
        thread.join(WAIT)


def test_a_peer_that_closes_within_a_frame_is_closed_for_all_that_wait(
    codec: Codec, echo: Echo
) -> None:
    def script(peer: Peer) -> None:
        frame = echo(peer)
        peer.frame()
        peer.send(frame)
        peer.socket.sendall(b"\0\0\0\x50abc")

    with served(script) as port, Connection("127.0.0.1", port, codec) as connection:
        connection.send("ListOffsets", 6, {})
        connection.send("ListOffsets", 6, {})
        assert isinstance(connection.receive(), Answer)
        outcome = connection.receive()
        assert isinstance(outcome, Closed)
        assert (outcome.reason, outcome.received) == ("end of stream", 7)
        assert not connection.alive
        connection.send("ListOffsets", 6, {})
        assert isinstance(connection.receive(), Closed)


def test_a_reset_is_closed_with_its_reason(codec: Codec) -> None:
    def script(peer: Peer) -> None:
        peer.frame()
        peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    with served(script) as port, Connection("127.0.0.1", port, codec) as connection:
        connection.send("ListOffsets", 6, {})
        outcome = connection.receive()
    assert isinstance(outcome, Closed)
    assert "reset" in outcome.reason.lower()


@pytest.mark.parametrize(
    ("length", "text"), [(1025, "frame length 1025, expected 0 to 1024"), (-1, "frame length -1")]
)
def test_a_frame_length_out_of_bounds_is_garbled_before_it_is_read(
    codec: Codec, length: int, text: str
) -> None:
    def script(peer: Peer) -> None:
        peer.frame()
        peer.frame()
        peer.socket.sendall(struct.pack(">i", length))
        until_closed(peer)

    with served(script) as port, Connection("127.0.0.1", port, codec, max_frame=1024) as connection:
        connection.send("ListOffsets", 6, {})
        connection.send("ListOffsets", 6, {})
        outcome = connection.receive()
        assert isinstance(outcome, Garbled)
        assert text in outcome.reason
        assert outcome.raw == struct.pack(">i", length)
        after = connection.receive()
        assert isinstance(after, Closed)
        assert "closed here after frame length" in after.reason


def test_another_correlation_id_is_garbled_and_ends_the_connection(
    codec: Codec, echo: Echo
) -> None:
    def script(peer: Peer) -> None:
        peer.send(echo(peer, shift=1))
        until_closed(peer)

    with served(script) as port, Connection("127.0.0.1", port, codec) as connection:
        connection.send("ListOffsets", 6, {})
        outcome = connection.receive()
    assert isinstance(outcome, Garbled)
    assert outcome.reason == "correlation id 1, expected 0"


def test_a_frame_too_short_for_a_correlation_id_is_garbled(codec: Codec) -> None:
    def script(peer: Peer) -> None:
        peer.frame()
        peer.send(b"\0\0")
        until_closed(peer)

    with served(script) as port, Connection("127.0.0.1", port, codec) as connection:
        connection.send("ListOffsets", 6, {})
        outcome = connection.receive()
    assert isinstance(outcome, Garbled)
    assert "a frame of 2 bytes" in outcome.reason


def test_a_malformed_body_is_garbled_and_the_connection_stays_usable(
    codec: Codec, echo: Echo
) -> None:
    def script(peer: Peer) -> None:
        peer.send(echo(peer)[:-2])
        peer.send(echo(peer))
        until_closed(peer)

    with served(script) as port, Connection("127.0.0.1", port, codec) as connection:
        connection.send("ListOffsets", 6, {})
        outcome = connection.receive()
        assert isinstance(outcome, Garbled)
        assert "the data ends inside it" in outcome.reason
        assert connection.ask("ListOffsets", 6, {"replica_id": 8})["throttle_time_ms"] == 8


def test_silence_is_an_outcome_and_a_late_answer_is_dropped(codec: Codec, echo: Echo) -> None:
    release = threading.Event()

    def script(peer: Peer) -> None:
        first = echo(peer)
        assert release.wait(WAIT)
        peer.send(first)
        peer.send(echo(peer))
        until_closed(peer)

    with served(script) as port, Connection("127.0.0.1", port, codec) as connection:
        connection.send("ListOffsets", 6, {"replica_id": 1})
        outcome = connection.receive(timeout=0.05)
        assert isinstance(outcome, Silent)
        assert 0.05 <= outcome.waited < 5
        connection.send("ListOffsets", 6, {"replica_id": 2})
        release.set()
        answer = connection.receive()
        assert isinstance(answer, Answer)
        assert answer.value["throttle_time_ms"] == 2


def test_an_unfinished_frame_counts_as_silence(codec: Codec) -> None:
    release = threading.Event()

    def script(peer: Peer) -> None:
        peer.frame()
        peer.socket.sendall(b"\0\0\0\x10\0\0")
        assert release.wait(WAIT)

    with served(script) as port, Connection("127.0.0.1", port, codec) as connection:
        connection.send("ListOffsets", 6, {})
        outcome = connection.receive(timeout=0.2)
        release.set()
    assert isinstance(outcome, Silent)
    assert outcome.received == 6


def test_a_request_without_an_answer_is_not_waited_for(codec: Codec, echo: Echo) -> None:
    def script(peer: Peer) -> None:
        peer.frame()
        peer.send(echo(peer))
        until_closed(peer)

    with served(script) as port, Connection("127.0.0.1", port, codec) as connection:
        connection.send("Produce", 9, {"acks": 0}, answered=False)
        assert connection.pending == 0
        assert connection.ask("ListOffsets", 6, {"replica_id": 4})["throttle_time_ms"] == 4


def test_large_requests_and_answers_do_not_block_each_other(codec: Codec) -> None:
    produce = codec.request("Produce", 9)
    size, count = 1_000_000, 12

    def script(peer: Peer) -> None:
        for number in range(count):
            peer.frame()
            peer.send(produce.encode_response(number, {}) + bytes(size))
        until_closed(peer)

    value = {"topic_data": [{"name": "t", "partition_data": [{"records": bytes(size)}]}]}
    with served(script) as port, Connection("127.0.0.1", port, codec) as connection:
        for _ in range(count):
            connection.send("Produce", 9, value)
        found = [connection.receive() for _ in range(count)]
    assert [each.trailing for each in found if isinstance(each, Answer)] == [size] * count


def test_many_connections_are_driven_by_one_selector(codec: Codec, echo: Echo) -> None:
    def script(peer: Peer) -> None:
        for _ in range(3):
            peer.send(echo(peer))
        peer.frame()

    with served(script) as one, served(script) as two, selectors.DefaultSelector() as selector:
        connections = [Connection("127.0.0.1", port, codec) for port in (one, two)]
        outcomes: dict[int, list[object]] = {}
        for connection in connections:
            for number in range(4):
                connection.send("ListOffsets", 6, {"replica_id": number})
            outcomes[connection.fileno()] = []
            selector.register(connection, selectors.EVENT_READ, connection)
        deadline = time.monotonic() + WAIT
        while any(connection.pending for connection in connections):
            assert time.monotonic() < deadline
            for key, _ in selector.select(timeout=1):
                for ticket, outcome in key.data.poll_ready():
                    outcomes[key.data.fileno()].append((ticket.correlation_id, type(outcome)))
        for connection in connections:
            connection.close()
    expected = [(0, Answer), (1, Answer), (2, Answer), (3, Closed)]
    assert list(outcomes.values()) == [expected, expected]


def test_polling_reports_silence_after_the_timeout(codec: Codec) -> None:
    def script(peer: Peer) -> None:
        peer.frame()
        until_closed(peer)

    with served(script) as port, Connection("127.0.0.1", port, codec, timeout=0.1) as connection:
        connection.send("ListOffsets", 6, {})
        assert connection.poll_ready() == []
        ready: list[object] = []
        deadline = time.monotonic() + WAIT
        with selectors.DefaultSelector() as selector:
            selector.register(connection, selectors.EVENT_READ)
            while not ready and time.monotonic() < deadline:
                selector.select(timeout=0.05)
                ready = [outcome for _, outcome in connection.poll_ready()]
        assert connection.pending == 0
    assert [type(each) for each in ready] == [Silent]


def test_our_own_misuse_is_raised(codec: Codec, echo: Echo) -> None:
    def script(peer: Peer) -> None:
        until_closed(peer)

    with served(script) as port:
        connection = Connection("127.0.0.1", port, codec)
        with pytest.raises(ValueError, match="expected a request whose outcome is still to come"):
            connection.receive()
        with pytest.raises(EncodeError, match="replica"):
            connection.send("ListOffsets", 6, {"replica": 1})
        connection.close()
        with pytest.raises(ValueError, match="closed here"):
            connection.send("ListOffsets", 6, {})
        assert connection.poll_ready() == []


def test_an_address_where_nothing_listens_is_unreachable(codec: Codec) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(NotConnected, match=f"expected a broker at 127.0.0.1:{port}"):
        Connection("127.0.0.1", port, codec)


def test_a_peer_that_speaks_no_tls_is_unreachable_over_tls(codec: Codec) -> None:
    def script(peer: Peer) -> None:
        peer.socket.recv(100)
        peer.socket.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with served(script) as port, pytest.raises(NotConnected, match="expected a broker"):
        Connection(
            "127.0.0.1", port, codec, security=Security(ssl.create_default_context()), timeout=5
        )


ANSWER = {
    "api_keys": [
        {"api_key": 18, "min_version": 0, "max_version": 4},
        {"api_key": 1, "min_version": 4, "max_version": 12},
    ],
    "supported_features": [{"name": "group.version", "min_version": 0, "max_version": 1}],
    "finalized_features": [
        {"name": "group.version", "min_version_level": 1, "max_version_level": 1}
    ],
    "finalized_features_epoch": 12,
}


def test_negotiation_gives_ranges_and_features(codec: Codec) -> None:
    def script(peer: Peer) -> None:
        asked = codec.decode_request(peer.frame())
        assert (asked.version, asked.body.value["client_software_name"]) == (4, "fencepost")
        peer.send(codec.request("ApiVersions", 4).encode_response(asked.correlation_id, ANSWER))
        until_closed(peer)

    with served(script) as port, Connection("127.0.0.1", port, codec) as connection:
        found = negotiate(connection)
    assert (found.error_code, found.version) == (0, 4)
    assert found.ranges == {18: (0, 4), 1: (4, 12)}
    assert found.usable(codec, "Fetch") == range(4, 13)
    assert not found.usable(codec, "Produce")
    assert (found.supported, found.finalized) == (
        {"group.version": (0, 1)},
        {"group.version": (1, 1)},
    )
    assert found.finalized_epoch == 12


@pytest.mark.parametrize(
    ("named", "second"), [([{"api_key": 18, "min_version": 0, "max_version": 3}], 3), ([], 0)]
)
def test_negotiation_falls_back_where_its_version_is_unsupported(
    codec: Codec, named: list[dict[str, int]], second: int
) -> None:
    def script(peer: Peer) -> None:
        asked = codec.decode_request(peer.frame())
        peer.send(
            codec.request("ApiVersions", 0).encode_response(
                asked.correlation_id, {"error_code": 35, "api_keys": named}
            )
        )
        asked = codec.decode_request(peer.frame())
        assert asked.version == second
        keys = {"api_keys": ANSWER["api_keys"]}
        peer.send(codec.request("ApiVersions", second).encode_response(asked.correlation_id, keys))
        until_closed(peer)

    with served(script) as port, Connection("127.0.0.1", port, codec) as connection:
        found = negotiate(connection)
    assert (found.error_code, found.version) == (0, second)
    assert found.ranges[1] == (4, 12)
    assert found.finalized_epoch == -1


@contextmanager
def scripted(*scripts: Callable[[Peer], None]) -> Iterator[Callable[[Codec], Connection]]:
    """A way to connect to one peer after the other, each with its script."""
    left = iter(scripts)
    with ExitStack() as stack:

        def connect(codec: Codec) -> Connection:
            stack.close()
            port = stack.enter_context(served(next(left)))
            return stack.enter_context(Connection("127.0.0.1", port, codec))

        yield connect


def closes(peer: Peer) -> None:
    peer.frame()


def test_lower_versions_of_api_versions_are_tried_where_the_first_is_not_answered(
    codec: Codec,
) -> None:
    def nonsense(peer: Peer) -> None:
        asked = codec.decode_request(peer.frame())
        assert asked.version == 2
        peer.send(asked.correlation_id.to_bytes(4, "big") + b"\0\0\x7f\xff\xff\xff")
        until_closed(peer)

    def oldest(peer: Peer) -> None:
        asked = codec.decode_request(peer.frame())
        assert asked.version == 0
        entry = {"api_key": 1, "min_version": 4, "max_version": 12}
        answer = {"error_code": 0, "api_keys": [entry]}
        peer.send(codec.request("ApiVersions", 0).encode_response(asked.correlation_id, answer))
        until_closed(peer)

    with scripted(closes, nonsense, oldest) as connect:
        found = negotiate_by(lambda: connect(codec))
    assert (found.version, found.ranges) == (0, {1: (4, 12)})
    assert [text[:4] for text in found.unread] == ["v4: ", "v2: "]


def test_api_versions_without_an_answer_in_any_version_names_kip_511(codec: Codec) -> None:
    raises = pytest.raises(NoAnswer, match=r"ApiVersions v4.*to v2: .*to v0: .*KIP-511")
    with scripted(closes, closes, closes) as connect, raises as failed:
        negotiate_by(lambda: connect(codec))
    assert isinstance(failed.value.outcome, Closed)


def test_frames_are_cut_wherever_the_bytes_are() -> None:
    data = b"".join(len(each).to_bytes(4, "big") + each for each in (b"one", b"", b"three"))
    for step in range(1, len(data) + 1):
        frames = Frames(100)
        found = []
        for start in range(0, len(data), step):
            frames.feed(data[start : start + step])
            while (frame := frames.next()) is not None:
                found.append(frame)
        assert found == [b"one", b"", b"three"]
        assert frames.buffered == 0
    frames = Frames(2)
    frames.feed(b"\0\0\0\3")
    with pytest.raises(BadLength, match="frame length 3, expected 0 to 2"):
        frames.next()


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (
            Closed("end of stream", 0, 61127.29),
            "the connection was closed before it came (end of stream)",
        ),
        (
            Closed("connection reset", 12, 1.0),
            "the connection was closed before it came (connection reset, after 12 bytes of it)",
        ),
        (Silent(5.0, 0, 1.0), "none within 5.0 s"),
        (Garbled("length -5", b"x", 1.0), "one that can't be read: length -5"),
    ],
)
def test_what_came_instead_of_an_answer_is_stated_in_words(
    outcome: Closed | Silent | Garbled, said: str
) -> None:
    assert str(NoAnswer("Fetch", 16, outcome)) == f"expected an answer to Fetch v16, found: {said}"
