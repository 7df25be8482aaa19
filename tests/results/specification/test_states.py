"""The last known state of an implementation is that of its newest run that exercised it."""

import json
from pathlib import Path

import pytest

from results.export import write_summary
from results.files import ReportError
from results.specification.states import read_states
from results.summary import summarise
from spec.events import Event
from spec.verdict import Side
from tests.results.synthetic import (
    CLAUSES,
    conforms,
    footer,
    header,
    judged,
    layout,
    placed,
    violates,
)


def run(tmp_path: Path, name: str, events: list[Event]) -> Path:
    write_summary(summarise(events, CLAUSES), CLAUSES, tmp_path / name / "summary.json")
    return tmp_path / name


def events(name: str, started: str, kafka: str, *verdicts: object) -> list[Event]:
    place = layout((900,))
    facts = {"implementation": "my-broker", "kafka.version": kafka}
    return [
        header(name, started=started, facts=facts),
        placed(place),
        judged(place, *verdicts),  # type: ignore[arg-type]
        footer(),
    ]


def test_the_newest_run_that_exercised_a_clause_counts(tmp_path: Path) -> None:
    older = run(
        tmp_path,
        "older",
        events("older", "2026-01-01T00:00:00Z", "1.0", violates(), conforms("FET-004", Side.AT)),
    )
    newer = run(tmp_path, "newer", events("newer", "2026-02-01T00:00:00Z", "1.0", conforms()))
    other = run(tmp_path, "other", events("other", "2025-01-01T00:00:00Z", "0.9", violates()))
    for order in ([older, newer, other], [other, newer, older]):
        found = read_states(order)
        assert [(one.system, one.state, one.run) for one in found["FET-001"]] == [
            ("my-broker 0.9 (embedded)", "violates", "other"),
            ("my-broker 1.0 (embedded)", "conforms", "newer"),
        ]
        (kept,) = found["FET-004"]
        assert (kept.run, kept.state, kept.exercised) == ("older", "conforms", 1)


def test_an_implementation_without_a_name_is_not_given_one(tmp_path: Path) -> None:
    place = layout((900,))
    plain: list[Event] = [
        header(facts={}),
        placed(place),
        judged(place, conforms()),
        footer(),
    ]
    (state,) = read_states([run(tmp_path, "plain", plain)])["FET-001"]
    assert state.system == "not named (embedded)"


def test_a_summary_of_an_earlier_version_is_read_too(tmp_path: Path) -> None:
    folder = run(tmp_path, "old", events("old", "2026-01-01T00:00:00Z", "1.0", violates()))
    plain = json.loads((folder / "summary.json").read_bytes())
    plain = {key: plain[key] for key in ("run", "system", "clauses")}
    (folder / "summary.json").write_text(json.dumps(plain))
    assert [one.state for one in read_states([folder])["FET-001"]] == ["violates"]


@pytest.mark.parametrize("run_and_system", [{"run": None, "system": None}, {}])
def test_a_summary_without_a_run_is_refused(
    tmp_path: Path, run_and_system: dict[str, None]
) -> None:
    (tmp_path / "summary.json").write_text(json.dumps({**run_and_system, "clauses": []}))
    with pytest.raises(ReportError, match="run"):
        read_states([tmp_path])


def test_what_is_no_summary_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="folder"):
        read_states([tmp_path])
    (tmp_path / "summary.json").write_text("{}")
    with pytest.raises(ReportError, match=r"summary\.json"):
        read_states([tmp_path])
