"""The command line: help is quick to read, wrong use names the mend, a run ends with the documented
exit code.
"""

import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from results.log import read_log
from spec.canonical import write_scenario
from spec.catalogue import examples
from spec.fetch.steps import Fetch, FetchPartition
from spec.layout import Batch, Layout, Partition
from spec.requirements import requirement_set
from spec.scenario import Scenario
from spec.share.steps import Pause
from spec.steps import DeleteRecords

SCENARIO = Scenario(
    Layout((Partition(((Batch(100), Batch(200)),)),)), (Fetch((FetchPartition(0, 0, 150),)),)
)


def invoke(*arguments: str) -> tuple[int, str]:
    found = CliRunner().invoke(main, arguments)
    return found.exit_code, found.output


@pytest.mark.parametrize(
    "command", ["run", "replay", "explain", "spec", "report", "diff", "systems", "proxy", "clean"]
)
def test_every_command_has_help(command: str) -> None:
    code, text = invoke(command, "--help")
    assert code == 0
    assert "Usage:" in text
    assert "\\b" not in text


def test_the_requirement_sets_are_listed_and_a_clause_names_its_own() -> None:
    code, text = invoke("spec", "--requirements")
    assert code == 0
    older, newer = (requirement_set("share", release) for release in ("4.1", "4.2"))
    for one in (older, newer):
        assert f"{one.name:<20} {len(one.clauses):>3} clauses, {len(one.excluded)} that" in text
    _, text = invoke("spec", "SHR-123")
    assert older.name not in text
    assert f"counts in: {newer.name}, share-4.3@" in text
    code, text = invoke("spec", "SHR-123", "--requirements")
    assert code == 2
    assert "leave SHR-123 out" in text


def test_the_help_keeps_its_lines() -> None:
    code, text = invoke("--help")
    assert code == 0
    assert "\n  fencepost run --kafka 4.0.2 " in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "nothing"), "fencepost systems"),
        (("run", "--time", "soon"), "90s, 5m or 1h"),
        (("run", "--clause", "FET-999"), "FET-0"),
        (("run", "--clause", "SHR-001"), "expected clauses of the subject fetch, found SHR-001"),
        (("run", "--kafka", "9.9.9"), "such as 4.4.0"),
        (
            ("run", "--kafka", "4.2.2", "--bootstrap-server", "localhost:1"),
            "name the release that the broker is judged as by --facts",
        ),
        (
            ("run", "model", "--fault", "record-limit-rounds-up"),
            "--subject share --fault record-limit-rounds-up",
        ),
        (("run", "--bootstrap-server", "nowhere"), "HOST:PORT"),
        (("run", "--out", f"{__file__}/runs"), "name another place by --out"),
        (("replay", "missing.json"), "expected a scenario file"),
        (("explain", "XYZ-1"), "fencepost spec"),
        (("report", "missing"), "events.jsonl"),
        (("proxy", "--to", "localhost:9092", "--fault", "melt"), "high_watermark+1"),
        (
            ("proxy", "--to", "localhost:9092", "--fault", "high_watermark+" + "9" * 5000),
            "high_watermark+1",
        ),
        (("proxy", "--to", "localhost:9092", "--api", "Fetsch"), "such as Fetch"),
    ],
)
def test_wrong_use_names_the_mend_and_ends_with_2(arguments: tuple[str, ...], said: str) -> None:
    code, text = invoke(*arguments)
    assert code == 2
    assert said in text


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"a": 1}', "fencepost_scenario"),
        ('{"fencepost_scenario": 99}', "upgrade"),
        ("not json", "JSON"),
    ],
)
def test_a_scenario_file_that_is_none_ends_with_2(tmp_path: Path, content: str, said: str) -> None:
    file = tmp_path / "scenario.json"
    file.write_text(content)
    code, text = invoke("replay", str(file))
    assert code == 2
    assert said in text
    assert f"{file}: expected" in text


def test_an_empty_word_is_no_scenario_file() -> None:
    code, text = invoke("explain", "")
    assert code == 2
    assert "expected a scenario file or a clause" in text


@pytest.mark.parametrize("command", ["replay", "explain"])
def test_a_scenario_file_that_asks_what_cannot_be_asked_ends_with_2_and_names_the_field(
    tmp_path: Path, command: str
) -> None:
    file = tmp_path / "scenario.json"
    fetch = Fetch((FetchPartition(0, 0, 150),), max_wait_ms=2**31 - 1)
    file.write_text(write_scenario(Scenario(SCENARIO.layout, (fetch,))))
    code, text = invoke(command, str(file))
    assert code == 2
    assert "$.steps[0].max_wait_ms: expected a wait in milliseconds" in text


@pytest.mark.system
def test_a_batch_that_nobody_can_make_ends_with_2(tmp_path: Path) -> None:
    file = tmp_path / "scenario.json"
    file.write_text(
        write_scenario(Scenario(Layout((Partition(((Batch(61, records=3),),)),)), SCENARIO.steps))
    )
    code, text = invoke("replay", str(file), "model")
    assert code == 2, text
    assert "expected a size of at least 82 for 3 records" in text


@pytest.mark.system
def test_a_replay_that_exercised_nothing_is_not_called_fixed(tmp_path: Path) -> None:
    file = tmp_path / "scenario.json"
    file.write_text(write_scenario(Scenario(SCENARIO.layout, (Pause(1),))))
    code, text = invoke("replay", str(file), "model")
    assert code == 3, text
    assert "ERROR: nothing was exercised" in text
    assert "FIXED" not in text


@pytest.mark.system
def test_a_replay_whose_step_failed_is_not_called_fixed(tmp_path: Path) -> None:
    file = tmp_path / "scenario.json"
    file.write_text(
        write_scenario(Scenario(SCENARIO.layout, (*SCENARIO.steps, DeleteRecords(0, 99))))
    )
    code, text = invoke("replay", str(file), "model")
    assert code == 3, text
    assert "ERROR: step 1 (delete records): expected it to be done, found OFFSET_OUT" in text


@pytest.mark.parametrize("clause", ["SHR-001", "GRP-001"])
def test_explain_shows_a_history_of_members(tmp_path: Path, clause: str) -> None:
    file = tmp_path / "scenario.json"
    file.write_text(write_scenario(examples()[clause][0].scenario))
    code, text = invoke("explain", str(file))
    assert code == 0, text
    assert "answered" in text


def test_an_address_where_nothing_listens_ends_with_3(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.systems.external._PATIENCE_S", 1.0)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        code, text = invoke(
            "run", "--no-report", "--bootstrap-server", f"127.0.0.1:{taken.getsockname()[1]}"
        )
    assert code == 3
    assert "expected a Kafka broker" in text


@pytest.mark.parametrize(
    ("clause", "words"),
    [
        ("SHR-123", "answered 0 to 5 (delivery 1)"),
        ("GRP-001", "answered join group MEMBER_ID_REQUIRED"),
        ("MXR-100", "answered 300 bytes"),
    ],
)
def test_explain_draws_the_examples_of_every_subject(clause: str, words: str) -> None:
    code, text = invoke("explain", clause)
    assert code == 0, text
    assert words in text


def test_explain_says_which_clause_decided_the_bytes(tmp_path: Path) -> None:
    file = tmp_path / "scenario.json"
    file.write_text(write_scenario(SCENARIO))
    code, text = invoke("explain", str(file))
    assert code == 0
    assert "150 bytes, by FET-001" in text


def test_spec_lists_every_clause_and_the_errata() -> None:
    code, text = invoke("spec")
    assert code == 0
    assert "FET-004" in text
    assert "Errata" in text


@pytest.mark.system
def test_a_history_of_groups_is_replayed_under_the_settings_that_it_needs(tmp_path: Path) -> None:
    file = tmp_path / "full.json"
    file.write_text(write_scenario(examples()["GRP-001"][0].scenario), encoding="utf-8")
    code, text = invoke("replay", str(file), "model")
    assert code == 0, text
    assert "FIXED" in text


@pytest.mark.broker
def test_replay_of_a_legal_scenario_is_fixed(tmp_path: Path) -> None:
    file = tmp_path / "scenario.json"
    file.write_text(write_scenario(SCENARIO))
    code, text = invoke("replay", str(file))
    assert code == 0
    assert text.rstrip().endswith("FIXED")


@pytest.mark.broker
def test_a_short_strict_run_conforms_and_leaves_its_files(tmp_path: Path) -> None:
    code, text = invoke(
        "run",
        "--strict",
        "--no-report",
        "--no-corpus",
        "--seed",
        "5",
        "--scenarios",
        "120",
        "--out",
        str(tmp_path),
    )
    assert code == 0, text
    folder = next(tmp_path.iterdir())
    reading = read_log(folder / "events.jsonl")
    assert not reading.truncated
    assert not reading.broken_lines
    assert json.loads((folder / "summary.json").read_text())
    assert (folder / "junit.xml").exists()


def started(tmp_path: Path) -> tuple[subprocess.Popen[bytes], Path]:
    """A run that has judged something."""
    command = [
        sys.executable,
        "-m",
        "conformance.cli",
        "run",
        "--no-report",
        "--no-corpus",
        "--scenarios",
        "100000",
        "--out",
        str(tmp_path),
    ]
    run = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        logs = list(tmp_path.glob("*/events.jsonl"))
        if logs and logs[0].stat().st_size > 100_000:
            return run, logs[0]
        if run.poll() is not None:
            break
        time.sleep(0.005)
    run.kill()
    raise AssertionError("the run did not get going")


@pytest.mark.broker
def test_a_run_is_resumed_with_the_system_it_began_with_or_not_at_all(tmp_path: Path) -> None:
    options = (
        "--no-report",
        "--no-corpus",
        "--out",
        str(tmp_path),
        "--clause",
        "FET-004",
        "--scenarios",
        "20",
        "--seed",
        "5",
    )
    code, _ = invoke("run", "model", *options)
    assert code == 0
    (folder,) = tmp_path.iterdir()
    events = (folder / "events.jsonl").read_bytes()
    code, text = invoke("run", "embedded", "--no-report", "--resume", str(folder))
    assert code == 2
    assert "expected system model, as the run began, found embedded" in text
    code, text = invoke("run", "--no-report", "--clause", "FET-005", "--resume", str(folder))
    assert code == 2
    assert "expected clause FET-004, as the run began, found FET-005" in text
    assert (folder / "events.jsonl").read_bytes() == events
    code, text = invoke("run", "--no-report", "--resume", str(folder))
    assert code == 0, text
    assert "nothing was left to do" in text
    code, text = invoke("run", "--no-report", "--resume", str(folder), "--scenarios", "200")
    assert code == 0, text
    assert "nothing was left to do" not in text
    assert "of them since it was resumed in" in text


@pytest.mark.broker
def test_an_interrupted_run_ends_with_130_and_can_be_resumed(tmp_path: Path) -> None:
    run, log = started(tmp_path)
    run.send_signal(signal.SIGINT)
    assert run.wait(60) == 130
    assert not read_log(log).truncated
    code, text = invoke(
        "run", "--no-report", "--no-corpus", "--resume", str(log.parent), "--scenarios", "400"
    )
    assert code == 0, text


@pytest.mark.broker
def test_a_killed_run_leaves_a_readable_log(tmp_path: Path) -> None:
    run, log = started(tmp_path)
    run.kill()
    run.wait(30)
    reading = read_log(log)
    assert reading.truncated
    assert reading.header.subject == "fetch"
