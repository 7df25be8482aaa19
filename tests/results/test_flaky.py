"""Breaks that were not reproduced, as the terminal and JUnit show them."""

import io
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from results.junit import junit
from results.log import LOG_NAME, scan
from results.summary import Summary, summarise
from results.terminal import show
from spec.scenario import Scenario
from tests.results.synthetic import (
    CLAUSES,
    conforms,
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

if TYPE_CHECKING:
    from spec.events import Event

PLACE = layout((5070,))


def summary_of(folder: Path, count: int) -> Summary:
    """A run with so many flaky breaks, read back from its log."""
    asked = [(fetch(max_bytes=number),) for number in range(count)]
    breaks = [flaky(Scenario(PLACE, steps), violates(), 0, 1) for steps in asked]
    events: list[Event] = [header(), placed(PLACE), *breaks, judged(PLACE, conforms()), footer()]
    return summarise(scan(write(folder, events) / LOG_NAME), CLAUSES)


def test_the_terminal_shows_them_and_how_often_they_came(tmp_path: Path) -> None:
    console = Console(file=io.StringIO(), width=80)
    show(summary_of(tmp_path, 2), console)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "flaky FET-001  too-much" in text
    assert "in 2 scenarios: reproduced in 0 of 2 replays" in text
    assert "expected 1000 bytes, found 5070" in text
    assert "2 breaks not reproduced" in text
    assert "CONFORMS  every exercised clause held; 2 flaky breaks" in text


@pytest.mark.parametrize(
    ("count", "strict", "result"),
    [(1, True, "skipped"), (2, True, "failure"), (2, False, "skipped")],
)
def test_junit_fails_them_where_a_strict_run_does(
    tmp_path: Path, count: int, strict: bool, result: str
) -> None:
    text = junit(summary_of(tmp_path, count), strict=strict).decode()
    assert 'name="FET-001 too-much is reproduced"' in text
    assert ("<failure" in text) == (result == "failure")
    assert f'<{result} message="flaky, in {count} scenario' in text
