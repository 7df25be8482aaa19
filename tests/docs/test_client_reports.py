"""Bug reports on clients in `docs/clients`: what they say is what the client does."""

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.exit_codes import FOUND
from conformance.systems.jars import class_path
from conformance.systems.java import find_java

FOLDER = Path(__file__).parents[2] / "docs" / "clients"


@pytest.mark.broker
def test_the_history_on_kafkas_java_consumer_loses_a_record(tmp_path: Path) -> None:
    file, report = FOLDER / "java-lost-at-an-error.json", tmp_path / "report.md"
    words = ["replay", str(file), "--client", "java", "--markdown", str(report)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == FOUND, done.output
    assert "FAI-020 violates" in done.output
    assert "which it had been sent when a poll failed" in report.read_text()


@pytest.mark.broker
def test_the_program_shows_the_loss_without_fencepost() -> None:
    jars = ":".join([str(jar) for jar in class_path("4.3.1")])
    done = subprocess.run(
        [str(find_java().executable), "-cp", jars, str(FOLDER / "LostRecords.java")],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "Unexpected error code 42" in done.stdout
    assert "found:                 [0@0, 1@1]" in done.stdout
