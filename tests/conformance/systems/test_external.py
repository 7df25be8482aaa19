import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from conformance.misuse import BadConfiguration
from conformance.systems import external, properties
from conformance.systems.base import Unreachable
from conformance.systems.external import External, addresses
from conformance.systems.probe import Probe, probe

GARBAGE = b"HTTP/1.1 400 Bad Request\r\n\r\n"


@contextmanager
def listening(serve: Callable[[socket.socket], None]) -> Iterator[tuple[str, int]]:
    """A server that serves one connection."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def run() -> None:
            connection, _ = server.accept()
            with connection:
                serve(connection)

        thread = threading.Thread(target=run)
        thread.start()
        yield server.getsockname()
        thread.join()


def framed(body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + body


def answer_as_broker(connection: socket.socket) -> None:
    """ApiVersions v0 with one entry (Fetch 4 to 17), then Metadata v4 with one broker and the
    cluster id "id".
    """
    connection.recv(1000)
    connection.sendall(framed(bytes.fromhex("00000012 0000 00000001 0001 0004 0011")))
    connection.recv(1000)
    broker = bytes.fromhex("00000007 0001 68 00002384 ffff")
    connection.sendall(
        framed(
            bytes.fromhex("00000003 00000000 00000001")
            + broker
            + bytes.fromhex("0002 6964 00000007 00000000")
        )
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=b", {"a": "b"}),
        ("a = b c ", {"a": "b c "}),
        ("a:b", {"a": "b"}),
        ("a b", {"a": "b"}),
        ("a", {"a": ""}),
        ("# note\n! note\n\n  a=1", {"a": "1"}),
        ("a=1,\\\n   2,\\\n   3\nb=4", {"a": "1,2,3", "b": "4"}),
        ("a\\=b=c\\\\d\\te", {"a=b": "c\\d\te"}),
        ("a=\\u00e9\\:", {"a": "é:"}),
        ("a=1\r\na=2", {"a": "2"}),
        ("a=# no note", {"a": "# no note"}),
        ("a=x\\", {"a": "x"}),
    ],
)
def test_properties_are_read_as_java_reads_them(text: str, expected: dict[str, str]) -> None:
    assert properties.parse(text) == expected


def test_a_broken_escape_names_the_line_and_not_its_content() -> None:
    with pytest.raises(BadConfiguration, match="line 2") as refused:
        properties.parse("a=1\npassword=\\u12secret")
    assert "secret" not in str(refused.value)


def test_a_missing_properties_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadConfiguration, match=r"missing\.properties"):
        External("localhost:9092", tmp_path / "missing.properties")


def test_bootstrap_servers_are_hosts_and_ports() -> None:
    assert addresses("a:1, [::1]:9092,b.c:65535") == (("a", 1), ("::1", 9092), ("b.c", 65535))


@pytest.mark.parametrize(
    "server",
    [
        "localhost",
        "localhost:",
        ":9092",
        "localhost:0",
        "localhost:65536",
        "::1:9092",
        "a:1,",
        "a:\uff19",
    ],
)
def test_what_is_no_host_and_port_is_refused(server: str) -> None:
    with pytest.raises(BadConfiguration, match="expected HOST:PORT"):
        addresses(server)


def test_credentials_before_an_address_are_not_shown() -> None:
    with pytest.raises(BadConfiguration) as refused:
        addresses("someone:s3cret@host:9092")
    assert "s3cret" not in str(refused.value)


def test_secrets_and_addresses_stay_out_of_facts_and_repr(tmp_path: Path) -> None:
    config = tmp_path / "client.properties"
    config.write_text(
        "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nssl.key.password=s3cret\n"
        'sasl.jaas.config=a.PlainLoginModule required username="s3cret" password="s3cret";\n'
    )
    said: list[str] = []
    system = External("somewhere.example:9092", config, said.append)
    shown = f"{system!r} {system.security!r} {dict(system.facts())} {said}"
    assert system.facts()["security.protocol"] == "SASL_PLAINTEXT"
    assert "s3cret" not in shown
    assert "somewhere" not in shown


def test_a_broker_that_answers_is_found_and_described() -> None:
    with listening(answer_as_broker) as server:
        assert probe(server) == Probe("id", ((7, "h", 9092),), ((1, 4, 17),))


def test_the_first_server_that_answers_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(external, "_PATIENCE_S", 0.1)
    with listening(answer_as_broker) as server:
        system = External(f"127.0.0.1:1,127.0.0.1:{server[1]}")
        system.start()
        assert system.address == server
        system.stop()
    with pytest.raises(Unreachable, match="call start"):
        _ = system.address


@pytest.mark.parametrize(
    ("sent", "found"),
    [
        (b"", "closed after 0 of 4 bytes"),
        (GARBAGE, "an answer of 1213486160 bytes"),
        (framed(b"\0\0\0\x12\0\x23\0\0\0\0"), "error code 35"),
        (framed(b"\0\0\0\x09\0\0\0\0\0\0"), "an answer to another request"),
        (framed(b"\0\0\0\x12\0\0\x7f\xff\xff\xff"), "2147483647 entries"),
        (framed(b"\0\0\0\x12\0"), "an answer that can't be read"),
    ],
)
def test_what_answers_otherwise_is_no_broker(sent: bytes, found: str) -> None:
    def serve(connection: socket.socket) -> None:
        connection.recv(1000)
        connection.sendall(sent)

    with listening(serve) as server, pytest.raises(Unreachable, match=found):
        probe(server)


def test_nothing_listening_says_what_to_check() -> None:
    with pytest.raises(Unreachable, match=r"Connection refused.*check the address"):
        probe(("127.0.0.1", 1))
