"""The report by Spark: every whole line is counted, every broken one reported, hostile text stays text."""

from pathlib import Path

import pytest

from results.log import EventWriter
from results.report import report
from spec.canonical import to_json
from spec.events import Judged, LayoutPlaced, RunFinished, RunStarted
from spec.layout import Batch, Layout, Partition
from spec.observation import Exchange, FetchAnswer, Observation
from spec.scenario import Fetch, FetchPartition
from spec.verdict import Outcome, Side, Verdict

pytestmark = pytest.mark.spark
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("runs") / "one"
    run.mkdir()
    fetch = Fetch((FetchPartition(0, 0),))
    good = Verdict("FET-004", Outcome.CONFORMS, Side.AT)
    bad = Verdict("FET-001", Outcome.VIOLATES, Side.ABOVE, f"expected less, found {HOSTILE}", "over the limit", primary=True)
    with EventWriter(run / "events.jsonl") as log:
        log.write(RunStarted("one", "2026-11-28T00:00:00Z", "0.1.0", 7, "fetch", "embedded", "4.3", "fetch-4.3@1"))
        log.write(LayoutPlaced("layout", Layout((Partition(((Batch(100),),)),))))
        for number in range(9):
            log.write(Judged(f"s{number}", "layout", "question", (fetch,), (good,), relations=("max_bytes=at:first",)))
        observation = Observation((Exchange(0, FetchAnswer()),))
        log.write(Judged("s9", "layout", "question", (fetch,), (bad,), observation=observation))
        log.write(RunFinished("done", 1, 1, 10, 0.1))
    with (run / "events.jsonl").open("a", encoding="utf-8") as log_file:
        log_file.write(to_json(Judged("cut", "layout", "question", (fetch,), (good,)))[:60] + "\n[1]\n")
    report([run])
    return run


def test_ten_scenarios_are_counted_and_two_broken_lines_reported(made: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert parquet.read_table(made / "tables" / "verdicts").num_rows == 10
    assert parquet.read_table(made / "tables" / "broken_lines").num_rows == 2


def test_the_page_stands_alone_and_escapes_what_came_from_outside(made: Path) -> None:
    page = (made / "report.html").read_text(encoding="utf-8")
    assert "FET-001" in page
    assert HOSTILE not in page
    assert "default-src 'none'" in page
    assert "<script" not in page
