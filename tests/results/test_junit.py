from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped

from results.files import ReportError
from results.junit import junit, write_junit
from results.log import BrokenLine
from results.summary import summarise
from spec.known import known_to_facts
from tests.results.synthetic import (
    CLAUSES,
    HOSTILE,
    conforms,
    deviates,
    footer,
    header,
    judged,
    layout,
    placed,
    small_run,
    violates,
)

if TYPE_CHECKING:
    from spec.events import Event

KNOWN = {("FET-002", "listed"): "KAFKA-1: since 4.2"}


def suite_of(document: bytes) -> Any:
    (suite,) = JUnitXml.fromstring(document)
    return suite


def cases_of(document: bytes) -> dict[tuple[str, str], Any]:
    return {(case.classname, case.name): case for case in suite_of(document)}


def test_every_kind_of_outcome_has_its_own_element() -> None:
    summary = summarise(small_run(), CLAUSES, KNOWN)
    cases = cases_of(junit(summary, strict=True))
    assert {key: type(case.result[0]) if case.result else None for key, case in cases.items()} == {
        ("FET-001", "FET-001 too-much"): Failure,
        ("FET-002", "FET-002 shorter"): Failure,
        ("FET-002", "FET-002 listed"): Skipped,
        ("FET-002", "unsupported: no version 17"): Skipped,
        ("FET-004", "inconclusive: silent"): Error,
        ("FET-004", "FET-004 holds"): None,
        ("FET-030", "FET-030 can be tested"): Skipped,
        ("FET-040", "FET-040 was exercised"): Skipped,
    }
    assert (
        cases["FET-002", "FET-002 listed"].result[0].message
        == "known: KAFKA-1: since 4.2 (1 scenario)"
    )


def test_a_deviation_fails_under_strict_alone() -> None:
    summary = summarise(small_run(), CLAUSES)
    key = ("FET-002", "FET-002 shorter")
    assert isinstance(cases_of(junit(summary))[key].result[0], Skipped)
    assert (
        cases_of(junit(summary))[key].result[0].message
        == "deviates: FET-002: expected 900 bytes, found 0 (1 scenario)"
    )
    assert isinstance(cases_of(junit(summary, strict=True))[key].result[0], Failure)


def test_the_suite_is_the_system_with_its_facts_and_no_findings_among_them() -> None:
    events = small_run()
    events[0] = header(facts={"kafka": "4.3.1", **known_to_facts(KNOWN)})
    suite = suite_of(junit(summarise(events, CLAUSES)))
    assert suite.name == "embedded 4.3"
    facts = {fact.name: fact.value for fact in suite.properties()}
    assert facts["kafka"] == "4.3.1"
    assert facts["seed"] == "7"
    assert facts["reproduce"].startswith("fencepost run ")
    assert not [name for name in facts if name.startswith("known")]


def test_the_totals_are_right() -> None:
    suite = suite_of(junit(summarise(small_run(), CLAUSES, KNOWN), strict=True))
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (8, 2, 1, 4)


def test_a_failure_draws_its_smallest_example() -> None:
    case = cases_of(junit(summarise(small_run(), CLAUSES)))["FET-001", "FET-001 too-much"]
    assert "smallest example, scenario 8058b74c0e3bf795" in case.result[0].text
    assert "| partition_max_bytes=1000" in case.result[0].text


def test_whatever_a_broker_says_the_document_can_be_parsed() -> None:
    one = layout((5070,))
    events: list[Event | BrokenLine] = [
        header(system=HOSTILE, facts={HOSTILE: HOSTILE}),
        placed(one),
        judged(one, violates(signature=HOSTILE, why=HOSTILE)),
        BrokenLine(3, HOSTILE, HOSTILE),
    ]
    document = junit(summarise(events, CLAUSES))
    assert b"\x1b" not in document
    assert b"<script" not in document
    assert [
        case for case in suite_of(document) if case.result and r"\x1b[2J" in case.result[0].message
    ]


def test_trouble_of_our_own_is_an_error() -> None:
    summary = summarise([header(), BrokenLine(2, "expected JSON", "x")], CLAUSES)
    errors = {
        case.name: case.result[0].message
        for case in suite_of(junit(summary))
        if case.classname == "fencepost"
    }
    assert set(errors) == {"event log is whole", "event log can be read", "something was exercised"}
    assert "line 2: expected JSON" in errors["event log can be read"]
    stopped = summarise(
        [header(), judged(layout((61,)), conforms()), footer(reason="broken")], CLAUSES
    )
    assert ("fencepost", "system can be used") in cases_of(junit(stopped))


def test_a_document_that_can_not_be_written_is_named_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "junit.xml").mkdir()
    with pytest.raises(ReportError, match=r"junit\.xml"):
        write_junit(summarise(small_run(), CLAUSES), tmp_path / "junit.xml")
    assert [path.name for path in tmp_path.iterdir()] == ["junit.xml"]


def test_an_older_document_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "run" / "junit.xml"
    for _ in range(2):
        assert write_junit(summarise(small_run(), CLAUSES), path) == path
    assert JUnitXml.fromfile(str(path)).tests == 8


def test_each_kind_of_break_is_one_case_however_often_it_came() -> None:
    events: list[Event] = [header()]
    for size in range(1, 51):
        one = layout((size + 60,))
        events += [placed(one), judged(one, violates(), deviates())]
    cases = cases_of(junit(summarise(events, CLAUSES), strict=True))
    failures = [
        case.name for case in cases.values() if case.result and isinstance(case.result[0], Failure)
    ]
    assert sorted(failures) == ["FET-001 too-much", "FET-002 shorter"]
    assert "(50 scenarios)" in cases["FET-001", "FET-001 too-much"].result[0].message
    explained = cases["FET-002", "FET-002 shorter"].result[0].text
    assert "another break explains this one: FET-001 too-much" in explained
