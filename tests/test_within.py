"""Quick tests stay within pytest's own process; these are quick tests themselves."""

import os
import socket
import subprocess
import sys
import threading

import pytest

from tests.within import GUARD, is_own, leaves

Refused = pytest.fail.Exception


def test_a_quick_test_starts_no_program() -> None:
    with pytest.raises(Refused, match=r"found subprocess\.Popen.*; mark it `system`"):
        subprocess.run([sys.executable, "-c", ""], check=True)


def test_a_quick_test_does_not_fork() -> None:
    with pytest.raises(Refused, match=r"found os\.fork"):
        os.fork()
    with pytest.raises(Refused, match=r"found os\.system"):
        os.system("true")


def test_a_quick_test_reaches_no_other_machine() -> None:
    with socket.socket() as sock, pytest.raises(Refused, match=r"found socket\.connect"):
        sock.connect(("192.0.2.1", 9092))
    with pytest.raises(Refused, match=r"found socket\.getaddrinfo"):
        socket.create_connection(("broker.example", 9092))


def test_what_a_thread_tries_fails_the_test_that_started_it() -> None:
    swallowed = []

    def act() -> None:
        try:
            subprocess.Popen([sys.executable, "-c", ""])
        except Refused as problem:
            swallowed.append(str(problem))

    @GUARD.watch()
    def watched() -> None:
        thread = threading.Thread(target=act)
        thread.start()
        thread.join()

    with pytest.raises(Refused, match=r"found subprocess\.Popen"):
        watched()
    assert len(swallowed) == 1
    assert GUARD.refused == []


def test_the_model_may_be_served_to_its_own_process() -> None:
    with socket.create_server(("localhost", 0)) as server:
        host, port = server.getsockname()
        with socket.create_connection((host, port)) as client:
            assert client.getpeername() == (host, port)


@pytest.mark.parametrize(
    "host", [None, "", "localhost", b"127.0.0.1", "127.9.9.9", "::1", "0.0.0.0"]
)
def test_own_hosts(host: str | bytes | None) -> None:
    assert is_own(host)


def test_names_of_others_leave_and_files_do_not() -> None:
    assert leaves("socket.sendto", (None, ("198.51.100.7", 53)))
    assert leaves("socket.gethostbyname", ("kafka",))
    assert not leaves("socket.connect", (None, "/run/a.socket"))
    assert not leaves("open", ("/etc/hosts", "r", 0))


@pytest.mark.system
def test_a_test_that_is_marked_may_start_one() -> None:
    assert (
        subprocess.run([sys.executable, "-c", "print(1)"], check=True, capture_output=True).stdout
        == b"1\n"
    )
