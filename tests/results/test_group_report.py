"""The Spark report of a run on groups: made by the command line from the log of such a run, with
its waiting and its clauses.
"""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.engine.plan import Plan
from conformance.subjects.groups.dry_run import GroupDryRun
from conformance.subjects.groups.faults import FAULTS
from conformance.subjects.groups.loop import GroupLoop
from results.log import LOG_NAME
from spec.events import Judged, RunFinished
from spec.releases import semantics_for
from tests.results.synthetic import header, write

pytestmark = pytest.mark.spark

HISTORIES = 60


def test_a_report_of_a_groups_run_has_its_clauses_its_break_and_its_waiting(tmp_path: Path) -> None:
    from pyarrow import parquet

    fault = next(fault for fault in FAULTS if fault.name == "one-consumer-too-many")
    loop = GroupLoop(
        GroupDryRun(semantics_for("4.3"), fault.coordinator),
        Plan(3, HISTORIES, shrink=False),
        frozenset(),
    )
    events = list(loop.events())
    finished = RunFinished("done", 1, loop.layouts, loop.scenarios, 2.0)
    about = header(
        subject="groups",
        requirement_set="groups-4.3@1",
        started=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
    )
    folder = write(tmp_path / "run", [about, *events, finished])
    assert (folder / LOG_NAME).is_file()
    made = CliRunner().invoke(main, ["report", "--spark", str(folder)])
    assert made.exit_code == 0, made.output
    page = (folder / "report.html").read_text()
    assert "GRP-030" in page
    assert "GRP-001" in page
    assert "max_bytes" not in page, "a report on groups speaks of what only fetches have"
    scenarios = parquet.read_table(folder / "tables" / "scenarios").to_pylist()
    judged = [event for event in events if isinstance(event, Judged)]
    assert len(scenarios) == len(judged)
    assert sum(row["waited_ms"] for row in scenarios) == pytest.approx(
        sum(event.waited_ms for event in judged)
    )
    verdicts = parquet.read_table(folder / "tables" / "verdicts").to_pylist()
    assert {row["outcome"] for row in verdicts if row["clause"] == "GRP-030"} == {
        "violates",
        "conforms",
    }
