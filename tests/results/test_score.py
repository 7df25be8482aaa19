"""A run says how much of its requirement set it exercised, and why not the rest."""

from pathlib import Path

import msgspec
from junitparser import Skipped

from results.export import SummaryFile, write_summary
from results.junit import junit
from results.report import report
from results.step_summary import step_summary
from results.summary import Summary, summarise
from spec.events import Event, LeftOut
from spec.verdict import Outcome, Verdict
from tests.results.synthetic import (
    CLAUSES,
    conforms,
    deviates,
    fetch,
    header,
    judged,
    layout,
    placed,
    violates,
    write,
)
from tests.results.test_junit import suite_of
from tests.results.test_terminal import shown

COUNT = ("FET-001", "FET-002", "FET-004", "FET-040", "FET-041")
NO_FILES = "needs log files, which this system does not take"


def events() -> list[Event]:
    one = layout((5070,))
    unsupported = Verdict("FET-002", Outcome.UNSUPPORTED, why="no version 17")
    return [
        header(requirement_set="fetch-4.3@2", clauses=COUNT),
        placed(one),
        judged(one, conforms(), unsupported),
        *[
            judged(
                one,
                conforms(),
                Verdict("FET-004", Outcome.INCONCLUSIVE, why=why),
                steps=(fetch(max_bytes=size),),
            )
            for size, why in ((1, "silent"), (2, "silent"), (3, "moved"))
        ],
        LeftOut(NO_FILES, ("FET-001", "FET-041")),
    ]


def summary() -> Summary:
    return summarise(events(), CLAUSES)


def test_each_clause_that_counts_and_was_not_exercised_has_its_reason() -> None:
    score = summary().score
    assert score is not None
    assert score.sentence == "1 of 5 clauses of fetch-4.3@2 exercised"
    assert score.reasons == {
        "FET-002": "unsupported in 1 scenario: no version 17",
        "FET-004": "inconclusive in 2 scenarios: silent",
        "FET-040": "condition did not arise in 4 scenarios",
        "FET-041": NO_FILES,
    }


def test_a_clause_that_does_not_count_is_not_spoken_of() -> None:
    counting = summarise([header(clauses=("FET-001",)), *events()[1:3]], CLAUSES)
    assert "FET-040" not in shown(counting, verbose=True)
    assert "FET-040" not in str(junit(counting))


def test_a_log_that_does_not_say_what_counts_has_no_score() -> None:
    assert summarise([header(), *events()[1:]], CLAUSES).score is None


def test_the_terminal_says_it_and_with_verbose_all_of_it() -> None:
    text = shown(summary(), 120)
    assert "1 of 5 clauses of fetch-4.3@2 exercised; not exercised:" in text
    assert f"  FET-041, because: {NO_FILES}" in text
    many = tuple([f"FET-{number}" for number in range(500, 512)])
    changed = [header(clauses=(*COUNT, *many)), *events()[1:], LeftOut("not laid", many)]
    assert "FET-507 and 4 more, because: not laid" in shown(summarise(changed, CLAUSES), 120)
    verbose = shown(summarise(changed, CLAUSES), 200, verbose=True)
    assert f"  {', '.join(many)}, because: not laid" in verbose
    reasons = [LeftOut(f"reason {name}", (name,)) for name in many]
    short = shown(summarise([changed[0], *events()[1:], *reasons], CLAUSES), 120)
    assert "… and 11 more clauses; --verbose lists them all" in short


def test_junit_has_the_score_and_each_reason() -> None:
    suite = suite_of(junit(summary()))
    facts = {fact.name: fact.value for fact in suite.properties()}
    assert facts["score"] == "1 of 5 clauses of fetch-4.3@2 exercised"
    case = next(case for case in suite if case.name == "FET-041 was exercised")
    assert isinstance(case.result[0], Skipped)
    assert case.result[0].message == f"not exercised: {NO_FILES}"


def test_summary_json_has_the_score_and_the_reasons_for_verdicts_not_given(tmp_path: Path) -> None:
    file = write_summary(summary(), CLAUSES, tmp_path / "summary.json")
    found = msgspec.json.decode(file.read_bytes(), type=SummaryFile)
    assert found.requirements is not None
    assert (found.requirements.exercised, found.requirements.clauses) == (1, 5)
    assert found.requirements.not_exercised["FET-041"] == NO_FILES
    assert [(one.outcome, one.why, one.scenarios, one.clauses) for one in found.not_given] == [
        ("inconclusive", "silent", 2, ["FET-004"]),
        ("inconclusive", "moved", 1, ["FET-004"]),
        ("unsupported", "no version 17", 1, ["FET-002"]),
    ]


def test_the_report_and_the_step_summary_say_it(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", events())
    page = report([folder]).paths["report"].read_text(encoding="utf-8")
    assert "1 of 5 clauses of fetch-4.3@2 exercised; not exercised:" in page
    assert f'<dt><a href="#clause-FET-041">FET-041</a> </dt><dd>{NO_FILES}</dd>' in page
    assert "(FET-002): no version 17</li>" in page
    assert "FET-050" not in page
    assert "1 of 5 clauses" in step_summary(summary())


def test_the_report_names_the_break_that_explains_another(tmp_path: Path) -> None:
    one = layout((5070,))
    folder = write(
        tmp_path / "run", [header(), placed(one), judged(one, violates(), deviates(), seen=True)]
    )
    page = report([folder]).paths["report"].read_text(encoding="utf-8")
    assert "another break explains it: FET-001 too-much." in page
    assert page.count("another break explains it") == 1
