"""A run writes findings files: what broke is added, what does not happen any more is taken out, and
all else stays as it was written.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.cli.asked_files import AskedFiles
from conformance.cli.findings_files import FindingsWriter
from conformance.findings import FindingsError, load_findings, read_findings
from conformance.findings.editing import Entry, with_entries, without_entries
from conformance.findings.finding import TO_BE_WRITTEN
from conformance.systems.model import Model
from results.clauses import catalogue
from results.summary import Summary, summarise
from spec.events import Event, Judged, RunFinished
from spec.scenario import Scenario
from spec.verdict import Outcome, Verdict
from tests.conformance.engine.test_not_laid import RUN
from tests.results.synthetic import layout

if TYPE_CHECKING:
    from pathlib import Path

WRITTEN = '''# my findings

# about A
[[finding]]
clause = "FET-071" # here
signature = "a"
reason = """
[[finding]]
"""
evidence = "x"
happens = { FET-010 = ["below"] }

# general remark

# about B
[[finding]]
clause = "FET-172"
signature = "b"
releases = [ "4.2" ] # since then
reason = "r"
evidence = "x"
# end
'''
NEW = Entry("FET-004", 'says "none"', "expected, found", "my-broker", "4.3")
HEADER = replace(RUN, seed=7, facts={"implementation": "my-broker"})
BROKEN = Verdict("FET-004", Outcome.VIOLATES, why="expected 1, found 2", signature="none")
DONE = RunFinished("done", 1, 1, 1, 1.0)


def invoke(*arguments: str) -> tuple[int, str]:
    found = CliRunner().invoke(main, list(arguments))
    return found.exit_code, found.output


def reread(folder: Path, text: str) -> list[tuple[str, str, tuple[str, ...]]]:
    file = folder / "reread.toml"
    file.write_text(text, encoding="utf-8")
    return [(one.clause, one.signature, one.releases) for one in read_findings(file)]


def test_what_broke_is_added_at_the_end_and_the_rest_stays(tmp_path: Path) -> None:
    text, new = with_entries(WRITTEN, [NEW])
    assert text.startswith(WRITTEN)
    assert new == (NEW,)
    assert reread(tmp_path, text)[2] == ("FET-004", 'says "none"', ("4.3",))
    assert with_entries(text, [NEW]) == (text, ())


def test_a_break_of_another_release_gets_its_release(tmp_path: Path) -> None:
    text, new = with_entries(WRITTEN, [replace(NEW, clause="FET-172", signature="b")])
    assert len(new) == 1
    assert text == WRITTEN.replace('[ "4.2" ]', '[ "4.2", "4.3" ]')


def test_what_holds_for_any_release_or_has_expired_is_not_listed_twice() -> None:
    assert with_entries(WRITTEN, [replace(NEW, clause="FET-071", signature="a")])[1] == ()
    other = WRITTEN.replace('signature = "a"', 'signature = "a"\nsystem = "other"')
    text, new = with_entries(other, [replace(NEW, clause="FET-071", signature="a")])
    assert len(new) == 1
    assert text.count("[[finding]]\nclause") == 3


def test_a_new_file_holds_what_broke(tmp_path: Path) -> None:
    text, _ = with_entries("", [NEW, replace(NEW, clause="FET-001", system="")])
    assert [one[0] for one in reread(tmp_path, text)] == ["FET-004", "FET-001"]
    assert load_findings([tmp_path / "reread.toml"], "4.3", "my-broker")[0].reason == TO_BE_WRITTEN


def test_an_entry_goes_with_its_own_comment_alone(tmp_path: Path) -> None:
    first = without_entries(WRITTEN, {0})
    assert first == WRITTEN[: WRITTEN.index("# about A")] + WRITTEN[WRITTEN.index("# general") :]
    assert without_entries(WRITTEN, {1}) == WRITTEN[: WRITTEN.index("# about B")]
    empty = without_entries(WRITTEN, {0, 1})
    assert reread(tmp_path, empty) == []
    assert "# general remark" in empty
    assert "about" not in empty
    assert reread(tmp_path, with_entries(empty, [NEW])[0]) == [("FET-004", NEW.signature, ("4.3",))]


def test_entries_that_are_no_lines_of_their_own_stay() -> None:
    with pytest.raises(FindingsError, match="by hand"):
        without_entries('finding = [{clause = "FET-004"}, {clause = "FET-001"}]\n', {0})


def summary_of(*verdicts: Verdict, footer: RunFinished = DONE) -> Summary:
    events: list[Event] = [
        HEADER,
        *[Judged("s", "l", "question", (), (one,)) for one in verdicts],
        footer,
    ]
    return summarise(events, catalogue("fetch"))


def tended(
    file: Path, *verdicts: Verdict, footer: RunFinished = DONE, whole: bool = True
) -> list[str]:
    findings_writer = FindingsWriter(None, file, whole=whole, strict=False)
    assert findings_writer.check_files() == (file,)
    for one in verdicts:
        findings_writer(Judged("s", "l", "question", (), (one,)))
    return list(findings_writer.write(summary_of(*verdicts, footer=footer), AskedFiles()))


def test_only_a_whole_run_takes_findings_out(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    listed, _ = with_entries("", [replace(NEW, signature="gone"), replace(NEW, signature="none")])
    file.write_text(listed)
    held = [Verdict("FET-004", Outcome.CONFORMS)] * 20
    doubt = Verdict("FET-004", Outcome.INCONCLUSIVE, why="late", signature="late")
    cut_off = RunFinished("interrupted", 130, 1, 1, 1.0)
    for lines in (
        tended(file, *held, BROKEN, footer=cut_off),
        tended(file, *held, BROKEN, doubt),
        tended(file, *held, BROKEN, whole=False),
    ):
        assert "nothing was taken out" in lines[0]
    assert tended(file, *held[:4], BROKEN) == [f"{file}: no finding is stale"]
    assert file.read_text() == listed
    assert "FET-004 'gone'" in tended(file, *held, BROKEN)[0]
    assert [one.signature for one in read_findings(file)] == ["none"]


def test_breaks_are_added_and_deviations_under_strict_alone(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    other = Verdict("FET-101", Outcome.DEVIATES, why="fewer", signature="fewer batches")
    summary = summary_of(BROKEN, BROKEN, other, footer=RunFinished("interrupted", 130, 1, 1, 1.0))
    assert not FindingsWriter(file, None, whole=True, strict=False).check_files()
    (line,) = FindingsWriter(file, None, whole=True, strict=False).write(summary, AskedFiles())
    assert "1 finding added" in line
    (entry,) = read_findings(file)
    assert (entry.clause, entry.system, entry.releases) == ("FET-004", "my-broker", ("4.3",))
    assert entry.evidence.startswith("expected 1, found 2; seen in run run with seed 7")
    list(FindingsWriter(file, None, whole=True, strict=True).write(summary, AskedFiles()))
    assert [one.clause for one in read_findings(file)] == ["FET-004", "FET-101"]


@pytest.mark.parametrize(
    ("shrunk", "words"), [(True, "smallest case: "), (False, "an example, not shrunk: ")]
)
def test_evidence_names_the_example_as_what_it_is(tmp_path: Path, shrunk: bool, words: str) -> None:
    file = tmp_path / "mine.toml"
    scenario = Scenario(layout((100,)), ())
    events = (HEADER, Judged("s", "l", "question", (), (BROKEN,)), DONE)
    summary = summarise(events, catalogue("fetch"))
    kinds = tuple([replace(one, example=scenario, shrunk=shrunk) for one in summary.clusters])
    changed = replace(summary, clusters=kinds)
    list(FindingsWriter(file, None, whole=True, strict=False).write(changed, AskedFiles()))
    (entry,) = read_findings(file)
    assert entry.evidence.endswith(f"; {words}scenarios/FET-004-none.json")


def test_a_file_that_can_not_be_written_is_noted_and_the_verdict_stands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    file, asked = tmp_path / "file" / "mine.toml", AskedFiles()
    findings_writer = FindingsWriter(file, None, whole=True, strict=False)
    assert not list(findings_writer.write(summary_of(BROKEN), asked))
    assert f"note: expected to write {file}" in capsys.readouterr().err
    assert [asked.code(verdict) for verdict in (0, 1, 3, 130)] == [4, 1, 4, 130]


@pytest.mark.system
def test_a_run_lists_what_breaks_and_the_next_one_conforms(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    with Model() as model:
        asked = (
            *("run", "--bootstrap-server", ":".join(map(str, model.address)), "--no-restart"),
            *("--scenarios", "60", "--seed", "1", "--no-report", "--no-corpus"),
            *("--out", str(tmp_path / "runs")),
        )
        code, text = invoke(*asked, "--update-findings", str(file))
        assert code == 1
        assert "whose reasons are yours" in text
        names = {one.evidence.partition("scenarios/")[2] for one in read_findings(file)}
        (run,) = (tmp_path / "runs").iterdir()
        assert names == {one.name for one in (run / "scenarios").iterdir()}
        code, text = invoke(*asked, "--update-findings", str(file), "--prune-findings", str(file))
        assert code == 0, text
        assert "the reasons of findings are still to be written: FET-071" in text
        assert "nothing to add" in text


def test_a_file_that_can_not_be_written_is_refused_before_a_broker_is_asked(
    tmp_path: Path,
) -> None:
    missing = str(tmp_path / "none" / "mine.toml")
    code, text = invoke("run", "model", "--update-findings", missing)
    assert code == 2
    assert "expected a folder" in text
    code, text = invoke("run", "model", "--prune-findings", missing)
    assert code == 2
    assert "expected a findings file" in text
