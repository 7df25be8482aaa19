"""`fencepost findings`: what is listed, and the page that is kept of it."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.findings.file import SHIPPED_FINDINGS, read_findings

PAGE = Path(__file__).parents[2] / "docs" / "findings.md"


def listed(*words: str) -> str:
    """What the command prints."""
    found = CliRunner().invoke(main, ["findings", *words])
    assert found.exit_code == 0, found.output
    return found.output


def test_every_shipped_finding_is_listed() -> None:
    text = listed()
    for path in SHIPPED_FINDINGS:
        for finding in read_findings(path):
            assert f"{finding.clause}  {finding.signature}  ({finding.system}" in text


@pytest.mark.parametrize("system", ["kafka-python", "clients"])
def test_findings_are_chosen_by_their_system_or_their_file(system: str) -> None:
    text = listed(system)
    assert "FAI-001  no return  (kafka-python)" in text
    assert ("(java)" in text) == (system == "clients")
    assert "(kfake)" not in text


def test_findings_are_chosen_by_their_clause_and_wrapped_to_the_width() -> None:
    text = listed("FET-071")
    heads = [line for line in text.splitlines() if line and not line.startswith(" ")]
    assert heads
    assert all(line.startswith("FET-071  ") for line in heads)
    reasons = [line for line in text.splitlines() if line.startswith("  ")]
    assert len(reasons) > len(heads)
    assert all(len(line) <= 80 for line in reasons)


def test_the_page_of_findings_is_what_the_command_prints() -> None:
    """Written by `fencepost findings apache-kafka clients --markdown > docs/findings.md`."""
    assert listed("apache-kafka", "clients", "--markdown") == PAGE.read_text(encoding="utf-8")


def test_a_system_without_findings_is_wrong_use_and_those_with_some_are_named() -> None:
    found = CliRunner().invoke(main, ["findings", "redpanda"])
    assert found.exit_code == 2
    known = "apache-kafka, clients, confluent, java, java-producer, kafka-python"
    assert f"({known}, kafka-python-producer, kfake, tansu)" in found.output
