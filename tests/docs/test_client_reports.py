"""Bug reports on clients in `docs/clients`: what they say is what the client does, by its history
and by a program without Fencepost.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.cli.common import make_codec
from conformance.exit_codes import FOUND, OK
from conformance.faults.proxy import Proxy
from conformance.systems.jars import class_path
from conformance.systems.java import find_java
from conformance.systems.model import Model
from tests.docs.console import ROOT

FOLDER = ROOT / "docs" / "clients"
DELAY_S = 0.25
"""By which answers are late: a producer sends its next batch before the one before is answered."""
BROKER = pytest.mark.broker


@pytest.fixture(scope="module")
def bootstrap() -> Iterator[str]:
    """A broker whose answers are late."""
    codec = make_codec()
    with Model("4.3.1") as model, Proxy(model.address, codec, delay=DELAY_S) as proxy:
        yield "{}:{}".format(*proxy.address)


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)


def run_java(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    jars = ":".join([str(jar) for jar in class_path("4.3.1")])
    java = str(find_java().executable)
    quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=off"
    return run(java, quiet, "-cp", jars, str(FOLDER / program), *arguments)


@BROKER
def test_the_history_on_kafkas_java_consumer_loses_a_record(tmp_path: Path) -> None:
    file, report = FOLDER / "java-lost-at-an-error.json", tmp_path / "report.md"
    words = ["replay", str(file), "--client", "java", "--markdown", str(report)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == FOUND, done.output
    assert "FAI-020 violates" in done.output
    assert "which it had been sent when a poll failed" in report.read_text()


@pytest.mark.system
@pytest.mark.parametrize(
    ("history", "client", "says", "code"),
    [
        ("kafka-python-flush", "kafka-python-producer", "FAI-081 violates", FOUND),
        ("kafka-python-poll", "kafka-python", "FAI-001 violates", FOUND),
        ("librdkafka-truncation", "confluent", "FAI-018 violates", FOUND),
        pytest.param(
            *("java-large-request", "java-producer", "FAI-085 deviates", OK), marks=BROKER
        ),
    ],
)
def test_a_history_shows_what_its_report_says(
    history: str, client: str, says: str, code: int
) -> None:
    words = ["replay", str(FOLDER / f"{history}.json"), "--client", client]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == code, done.output
    assert says in done.output


@BROKER
def test_the_program_shows_the_loss_without_fencepost() -> None:
    done = run_java("LostRecords.java")
    assert done.returncode == 1, done.stderr
    assert "Unexpected error code 42" in done.stdout
    assert "found:                 [0@0, 1@1]" in done.stdout


@BROKER
@pytest.mark.parametrize(
    ("program", "shows"),
    [
        ("SplitBatchTimesOut.java", r"record 0: \S+(TimeoutException|OutOfOrderSequenceException)"),
        ("LargeRequest.java", r"max.request.size 2000, the largest request [3-9]\d\d\d"),
    ],
)
def test_a_program_shows_what_kafkas_producer_does(
    bootstrap: str, program: str, shows: str
) -> None:
    done = run_java(program, bootstrap)
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(shows, done.stdout)


@pytest.mark.system
@pytest.mark.parametrize(
    ("program", "shows"),
    [
        ("flush_fails.py", "UnknownError('Future not done')\noffsets [0, 1]"),
        ("poll_hangs.py", "the next poll has not returned after 10 s"),
    ],
)
def test_a_program_shows_what_kafka_python_does(bootstrap: str, program: str, shows: str) -> None:
    done = run(sys.executable, str(FOLDER / program), bootstrap)
    assert done.returncode == 1, done.stdout + done.stderr
    assert shows in done.stdout
