"""`fencepost matrix`: which releases it takes, its exit codes, and its table."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.cli import main
from tests.results.synthetic import conforms, footer, header, judged, layout, violates, write

PLACE = layout((100,))


def matrix(*words: str) -> Result:
    return CliRunner().invoke(main, ["matrix", *words])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--kafka", "3.1"), "expected a release of Kafka 3.7, 3.8, 3.9, 4.0, "),
        (("/nowhere",), "expected a run folder with events.jsonl at /nowhere"),
        ((".", "--kafka", "4.3.1"), "expected RUN folders, or releases and subjects"),
    ],
)
def test_wrong_use_is_said_before_anything_is_started(words: tuple[str, ...], message: str) -> None:
    found = matrix(*words)
    assert found.exit_code == 2
    assert message in " ".join(found.output.split())


def test_runs_that_are_there_are_put_side_by_side(tmp_path: Path) -> None:
    one = write(tmp_path / "a", [header("a"), judged(PLACE, conforms()), footer()])
    other = header("b", system="other")
    two = write(tmp_path / "b", [other, judged(PLACE, violates()), footer()])
    found = matrix(str(one), str(two), "--json", str(tmp_path / "m.json"))
    assert found.exit_code == 0, found.output
    assert "VIOLATES" in found.output
    written = json.loads((tmp_path / "m.json").read_text())
    assert written["systems"] == ["embedded as 4.3", "other as 4.3"]


@pytest.mark.broker
def test_each_subject_is_run_on_each_release(tmp_path: Path) -> None:
    words = ("--subject", "produce", "--subject", "offsets", "--scenarios", "3")
    found = matrix("--kafka", "4.3.1", *words, "--out", str(tmp_path))
    assert found.exit_code == 0, found.output
    lines = found.output.splitlines()
    assert lines[0].startswith("Kafka 4.3.1, produce: CONFORMS")
    assert lines[1].startswith("Kafka 4.3.1, offsets: CONFORMS")
    assert len(list(tmp_path.glob("matrix-*/*/events.jsonl"))) == 2
    again = matrix(*[str(log.parent) for log in sorted(tmp_path.glob("matrix-*/*/events.jsonl"))])
    table = found.output[found.output.index(" clause  ") :]
    assert again.output[again.output.index(" clause  ") :] == table
