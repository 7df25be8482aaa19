import base64
import hashlib
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from results.coverage import coverage
from results.html import MOST_LISTED, Page, page
from spec.canonical import read_scenario, to_json
from spec.fetch.steps import Fetch, FetchPartition
from spec.known import known_to_facts
from spec.scenario import Scenario
from tests.results.synthetic import CLAUSES, HOSTILE, header, layout, observation

EXAMPLE = Scenario(layout((5070,)), (Fetch((FetchPartition(0, 0, 1000),)),))
COUNTS = (
    "exercised",
    "below",
    "at",
    "above",
    "conforms",
    "deviates",
    "violates",
    "known",
    "inconclusive",
    "unsupported",
)


def row(clause: str = "FET-001", **counts: int) -> dict[str, Any]:
    named = {
        "clause": clause,
        "strength": "must",
        "system": "embedded",
        "release": "4.3",
        "kafka": "4.3.1",
    }
    return named | dict.fromkeys(COUNTS, 0) | counts


def cluster(**changes: Any) -> dict[str, Any]:
    made = {
        "clause": "FET-001",
        "strength": "must",
        "signature": "too-much",
        "outcome": "violates",
        "known": None,
        "count": 3,
        "primary": 2,
        "implementations": ["embedded 4.3.1"],
        "example_json": to_json(EXAMPLE),
        "observation_json": to_json(observation()),
        "example_why": "expected 1000 bytes, found 5070",
        "shrunk": True,
        "run": "r1",
    }
    return made | changes


def ruled_out(reading: str) -> dict[str, Any]:
    return {
        "clause": "FET-001",
        "reading": reading,
        "why": "w",
        "scenario_json": to_json(EXAMPLE),
        "observation_json": to_json(observation()),
        "system": "kfake",
        "kafka": "4.4",
    }


NOT_KEPT = ruled_out("some") | {"observation_json": None}


def run(**changes: Any) -> dict[str, Any]:
    made = {
        "run": "r1",
        "system": "embedded",
        "release": "4.3",
        "kafka": "4.3.1",
        "judged": 6,
        "placed": 2,
        "seconds": 2.5,
        "truncated": False,
        "reason": "done",
        "notes": [],
    }
    return made | changes


def whole(**changes: Any) -> Page:
    made: dict[str, Any] = {
        "headers": (header(),),
        "runs": (run(),),
        "matrix": (row(exercised=50, below=30, at=30, above=30, conforms=50),),
        "clusters": (),
        "coverage": coverage(
            {"max_bytes=at": 1, "partition_max_bytes=at": 1},
            {("max_bytes=at", "partition_max_bytes=at"): 1},
        ),
        "readings": (),
        "broken_lines": (),
    }
    return Page(**made | changes)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def tags_of(text: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Tags()
    parser.feed(text)
    return parser.tags


def test_the_verdict_comes_first() -> None:
    text = page(whole(clusters=(cluster(),), matrix=(row(exercised=3, violates=3),)), CLAUSES)
    assert re.search(
        r'<h1>VIOLATES</h1>\s*<p class="sentence">FET-001 broken in 3 verdicts\.</p>', text
    )
    assert "<h1>CONFORMS</h1>" in page(whole(), CLAUSES)


def test_a_doubt_is_not_called_conforming() -> None:
    assert "<h1>INCONCLUSIVE</h1>" in page(
        whole(matrix=(row(exercised=9, conforms=9, inconclusive=1),)), CLAUSES
    )
    assert "<h1>CUT SHORT</h1>" in page(
        whole(runs=(run(truncated=True, reason=None, seconds=None),)), CLAUSES
    )
    assert "<h1>NOTHING EXERCISED</h1>" in page(whole(matrix=()), CLAUSES)


def test_the_page_asks_nothing_of_the_outside_and_runs_its_own_script_alone() -> None:
    tags = tags_of(page(whole(clusters=(cluster(),)), CLAUSES))
    assert [attributes for tag, attributes in tags if tag == "script"] == [{}]
    for tag, attributes in tags:
        assert tag not in {"link", "iframe", "object", "embed", "base", "img"}
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        assert "src" not in attributes
        assert "action" not in attributes
        assert (attributes.get("href") or "#").startswith("#")


def test_the_policy_allows_its_own_style_and_script_alone() -> None:
    text = page(whole(), CLAUSES)
    (policy,) = [
        a["content"]
        for tag, a in tags_of(text)
        if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy"
    ]
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL)
    assert policy is not None
    assert style is not None
    assert script is not None
    own, run = (
        base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode()
        for found in (style, script)
    )
    assert policy.startswith(
        f"default-src 'none'; style-src 'sha256-{own}'; script-src 'sha256-{run}'; base-uri"
    )


def test_hostile_text_in_every_place_stays_text() -> None:
    nasty = whole(
        headers=(
            header(
                system=HOSTILE, run=HOSTILE, facts={HOSTILE: HOSTILE}, options={HOSTILE: HOSTILE}
            ),
        ),
        runs=(
            run(
                run=HOSTILE,
                system=HOSTILE,
                kafka=HOSTILE,
                notes=[HOSTILE],
                reason=HOSTILE,
                truncated=True,
            ),
        ),
        matrix=(row(HOSTILE, exercised=1, conforms=1) | {"system": HOSTILE, "kafka": HOSTILE},),
        clusters=(
            cluster(signature=HOSTILE, example_why=HOSTILE, implementations=[HOSTILE], run=HOSTILE),
            cluster(known=HOSTILE, example_json=HOSTILE),
        ),
        coverage=coverage({HOSTILE: 1, f"{HOSTILE}=at": 1, "x=at": 1}, {}),
        readings=(
            {
                "clause": HOSTILE,
                "reading": HOSTILE,
                "why": HOSTILE,
                "scenario_json": HOSTILE,
                "observation_json": HOSTILE,
                "system": HOSTILE,
                "kafka": HOSTILE,
            },
        ),
        broken_lines=({"run": HOSTILE, "line": 3, "reason": HOSTILE, "text": HOSTILE},),
    )
    text = page(nasty, CLAUSES)
    assert text.count("<script") == 1
    assert not [char for char in text if ord(char) < 32 and char != "\n"]
    assert "\u202e" not in text
    assert len([tag for tag, _ in tags_of(text) if tag == "html"]) == 1
    text.encode()


def test_each_kind_of_difference_is_drawn() -> None:
    text = page(
        whole(clusters=(cluster(), cluster(signature="cut", outcome="deviates", known="KAFKA-1"))),
        CLAUSES,
    )
    pictures = [a for tag, a in tags_of(text) if tag == "svg" and a.get("role") == "img"]
    assert [one["width"] for one in pictures] == ["760", "340"] * 2
    assert "Listed: KAFKA-1" in text
    assert text.index("too-much") < text.index("KAFKA-1")


@pytest.mark.parametrize(("many", "is_open"), [(MOST_LISTED, True), (MOST_LISTED + 1, False)])
def test_many_known_differences_are_folded(many: int, is_open: bool) -> None:
    listed = tuple([cluster(signature=f"s{one}", known="KAFKA-1") for one in range(many)])
    (known,) = [
        about
        for tag, about in tags_of(page(whole(clusters=listed), CLAUSES))
        if tag == "details" and about.get("id") == "known"
    ]
    assert ("open" in known) == is_open


def test_a_reading_that_several_runs_ruled_out_is_named_once() -> None:
    one = ruled_out("cut")
    text = page(whole(readings=(one, one, one | {"kafka": "4.3"})), CLAUSES)
    assert text.count("reading <b>cut</b>") == 2


def test_the_scenario_that_ruled_out_readings_is_drawn_once() -> None:
    text = page(whole(readings=(ruled_out("cut"), ruled_out("whole"), NOT_KEPT)), CLAUSES)
    pictures = [
        about for tag, about in tags_of(text) if tag == "svg" and about.get("role") == "img"
    ]
    assert [one["width"] for one in pictures] == ["760", "340"]
    assert text.count("What was observed") == 1


def without_marked_words(text: str) -> str:
    """The page with commands as they are read and copied."""
    return re.sub(r'<span class="word">(.*?)</span>', r"\1", text)


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("fault", "with the planted fault no-progress, judged as Kafka 4.3"),
        ("client_fault", "with the planted client fault no-progress, judged as Kafka 4.3"),
    ],
)
def test_the_header_names_what_was_planted(option: str, words: str) -> None:
    about = header(options={"system": "model", option: "no-progress"})
    assert words in page(whole(headers=(about,)), CLAUSES)
    assert "planted" not in page(whole(), CLAUSES).partition("<nav")[0]


def test_a_difference_names_the_command_that_plays_it_again(tmp_path: Path) -> None:
    about = header(options={"kafka": "4.3.1", "system": "model", "fault": "x y"})
    differing = whole(headers=(about,), clusters=(cluster(),))
    text = without_marked_words(page(differing, CLAUSES))
    played_on = "model --kafka 4.3.1 --fault &#39;x y&#39;"
    assert f"<code>fencepost replay FET-001-too-much.json {played_on}</code>" in text
    elsewhere = {"bootstrap-server": "h:9092", "strict": "true", "scenarios": "9"}
    there = without_marked_words(
        page(replace(differing, headers=(header(options=elsewhere),)), CLAUSES)
    )
    assert "replay FET-001-too-much.json --bootstrap-server h:9092</code>" in there
    (example,) = re.findall(r"<pre[^>]*>(.*?)</pre>", text)
    assert read_scenario(unescape(example)) == EXAMPLE
    (tmp_path / "scenarios").mkdir()
    file = tmp_path / "scenarios" / "FET-001-too-much.json"
    file.write_text("{}")
    text = without_marked_words(page(replace(differing, folders={"r1": tmp_path}), CLAUSES))
    assert f"<code>fencepost replay {file} {played_on}</code>" in text


def test_a_reason_stands_as_expected_against_observed() -> None:
    text = page(whole(clusters=(cluster(),)), CLAUSES)
    assert "<dt>Expected</dt><dd>1000 bytes</dd>" in text
    assert "<dt>Observed</dt><dd>5070</dd>" in text
    assert "<dt>Expected</dt>" not in page(whole(clusters=(cluster(example_why="x"),)), CLAUSES)


def test_a_page_that_is_full_has_the_words_without_the_pictures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("results.html.MOST_DRAWN_BYTES", 5000)
    many = tuple([cluster(signature=f"s{number}") for number in range(9)])
    text = page(whole(clusters=many), CLAUSES)
    assert 0 < text.count("its picture was left out") < 9
    assert text.count("<dt>Observed</dt>") == 9


def test_what_could_not_be_judged_stands_behind_what_differs() -> None:
    doubts = [cluster(outcome="inconclusive", signature=f"s{n}", count=90) for n in range(70)]
    text = page(whole(clusters=(*doubts, cluster(outcome="deviates", signature="cut"))), CLAUSES)
    assert text.index(">cut<") < text.index(">Could not be judged<") < text.index(">s0<")
    assert "70 kinds of scenario" in text
    assert "the first 59" in text


def test_an_example_that_is_lost_is_said_to_be() -> None:
    text = page(whole(clusters=(cluster(example_json=None), cluster(example_json="[]"))), CLAUSES)
    assert "its layout was lost" in text
    assert "can&#39;t be drawn" in text


def test_broken_lines_and_cut_logs_are_reported_before_the_results() -> None:
    text = page(
        whole(
            broken_lines=({"run": "r1", "line": 17, "reason": "no JSON", "text": "{"},),
            runs=(run(truncated=True),),
        ),
        CLAUSES,
    )
    assert text.index("line 17: no JSON") < text.index("Clauses by implementation")
    assert text.index("has no footer") < text.index("Clauses by implementation")


def test_runs_that_ended_early_for_one_reason_are_one_notice() -> None:
    runs = [
        run(run=f"run-{number}", reason=reason)
        for number, reason in enumerate(("broken", "done", "interrupted", "broken"))
    ]
    text = page(whole(runs=tuple(runs)), CLAUSES)
    assert "2 runs ended early (broken): run-0, run-3." in text
    assert "1 run ended early (interrupted): run-2." in text


def test_holes_name_what_was_hardly_met_and_what_can_not_be_tested() -> None:
    text = page(whole(matrix=(row(exercised=5, below=3, at=2, above=40, conforms=5),)), CLAUSES)
    assert "FET-001: met only 3 below, 2 at its fence" in text
    assert "FET-040: its condition never arose" in text
    assert "FET-030: needs two minutes of waiting" in text


def test_findings_do_not_stand_among_the_facts() -> None:
    text = page(
        whole(
            headers=(
                header(
                    facts={"kafka": "4.3.1", **known_to_facts({("FET-002", "x"): "listed because"})}
                ),
            )
        ),
        CLAUSES,
    )
    assert "<dt>kafka</dt>" in text
    assert "listed because" not in text


def cost(reading: str, fetched: int, taken: int = 2000) -> dict[str, Any]:
    named = {
        "shape": "batches of 500",
        "reading": reading,
        "records": 100,
        "held": 2000,
        "fetches": 20,
        "stored": 200244,
    }
    return named | {
        "fetched": fetched,
        "taken": taken,
        "thrown_away": max(0, fetched - 200244),
        "of_today": fetched / 2503050,
    }


def test_costs_are_a_table_and_a_chart_with_today_first() -> None:
    text = page(
        whole(
            costs=(
                cost("stop=after", 1001220),
                cost("today", 2503050),
                cost(f"stop=before{HOSTILE}", 0, 0),
            )
        ),
        CLAUSES,
    )
    section = text[text.index('id="costs"') : text.index('id="coverage"')]
    assert section.index(">today<") < section.index(">stop=after<") < section.index(">stop=before")
    assert "<td>800,976</td>" in section
    assert "<td>40%</td>" in section
    assert "0 of 2,000" in section
    bars = [a for tag, a in tags_of(section) if tag == "rect"]
    assert [one["width"] for one in bars if one["class"] == "conforms"] == [
        "16.00",
        "16.00",
        "0.00",
    ]
    assert text.count("<script") == 1
    assert 'id="costs"' not in page(whole(), CLAUSES)
