"""`fencepost diff`: exit codes, and the message about a wrong folder."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.cli import main
from spec.verdict import Verdict
from tests.results.synthetic import conforms, footer, header, judged, layout, violates, write

PLACE = layout((100,))


def run_of(folder: Path, *verdicts: Verdict, end: bool = True) -> Path:
    return write(
        folder, [header(folder.name), judged(PLACE, *verdicts), *([footer()] if end else [])]
    )


def diff(before: Path, after: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["diff", str(before), str(after), *options])


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ((conforms(),), (conforms(),), 0),
        ((violates(),), (violates(),), 0),
        ((violates(),), (conforms(),), 0),
        ((conforms(),), (violates(),), 1),
        ((violates(),), (conforms("FET-004"),), 3),
    ],
)
def test_the_exit_code_says_what_changed(
    tmp_path: Path, before: tuple[Verdict, ...], after: tuple[Verdict, ...], code: int
) -> None:
    found = diff(
        run_of(tmp_path / "a", *before),
        run_of(tmp_path / "b", *after),
        "--json",
        str(tmp_path / "out" / "diff.json"),
    )
    assert found.exit_code == code, found.output
    assert json.loads((tmp_path / "out" / "diff.json").read_text())["scenarios_in_both"] == 1


def test_runs_without_a_common_scenario_say_nothing(tmp_path: Path) -> None:
    other = write(tmp_path / "b", [header("b"), judged(layout((200,)), conforms()), footer()])
    found = diff(run_of(tmp_path / "a", conforms()), other)
    assert found.exit_code == 3
    assert "no scenario in common" in " ".join(found.output.split())


def test_a_log_that_was_cut_short_is_compared_and_said_to_be(tmp_path: Path) -> None:
    found = diff(run_of(tmp_path / "a", conforms()), run_of(tmp_path / "b", violates(), end=False))
    assert found.exit_code == 1
    assert "cut short" in found.output


def test_a_folder_that_is_none_is_wrong_use(tmp_path: Path) -> None:
    found = diff(run_of(tmp_path / "a", conforms()), tmp_path / "nowhere")
    assert found.exit_code == 2
    assert "expected a run folder" in found.output


def test_a_log_that_cannot_be_read_is_wrong_use(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "events.jsonl").write_text("not an event\n")
    found = diff(run_of(tmp_path / "a", conforms()), tmp_path / "b")
    assert found.exit_code == 2
    assert "expected an event log" in found.output


def test_a_file_that_cannot_be_written_is_a_failure_of_ours(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    run = run_of(tmp_path / "a", conforms())
    out = str(tmp_path / "file" / "diff.json")
    found = diff(run, run, "--json", out)
    assert found.exit_code == 4
    assert f"note: expected to write {out}" in found.stderr
    assert "fencepost report" not in found.stderr
    assert diff(run, run_of(tmp_path / "b", violates()), "--json", out).exit_code == 1
