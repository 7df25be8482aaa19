"""`fencepost implementation`: the page of an implementation, its cases and its findings."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.cli import main
from conformance.cli.done import Done
from conformance.cli.implementation import page_exit_code
from conformance.exit_codes import FOUND, MISUSE, OK, OURS, UNREACHABLE
from conformance.findings import SHIPPED_FINDINGS, load_findings, read_findings
from conformance.systems.implementation_sources import MAKES
from results.clauses import catalogue
from results.implementation_page import implementation_page
from results.log import LOG_NAME, scan
from results.summary import summarise
from spec.canonical import identity, read_scenario
from spec.scenario import Scenario
from tests.results.synthetic import (
    HOSTILE,
    conforms,
    deviates,
    fetch,
    footer,
    header,
    judged,
    layout,
    placed,
    violates,
    write,
)

PLACE = layout((100,))


DOCS = Path(__file__).parents[2] / "docs" / "implementations"


def implementation(*words: str) -> Result:
    return CliRunner().invoke(main, ["implementation", *words])


def run_of(folder: Path) -> Path:
    facts = {"implementation": "kfake", "implementation.version": "v1"}
    started = header(system="kfake", facts=facts)
    events = [judged(PLACE, violates(), seen=True), judged(PLACE, deviates())]
    return write(folder, [started, placed(PLACE), *events, judged(PLACE, conforms()), footer()])


def test_another_system_is_wrong_use() -> None:
    found = implementation("embedded")
    assert found.exit_code == 2
    assert "expected an implementation of kfake, tansu, librdkafka-mock" in found.output


def test_the_page_of_runs_that_are_there(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run")
    kept = tmp_path / "findings.toml"
    words = (str(run), "--out", str(tmp_path), "--write-findings", str(kept))
    found = implementation("kfake", *words)
    assert found.exit_code == 0, found.output
    page = (tmp_path / "kfake.md").read_text()
    assert page.startswith("# kfake\n\nkfake v1, ")
    assert page.index("## What it violates") < page.index("### FET-001: ")
    assert page.index("## What it deviates in") < page.index("### FET-002: ")
    cases = sorted((tmp_path / "kfake").glob("*.json"))
    assert [case.name[:7] for case in cases] == ["FET-001", "FET-002"]
    assert all(f"docs/implementations/kfake/{case.name} kfake`" in page for case in cases)
    assert identity(read_scenario(cases[0].read_bytes())) == identity(Scenario(PLACE, (fetch(),)))
    assert [(one.clause, one.system) for one in read_findings(kept)] == [
        ("FET-001", "kfake"),
        ("FET-002", "kfake"),
    ]


@pytest.mark.parametrize(
    ("codes", "chosen", "code"),
    [
        ((FOUND, MISUSE, OK), False, OK),
        ((FOUND, MISUSE, OK), True, MISUSE),
        ((MISUSE, UNREACHABLE), False, UNREACHABLE),
        ((FOUND, OURS, MISUSE), False, OURS),
    ],
)
def test_a_subject_that_does_not_fit_is_no_wrong_use_of_the_command(
    codes: tuple[int, ...], chosen: bool, code: int
) -> None:
    done = [Done(one, None, None) for one in codes]
    assert page_exit_code(done, chosen=chosen) == code


def test_a_case_that_is_gone_leaves_no_file(tmp_path: Path) -> None:
    old = tmp_path / "kfake" / "FET-003-old.json"
    old.parent.mkdir()
    old.write_text("{}")
    assert (
        implementation("kfake", str(run_of(tmp_path / "run")), "--out", str(tmp_path)).exit_code
        == 0
    )
    assert not old.exists()


def test_what_a_broker_says_is_shown_as_text(tmp_path: Path) -> None:
    summary = summarise(scan(run_of(tmp_path) / LOG_NAME), catalogue())
    page = implementation_page("kfake", [summary], {"share": HOSTILE}, catalogue(), "again")
    assert "<script>" not in page
    assert "| share | not run: " in page


def test_the_findings_that_ship_can_be_read_and_are_of_their_system() -> None:
    found = load_findings(SHIPPED_FINDINGS, "4.4", "kfake")
    assert all(one.system in {"", "kfake"} for one in found)
    for make in MAKES:
        for path in SHIPPED_FINDINGS:
            if path.stem == make.name:
                assert {one.system for one in read_findings(path)} == {make.name}


def test_each_case_that_a_page_that_ships_names_can_be_read() -> None:
    pages = sorted(DOCS.glob("*.md"))
    assert pages
    for page in pages:
        named = re.findall(r"`fencepost replay (docs/\S+) \S+`", page.read_text())
        assert all(Path(one).parent == Path("docs/implementations") / page.stem for one in named)
        for one in named:
            read_scenario((DOCS.parents[1] / one).read_bytes())
