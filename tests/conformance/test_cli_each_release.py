"""`fencepost run --kafka A --kafka B`: one run for each release, and the clauses by release."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.cli.console import make_console
from conformance.cli.done import Done
from conformance.cli.each_release import run_each
from conformance.cli.errors import wrong
from results.log import LOG_NAME, read_header

QUICK = ("--scenarios", "6", "--shrink", "0s", "--no-report", "--no-corpus", "--no-restart")


@pytest.mark.parametrize(
    "words",
    [("--bootstrap-server", "localhost:1"), ("--image", "some/image"), ("--resume", "some/folder")],
)
def test_several_releases_and_one_broker_or_run_are_refused(words: tuple[str, str]) -> None:
    found = CliRunner().invoke(main, ["run", "--kafka", "4.0.2", "--kafka", "4.4.0", *words])
    assert found.exit_code == 2
    assert f"expected several releases by --kafka, 4.0.2, 4.4.0, or {words[0]}" in found.output


@pytest.mark.system
def test_each_release_is_asked_the_same_and_shown_by_clause(tmp_path: Path) -> None:
    releases = [word for name in ("4.0.2", "4.4.0", "4.0.2") for word in ("--kafka", name)]
    words = ["model", *releases, "--fault", "no-progress", "--clause", "FET-004", *QUICK]
    found = CliRunner().invoke(main, ["run", *words, "--out", str(tmp_path)])
    assert found.exit_code == 1, found.output
    headers = [read_header(log) for log in sorted(tmp_path.glob(f"*/{LOG_NAME}"))]
    assert [header.options["kafka"] for header in headers] == ["4.0.2", "4.4.0"]
    assert len({header.seed for header in headers}) == 1
    table = found.output[found.output.index("clauses by release") :].splitlines()
    assert table[2].split() == ["clause", "Kafka", "4.0.2", "Kafka", "4.4.0"]
    assert table[4].split() == ["FET-004", "VIOLATES", "VIOLATES"]
    assert f"`fencepost matrix {tmp_path}" in found.output


def test_a_release_that_cannot_be_had_does_not_end_the_others_and_an_interrupt_does(
    capsys: pytest.CaptureFixture[str],
) -> None:
    went: list[str] = []

    def go(release: str) -> Done:
        went.append(release)
        if release == "none":
            raise wrong("there is no such release")
        if release == "interrupted":
            raise KeyboardInterrupt
        return Done({"good": 0, "broken": 1}[release], None, None)

    assert run_each(("good", "broken"), go, make_console()) == 1
    assert run_each(("none", "broken", "good"), go, make_console()) == 2
    assert run_each(("none", "interrupted", "broken"), go, make_console()) == 2
    assert went == ["good", "broken", "none", "broken", "good", "none", "interrupted"]
    assert "there is no such release" in capsys.readouterr().err
