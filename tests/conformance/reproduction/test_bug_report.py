"""`fencepost replay FILE --markdown`: the report, and its program, which shows the break alone."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.systems.model import Model
from results.bug_report import Program, bug_report
from spec.observation import Observation
from spec.scenario import Scenario
from spec.verdict import Outcome, Verdict
from tests.results.synthetic import layout

PLAIN = '{"segments":[[{"size":300},{"size":400}]]}'
NO_PROGRESS = f"""{{"fencepost_scenario":1,"subject":"fetch","layout":{{"partitions":[{PLAIN}]}},
"steps":[{{"kind":"fetch","partitions":[{{"partition":0,"offset":0,"max_bytes":1}}]}}]}}"""
LAST_STABLE = """{"fencepost_scenario":1,"subject":"fetch","layout":{"partitions":[{"segments":
[[{"size":101,"codec":"gzip","records":3},{"size":250,"records":8,"txn":0},{"kind":"marker","txn":0,
"commit":true},{"size":2970,"records":20,"codec":"snappy","txn":1}]],"log_start":15}]},"steps":
[{"kind":"fetch","partitions":[{"partition":0,"offset":15}],"isolation":1,"version":16}]}"""
LOOKUP = """{"fencepost_scenario":1,"subject":"offsets","layout":{"partitions":[{}]},"steps":
[{"kind":"append_timed","partition":0,"times":[200]},{"kind":"append_timed","partition":0,
"times":[100]},{"kind":"delete_records","partition":0,"offset":1},{"kind":"list_offsets","lookups":
[{"partition":0,"timestamp":-3}]}]}"""
DELETED = """{"fencepost_scenario":1,"subject":"share","layout":{"partitions":[{"segments":[[
{"size":100,"records":5},{"size":100,"records":5},{"size":100,"records":5}]]}]},"steps":[{"kind":
"alter_share_group_offsets","starts":[[0,0]]},{"kind":"share_fetch","partitions":[{"partition":0}],
"max_records":5,"patience_ms":5000},{"kind":"delete_records","partition":0,"offset":12},{"kind":
"share_fetch"},{"kind":"share_fetch","patience_ms":5000}]}"""
INVERTED = """{"fencepost_scenario":1,"subject":"share","layout":{"partitions":[{"segments":[[
{"size":100},{"size":101,"records":5}]]}]},"steps":[{"kind":"alter_share_group_offsets","starts":[[0,0]]},
{"kind":"share_fetch","partitions":[{"partition":0}],"batch_size":0,"patience_ms":4000}]}"""

STATIC = '"kind":"join_group","actor":1,"member":"new","instance":"i1","rebalance_ms":500'
FULL = f"""{{"fencepost_scenario":1,"subject":"groups","layout":{{"partitions":[{{}}]}},"steps":[
{{{STATIC}}},{{"kind":"sync_group","actor":1,"instance":"i1"}},{{{STATIC}}}],"config":[
["group.max.size","1"],["group.consumer.max.size","1"],["group.share.max.size","1"],
["group.streams.max.size","1"],["group.initial.rebalance.delay.ms","0"]]}}"""


@pytest.fixture(scope="module")
def right() -> Iterator[str]:
    """The address of a served model without faults."""
    model = Model()
    model.start()
    yield "{}:{}".format(*model.address)
    model.stop()


def reported(tmp_path: Path, scenario: str, *words: str) -> tuple[str, Path]:
    """The report that a replay writes, and where its program is."""
    file, out = tmp_path / "case.json", tmp_path / "report.md"
    file.write_text(scenario)
    found = CliRunner().invoke(main, ["replay", str(file), *words, "--markdown", str(out)])
    assert found.exit_code == 1, found.output
    assert f"report  {out}" in found.output
    return out.read_text(), tmp_path / "report.py"


def run_alone(program: Path, address: str) -> subprocess.CompletedProcess[str]:
    """Run a program where Fencepost can't be imported."""
    command = [sys.executable, "-I", str(program), address]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=program.parent, timeout=300
    )


@pytest.mark.system
def test_a_faults_program_tells_a_wrong_broker_from_a_right_one(tmp_path: Path, right: str) -> None:
    text, program = reported(tmp_path, NO_PROGRESS, "model", "--fault", "no-progress")
    assert text.startswith("# FET-004: expected at least the first batch")
    assert "| 0 | 1 | 400 | 1 | none |  | 0 |" in text
    assert "| system | Fencepost's served model with the planted fault no-progress |" in text
    assert "| stands for | Kafka 4" in text
    assert "apache-kafka" not in text
    assert "# system: Fencepost's served model with the planted fault no-progress\n" in text
    assert "KIP-74" in text
    assert program.read_text() in text
    assert not {"conformance", "spec", "results"} & {
        name.name.partition(".")[0]
        for node in ast.walk(ast.parse(program.read_text()))
        if isinstance(node, ast.Import)
        for name in node.names
    }
    assert run_alone(program, right).returncode == 0
    model = Model(fault="no-progress")
    model.start()
    try:
        found = run_alone(program, "{}:{}".format(*model.address))
    finally:
        model.stop()
    assert found.returncode == 1, found.stderr
    assert "expected [(0, 300)]" in found.stdout
    assert "observed []   <-- differs" in found.stdout


@pytest.mark.system
@pytest.mark.parametrize(
    ("scenario", "clause", "line"),
    [
        (LAST_STABLE, "FET-172", "expected 15"),
        (LOOKUP, "OFF-005", "observed 0   <-- differs"),
        (INVERTED, "SHR-127", "'first_offset': 0, 'last_offset': -1"),
        (DELETED, "SHR-128", "observed 10   <-- differs"),
    ],
)
def test_what_the_reference_breaks_is_shown_without_fencepost(
    tmp_path: Path, right: str, scenario: str, clause: str, line: str
) -> None:
    text, program = reported(tmp_path, scenario, "--bootstrap-server", right)
    assert text.startswith(f"# {clause}: ")
    found = run_alone(program, right)
    assert found.returncode == 1, found.stdout + found.stderr
    assert line in found.stdout


@pytest.mark.system
def test_a_program_about_groups_makes_the_topic_that_their_members_commit_to(
    tmp_path: Path,
) -> None:
    text, program = reported(tmp_path, FULL, "model")
    assert text.startswith("# GRP-008: ")
    source = program.read_text()
    assert "create_topic(connection" in source
    assert '("Metadata", ' in source
    ast.parse(source)


@pytest.mark.system
def test_a_printed_report_names_no_file_that_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "case.json"
    file.write_text(NO_PROGRESS)
    words = ["replay", str(file), "model", "--fault", "no-progress", "--markdown"]
    found = CliRunner().invoke(main, words)
    assert found.exit_code == 1, found.output
    assert "Save it as `show.py`; then `python show.py HOST:PORT` exits with 1" in found.stdout
    assert not re.findall(r"\d\\\.|\\`|\\#", found.stdout.partition("```python")[0])


@pytest.mark.system
def test_nothing_is_written_where_nothing_breaks(tmp_path: Path) -> None:
    file, out = tmp_path / "case.json", tmp_path / "report.md"
    file.write_text(NO_PROGRESS)
    found = CliRunner().invoke(main, ["replay", str(file), "model", "--markdown", str(out)])
    assert found.exit_code == 0, found.output
    assert "no report is written: nothing breaks" in found.stderr
    assert not out.exists()


def test_text_of_the_broker_is_no_markup() -> None:
    hostile = "x`\n## head <b> | [a](http://b) ```\x1b[2J"
    verdict = Verdict("FET-004", Outcome.VIOLATES, why=hostile, primary=True)
    programs = (Program("A program", "python", "print('```')\n", "`python show.py`"),)
    scenario = Scenario(layout((100,)), (), config=((hostile, hostile),))
    observation = Observation((), broken=hostile)
    text = bug_report(scenario, observation, (verdict,), {hostile: hostile}, programs)
    outside, inside = [], False
    for line in text.splitlines():
        if line.startswith("```"):
            inside = not inside
        elif not inside:
            outside.append(line)
    assert not [line for line in outside if "<b>" in line or "\x1b" in line or "](" in line]
    assert "## head" not in outside
    assert "````python\nprint('```')\n````" in text
