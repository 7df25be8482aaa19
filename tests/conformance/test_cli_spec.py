"""`fencepost spec`: the catalogue for programs and for people."""

import json
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from conformance.cli import known, main
from conformance.findings import SHIPPED, SHIPPED_OF_CLIENTS, read_findings
from conformance.subjects.registry import RUNNERS
from generators.distinguishing import Pair, SearchResult, find_distinguishing_scenario
from generators.small_scope import Bounds
from results.export import write_summary
from results.schema_files import as_text
from results.specification.form import Catalogue
from results.specification.schema import PUBLISHED, catalogue_schema
from results.summary import summarise
from spec.canonical import from_plain, identity, read_scenario
from spec.catalogue import catalogue, clauses_of, examples
from spec.draft_registry import drafts
from spec.errata import ERRATA
from spec.judge import judge
from spec.observation import Observation
from spec.subject_registry import SUBJECTS
from spec.worked import semantics_of
from tests.results.synthetic import CLAUSES, small_run


def invoke(*arguments: str) -> tuple[int, str]:
    found = CliRunner().invoke(main, arguments)
    return found.exit_code, found.output


@cache
def published_text() -> str:
    code, text = invoke("spec", "--json")
    assert code == 0
    return text


@cache
def published() -> Catalogue:
    return msgspec.json.decode(published_text(), type=Catalogue)


def test_the_json_is_what_the_published_schema_says() -> None:
    schema = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(json.loads(published_text()))


def test_the_clauses_of_a_subject_are_listed_by_its_name() -> None:
    code, text = invoke("spec", "segments")
    assert code == 0
    ids = [line.split()[0] for line in text.splitlines()]
    assert ids == sorted(clauses_of("segments"))
    assert "SEG-103" in ids


def test_the_schema_refuses_what_lacks_a_field_or_has_one_of_another_type() -> None:
    validator = Draft202012Validator(catalogue_schema())
    plain: dict[str, Any] = json.loads(published_text())
    assert validator.is_valid(plain)
    clauses = plain["clauses"]
    assert not validator.is_valid({**plain, "clauses": [{**clauses[0], "strength": 3}]})
    assert not validator.is_valid(
        {**plain, "clauses": [{key: one for key, one in clauses[0].items() if key != "id"}]}
    )


def test_the_shipped_schema_is_that_of_the_types() -> None:
    """After a change of the form: `python -m tools.write_schemas`."""
    assert PUBLISHED.read_text(encoding="utf-8") == as_text(catalogue_schema())
    assert invoke("spec", "--schema") == (0, PUBLISHED.read_text(encoding="utf-8"))


def test_every_clause_of_every_subject_is_in_it_in_order() -> None:
    assert [clause.id for clause in published().clauses] == list(catalogue())
    assert {clause.subject for clause in published().clauses} == {one.name for one in SUBJECTS}
    for clause in published().clauses:
        of = catalogue()[clause.id]
        assert (clause.statement, clause.strength) == (of.statement, of.strength.value)
        assert [source.text for source in clause.sources] == [str(one) for one in of.sources]
        assert clause.releases, clause.id


def test_each_worked_example_can_be_taken_out_and_replayed() -> None:
    for clause in published().clauses:
        of = examples().get(clause.id, ())
        assert [one.title for one in clause.examples] == [one.title for one in of]
        for one, original in zip(clause.examples, of, strict=True):
            assert read_scenario(json.dumps(one.scenario)) == original.scenario
            assert one.id == identity(original.scenario)
            assert from_plain(Observation, one.observation).exchanges


def test_every_planted_fault_stands_under_the_clause_that_must_catch_it() -> None:
    faults = [fault for runner in RUNNERS for fault in (*runner.faults, *runner.dry_faults)]
    by_name = {one.name: clause.id for clause in published().clauses for one in clause.faults}
    assert {fault.name for fault in faults if fault.clause} <= by_name.keys()
    assert all(by_name[fault.name] == fault.clause for fault in faults if fault.clause)
    legal = {one.name for one in published().variants}
    assert {fault.name for fault in faults if not fault.clause} <= legal
    assert legal.isdisjoint(by_name)


def test_every_shipped_finding_stands_under_its_clause() -> None:
    found = [
        (clause.id, one.signature) for clause in published().clauses for one in clause.findings
    ]
    shipped = [*read_findings(SHIPPED), *read_findings(SHIPPED_OF_CLIENTS)]
    assert sorted(found) == sorted(one.key for one in shipped)


def test_two_readings_that_the_model_knows_are_distinguished_or_it_is_said_why_not() -> None:
    axes = [axis for subject in SUBJECTS for axis in subject.axes if len(axis.ways) > 1]
    assert axes
    clauses = {clause.id: clause for clause in published().clauses}
    for axis in axes:
        cases = [case for case in clauses[axis.id].cases if {*case.readings} <= {*axis.ways}]
        assert len(cases) == len(list(combinations(axis.ways, 2)))
        for case in cases:
            one, other = (answer.observation for answer in case.answers)
            assert one != other
    questions = [question for draft in published().drafts for question in draft.questions]
    assert len(questions) == sum(len(draft.axes) for draft in drafts())
    for case in [case for question in questions for case in question.cases]:
        assert (case.scenario is None) == bool(case.note)


def test_readings_that_the_model_does_not_follow_are_distinguished_by_what_they_permit() -> None:
    clauses = {clause.id: clause for clause in published().clauses}
    axes = [axis for subject in SUBJECTS for axis in subject.axes]
    assert any(len(axis.ways) < len(axis.readings) for axis in axes)
    for axis in axes:
        cases = clauses[axis.id].cases
        pairs = combinations([reading.name for reading in axis.readings], 2)
        assert sorted(sorted(case.readings) for case in cases) == sorted(map(sorted, pairs))
        for case in cases:
            assert ({*case.readings} <= axis.ways.keys()) == (case.permitted is None)
            if case.permitted is not None:
                assert {case.permitted.permits, case.permitted.forbids} == {*case.readings}
                scenario = read_scenario(json.dumps(case.scenario))
                observation = from_plain(Observation, case.permitted.observation)
                seen = judge(scenario, observation, semantics_of(scenario, "4.3")).readings
                assert (axis.id, case.permitted.permits, True) in seen
                assert (axis.id, case.permitted.forbids, False) in seen


def test_the_errata_of_the_sources_and_of_the_drafts_are_in_it() -> None:
    of_drafts = [one for draft in drafts() for one in draft.errata]
    assert [one.says for one in published().errata] == [one.says for one in (*ERRATA, *of_drafts)]


def test_one_clause_alone_is_of_the_same_form() -> None:
    code, text = invoke("spec", "--json", "fet-102")
    assert code == 0
    alone = msgspec.json.decode(text, type=Catalogue)
    assert [clause.id for clause in alone.clauses] == ["FET-102"]
    assert alone.clauses[0] in published().clauses
    assert alone.drafts == []


def test_of_one_clause_only_its_own_readings_are_distinguished(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Those of all clauses and drafts take seconds."""
    searched: list[set[str]] = []

    def search(pair: Pair, bounds: Bounds) -> SearchResult:
        searched.append(set(pair.names))
        return find_distinguishing_scenario(pair, bounds)

    monkeypatch.setattr(known, "find_distinguishing_scenario", search)
    assert invoke("spec", "--json", "FET-102")[0] == 0
    assert searched == [{"cut", "left_out"}]
    assert invoke("spec", "--json", "FET-004")[0] == 0
    assert len(searched) == 1


def test_the_pages_are_written_with_the_state_that_a_run_left(tmp_path: Path) -> None:
    run = tmp_path / "run"
    write_summary(summarise(small_run(), CLAUSES), CLAUSES, run / "summary.json")
    code, text = invoke("spec", "--html", str(tmp_path / "site"), "--results", str(run))
    assert (code, "index.html" in text) == (0, True)
    assert (tmp_path / "site" / "states.html").exists()
    pages = {path.stem for path in (tmp_path / "site" / "clauses").iterdir()}
    assert pages == catalogue().keys()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--json", "--schema"),
        ("--schema", "FET-004"),
        ("--json", "FET-999"),
        ("--html", "site", "FET-004"),
        ("--html", "site", "--json"),
        ("--results", "."),
        ("--json", "--results", "."),
    ],
)
def test_wrong_use_ends_with_two(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke("spec", *arguments)[0] == 2
    assert list(tmp_path.iterdir()) == []
