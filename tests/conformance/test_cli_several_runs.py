"""`fencepost run --kafka A --kafka B`, or `--subject A --subject B`: one run for each release or
subject, and what they say side by side.
"""

from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.cli.console import make_console
from conformance.cli.done import Done
from conformance.cli.errors import wrong
from conformance.cli.several_runs import Several, run_each
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


@pytest.mark.parametrize(
    ("words", "other"),
    [
        (("--clause", "FET-004"), "--clause"),
        (("--resume", "some/folder"), "--resume"),
        (("--kafka", "4.0.2", "--kafka", "4.4.0"), "several subjects by --subject"),
        (("--client", "java", "--client", "confluent"), "several subjects by --subject"),
    ],
)
def test_several_subjects_and_what_belongs_to_one_run_are_refused(
    words: tuple[str, ...], other: str
) -> None:
    found = CliRunner().invoke(
        main, ["run", "model", "--subject", "fetch", "--subject", "share", *words]
    )
    assert found.exit_code == 2
    assert "expected several" in found.output
    assert f"or {other}, found both" in found.output


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

    def code(*names: str) -> int:
        return run_each(Several("release", "kafka", names), go, make_console())

    assert code("good", "broken") == 1
    assert code("none", "broken", "good") == 2
    assert code("none", "interrupted", "broken") == 2
    assert went == ["good", "broken", "none", "broken", "good", "none", "interrupted"]
    assert "there is no such release" in capsys.readouterr().err


@pytest.mark.system
def test_each_subject_has_a_run_a_verdict_and_files_of_its_own(tmp_path: Path) -> None:
    words = [
        "--subject",
        "fetch",
        "--subject",
        "offsets",
        "--sarif",
        str(tmp_path / "breaks.sarif"),
    ]
    found = CliRunner().invoke(main, ["run", "model", *words, *QUICK, "--out", str(tmp_path)])
    assert found.exit_code == 0, found.output
    verdicts = found.output[found.output.index("verdicts by subject") :].splitlines()
    assert [line.split()[:2] for line in verdicts[1:3]] == [
        ["fetch", "CONFORMS"],
        ["offsets", "CONFORMS"],
    ]
    headers = [read_header(log) for log in tmp_path.glob(f"*/{LOG_NAME}")]
    assert {header.subject for header in headers} == {"fetch", "offsets"}
    assert len({header.seed for header in headers}) == 1
    assert {file.name for file in tmp_path.glob("*.sarif")} == {
        "breaks.fetch.sarif",
        "breaks.offsets.sarif",
    }


def test_all_subjects_but_those_that_cannot_be_tested_there(
    capsys: pytest.CaptureFixture[str],
) -> None:
    codes = {"fetch": 0, "share": 1}

    def go(subject: str) -> Done:
        if subject not in codes:
            raise wrong(f"{subject} needs three brokers")
        return Done(codes[subject], None, None)

    def code(*names: str, if_fit: bool) -> int:
        return run_each(Several("subject", "subject", names, if_fit=if_fit), go, make_console())

    assert code("fetch", "replication", if_fit=True) == 0
    assert "not tested, for the reasons above: replication" in capsys.readouterr().out
    assert code("share", "replication", if_fit=True) == 1
    assert code("fetch", "replication", if_fit=False) == 2
    assert code("replication", if_fit=True) == 2
