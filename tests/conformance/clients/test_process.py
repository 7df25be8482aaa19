"""The process of a client: each answer has its deadline, and no process is left."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.clients.process import (
    ClientEnded,
    ClientGarbled,
    ClientProcess,
    ClientSilent,
)
from conformance.clients.protocol import (
    COMMANDS,
    BadMessage,
    Delivered,
    Failure,
    decode_greeting,
    offset_in,
    records_in,
)
from conformance.own_process import own_environment
from conformance.systems.base import StartFailed
from tests.processes import awaited, gone

pytestmark = pytest.mark.system

GREETING = {
    "fencepost_client": 1,
    "client": "scripted",
    "version": "1",
    "commands": list(COMMANDS),
    "options": [],
}
SCRIPTED = f"""
import sys, threading
print({json.dumps(GREETING)!r}, flush=True)
for line in sys.stdin:
    if "hang" in line:
        threading.Event().wait()
    if "end" in line:
        sys.exit("its last words")
    good = '{{"ok": {{}}}}' if "ok" in line else '{{"error": "E"}}'
    print("no json" if "garble" in line else good, flush=True)
"""
COMMAND = (sys.executable, "-c", SCRIPTED)
LONG_S, SHORT_S = 30.0, 0.1


@pytest.fixture
def client() -> Iterator[ClientProcess]:
    """A client that does as a command's name says."""
    with ClientProcess(COMMAND) as client:
        yield client


def test_answers_are_read_in_order(client: ClientProcess) -> None:
    assert client.greeting.client == "scripted"
    assert client.ask({"do": "ok"}, LONG_S) == {}
    assert client.ask({"do": "fail"}, LONG_S) == Failure("E")
    assert client.running


def test_a_client_that_hangs_is_killed_at_its_deadline(client: ClientProcess) -> None:
    pid = client.pid
    assert pid is not None
    with pytest.raises(ClientSilent):
        client.ask({"do": "hang"}, SHORT_S)
    assert awaited(lambda: gone(pid), 30)
    assert not client.running


def test_a_client_that_does_not_read_its_input_is_killed_at_its_deadline(
    client: ClientProcess,
) -> None:
    with pytest.raises(ClientSilent):
        client.ask({"do": "hang", "more": "x" * 1_000_000}, SHORT_S)
    assert not client.running


def test_a_client_that_ends_is_reported_with_its_last_words(client: ClientProcess) -> None:
    with pytest.raises(ClientEnded, match="exit code 1: its last words"):
        client.ask({"do": "end"}, LONG_S)


def test_what_is_no_message_ends_the_client(client: ClientProcess) -> None:
    with pytest.raises(ClientGarbled, match="expected a line of JSON, found 'no json'"):
        client.ask({"do": "garble"}, LONG_S)
    assert not client.running


def test_a_client_that_does_not_greet_is_reported() -> None:
    with pytest.raises(StartFailed, match="ended with exit code 1"):
        ClientProcess([sys.executable, "-c", "import sys; sys.exit('no')"]).start()
    with pytest.raises(StartFailed, match="expected a greeting"):
        ClientProcess([sys.executable, "-c", "print('{}')"]).start()
    with pytest.raises(StartFailed, match="before the deadline"):
        ClientProcess(
            [sys.executable, "-c", "import time; time.sleep(60)"], start_s=SHORT_S
        ).start()


def test_a_client_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    script = (
        "import sys, threading\n"
        "from conformance.clients.process import ClientProcess\n"
        f"client = ClientProcess({COMMAND!r})\n"
        "client.start()\n"
        "print(client.pid, flush=True)\n"
        "threading.Event().wait()\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        text=True,
        env={**own_environment(), "TMPDIR": str(tmp_path)},
    )
    try:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        os.kill(parent.pid, signal.SIGKILL)
        assert awaited(lambda: gone(pid), 30)
    finally:
        parent.kill()
        parent.communicate()


@pytest.mark.parametrize(
    "change",
    [
        {"fencepost_client": 2},
        {"client": ""},
        {"options": "all"},
        {"commands": ["open", "poll"]},
    ],
)
def test_a_greeting_that_lacks_something_is_refused(change: dict[str, object]) -> None:
    assert decode_greeting(json.dumps(GREETING).encode()).version == "1"
    with pytest.raises(BadMessage, match="expected"):
        decode_greeting(json.dumps(GREETING | change).encode())


def test_records_and_offsets_are_read_or_refused() -> None:
    record = ["t", 0, 7, None, "0123456789abcdef"]
    assert records_in({"records": [record]}) == (Delivered("t", 0, 7, None, "0123456789abcdef"),)
    for wrong in ({}, {"records": [record[:4]]}, {"records": [[*record[:2], "7", None, None]]}):
        with pytest.raises(BadMessage):
            records_in(wrong)
    assert offset_in({"offset": 3}) == 3
    with pytest.raises(BadMessage):
        offset_in({"offset": None})
