"""`run` and `replay` with a client under test."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.cli.run_header import system_options_to_repeat
from conformance.clients.protocol import COMMANDS
from conformance.clients.registry import Client
from conformance.exit_codes import FOUND, MISUSE, OK, UNREACHABLE
from spec.canonical import to_json
from spec.fairness.steps import AssignPartitions, Poll, StartClient
from spec.layout import Batch, Layout, Partition
from spec.scenario import Scenario

SCENARIO = Scenario(
    Layout((Partition(((Batch(400, records=5),),)),)),
    (StartClient(max_poll_records=3), AssignPartitions((0,)), *[Poll(2000)] * 2),
)
GREETING = {
    "fencepost_client": 1,
    "client": "wrong",
    "version": "1",
    "commands": list(COMMANDS),
    "options": ["auto.offset.reset", "check.crcs.twice", "isolation.level", "max.poll.records"],
}
WRONG = f"""
import json, sys
print({json.dumps(GREETING)!r}, flush=True)
for line in sys.stdin:
    command = json.loads(line)
    if command["do"] == "assign":
        topic = command["partitions"][0][0]
    records = [[topic, 0, 7, None, "no such"]] if command["do"] == "poll" else []
    print(json.dumps({{"ok": {{"records": records}}}}), flush=True)
"""
"""A client that delivers what was never written."""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """A scenario's file."""
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps({"fencepost_scenario": 1, **json.loads(to_json(SCENARIO))}))
    return file


@pytest.fixture
def wrong(tmp_path: Path) -> str:
    """The command that starts a client that is wrong."""
    script = tmp_path / "wrong.py"
    script.write_text(WRONG)
    return f"{sys.executable} {script}"


def invoke(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, list(words))
    return result.exit_code, result.output


@pytest.mark.system
def test_a_history_is_replayed_with_a_client(scenario: Path) -> None:
    code, output = invoke("replay", str(scenario), "--client", "kafka-python")
    assert code == OK, output
    assert "FIXED" in output


@pytest.mark.broker
def test_a_history_is_replayed_with_a_release_of_the_java_client_and_an_option_of_it(
    scenario: Path,
) -> None:
    option = ("--client-option", "group.protocol=consumer")
    code, output = invoke("replay", str(scenario), "--client", "java:4.3.1", *option)
    assert code == OK, output
    code, output = invoke("replay", str(scenario), "--client", "java", *option, "--strict")
    assert (code, "FIXED" in output) == (OK, True), output


@pytest.mark.system
def test_a_client_that_is_wrong_is_found_and_its_history_replayed(
    scenario: Path, wrong: str, tmp_path: Path
) -> None:
    code, output = invoke("replay", str(scenario), "--client-command", wrong)
    assert code == FOUND, output
    assert "FAI-010 violates" in output
    out = tmp_path / "runs"
    option = ("--client-option", "check.crcs.twice=yes")
    run = (
        "run",
        "--client-command",
        wrong,
        *option,
        "--scenarios",
        "1",
        "--seed",
        "1",
        "--shrink",
        "2s",
    )
    code, output = invoke(*run, "--no-corpus", "--no-report", "--out", str(out))
    assert code == FOUND, output
    (folder,) = out.iterdir()
    header = json.loads((folder / "events.jsonl").read_text().splitlines()[0])
    assert (header["system"], header["facts"]["client.version"]) == ("wrong", "1")
    assert header["facts"]["client.tested"] == "1, check.crcs.twice=yes"
    assert (header["options"]["system"], header["options"]["client_command"]) == ("model", wrong)
    smallest = next((folder / "scenarios").glob("FAI-010*"))
    code, output = invoke("replay", str(smallest), "--client-command", wrong)
    assert code == FOUND, output


@pytest.mark.system
def test_a_run_is_done_again_on_the_broker_that_its_client_read_from() -> None:
    nothing = {"bootstrap_server": None, "image": None, "image_settings": None}
    options = {**nothing, "kafka": "4.3.1", "fault": None}
    again = system_options_to_repeat({**options, "system": "embedded", "client": "java"})
    assert again == {"kafka": "4.3.1", "system": "embedded"}
    assert system_options_to_repeat({**options, "system": "embedded"}) == {"kafka": "4.3.1"}


@pytest.mark.system
def test_clients_are_run_one_after_the_other_and_shown_side_by_side(
    wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = tuple(
        [
            Client(name, "a client", lambda _: wrong.split(), lambda: None)
            for name in ("this", "that")
        ]
    )
    monkeypatch.setattr("conformance.cli.clients.CLIENTS", every)
    monkeypatch.setattr("conformance.clients.registry.CLIENTS", every)
    out = tmp_path / "runs"
    words = ("--scenarios", "1", "--seed", "1", "--shrink", "0s", "--no-corpus", "--no-report")
    code, output = invoke("run", "--client", "all", *words, "--out", str(out))
    assert code == FOUND, output
    headers = [
        json.loads((folder / "events.jsonl").read_text().splitlines()[0])
        for folder in sorted(out.iterdir())
    ]
    assert [one["options"]["client"] for one in headers] == ["this", "that"]
    assert len({one["seed"] for one in headers}) == 1
    table = output[output.index("clauses by client") :]
    assert "wrong 1" in table
    assert "VIOLATES" in table
    assert f"`fencepost matrix {out}" in table


@pytest.mark.system
def test_all_clients_are_those_that_can_be_used_here(monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = [
        Client(name, "a client", lambda _: [], lambda: "expected a toolchain")
        for name in ("one", "other")
    ]
    there = [
        Client(name, "a client", lambda _: ["/no/such/client"], lambda: None)
        for name in ("this", "that")
    ]
    every = (*lacking, *there)
    monkeypatch.setattr("conformance.cli.clients.CLIENTS", every)
    monkeypatch.setattr("conformance.clients.registry.CLIENTS", every)
    code, output = invoke("run", "--client", "all", "--scenarios", "1")
    assert code == UNREACHABLE
    assert "one is left out: expected a toolchain" in output
    assert [line.split()[0] for line in output.splitlines() if "──" in line] == ["this", "that"]


@pytest.mark.system
def test_wrong_use_is_refused(scenario: Path) -> None:
    code, output = invoke("replay", str(scenario), "--client", "nosuch")
    assert code == MISUSE
    assert "expected one of the clients java" in output
    code, output = invoke("run", "--client", "kafka-python", "--client-fault", "nosuch")
    assert (code, "skips-a-record" in output) == (MISUSE, True)
    code, output = invoke("run", "--client-fault", "hangs")
    assert (code, "name one by --client" in output) == (MISUSE, True)
    code, output = invoke("run", "--client", "java", "--client-command", "x")
    assert (code, "found both" in output) == (MISUSE, True)
    both = ("run", "--client", "java", "--client", "confluent")
    code, output = invoke(*both, "--resume", "x")
    assert (code, "expected several clients" in output) == (MISUSE, True)
    code, output = invoke(*both, "--kafka", "4.0.2", "--kafka", "4.1.2")
    assert (code, "several releases by --kafka" in output) == (MISUSE, True)
    code, output = invoke("run", "--client", "java", "--subject", "groups")
    assert (code, "expected a subject that tests clients" in output) == (MISUSE, True)
    given = ("run", "--client", "kafka-python", "--client-option")
    code, output = invoke(*given, "no.such=1")
    assert (code, "expected options that kafka-python" in output) == (MISUSE, True), output
    code, output = invoke(*given, "max.poll.records=1")
    assert (code, "that no scenario sets" in output) == (MISUSE, True)
    code, output = invoke(*given, "a")
    assert (code, "expected NAME=VALUE" in output) == (MISUSE, True)
    code, output = invoke(*given, "a=1", "--client-option", "a=2")
    assert (code, "found it twice" in output) == (MISUSE, True)
    code, output = invoke("run", "--client-option", "a=1")
    assert (code, "name one by --client" in output) == (MISUSE, True)
    code, output = invoke("replay", str(scenario), "--client-command", "/no/such/client")
    assert code == UNREACHABLE, output
