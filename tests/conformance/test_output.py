"""What a terminal, a pipe or a file does to the output never ends a command, nor changes its exit
code.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from conformance.cli import COMMANDS, main
from conformance.cli.console import make_console
from conformance.cli.run_folder import write_outcome, write_report
from results.log import read_log
from results.summary import summarise
from tests.results.synthetic import CLAUSES, small_run, write

SMALL = (
    "run",
    "model",
    "--clause",
    "FET-004",
    "--scenarios",
    "30",
    "--seed",
    "3",
    "--no-report",
    "--no-corpus",
    "--no-restart",
)


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "conformance.cli", *arguments]


def with_closed_pipes(arguments: tuple[str, ...], *, errors: bool = False) -> tuple[int, str]:
    """The exit code of a command whose readers went away before it began, and what it still said on
    standard error.
    """
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            command(*arguments),
            stdout=writer,
            stderr=writer if errors else subprocess.PIPE,
            text=True,
            check=False,
            timeout=120,
        )
    finally:
        os.close(writer)
    return done.returncode, done.stderr or ""


@pytest.mark.system
@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("run", "--help"),
        ("--version",),
        ("spec",),
        ("spec", "FET-004"),
        ("readings",),
        ("explain", "FET-004"),
        ("systems",),
        ("serve", "--list-faults"),
        ("cost",),
    ],
    ids=" ".join,
)
def test_a_closed_pipe_ends_a_command_quietly(arguments: tuple[str, ...]) -> None:
    assert with_closed_pipes(arguments) == (0, "")


@pytest.mark.system
def test_wrong_use_is_wrong_use_without_a_reader_too() -> None:
    assert with_closed_pipes(("spec", "XYZ-1"), errors=True) == (2, "")


@pytest.mark.system
@pytest.mark.parametrize(("fault", "code"), [((), 0), (("--fault", "no-progress"), 1)])
def test_a_run_whose_reader_went_away_continues_to_its_verdict(
    tmp_path: Path, fault: tuple[str, ...], code: int
) -> None:
    assert with_closed_pipes((*SMALL, *fault, "--out", str(tmp_path))) == (code, "")
    (folder,) = tmp_path.iterdir()
    assert not read_log(folder / "events.jsonl").truncated
    assert (folder / "junit.xml").exists()


@pytest.mark.system
@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_character_that_cannot_be_shown_is_replaced(tmp_path: Path, encoding: str) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "LC_ALL": "C"}
    for arguments in (
        (*SMALL, "--out", str(tmp_path)),
        ("spec",),
        ("readings",),
        ("explain", "SHR-123"),
    ):
        done = subprocess.run(
            command(*arguments), capture_output=True, env=environment, check=False, timeout=120
        )
        assert (done.returncode, done.stderr) == (0, b""), arguments
        assert done.stdout


@pytest.mark.system
def test_text_from_outside_is_no_markup(tmp_path: Path) -> None:
    out = tmp_path / "[/dim] [bold]:smile:"
    done = subprocess.run(
        command(*SMALL, "--out", str(out)), capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "[/dim] [bold]:smile:" in done.stdout.replace("\n", "")
    with Console(markup=False).capture():
        made = make_console()
    with made.capture() as captured:
        made.print("[/dim] [red]x[/red] :smile:")
    assert captured.get() == "[/dim] [red]x[/red] :smile:\n"


@pytest.mark.parametrize("option", ["--bootstrap-server", "--image", "--fault"])
@pytest.mark.parametrize("value", ["", " "])
@pytest.mark.parametrize("verb", ["run", "identify"])
def test_an_empty_name_is_wrong_use(verb: str, option: str, value: str) -> None:
    found = CliRunner().invoke(main, [verb, option, value])
    assert found.exit_code == 2
    assert f"{option}: expected" in found.output
    assert "found an empty text" in found.output


@pytest.mark.system
def test_a_step_summary_that_cannot_be_written_takes_nothing_from_the_verdict(
    tmp_path: Path,
) -> None:
    environment = {**os.environ, "GITHUB_STEP_SUMMARY": str(tmp_path / "missing" / "summary.md")}
    arguments = (*SMALL, "--fault", "no-progress", "--out", str(tmp_path / "runs"))
    done = subprocess.run(
        command(*arguments),
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert "VIOLATES" in done.stdout
    assert "note: expected to append to the file" in done.stdout


def test_files_that_cannot_be_written_are_noted_after_the_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    (tmp_path / "junit.xml" / "in the way").mkdir(parents=True)
    (tmp_path / "scenarios").write_text("in the way")
    console = make_console()
    with console.capture() as captured:
        write_outcome(tmp_path, summarise(small_run(), CLAUSES), console, strict=False)
    text = captured.get()
    assert "VIOLATES" in text
    assert f"note: expected to write {tmp_path / 'junit.xml'}" in text
    assert f"note: expected to write {tmp_path / 'scenarios'}" in text
    assert text.index("VIOLATES  ") < text.index("note: expected to write")
    assert (tmp_path / "summary.json").exists()


def test_a_report_that_cannot_be_made_is_a_line(tmp_path: Path) -> None:
    folder = write(tmp_path / "[/dim]", small_run())
    (folder / "report.html" / "in the way").mkdir(parents=True)
    console = make_console()
    with console.capture() as captured:
        write_report(folder, console)
    assert captured.get().startswith(
        f"no report was made: expected to write {folder / 'report.html'}"
    )


@pytest.mark.system
def test_help_imports_no_command() -> None:
    shown = (
        "import sys; from conformance.cli import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "print([name for name in sys.modules if name.startswith(('conformance.cli.', 'spec', "
        "'rich'))])"
    )
    done = subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, check=True)
    # Drafts bring commands, so where drafts are is looked up.
    found = {"conformance.cli.lazy", "conformance.cli.output", "spec", "spec.draft_packages"}
    assert set(eval(done.stdout.splitlines()[-1])) == found


def test_every_command_is_where_the_table_says() -> None:
    for name, (place, summary) in COMMANDS.items():
        found = main.get_command(main.make_context("fencepost", ["spec"]), name)
        assert found is not None, place
        assert found.name == name
        assert len(summary) <= 75
        assert name in CliRunner().invoke(main, ["--help"]).output
