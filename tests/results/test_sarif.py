"""A run as SARIF, as a badge and as annotations: each root cause is in sight, what is known does
not fail, and text from a broker stays text.
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from results.annotations import MOST, annotation_lines
from results.badge import badge, write_badge
from results.sarif import LACKS, sarif, write_sarif
from results.summary import Summary, summarise
from spec.events import Event, LeftOut, RunFinished
from tests.results.synthetic import (
    CLAUSES,
    HOSTILE,
    conforms,
    deviates,
    header,
    judged,
    layout,
    placed,
    violates,
)

ONE = layout((5070,))
LACKING = LeftOut("features.toml claims ShareFetch, it is not advertised", (), "ShareFetch")
FOOTER = RunFinished("done", 1, 1, 2, 1.5)


def summary_of(*events: Event) -> Summary:
    return summarise([header(), placed(ONE), *events, FOOTER], CLAUSES)


BROKEN = summary_of(judged(ONE, violates(), deviates(signature="shorter")), LACKING)


def test_each_kind_of_break_is_a_result_of_its_clause(tmp_path: Path) -> None:
    path = write_sarif(BROKEN, CLAUSES, tmp_path / "run.sarif")
    found = json.loads(path.read_bytes())
    (run,) = found["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert found["version"] == "2.1.0"
    assert [(one["ruleId"], one["level"]) for one in run["results"]] == [
        ("FET-001", "error"),
        ("FET-002", "note"),
        (LACKS, "error"),
    ]
    for one in run["results"]:
        assert rules[one["ruleIndex"]] == one["ruleId"]
    first, second, _ = run["results"]
    place = first["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": "scenarios/FET-001-too-much.json", "uriBaseId": "RUN"}
    assert "expected 1000 bytes, found 5070" in first["message"]["text"]
    assert "Explained by FET-001 (too-much)." in second["message"]["text"]
    assert "partition_max_bytes=1000" in first["properties"]["case"]
    assert run["invocations"][0]["exitCode"] == 1
    assert run["properties"]["verdict"] == "VIOLATES"


def test_a_strict_run_makes_an_error_of_a_deviation() -> None:
    results = sarif(BROKEN, CLAUSES, strict=True)["runs"][0]["results"]
    assert [one["level"] for one in results] == ["error"] * 3


def test_what_a_finding_lists_is_suppressed_with_its_reason() -> None:
    events: list[Event] = [header(), placed(ONE), judged(ONE, violates()), FOOTER]
    listed = summarise(events, CLAUSES, {("FET-001", "too-much"): "our issue 12"})
    (one,) = sarif(listed, CLAUSES)["runs"][0]["results"]
    assert one["suppressions"] == [{"kind": "external", "justification": "our issue 12"}]


def test_a_run_without_a_header_is_sarif_too() -> None:
    assert sarif(summarise([], CLAUSES), CLAUSES)["runs"][0]["results"] == []


def test_the_badge_says_the_verdict_and_how_much_was_exercised(tmp_path: Path) -> None:
    assert badge(BROKEN).color == "red"
    assert badge(BROKEN).message.startswith("violates")
    held = badge(summary_of(judged(ONE, conforms())))
    assert (held.color, held.label) == ("brightgreen", "fencepost fetch")
    assert badge(summary_of()).color == "lightgrey"
    found = json.loads(write_badge(BROKEN, tmp_path / "badge.json").read_bytes())
    assert found == {
        "schemaVersion": 1,
        "label": "fencepost fetch",
        "message": badge(BROKEN).message,
        "color": "red",
    }


def test_annotations_are_for_github_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    assert annotation_lines(BROKEN) == ()
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert annotation_lines(BROKEN) == (
        "::error title=lacks ShareFetch::features.toml claims ShareFetch, it is not advertised",
        (
            "::error title=violates FET-001 too-much::expected 1000 bytes, found 5070; it explains "
            "FET-002"
        ),
    )


def test_annotations_escape_what_a_broker_sent_and_are_not_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    hostile = replace(violates(), why=f"100%\n::set-output name=a::b{HOSTILE}", signature="a:b,c")
    (line,) = annotation_lines(summary_of(judged(ONE, hostile)))
    assert line.startswith("::error title=violates FET-001 a%3Ab%2Cc::100%25")
    assert "\n" not in line
    many = [judged(ONE, replace(violates(), signature=f"way {n}")) for n in range(MOST + 5)]
    assert len(annotation_lines(summary_of(*many))) == MOST
