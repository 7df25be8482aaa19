"""The corpus: what is kept, what is read back, what is said of a file that can't be used, and that
it changes nothing that is drawn.
"""

import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.engine.corpus import Corpus, CorpusWriter
from results.log import LogReading, read_log
from results.reproduce import reproduction
from spec.canonical import identity, write_scenario
from spec.events import Judged, Note
from spec.fetch.steps import Fetch, FetchPartition
from spec.layout import Batch, Layout, Partition
from spec.scenario import Scenario
from spec.share.steps import ShareFetch
from spec.verdict import Verdict
from tests.results.synthetic import (
    conforms,
    deviates,
    fetch,
    judged,
    layout,
    placed,
    shrunk,
    violates,
)

PLACE = layout((100,))


def scenario(size: int = 100) -> Scenario:
    return Scenario(Layout((Partition(((Batch(size),),)),)), (Fetch((FetchPartition(0, 0),)),))


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_scenario_is_kept_under_its_id_as_a_file_that_can_be_replayed(tmp_path: Path) -> None:
    assert Corpus(tmp_path / "corpus").keep(scenario()) is None
    [path] = (tmp_path / "corpus").iterdir()
    assert path.name == f"{identity(scenario())}.json"
    assert path.read_text() == write_scenario(scenario())
    assert Corpus(tmp_path / "corpus").read("fetch").scenarios == (scenario(),)


def test_a_corpus_that_is_not_there_yet_is_empty(tmp_path: Path) -> None:
    assert Corpus(tmp_path / "nowhere").read("fetch").scenarios == ()
    assert not (tmp_path / "nowhere").exists()


def test_a_scenario_of_another_subject_is_left_alone(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    shared = Scenario(scenario().layout, (ShareFetch(),))
    corpus.keep(shared)
    assert corpus.read("fetch").scenarios == ()
    assert corpus.read("share").scenarios == (shared,)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("0123456789abcdef", "not json", "expected a scenario as JSON"),
        ("0123456789abcdef", "", "expected a scenario as JSON"),
        (
            "0123456789abcdef",
            write_scenario(scenario()),
            f"expected the scenario 0123456789abcdef, found {identity(scenario())}",
        ),
        (
            "0123456789abcdef",
            write_scenario(Scenario(scenario().layout, ())),
            "expected at least one step",
        ),
        ("0123456789abcdef", " " * (5 << 20), "found more"),
    ],
)
def test_a_file_that_is_no_such_scenario_is_named_and_left_as_it_is(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    corpus = Corpus(tmp_path)
    corpus.keep(scenario())
    bad = tmp_path / f"{name}.json"
    bad.write_text(text)
    reading = corpus.read("fetch")
    assert reading.scenarios == (scenario(),)
    [note] = reading.notes
    assert str(bad) in note
    assert said in note
    assert bad.read_text() == text


def test_past_the_bound_those_go_that_broke_nothing_for_the_longest_time(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, most=3)
    for age, size in enumerate((400, 300, 200)):
        assert corpus.keep(scenario(size)) is None
        os.utime(tmp_path / f"{identity(scenario(size))}.json", (1000 + age, 1000 + age))
    corpus.keep(scenario(400))
    note = corpus.keep(scenario(100))
    assert note is not None
    assert "at most 3 scenarios are kept" in note
    assert set(corpus.read("fetch").scenarios) == {scenario(400), scenario(200), scenario(100)}
    assert corpus.read("fetch").scenarios[-1] == scenario(200)


def test_runs_that_keep_at_the_same_time_leave_whole_files_and_nothing_else(tmp_path: Path) -> None:
    def keep(number: int) -> str | None:
        return Corpus(tmp_path).keep(scenario(100 + number % 10))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(keep, range(200))) == [None] * 200
    assert names(tmp_path) == {f"{identity(scenario(100 + number))}.json" for number in range(10)}
    assert Corpus(tmp_path).read("fetch").notes == ()


def test_runs_that_drop_at_the_same_time_do_not_fail(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(
            pool.map(
                lambda number: Corpus(tmp_path, most=4).keep(scenario(100 + number)), range(200)
            )
        )
    Corpus(tmp_path, most=4).keep(scenario(99))
    assert len(names(tmp_path)) == 4
    assert Corpus(tmp_path).read("fetch").notes == ()


def test_a_folder_that_cannot_be_written_is_a_note_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    corpus_writer = CorpusWriter(Corpus(tmp_path / "file" / "corpus"), frozenset())
    corpus_writer.see(placed(PLACE))
    note = corpus_writer.see(judged(PLACE, violates()))
    assert note is not None
    assert "--corpus names another folder" in note
    assert corpus_writer.see(judged(PLACE, violates(signature="other"))) is None


def kept_of(folder: Path, *verdicts: Verdict, family: str = "question") -> set[str]:
    corpus_writer = CorpusWriter(Corpus(folder), frozenset({("FET-001", "listed")}))
    corpus_writer.see(placed(PLACE))
    for number, verdict in enumerate(verdicts):
        found = judged(PLACE, verdict, steps=(fetch(max_bytes=number),))
        corpus_writer.see(Judged(found.scenario, found.layout, family, found.steps, found.verdicts))
    return {path.stem for path in folder.iterdir()} if folder.exists() else set()


def id_of(number: int) -> str:
    return identity(Scenario(PLACE, (fetch(max_bytes=number),)))


def test_the_first_scenario_of_each_kind_of_unlisted_break_is_kept(tmp_path: Path) -> None:
    found = kept_of(
        tmp_path,
        conforms(),
        violates(),
        violates(),
        deviates(),
        violates(signature="listed"),
        violates(signature="other"),
    )
    assert found == {id_of(1), id_of(3), id_of(5)}


def test_what_a_finding_lists_and_what_the_catalogue_has_is_not_kept(tmp_path: Path) -> None:
    assert kept_of(tmp_path / "one", violates(signature="listed")) == set()
    assert kept_of(tmp_path / "two", violates(), family="example") == set()


def test_the_scenario_as_shrunk_is_kept_too(tmp_path: Path) -> None:
    CorpusWriter(Corpus(tmp_path), frozenset()).see(
        shrunk(judged(PLACE, violates()), violates(), scenario(61))
    )
    assert names(tmp_path) == {f"{identity(scenario(61))}.json"}


def test_a_kept_scenario_that_breaks_again_is_fresh_and_one_that_holds_is_not(
    tmp_path: Path,
) -> None:
    files = []
    for number in range(3):
        Corpus(tmp_path).keep(Scenario(PLACE, (fetch(max_bytes=number),)))
        files.append(tmp_path / f"{id_of(number)}.json")
        os.utime(files[-1], (1000, 1000))
    kept_of(tmp_path, violates(), conforms(), violates(), family="corpus")
    assert [path.stat().st_mtime > 1000 for path in files] == [True, False, True]


def test_without_a_corpus_nothing_is_kept() -> None:
    corpus_writer = CorpusWriter(None, frozenset())
    corpus_writer.see(placed(PLACE))
    assert corpus_writer.see(judged(PLACE, violates())) is None


def run(tmp_path: Path, *options: str) -> LogReading:
    arguments = [
        "run",
        "--no-report",
        "--seed",
        "5",
        "--scenarios",
        "150",
        "--out",
        str(tmp_path),
        *options,
    ]
    found = CliRunner().invoke(main, arguments)
    assert found.exit_code == 0, found.output
    [folder] = tmp_path.iterdir()
    return read_log(folder / "events.jsonl")


def drawn(reading: LogReading) -> Counter[str]:
    return Counter(
        event.scenario
        for event in reading.events
        if isinstance(event, Judged) and event.family != "corpus"
    )


@pytest.mark.broker
def test_kept_scenarios_come_first_and_change_nothing_that_is_drawn(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path / "corpus")
    small = Scenario(scenario(300).layout, scenario().steps, (("fetch.max.bytes", "1024"),))
    elsewhere = Scenario(scenario(300).layout, scenario().steps, (("fetch.max.bytes", "999999"),))
    for one in (scenario(), small, elsewhere):
        corpus.keep(one)
    (tmp_path / "corpus" / "broken.json").write_text("{")
    without = run(tmp_path / "without", "--no-corpus")
    found = run(tmp_path / "with", "--corpus", str(tmp_path / "corpus"))
    judged_all = [event for event in found.events if isinstance(event, Judged)]
    assert (judged_all[0].scenario, judged_all[0].family) == (identity(scenario()), "corpus")
    assert [event.scenario for event in judged_all if event.family == "corpus"] == [
        identity(scenario()),
        identity(small),
    ]
    assert drawn(found) == drawn(without)
    assert any(isinstance(event, Note) and "broken.json" in event.text for event in found.events)
    assert reproduction(without.header).endswith("--no-corpus --seed 5")
    assert f"--corpus {tmp_path / 'corpus'} --seed 5" in reproduction(found.header)


def test_a_corpus_and_none_at_once_is_wrong_use(tmp_path: Path) -> None:
    found = CliRunner().invoke(main, ["run", "--corpus", str(tmp_path), "--no-corpus"])
    assert found.exit_code == 2
    assert "leave one out" in found.output
