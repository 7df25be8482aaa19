import json
from pathlib import Path

import msgspec
from jsonschema import validate  # type: ignore[import-untyped]

from results.export import (
    PUBLISHED_SCHEMA,
    SummaryFile,
    summary_file,
    summary_schema,
    write_summary,
)
from results.log import BrokenLine
from results.schema_files import as_text
from results.summary import summarise
from spec.canonical import from_plain, identity
from spec.scenario import Scenario
from tests.results.synthetic import (
    CLAUSES,
    deviates,
    fetch,
    flaky,
    footer,
    header,
    layout,
    small_run,
    violates,
)

KNOWN = {("FET-002", "listed"): "KAFKA-1"}


def test_the_file_is_what_its_schema_says(tmp_path: Path) -> None:
    path = write_summary(
        summarise([*small_run(hostile=True), BrokenLine(3, "no", "x")], CLAUSES, KNOWN),
        CLAUSES,
        tmp_path / "summary.json",
    )
    validate(json.loads(path.read_bytes()), summary_schema())
    msgspec.json.decode(path.read_bytes(), type=SummaryFile)


def test_the_shipped_schema_is_that_of_the_types() -> None:
    """After a change of the form: `python -m tools.write_schemas`."""
    assert PUBLISHED_SCHEMA.read_text(encoding="utf-8") == as_text(summary_schema())


def test_every_field_that_does_not_speak_for_itself_is_described() -> None:
    text = json.dumps(summary_schema())
    for words in (
        "the Kafka release it is judged as",
        "expected against found, of the example",
        "unlisted ones",
    ):
        assert words in text


def test_the_verdict_and_the_counts_are_those_of_the_summary() -> None:
    found = summary_file(summarise(small_run(), CLAUSES, KNOWN), CLAUSES)
    assert (found.verdict, found.scenarios, found.layouts) == ("VIOLATES", 6, 2)
    assert {clause.id: clause.known for clause in found.clauses} == {
        "FET-001": 0,
        "FET-002": 1,
        "FET-004": 0,
        "FET-040": 0,
    }
    assert found.excluded == {"FET-030": "needs two minutes of waiting"}
    assert [ruled_out.reading for ruled_out in found.readings_ruled_out] == ["whole"]
    assert found.run is not None
    assert found.run.reproduce == "fencepost run --subject fetch --scenarios 5000 --strict --seed 7"


def test_an_example_can_be_taken_out_and_replayed() -> None:
    first = summary_file(summarise(small_run(), CLAUSES), CLAUSES).differences[0]
    assert identity(from_plain(Scenario, first.example)) == first.example_id


def test_flaky_breaks_are_listed_by_their_kind_with_an_example() -> None:
    scenario = Scenario(layout((5070,)), (fetch(),))
    events = [
        *small_run()[:-1],
        flaky(scenario, violates(signature="late"), 1, 2),
        flaky(scenario, violates(signature="late"), 0, 2),
        flaky(scenario, deviates(signature="listed"), 0, 2),
        footer(6),
    ]
    late, listed = summary_file(summarise(events, CLAUSES, KNOWN), CLAUSES).flaky
    assert (late.clause, late.signature, late.outcome) == ("FET-001", "late", "violates")
    assert (late.count, late.reproduced, late.replays, late.known) == (2, 1, 4, False)
    assert identity(from_plain(Scenario, late.example)) == late.example_id == identity(scenario)
    assert (listed.signature, listed.known) == ("listed", True)


def test_a_cut_run_has_no_end() -> None:
    found = summary_file(summarise([header()], CLAUSES), CLAUSES)
    assert found.truncated
    assert found.run is not None
    assert (found.run.reason, found.run.exit_code, found.run.seconds) == (None, None, None)


def test_a_summary_of_nothing_can_be_written(tmp_path: Path) -> None:
    found = json.loads(write_summary(summarise([], {}), {}, tmp_path / "summary.json").read_text())
    assert found["system"] is None
    assert found["verdict"] == "NOTHING EXERCISED"
