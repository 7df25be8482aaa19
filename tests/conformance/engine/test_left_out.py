"""What a run can't ask is named by its clauses and its reason; only what counts is asked for."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from conformance.engine.event_stream import counted_clauses
from conformance.engine.left_out import LOOKED_AT, LeftOutClauses
from conformance.engine.plan import Plan
from conformance.misuse import BadConfiguration
from conformance.subjects.registry import runner_of
from results.clauses import catalogue
from results.export import summary_file
from results.junit import junit
from results.summary import summarise
from spec.catalogue import examples
from spec.events import Judged, LeftOut
from spec.releases import semantics_for
from spec.requirements import requirement_set
from tests.results.synthetic import footer, header
from tests.results.test_terminal import shown

KAFKA = semantics_for("4.3")
WHY = "the broker refused it"
SERVED = examples()["FET-004"][0].scenario


def test_a_scenario_left_out_names_what_the_model_would_exercise_once() -> None:
    left_out = LeftOutClauses()
    (first,) = left_out.scenario(WHY, SERVED, KAFKA)
    assert first.reason == WHY
    assert {"FET-001", "FET-004"} <= {*first.clauses} <= {*requirement_set("fetch", "4.3").clauses}
    assert list(left_out.scenario(WHY, SERVED, KAFKA)) == []
    assert list(left_out.scenario("another reason", SERVED, KAFKA)) == [
        LeftOut("another reason", first.clauses)
    ]


def test_what_was_judged_before_a_scenario_ended_is_not_left_out() -> None:
    found = runner_of("fetch").dry_run(KAFKA, None).play_one(SERVED)
    verdicts = found.judgement.verdicts[1:]
    (event,) = LeftOutClauses().scenario(WHY, SERVED, KAFKA, verdicts)
    assert event.clauses == (found.judgement.verdicts[0].clause,)


def test_no_more_than_some_are_looked_at_for_each_reason() -> None:
    left_out = LeftOutClauses()
    for _ in range(LOOKED_AT):
        list(left_out.scenario(WHY, replace(SERVED, steps=()), KAFKA))
    assert list(left_out.scenario(WHY, SERVED, KAFKA)) == []


def test_a_run_without_restarts_says_which_clauses_would_take_one() -> None:
    runner = runner_of("fetch")
    plan = Plan(3, 8, restart=False)
    events = list(runner.dry_run_loop(KAFKA, plan).events())
    judged = {
        verdict.clause
        for event in events
        if isinstance(event, Judged)
        for verdict in event.verdicts
    }
    reasons = {
        clause: event.reason
        for event in events
        if isinstance(event, LeftOut)
        for clause in event.clauses
    }
    assert "FET-022" not in judged
    assert "restart" in reasons["FET-022"] or "log files" in reasons["FET-022"]
    assert {*reasons} <= {*requirement_set("fetch", "4.3").clauses}


def test_only_what_is_in_the_set_of_the_release_can_be_asked_for() -> None:
    older, newer = requirement_set("share", "4.1"), requirement_set("share", "4.2")
    assert counted_clauses(newer, frozenset()) == newer.clauses
    assert counted_clauses(newer, frozenset({"SHR-123"})) == ("SHR-123",)
    with pytest.raises(BadConfiguration, match=r"4\.1 .*SHR-123 \(since Kafka 4\.2\)"):
        counted_clauses(older, frozenset({"SHR-123"}))
    with pytest.raises(BadConfiguration, match=r"SHR-002 \(it can't be tested\)"):
        counted_clauses(newer, frozenset({"SHR-002", "SHR-123"}))


def test_a_run_on_4_1_speaks_of_no_clause_that_came_later() -> None:
    older, newer = (requirement_set("share", release) for release in ("4.1", "4.2"))
    plan = Plan(5, 60, restart=False)
    played = list(runner_of("share").dry_run_loop(semantics_for("4.1"), plan).events())
    started = header(
        subject="share", release="4.1", requirement_set=older.name, clauses=older.clauses
    )
    found = summarise([started, *played, footer(60)], catalogue("share"))
    assert found.score is not None
    assert found.score.total == len(older.clauses)
    assert found.score.exercised > len(older.clauses) / 2
    exported = summary_file(found, catalogue("share"))
    assert exported.requirements is not None
    written = shown(found, 200, verbose=True) + junit(found, strict=True).decode()
    spoken = {*re.findall(r"SHR-\d+", written), *[clause.id for clause in exported.clauses]}
    spoken |= {*exported.requirements.not_exercised}
    spoken |= {name for event in played if isinstance(event, LeftOut) for name in event.clauses}
    assert {*older.clauses} <= spoken
    assert not spoken & ({*newer.clauses} - {*older.clauses})


def test_a_reason_that_comes_with_other_numbers_is_said_once() -> None:
    left_out = LeftOutClauses()
    [first] = left_out.clauses("nothing was answered for 10 s", ["FET-001"])
    assert list(left_out.clauses("nothing was answered for 33 s", ["FET-001"])) == []
    [second] = left_out.clauses("nothing was answered for 41 s", ["FET-001", "FET-002"])
    assert (first.clauses, second.clauses) == (("FET-001",), ("FET-002",))
