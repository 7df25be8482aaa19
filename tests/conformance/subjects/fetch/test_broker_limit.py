"""A broker that can't be restarted with a small `fetch.max.bytes` is asked past the one it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.engine import plan as plans
from conformance.engine.plan import Plan
from conformance.subjects.fetch.loop import FetchLoop
from conformance.subjects.fetch.runner import RUNNER
from conformance.subjects.registry import find_fault
from generators.layouts import LARGE_BATCH, layout_past
from spec.events import Judged, LayoutPlaced, Note
from spec.fetch.releases import FetchSemantics
from spec.kafka import INT32_MAX
from spec.log import log_of
from spec.releases import semantics_for
from spec.verdict import Outcome

if TYPE_CHECKING:
    from conformance.subjects.fetch.faults.fault import Fault
    from spec.events import Event

DEFAULT = 57_671_680
"""Bytes: `fetch.max.bytes` as Apache Kafka ships."""


def run(limit: int = DEFAULT, fault: Fault | None = None, *, restart: bool = False) -> list[Event]:
    """The events of a run of a few scenarios."""
    semantics = semantics_for("4.3").with_decisions(FetchSemantics, fetch_max_bytes=limit)
    plan = Plan(1, 1, restart=restart, shrink=False, examples=False)
    return list(FetchLoop(RUNNER.dry_run(semantics, fault), plan, frozenset()).events())  # type: ignore[arg-type]


def outcomes(events: list[Event]) -> list[Outcome]:
    """What is said of the broker's limit in the scenarios about large layouts."""
    large = {
        event.id
        for event in events
        if isinstance(event, LayoutPlaced) and event.layout == layout_past(DEFAULT)
    }
    verdicts = [
        one
        for event in events
        if isinstance(event, Judged) and event.layout in large
        for one in event.verdicts
    ]
    return [one.outcome for one in verdicts if one.clause == "FET-018"]


@pytest.fixture(autouse=True)
def _in_short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "SCENARIOS_WITH_LARGE_LAYOUT", 1)
    for name in ("CHUNK", "WAITING", "SESSIONS"):
        monkeypatch.setattr(plans, name, 1)


def test_the_limit_is_met() -> None:
    assert outcomes(run()) == [Outcome.CONFORMS] * 2


def test_a_broker_that_ignores_it_is_caught() -> None:
    _, fault = find_fault("broker-limit-ignored")
    assert outcomes(run(fault=fault)) == [Outcome.VIOLATES] * 2


@pytest.mark.parametrize("limit", [INT32_MAX, plans.LARGEST_FETCH_MAX_BYTES + 1, 1024])
def test_no_layout_is_made_for_a_limit_that_is_very_large_or_small(limit: int) -> None:
    assert not outcomes(run(limit))


def test_a_short_run_makes_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "SCENARIOS_WITH_LARGE_LAYOUT", 2)
    assert not outcomes(run())


def test_none_is_made_where_the_way_to_the_broker_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "TRIED_SECONDS", -1.0)
    events = run()
    assert not outcomes(events)
    assert any("is not met" in event.text for event in events if isinstance(event, Note))


@pytest.mark.parametrize("limit", [2 * LARGE_BATCH, 2 * LARGE_BATCH + 1, DEFAULT])
def test_the_layout_holds_more_than_the_limit(limit: int) -> None:
    sizes = [
        sum(batch.size for batch in log_of(partition).batches)
        for partition in layout_past(limit).partitions
    ]
    assert limit / 2 < min(sizes) <= limit / 2 + LARGE_BATCH
