"""The history of runs: each figure by hand, and nothing from outside gets into the page."""

from dataclasses import replace
from pathlib import Path

from click.testing import CliRunner

from conformance.cli import main
from results.clauses import catalogue
from results.export import write_summary
from results.history import HISTORY_NAME, figures_of, history
from results.log import scan
from results.summary import summarise
from spec.events import Event
from spec.scenario import Scenario
from tests.results.synthetic import (
    HOSTILE,
    conforms,
    deviates,
    fetch,
    flaky,
    footer,
    header,
    judged,
    layout,
    placed,
    violates,
    write,
)

PLACE = layout((100,))


def events(name: str, day: int, *, broken: bool = False, system: str = "embedded") -> list[Event]:
    verdict = violates() if broken else conforms()
    return [
        header(name, started=f"2026-11-{day:02}T02:00:00Z", system=system),
        placed(PLACE),
        judged(PLACE, verdict, conforms("FET-004")),
        judged(PLACE, conforms("FET-004"), steps=(fetch(max_bytes=7),)),
        flaky(Scenario(PLACE, (fetch(),)), deviates(), 0, 2),
        footer(2, exit_code=int(broken)),
    ]


def test_the_figures_of_a_run_are_counted_from_its_summary(tmp_path: Path) -> None:
    folder = write(tmp_path / "one", events("one", 3, broken=True))
    found = figures_of(folder)
    assert (found.pass_rate, found.flaky, found.seconds) == (50.0, 500.0, 2.5)
    assert (found.coverage, found.broke, found.scenarios) == (None, ("FET-001",), 2)
    summary = summarise(scan(folder / "events.jsonl"), catalogue())
    write_summary(summary, catalogue(), folder / "summary.json")
    assert figures_of(folder) == found
    (folder / "summary.json").write_text("{")
    assert figures_of(folder) == found


def test_a_cut_off_run_is_shown_by_what_its_log_has(tmp_path: Path) -> None:
    found = figures_of(write(tmp_path / "cut", events("cut", 3)[:-1]))
    assert (found.verdict, found.seconds, found.scenarios) == ("CUT SHORT", None, 2)


def test_the_page_names_what_broke_and_what_was_fixed(tmp_path: Path) -> None:
    for day, broken in ((3, False), (4, True), (5, False)):
        write(tmp_path / f"d{day}", events(f"d{day}", day, broken=broken))
    (tmp_path / "d4" / "report.html").write_text("x")
    (tmp_path / "other").mkdir()
    page, count = history(tmp_path)
    text = page.read_text()
    assert count == 3
    assert "<p>1 of 1 conform:" in text
    head, section = text.split('<section id="runs-0">')
    assert '<a href="#runs-0">embedded 4.3.1</a>' in head
    newest, middle, oldest = [line for line in section.splitlines() if "<td" in line]
    assert '<a href="d4/report.html">d4</a>' in middle
    new, gone = '<td class="text new">{}</td>', '<td class="text">{}</td>'
    found = '<span class="id">FET-001</span>'
    assert new.format(found) + gone.format("") in middle
    assert new.format("") + gone.format(found) in newest
    assert new.format("") + gone.format(found) in head
    assert "FET-001" not in oldest
    assert "clauses that hold: 100.0 % now, 50.0 % to 100.0 %" in text


def test_what_has_one_run_is_a_row_and_no_section(tmp_path: Path) -> None:
    for day, system in ((3, "embedded"), (4, "kfake"), (5, "kfake")):
        write(tmp_path / f"d{day}", events(f"d{day}", day, system=system))
    text = history(tmp_path)[0].read_text()
    assert text.count("<section id=") == 1
    head = text[: text.index("<section id=")]
    assert '<td class="text seen">embedded 4.3.1</td>' in head
    assert "d5</td>" in head
    assert "d4</td>" not in head


def test_untrusted_text_stays_text(tmp_path: Path) -> None:
    first = replace(header("evil", system=HOSTILE), subject=HOSTILE)
    write(tmp_path / "evil", [first, *events("evil", 3)[1:]])
    text = history(tmp_path)[0].read_text()
    assert "<script" not in text
    assert "&lt;script&gt;" in text


def test_the_command_writes_the_page_or_says_what_is_missing(tmp_path: Path) -> None:
    write(tmp_path / "runs" / "one", events("one", 3))
    words = ["report", "--history", str(tmp_path / "runs"), "--out", str(tmp_path / "site")]
    done = CliRunner().invoke(main, words)
    assert (done.exit_code, "1 run" in done.output) == (0, True)
    assert (tmp_path / "site" / HISTORY_NAME).exists()
    (tmp_path / "empty").mkdir()
    for wrong in (
        ["report", "--history", str(tmp_path / "empty")],
        ["report"],
        ["report", str(tmp_path / "runs" / "one"), "--history", str(tmp_path / "runs")],
    ):
        assert CliRunner().invoke(main, wrong).exit_code == 2


def test_a_summary_of_a_newer_format_is_not_trusted(tmp_path: Path) -> None:
    folder = write(tmp_path / "one", events("one", 3))
    found = figures_of(folder)
    (folder / "summary.json").write_text('{"fencepost_summary": 99, "verdict": "CONFORMS"}')
    assert figures_of(folder) == found
