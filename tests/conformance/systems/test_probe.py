"""What is reported of a peer that is no Kafka broker, in plain words."""

import socket
import struct
import threading
from contextlib import suppress

import pytest

from conformance.systems.base import Unreachable
from conformance.systems.probe import await_broker, probe


def test_a_peer_that_drips_bytes_is_waited_for_no_longer_than_a_silent_one() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        over = threading.Event()

        def serve() -> None:
            peer, _ = listening.accept()
            with peer, suppress(OSError):
                peer.recv(4096)
                peer.sendall(struct.pack(">i", 1000))
                while not over.wait(0.05):
                    peer.sendall(b"x")

        served = threading.Thread(target=serve)
        served.start()
        with pytest.raises(Unreachable, match=r"found \d+ of 1000 bytes of an answer in time"):
            probe(listening.getsockname(), timeout=0.5)
        over.set()
        served.join()


def test_what_is_waited_for_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.systems.probe._ATTEMPT_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        said: list[str] = []
        host, port = listening.getsockname()
        with pytest.raises(Unreachable, match="it timed out"):
            await_broker((host, port), timeout=1.2, say=said.append)
    assert said == [f"waiting for {host}:{port} to answer ApiVersions and Metadata, at most 1 s"]


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (b"", "found the connection closed after 0 of 4 bytes"),
        (struct.pack(">ii", 4, 18), "found an answer that can't be read"),
        (struct.pack(">iihi", 10, 18, 0, 0), "found ApiVersions answered with error code 0"),
    ],
)
def test_a_strange_answer_is_reported_without_names_of_python(answer: bytes, found: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            peer, _ = listening.accept()
            with peer:
                peer.recv(4096)
                peer.sendall(answer)

        served = threading.Thread(target=serve)
        served.start()
        with pytest.raises(Unreachable) as refused:
            probe(listening.getsockname())
        served.join()
    assert found in str(refused.value)
    assert "Error:" not in str(refused.value)
