"""The same client over TLS, where bytes come in records and a read may have to wait for a write."""

import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.wire.codec import Codec
from conformance.wire.connection import Connection
from conformance.wire.outcomes import Answer, Closed, NotConnected, Silent
from conformance.wire.security import Security

# A key pair made for this test alone; nothing else trusts it.
KEY_PAIR = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgl5d9Z7c6RdIruRfC
HaCMpuY3Pllgkpw8YwwKV/zdeHuhRANCAARozViz5CzRm8OuaZHBuqDv2C0X6HAx
nSjiPTDebDpjaQzi+lnzwONjMjQpRA5mvmzIPpQPhIzOU4OqTF7PyigA
-----END PRIVATE KEY-----
-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUO6qa2KEA2F9bQ8H0q4vdguwadfAwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyODAzNTg0N1oYDzIxMjYxMTA0
MDM1ODQ3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARozViz5CzRm8OuaZHBuqDv2C0X6HAxnSjiPTDebDpjaQzi+lnzwONj
MjQpRA5mvmzIPpQPhIzOU4OqTF7PyigAo28wbTAdBgNVHQ4EFgQUhXvHM6CUmplH
PuWLLBqepbXLzgowHwYDVR0jBBgwFoAUhXvHM6CUmplHPuWLLBqepbXLzgowDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZI
zj0EAwIDSAAwRQIhAJpdgfdmpwEX/UDLkeV83ICHTs+JwF0DJuWu6OQRPCxZAiBI
rH1FBA9Hcyp7sce94FC6jfm4Y0bwabfuqe4l59GyNw==
-----END CERTIFICATE-----
"""
WAIT = 20.0
SIZE = 300_000


@pytest.fixture
def key_pair(tmp_path: Path) -> Path:
    file = tmp_path / "pair.pem"
    file.write_text(KEY_PAIR)
    return file


@pytest.fixture
def port(codec: Codec, key_pair: Path) -> Iterator[int]:
    """A peer that answers two Produce requests with `SIZE` bytes after the body, ignores a third,
    and closes.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(key_pair)
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(WAIT)

    def read(accepted: ssl.SSLSocket, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = accepted.recv(size - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def serve() -> None:
        plain, _ = listener.accept()
        plain.settimeout(WAIT)
        try:
            with context.wrap_socket(plain, server_side=True) as accepted:
                for number in range(4):
                    frame = read(accepted, int.from_bytes(read(accepted, 4), "big"))
                    asked = codec.decode_request(frame)
                    answer = codec.request("Produce", 9).encode_response(
                        asked.correlation_id, {}
                    ) + bytes(SIZE)
                    if number < 2:
                        accepted.sendall(len(answer).to_bytes(4, "big") + answer)
        except (OSError, EOFError):
            pass  # the client is done, or refused the certificate

    thread = threading.Thread(target=serve)
    thread.start()
    yield listener.getsockname()[1]
    thread.join(WAIT)
    listener.close()


def test_large_frames_both_ways_silence_and_the_end_are_seen_over_tls(
    codec: Codec, key_pair: Path, port: int
) -> None:
    value = {"topic_data": [{"name": "t", "partition_data": [{"records": bytes(SIZE)}]}]}
    context = ssl.create_default_context(cafile=str(key_pair))
    with Connection(
        "127.0.0.1", port, codec, security=Security(context), timeout=WAIT
    ) as connection:
        for _ in range(2):
            connection.send("Produce", 9, value)
        found = [connection.receive() for _ in range(2)]
        assert [each.trailing for each in found if isinstance(each, Answer)] == [SIZE, SIZE]
        connection.send("Produce", 9, {})
        assert isinstance(connection.receive(timeout=0.05), Silent)
        connection.send("Produce", 9, {})
        assert isinstance(connection.receive(), Closed)


def test_a_certificate_that_is_not_trusted_is_unreachable(codec: Codec, port: int) -> None:
    with pytest.raises(NotConnected, match=r"(?i)certificate"):
        Connection(
            "127.0.0.1", port, codec, security=Security(ssl.create_default_context()), timeout=WAIT
        )
