from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from results.files import ReportError
from results.log import BrokenLine
from results.step_summary import append_step_summary, step_summary
from results.summary import summarise
from spec.events import Event, Note
from tests.results.synthetic import (
    CLAUSES,
    HOSTILE,
    header,
    judged,
    layout,
    placed,
    small_run,
    violates,
)


def test_the_verdict_comes_first() -> None:
    assert step_summary(summarise(small_run(), CLAUSES)).startswith("## ❌ Fencepost: VIOLATES\n")


def test_nothing_that_a_broker_says_becomes_markup() -> None:
    nasty = HOSTILE + "[a](http://x) ![b](http://y) **c** <img src=z> | d\n# e\n````\n@someone"
    one = layout((5070,))
    events: list[Event | BrokenLine] = [
        header(system=nasty),
        placed(one),
        judged(one, violates(signature=nasty, why=nasty)),
        Note(nasty),
        BrokenLine(2, nasty, nasty),
    ]
    html = MarkdownIt("gfm-like", {"linkify": False}).render(
        step_summary(summarise(events, CLAUSES, {("x", nasty): nasty}))
    )
    for tag in ("<script", "<img", "<a ", "<strong>c", "<h1>e"):
        assert tag not in html
    assert html.count("<table>") == 1


def test_a_drawing_can_not_leave_its_code_block() -> None:
    html = MarkdownIt("gfm-like", {"linkify": False}).render(
        step_summary(summarise(small_run(hostile=True), CLAUSES))
    )
    assert html.count("<pre>") == 4
    assert "| partition_max_bytes=1000" in html


@pytest.mark.parametrize("limit", [2000, 5000, 20_000])
def test_it_stays_below_its_limit_in_bytes_and_says_what_it_left_out(limit: int) -> None:
    one = layout((5070,))
    events: list[Event | BrokenLine] = [
        header(),
        placed(one),
        *[
            judged(one, violates(signature=f"kind-{number}", why="é" * 300))
            for number in range(200)
        ],
    ]
    text = step_summary(summarise(events, CLAUSES), limit)
    assert len(text.encode()) <= limit
    assert "left out here for size" in text
    assert text.startswith("## ❌ Fencepost: VIOLATES")


def test_it_is_appended_where_github_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "step.md"
    target.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(target))
    assert append_step_summary(summarise(small_run(), CLAUSES)) == target
    assert target.read_text().startswith("before\n## ❌ Fencepost: VIOLATES")


def test_outside_of_github_nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    assert append_step_summary(summarise(small_run(), CLAUSES)) is None


def test_a_file_that_can_not_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "none" / "step.md"))
    with pytest.raises(ReportError, match="GITHUB_STEP_SUMMARY"):
        append_step_summary(summarise(small_run(), CLAUSES))
