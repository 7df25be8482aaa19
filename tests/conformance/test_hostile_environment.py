"""A run in a hostile environment, as a user meets it: a clear message, the documented exit code,
nothing lost, no process left.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.systems.embedded import Embedded
from results.log import read_log
from spec.canonical import write_scenario
from spec.events import RunFinished
from spec.fetch.steps import Fetch, FetchPartition
from spec.layout import Batch, Layout, Partition
from spec.scenario import Scenario
from tests.processes import awaited, gone

SCENARIO = Scenario(Layout((Partition(((Batch(100),),)),)), (Fetch((FetchPartition(0, 0),)),))
SMALL_DISK = """
import resource, runpy
resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0}))
runpy.run_module("conformance.cli", run_name="__main__", alter_sys=True)
"""
"""The command line where no file can grow past so many bytes, which a write meets as it meets a
full disk.
"""


def invoke(*arguments: str, env: dict[str, str] | None = None) -> tuple[int, str]:
    """Exit code, and the output with its lines joined."""
    found = CliRunner().invoke(main, arguments, env=env)
    return found.exit_code, re.sub(r"\s+", " ", found.output)


class Run:
    """A `run` as a process of its own, whose temporary files lie in a folder that can be looked
    into.
    """

    def __init__(self, folder: Path, *options: str, file_size: int | None = None) -> None:
        self.out = folder / "runs"
        self.temporary = folder / "temporary"
        self.temporary.mkdir(parents=True)
        self._output = folder / "output"
        start = ["-c", SMALL_DISK.format(file_size)] if file_size else ["-m", "conformance.cli"]
        with self._output.open("wb") as output:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    *start,
                    "run",
                    "--no-report",
                    "--no-corpus",
                    "--out",
                    str(self.out),
                    *options,
                ],
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env={**os.environ, "TMPDIR": str(self.temporary)},
            )

    @property
    def log(self) -> Path | None:
        return next(self.out.glob("*/events.jsonl"), None)

    @property
    def folder(self) -> Path:
        assert self.log is not None
        return self.log.parent

    @property
    def output(self) -> str:
        return re.sub(r"\s+", " ", self._output.read_text())

    @property
    def java(self) -> int:
        """The process id of its broker."""
        return int(next(self.temporary.glob("*/broker.pid")).read_text())

    def judging(self) -> None:
        """Wait until it has judged something."""
        under_way = awaited(
            lambda: (
                self.process.poll() is not None
                or (self.log is not None and self.log.stat().st_size > 100_000)
            ),
            120,
        )
        if not under_way or self.process.poll() is not None:
            self.process.kill()
            raise AssertionError(f"the run did not get going: {self.output}")


@pytest.mark.broker
def test_a_broker_that_is_killed_ends_the_run_with_3_and_the_run_can_be_resumed(
    tmp_path: Path,
) -> None:
    run = Run(tmp_path, "--scenarios", "100000")
    run.judging()
    os.kill(run.java, signal.SIGKILL)
    assert run.process.wait(120) == 3, run.output
    assert "the broker's process ended with exit code 137, its log is" in run.output
    assert "--resume" in run.output
    assert "INCONCLUSIVE" in run.output
    assert run.log is not None
    reading = read_log(run.log)
    assert isinstance(reading.events[-1], RunFinished)
    assert reading.events[-1].reason == "broken"
    code, text = invoke(
        "run",
        "--no-report",
        "--resume",
        str(run.folder),
        "--scenarios",
        str(reading.events[-1].scenarios + 100),
    )
    assert code in {0, 3}, text
    last = read_log(run.log).events[-1]
    assert isinstance(last, RunFinished)
    assert last.reason == "done"


@pytest.mark.broker
@pytest.mark.parametrize(
    ("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -9)]
)
def test_the_broker_goes_with_the_run_however_the_run_ends(
    tmp_path: Path, sent: signal.Signals, code: int
) -> None:
    run = Run(tmp_path, "--scenarios", "100000")
    run.judging()
    java = run.java
    assert not gone(java)
    run.process.send_signal(sent)
    assert run.process.wait(60) == code
    assert awaited(lambda: gone(java), 60)
    assert awaited(lambda: not list(run.temporary.glob("fencepost-*")), 60)


@pytest.fixture(scope="module")
def broker() -> Iterator[str]:
    with Embedded("4.3.1") as running:
        yield f"{running.address[0]}:{running.address[1]}"


@pytest.fixture
def facts(tmp_path: Path) -> str:
    """A facts file that says whose broker it is."""
    file = tmp_path / "facts.toml"
    file.write_text('implementation = "apache-kafka"\n')
    return str(file)


@pytest.mark.broker
def test_a_full_disk_ends_the_run_with_4_and_what_was_judged_is_whole(
    tmp_path: Path, broker: str, facts: str
) -> None:
    run = Run(
        tmp_path,
        "--bootstrap-server",
        broker,
        "--facts",
        facts,
        "--scenarios",
        "100000",
        file_size=200_000,
    )
    assert run.process.wait(120) == 4, run.output
    assert "expected to write the event log" in run.output
    assert "free some space, then continue the run by --resume" in run.output
    assert run.log is not None
    reading = read_log(run.log)
    assert reading.truncated
    assert not reading.broken_lines
    code, text = invoke(
        "run",
        "--no-report",
        "--bootstrap-server",
        broker,
        "--resume",
        str(run.folder),
        "--scenarios",
        "400",
    )
    assert code == 0, text


@pytest.mark.broker
def test_two_runs_at_once_on_one_broker_and_one_cache_do_not_meet(
    tmp_path: Path, broker: str, facts: str
) -> None:
    options = ("--bootstrap-server", broker, "--facts", facts, "--strict", "--scenarios", "150")
    runs = [Run(tmp_path / name, *options, "--seed", "11") for name in ("one", "other")]
    assert [run.process.wait(200) for run in runs] == [0, 0], [run.output for run in runs]


@contextmanager
def port(serve: Callable[[socket.socket], None]) -> Iterator[str]:
    """A port where each connection is served so, one after the other."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            while True:
                connection, _ = server.accept()
                with connection:
                    if ended.is_set():
                        return
                    serve(connection)

        ended = threading.Event()
        thread = threading.Thread(target=accept)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        ended.set()
        socket.create_connection(server.getsockname()).close()
        thread.join()


def is_silent(connection: socket.socket) -> None:
    while connection.recv(1000):
        pass


def speaks_http(connection: socket.socket) -> None:
    connection.recv(1000)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")


def cuts_its_answer_short(connection: socket.socket) -> None:
    connection.recv(1000)
    connection.sendall(bytes.fromhex("000000ff 00000012 0000 0000"))


@pytest.mark.parametrize(
    ("serve", "found"),
    [
        (is_silent, "timed out"),
        (speaks_http, "an answer of 1213486160 bytes"),
        (cuts_its_answer_short, "closed after 8 of 255 bytes"),
    ],
)
def test_what_speaks_no_kafka_ends_with_3_and_what_was_found(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    serve: Callable[[socket.socket], None],
    found: str,
) -> None:
    monkeypatch.setattr("conformance.systems.external._PATIENCE_S", 0.2)
    monkeypatch.setattr("conformance.systems.probe.probe.__defaults__", (None, 0.5))
    with port(serve) as address:
        code, text = invoke(
            "run", "--no-report", "--bootstrap-server", address, "--out", str(tmp_path)
        )
    assert code == 3, text
    assert found in text
    assert "check the address" in text
    assert list(tmp_path.iterdir()) == []


class Wrong(BaseHTTPRequestHandler):
    """A Maven repository whose every jar is another one."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"wrong")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name of the class that is extended
        pass


def test_a_jar_with_a_wrong_hash_ends_with_3_and_is_not_kept(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Wrong) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        env = {
            "FENCEPOST_CACHE": str(tmp_path),
            "FENCEPOST_MAVEN_URL": f"http://127.0.0.1:{server.server_address[1]}",
            "no_proxy": "*",
        }
        code, text = invoke("run", "--no-report", env=env)
        server.shutdown()
        thread.join()
    assert code == 3, text
    assert "SHA-256" in text
    assert not [file for file in tmp_path.rglob("*.jar") if file.read_bytes() == b"wrong"]


def test_no_network_and_an_empty_cache_end_with_3_and_the_setting_to_mend(tmp_path: Path) -> None:
    code, text = invoke(
        "run",
        "--no-report",
        env={"FENCEPOST_CACHE": str(tmp_path), "FENCEPOST_MAVEN_URL": "http://127.0.0.1:1/maven"},
    )
    assert code == 3, text
    assert "FENCEPOST_MAVEN_URL" in text


@pytest.mark.parametrize("kept", [0, 1, 40, -2])
def test_a_scenario_file_that_was_cut_short_ends_with_2(tmp_path: Path, kept: int) -> None:
    file = tmp_path / "scenario.json"
    file.write_text(write_scenario(SCENARIO).rstrip()[:kept])
    for command in ("replay", "explain"):
        code, text = invoke(command, str(file))
        assert code == 2, text
        assert "expected" in text


@pytest.mark.parametrize(
    ("option", "content"),
    [
        ("--facts", b"release = "),
        ("--facts", b"\xff\xfe\x00"),
        ("--facts", b'release = "9.9"\n'),
        ("--facts", b"surprise = 1\n"),
        ("--findings", b"[[finding]\n"),
        ("--findings", b"\xff\xfe\x00"),
        ("--findings", b'[[finding]]\nclause = "FET-999"\n'),
        ("--findings", None),
    ],
)
def test_a_corrupt_file_of_facts_or_findings_ends_with_2_before_a_broker_is_started(
    tmp_path: Path, option: str, content: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Embedded, "start", lambda _: pytest.fail("a broker was started"))
    file = tmp_path / "mine.toml"
    if content is not None:
        file.write_bytes(content)
    code, text = invoke("run", "--no-report", option, str(file))
    assert code == 2, text
    assert "mine.toml" in text
    assert "expected" in text


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "name a run folder"),
        (b"", "do it again"),
        (b"not a log\n", "no event"),
        (b'{"kind":"run_started","format":99}\n', "upgrade"),
    ],
)
def test_a_run_folder_that_cannot_be_resumed_says_why(
    tmp_path: Path, content: bytes | None, said: str
) -> None:
    if content is not None:
        (tmp_path / "events.jsonl").write_bytes(content)
    code, text = invoke("run", "--no-report", "--resume", str(tmp_path))
    assert code == 2, text
    assert said in text
