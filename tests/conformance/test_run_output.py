"""What a run prints: on a terminal, to a pipe, as JSON, or its verdict alone."""

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import validate  # type: ignore[import-untyped]
from rich.console import Console

from conformance.cli import main
from conformance.cli.handlers import Screen, pace_of
from results.export import summary_schema
from results.summary import summarise
from results.terminal import show, verdict_line
from spec.scenario import Scenario
from tests.results.synthetic import (
    CLAUSES,
    HOSTILE,
    conforms,
    deviates,
    fetch,
    flaky,
    header,
    judged,
    layout,
    small_run,
    violates,
)

SMALL = (
    *("run", "model", "--clause", "FET-004", "--scenarios", "30", "--seed", "3"),
    *("--no-report", "--no-corpus", "--no-restart", "--fault", "no-progress"),
)


@pytest.mark.system
def test_json_is_all_of_standard_output_and_the_rest_is_on_standard_error(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "conformance.cli", *SMALL, "--format", "json", "--out", tmp_path],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1
    (line,) = done.stdout.splitlines()
    found = json.loads(line)
    validate(found, summary_schema())
    assert found["verdict"] == "VIOLATES"
    assert "VIOLATES  FET-004" in done.stderr
    (folder,) = tmp_path.iterdir()
    assert json.loads((folder / "summary.json").read_text(encoding="utf-8")) == found


@pytest.mark.system
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_quiet_run_prints_one_line(tmp_path: Path, form: str) -> None:
    asked = [*SMALL, "--quiet", "--format", form, "--out", str(tmp_path)]
    done = CliRunner().invoke(main, asked)
    assert done.exit_code == 1
    assert done.stderr == ""
    (line,) = done.stdout.splitlines()
    assert line.startswith({"text": "VIOLATES  FET-004 broken in", "json": '{"fencepost'}[form])


@pytest.mark.system
def test_files_that_cannot_be_written_take_nothing_from_the_verdict(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    inside = tmp_path / "file"
    runs = ("--quiet", "--out", str(tmp_path / "runs"))
    named = ("--sarif", str(inside / "x.sarif"), "--badge", str(inside / "badge.json"))
    broken = CliRunner().invoke(main, [*SMALL, *runs, *named])
    assert broken.exit_code == 1
    assert broken.stdout.startswith("VIOLATES  FET-004")
    for name in ("x.sarif", "badge.json"):
        assert f"note: expected to write {inside / name}" in broken.stderr
    assert "fencepost report" not in broken.stderr
    held = CliRunner().invoke(main, [*SMALL[:-2], *runs, *named])
    assert held.exit_code == 4, held.output
    assert held.stdout.startswith("CONFORMS")
    assert "x.sarif" in held.stderr


@pytest.mark.system
@pytest.mark.parametrize(("arguments", "code"), [(("findings", "java"), 4), (SMALL, 1)])
def test_a_full_disk_for_the_output_is_one_line(
    tmp_path: Path, arguments: tuple[str, ...], code: int
) -> None:
    out = ("--out", str(tmp_path)) if arguments == SMALL else ()
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "conformance.cli", *arguments, *out],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=120,
        )
    (line,) = done.stderr.splitlines()
    assert line.startswith("expected to write standard output, found: No space left on device")
    assert done.returncode == code


def test_a_form_that_is_not_there_is_wrong_use() -> None:
    done = CliRunner().invoke(main, ["run", "model", "--format", "yaml"])
    assert done.exit_code == 2
    assert "'yaml' is not one of 'text', 'json'" in done.output


def console_of(**settings: object) -> tuple[Console, StringIO]:
    text = StringIO()
    made = Console(file=text, width=100, markup=False, emoji=False, **settings)  # type: ignore[arg-type]
    return made, text


def watched(console: Console) -> None:
    with Screen(console, Path("runs/r1"), 7, 6, timed=False) as screen:
        for event in small_run(hostile=True):
            list(screen(event))


def test_each_kind_of_difference_is_said_once_as_it_comes_to_who_watches() -> None:
    console, text = console_of(force_terminal=True, color_system=None, legacy_windows=False)
    watched(console)
    shown = text.getvalue()
    assert shown.count("VIOLATES  FET-001 'too-much'") == 1
    assert shown.count("deviates FET-002 shorter: expected 900 bytes, found 0") == 1
    assert "\x07" not in shown
    assert "\u202e" not in shown


def test_a_pipe_gets_plain_lines_without_progress() -> None:
    console, text = console_of()
    watched(console)
    shown = text.getvalue()
    assert "VIOLATES  FET-001 'too-much'" in shown
    assert not [char for char in shown if ord(char) < 32 and char != "\n"]
    assert "judging" not in shown


@pytest.mark.parametrize("quiet", [False, True])
def test_a_doubtful_break_is_said_before_it_counts_and_taken_back_if_it_was_not_reproduced(
    quiet: bool,
) -> None:
    console, text = console_of(quiet=quiet)
    late = violates("FET-034", why="late", signature="late")
    lighter = deviates("FET-035", signature="shorter")
    place = layout((1,))
    with Screen(console, Path("runs/r1"), 7, 6, timed=False) as screen:
        list(screen(header()))
        begun = len(text.getvalue().splitlines())
        for one in (late, late, lighter):
            screen.suspect(one)
        list(screen(flaky(Scenario(place, (fetch(),)), late, 0, 1)))
        list(screen(judged(place, conforms())))
        screen.suspect(late)
        list(screen(judged(place, late)))
        screen.suspect(late)
    shown = text.getvalue().splitlines()[begun:]
    if quiet:
        assert shown == []
        return
    assert shown[:3] == [
        "suspected FET-034 'late' in scenario 1, playing it again",
        "not reproduced: FET-034 'late'",
        "suspected FET-034 'late' in scenario 2, playing it again",
    ]
    assert shown[3].startswith("VIOLATES  FET-034 'late', first seen in scenario 2, after ")
    assert len(shown) == 4


def test_a_pipe_gets_the_first_deviation_and_then_the_first_violation_alone() -> None:
    console, text = console_of()
    place = layout((1,))
    lighter, other = deviates("FET-002", signature="less"), deviates("FET-035", signature="late")
    with Screen(console, Path("runs/r1"), 7, 6, timed=False) as screen:
        list(screen(header()))
        begun = len(text.getvalue().splitlines())
        for one in (lighter, other):
            screen.suspect(one)
        for verdicts in ((lighter,), (other,), (other, violates("FET-001")), (lighter,)):
            list(screen(judged(place, *verdicts)))
        screen.suspect(violates("FET-034"))
    shown = text.getvalue().splitlines()[begun:]
    assert [line.partition(", ")[0] for line in shown] == [
        "suspected FET-002 'less' in scenario 1",
        "deviates  FET-002 'less'",
        "VIOLATES  FET-001 'too-much'",
    ]


def test_a_first_deviation_that_was_not_reproduced_is_taken_back() -> None:
    console, text = console_of()
    lighter = deviates("FET-002", signature="less")
    with Screen(console, Path("runs/r1"), 7, 6, timed=False) as screen:
        list(screen(header()))
        begun = len(text.getvalue().splitlines())
        screen.suspect(lighter)
        list(screen(flaky(Scenario(layout((1,)), (fetch(),)), lighter, 0, 1)))
        screen.suspect(lighter)
    shown = text.getvalue().splitlines()[begun:]
    assert shown == [
        "suspected FET-002 'less' in scenario 1, playing it again",
        "not reproduced: FET-002 'less'",
    ]


def test_a_terminal_without_colours_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    summary = summarise(small_run(hostile=True), CLAUSES)
    for name, colour in (("NO_COLOR", False), ("COLUMNS", True)):
        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setenv(name, "100")
        console, text = console_of(
            force_terminal=True, _environ=dict(os.environ) | {"TERM": "xterm-256color"}
        )
        show(summary, console)
        assert ("\x1b[1;31m" in text.getvalue()) is colour
        assert HOSTILE not in text.getvalue()


@pytest.mark.parametrize(
    ("judged", "seconds", "done", "total", "timed", "words"),
    [
        (10, 1.0, 10, 100, False, ""),
        (0, 60.0, 0, 100, False, ""),
        (50, 10.0, 50, 1500, False, "5.0/s, 4:50 left"),
        (50, 10.0, 10.0, 300.0, True, "5.0/s, 4:50 left"),
        (50, 10.0, 120, 100, False, "5.0/s, 0:00 left"),
    ],
)
def test_the_pace_is_a_rate_and_the_time_left(
    judged: int, seconds: float, done: float, total: float, timed: bool, words: str
) -> None:
    assert pace_of(judged, seconds, done, total, timed=timed) == words


def test_the_verdict_line_holds_no_control_character() -> None:
    assert verdict_line(summarise(small_run(hostile=True), CLAUSES)).plain.isprintable()


@pytest.mark.system
def test_a_quiet_run_of_several_releases_names_each(tmp_path: Path) -> None:
    asked = [*SMALL, "--quiet", "--kafka", "4.0.2", "--kafka", "4.3.1", "--out", str(tmp_path)]
    done = CliRunner().invoke(main, asked)
    assert done.exit_code == 1, done.output
    names = [line.partition(": ")[0] for line in done.stdout.splitlines()]
    assert names == ["4.0.2", "4.3.1"]
