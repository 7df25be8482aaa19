"""A run that is spread over a Spark cluster: no scenario is lost or counted twice, also where a
worker is killed midway.
"""

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.cli.portion import Portion, play_portion, portions_of
from conformance.cli.run import run as command
from conformance.engine.plan import Plan
from conformance.own_process import own_environment
from results.log import LOG_NAME, read_log
from spec.events import Judged, LayoutPlaced, RunFinished
from tests.spark_cluster import Cluster, standalone_cluster

SCENARIOS = 20
PORTION = 4
WITHIN_S = 500.0


def spread(cluster: Cluster, out: Path) -> subprocess.Popen[bytes]:
    words = ["run", "model", "--scenarios", str(SCENARIOS), "--portion", str(PORTION)]
    words += ["--seed", "5", "--no-corpus", "--no-report", "--no-restart", "--out", str(out)]
    words += ["--spark-master", cluster.master, "--workers", "2"]
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "conformance.cli", *words], env=own_environment()
    )


def await_portions(out: Path, count: int, run: subprocess.Popen[bytes]) -> list[str]:
    """The names of portions that are whole, once they are so many."""
    until = time.monotonic() + WITHIN_S
    while run.poll() is None and time.monotonic() < until:
        whole = sorted(path.parent.name for path in out.glob(f"*/portions/[0-9]*/{LOG_NAME}"))
        if len(whole) >= count:
            return whole
        time.sleep(0.05)
    raise AssertionError(f"expected {count} whole portions, found the run ended: {run.poll()}")


@pytest.mark.spark
def test_a_worker_that_is_killed_loses_no_scenario_and_counts_none_twice(tmp_path: Path) -> None:
    with standalone_cluster(tmp_path / "cluster") as cluster:
        run = spread(cluster, tmp_path / "out")
        try:
            await_portions(tmp_path / "out", 1, run)
            assert all(cluster.executors_of(number) for number in range(2))
            cluster.kill(0)
            assert run.wait(WITHIN_S) == 0
        finally:
            run.kill()
            run.wait()
    (log,) = (tmp_path / "out").glob(f"*/{LOG_NAME}")
    found = read_log(log)
    judged = [event for event in found.events if isinstance(event, Judged)]
    expected: Counter[str] = Counter()
    for portion in portions(tmp_path / "again"):
        play_portion(portion)
        expected += Counter(judged_in(portion))
    assert Counter(one.scenario for one in judged) == expected
    assert len(judged) >= SCENARIOS
    assert not found.truncated
    assert not found.broken_lines
    footer = found.events[-1]
    assert isinstance(footer, RunFinished)
    assert (footer.reason, footer.scenarios) == ("done", len(judged))
    layouts = [event.id for event in found.events if isinstance(event, LayoutPlaced)]
    assert len(layouts) == len(set(layouts))
    assert found.header.run == log.parent.name
    assert not (log.parent / "portions").exists()


def portions(place: Path) -> tuple[Portion, ...]:
    options = command.make_context("run", ["model"]).params
    plan = Plan(5, SCENARIOS, restart=False)
    return portions_of(plan, PORTION, frozenset(), options, "again", place)


def judged_in(portion: Portion) -> list[str]:
    events = read_log(portion.folder / LOG_NAME).events
    return [event.scenario for event in events if isinstance(event, Judged)]


def test_the_portions_of_a_run_are_the_same_for_any_workers_and_have_it_whole() -> None:
    found = portions_of(Plan(5, 25), 10, frozenset(), {}, "r", Path("p"))
    assert [one.plan.scenarios for one in found] == [10, 10, 5]
    assert [one.plan.examples for one in found] == [True, False, False]
    assert [one.plan.seed - 5 for one in found] == [0, 2**31, 2**32]
    assert [one.folder.name for one in found] == ["00000", "00001", "00002"]


@pytest.mark.system
def test_of_two_executors_that_play_a_portion_the_first_to_end_counts(tmp_path: Path) -> None:
    first, second = portions(tmp_path)[1:3]
    play_portion(first)
    before = (first.folder / LOG_NAME).read_bytes()
    play_portion(first)
    assert (first.folder / LOG_NAME).read_bytes() == before
    second.folder.mkdir()
    (second.folder / LOG_NAME).write_text("another executor's\n")
    play_portion(second)
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["00001", "00002"]


@pytest.mark.parametrize("other", [("--time", "5m"), ("--resume", "run")])
def test_what_a_spread_run_can_not_do_is_refused(other: tuple[str, str], tmp_path: Path) -> None:
    words = ["run", "model", "--spark-master", "local[1]", "--out", str(tmp_path), *other]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 2
    assert "--spark-master" in result.output or "event log" in result.output
