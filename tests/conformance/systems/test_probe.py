"""What is reported of a peer that is no Kafka broker, in plain words."""

import socket
import struct
import threading

import pytest

from conformance.systems.base import Unreachable
from conformance.systems.probe import probe


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
