"""A run that is spread over a Spark cluster: no scenario is lost or counted twice, also where a
worker is killed midway.
"""

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from click import ClickException
from click.testing import CliRunner

from conformance.cli import main
from conformance.cli.portion import Division, Portion, play_portion
from conformance.cli.resuming import must_be_the_same
from conformance.cli.run import run as command
from conformance.engine.plan import Plan
from conformance.own_process import own_environment
from results.log import LOG_NAME, LogReading, read_log
from spec.events import Judged, LayoutPlaced, RunFinished
from tests.processes import awaited, gone
from tests.results.synthetic import header
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
    return every(Division(plan, PORTION, frozenset(), options, "again", place))


def every(division: Division) -> tuple[Portion, ...]:
    assert division.count is not None
    return tuple([division.portion(number) for number in range(division.count)])


def judged_in(portion: Portion) -> list[str]:
    return judged_of(read_log(portion.folder / LOG_NAME))


def judged_of(log: LogReading) -> list[str]:
    return [event.scenario for event in log.events if isinstance(event, Judged)]


def test_the_portions_of_a_run_are_the_same_for_any_workers_and_have_it_whole() -> None:
    found = every(Division(Plan(5, 25), 10, frozenset(), {}, "r", Path("p")))
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


def run_here(out: Path, *words: str) -> Path:
    """The folder of a run that is spread over threads of this machine."""
    common = ["run", "model", "--portion", str(PORTION), "--seed", "5", "--no-corpus"]
    common += ["--no-restart", "--out", str(out), "--spark-master", "local[2]"]
    result = CliRunner().invoke(main, [*common, *words])
    assert result.exit_code == 0, result.output
    (folder,) = out.glob("2*")
    return folder


@pytest.mark.spark
def test_a_spread_run_that_was_cut_off_is_resumed_with_its_portions(tmp_path: Path) -> None:
    sarif, badge = tmp_path / "breaks.sarif", tmp_path / "badge.json"
    files = ("--sarif", str(sarif), "--badge", str(badge))
    folder = run_here(tmp_path / "out", "--scenarios", "12", *files)
    assert '"2.1.0"' in sarif.read_text()
    assert '"schemaVersion"' in badge.read_text()
    whole = read_log(folder / LOG_NAME)
    lines = (folder / LOG_NAME).read_bytes().splitlines(keepends=True)
    cut = b"".join(lines[: len(lines) // 2])[:-9]
    (folder / LOG_NAME).write_bytes(cut)
    kept = portions(folder / "portions")[:2]
    for portion in kept:
        play_portion(portion)
    (folder / "portions" / ".00002-lost").mkdir()

    result = CliRunner().invoke(main, ["run", "--resume", str(folder), "--workers", "1"])
    assert result.exit_code == 0, result.output
    found = read_log(folder / LOG_NAME)
    assert judged_of(found) == judged_of(whole)
    assert (found.header.run, found.truncated) == (whole.header.run, False)
    assert found.header.options == {**whole.header.options, "workers": "1"}
    assert not (folder / "portions").exists()

    again = CliRunner().invoke(main, ["run", "--resume", str(folder)])
    assert (again.exit_code, "nothing was left to do" in again.output) == (0, True), again.output
    assert read_log(folder / LOG_NAME) == found


@pytest.mark.spark
def test_a_spread_run_goes_on_for_its_time_and_ends_with_whole_portions(tmp_path: Path) -> None:
    folder = run_here(tmp_path / "out", "--time", "1s", "--no-report")
    found = read_log(folder / LOG_NAME)
    footer = found.events[-1]
    assert isinstance(footer, RunFinished)
    assert (footer.reason, found.header.options["time"]) == ("done", "1s")
    judged, number, expected = judged_of(found), 0, list[str]()
    plan = Plan(5, 1, 1.0, restart=False)
    options = command.make_context("run", ["model"]).params
    division = Division(plan, PORTION, frozenset(), options, "again", tmp_path / "again")
    assert division.count is None
    while len(expected) < len(judged):
        portion = division.portion(number)
        play_portion(portion)
        expected += judged_in(portion)
        number += 1
    assert judged == expected


@pytest.mark.parametrize("before", ["--scenarios 5", "--scenarios 5 --portion 3"])
def test_a_run_is_resumed_as_it_was_divided(before: str, tmp_path: Path) -> None:
    """A run in one process can't be spread later, nor one that is spread be divided otherwise."""
    options = dict(zip(before.split()[::2], before.split()[1::2], strict=True))
    kept = {name.removeprefix("--"): value for name, value in options.items()}
    if "portion" in kept:
        kept |= {"spark_master": "local[1]", "workers": "1"}
    started = header("r", options=kept | {"system": "model"}, system="model", seed=5)
    now = command.make_context("run", ["model", "--spark-master", "local[1]"]).params
    with pytest.raises(ClickException, match="--resume: expected"):
        must_be_the_same(started, now | {"findings": (), "client_options": {}}, Plan(5, 5))


@pytest.mark.spark
def test_a_cluster_ends_with_the_process_that_started_it_however_that_ends(tmp_path: Path) -> None:
    source = (
        "from pathlib import Path; from tests.spark_cluster import standalone_cluster\n"
        f"with standalone_cluster(Path({str(tmp_path)!r}), workers=0) as cluster:\n"
        "    print(cluster.master, flush=True); input()\n"
    )
    starter = subprocess.Popen(
        [sys.executable, "-P", "-c", source],
        env=own_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert starter.stdout is not None
        assert starter.stdout.readline().startswith(b"spark://")
        master = int((tmp_path / "master" / "pid").read_text())
        assert not gone(master)
    finally:
        starter.kill()
        starter.communicate()
    assert awaited(lambda: gone(master), WITHIN_S)
