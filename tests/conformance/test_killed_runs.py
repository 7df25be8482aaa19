"""A run that is killed is resumed exactly: with what it was killed in, each scenario is judged
once, as without the kill.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.cli.run_folder import lock_folder
from conformance.subjects.registry import RUNNERS
from results.log import LOG_NAME, read_log
from spec.canonical import to_json
from spec.events import Cursor, Judged

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.system

SCENARIOS = {"share": 100, "groups": 100, "fairness": 70}
"""How many are asked of those whose histories take long; of the other subjects 200, more than their
examples.
"""
OPTIONS = ("--seed", "13", "--no-report", "--no-corpus")
AFTER = 6
"""Judged scenarios after which the run is killed, some of a part being judged then."""


def words(subject: str) -> list[str]:
    """The options of a run on the model."""
    return [
        "run",
        "model",
        "--subject",
        subject,
        "--scenarios",
        str(SCENARIOS.get(subject, 200)),
        *OPTIONS,
    ]


def invoke(*arguments: str) -> tuple[int, str]:
    """A command's exit code and what it says."""
    found = CliRunner().invoke(main, list(arguments))
    return found.exit_code, found.output


def judged(folder: Path) -> Counter[str]:
    """How often each scenario was judged in a run."""
    return Counter(
        [
            event.scenario
            for event in read_log(folder / LOG_NAME).events
            if isinstance(event, Judged)
        ]
    )


def killed(out: Path, subject: str) -> Path:
    """The folder of a run that was killed in the midst of a part that is drawn."""
    command = [sys.executable, "-m", "conformance.cli", *words(subject), "--out", str(out)]
    run = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    deadline = time.monotonic() + 300
    while run.poll() is None and time.monotonic() < deadline:
        for log in out.glob(f"*/{LOG_NAME}"):
            _, found, after = log.read_bytes().partition(b'"part":"examples"')
            if found and after.count(b'"kind":"judged"') >= AFTER:
                run.kill()
                run.wait()
                return log.parent
        time.sleep(0.005)
    run.kill()
    raise AssertionError("the run did not get going, or ended before it was killed")


@pytest.mark.parametrize("subject", [runner.subject for runner in RUNNERS if runner.brokers == 1])
def test_a_run_that_was_killed_judges_what_is_left_and_nothing_twice(
    tmp_path: Path, subject: str
) -> None:
    code, text = invoke(*words(subject), "--out", str(tmp_path / "whole"))
    assert code == 0, text
    (whole,) = (tmp_path / "whole").iterdir()
    cut = killed(tmp_path / "cut", subject)
    before = judged(cut)
    assert 0 < before.total() < judged(whole).total()
    code, text = invoke("run", "--no-report", "--resume", str(cut))
    assert code == 0, text
    assert judged(cut) == judged(whole)
    code, text = invoke("run", "--no-report", "--resume", str(cut))
    assert code == 0, text
    assert judged(cut) == judged(whole)


def test_only_one_run_at_a_time_continues_a_folder(tmp_path: Path) -> None:
    code, text = invoke(
        "run", "model", "--scenarios", "5", "--clause", "FET-004", *OPTIONS, "--out", str(tmp_path)
    )
    assert code == 0, text
    (folder,) = tmp_path.iterdir()
    with lock_folder(folder):
        code, text = invoke("run", "--no-report", "--resume", str(folder))
    assert code == 2
    assert "expected a run folder that no run writes to" in text
    assert invoke("run", "--no-report", "--resume", str(folder))[0] == 0


def test_a_log_that_does_not_say_where_the_run_stands_or_is_anothers_is_not_resumed(
    tmp_path: Path,
) -> None:
    code, text = invoke(
        "run", "model", "--scenarios", "5", "--clause", "FET-004", *OPTIONS, "--out", str(tmp_path)
    )
    assert code == 0, text
    (folder,) = tmp_path.iterdir()
    log = folder / LOG_NAME
    found = read_log(log)
    assert any(isinstance(event, Cursor) for event in found.events)
    for changes, said in (
        # What a system says of itself beside its limits is not compared.
        ({"facts": {**found.header.facts, "config.of.the.system": "7"}}, ""),
        ({"format": 1}, "expected a log with cursors"),
        ({"fencepost": "0.0.1"}, "found one of 0.0.1"),
        (
            {"facts": {**found.header.facts, "kafka.version": "4.2.2"}},
            "expected a broker with kafka.version 4.2.2",
        ),
        (
            {"facts": {**found.header.facts, "config.fetch.max.bytes": "7"}},
            "expected a broker with config.fetch.max.bytes 7",
        ),
    ):
        header = replace(found.header, **changes)
        log.write_text("".join([to_json(event) + "\n" for event in (header, *found.events[1:])]))
        code, text = invoke("run", "--no-report", "--resume", str(folder))
        assert code == (2 if said else 0), text
        assert said in " ".join(text.split())
