"""The score and the known mutants: what is chosen, what is kept, and what fails."""

import argparse
import importlib
from pathlib import Path
from typing import Any

import pytest

from benchmarks.mutants import mutants_in

ROOT = Path(__file__).resolve().parent.parent.parent
MUTANTS = mutants_in("def f(a, b):\n    return (a < b, a < b, a == b)\n", "spec/f.py")
OPTIONS = argparse.Namespace(scenarios=10, patience=1.0, jobs=2, dry=False)


@pytest.fixture
def mutation(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("mutation")


def test_a_sample_changes_with_its_seed_alone(mutation: Any) -> None:
    many = tuple(range(100))
    assert mutation.sampled(many, 5, "a") == mutation.sampled(many, 5, "a")
    assert mutation.sampled(many, 5, "a") != mutation.sampled(many, 5, "b")
    assert mutation.sampled(many, None, "a") == list(many)


def test_the_score_counts_what_answered_a_whole_run(mutation: Any) -> None:
    fates = [
        mutation.Fate(name, "", 1) for name in ("killed", "survived", "timed out", "inconclusive")
    ]
    assert mutation.score(fates) == pytest.approx(100 / 3)
    assert mutation.score([]) == 100.0


def test_the_summary_counts_what_each_seed_kills(mutation: Any) -> None:
    fates = [
        tuple([mutation.Fate(name, "", 1) for name in names])
        for names in (("killed", "killed"), ("killed", "survived"), ("killed", "timed out"))
    ]
    assert mutation.summary("fetch", fates, [100.0, 50.0]) == (
        "fetch, of 3 mutants: 100 %, 50 % killed by seed; 1 of 2 by each"
    )


def test_a_mutant_that_shares_its_name_is_not_known(mutation: Any) -> None:
    assert [mutant.text for mutant in mutation.unique(MUTANTS)] == ["a == b"]


def test_known_mutants_are_kept_in_order_and_once(
    mutation: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lists = importlib.import_module("mutant_lists")
    monkeypatch.setattr(lists, "KILLED", tmp_path / "killed.tsv")
    lists.KILLED.write_text("")
    one, two = ("b.py", "f", "negated", "x"), ("a.py", "f", "negated", "x")
    for keys in ({one}, {one, two}, {("c.py", "f", "negated", "two\nlines")}):
        lists.keep_killed(keys)
    assert lists.KILLED.read_text().splitlines() == ["\t".join(two), "\t".join(one)]
    assert lists.killed() == {one, two}


@pytest.mark.parametrize(
    ("fates", "gone"),
    [
        (("survived", "survived", "survived"), True),
        (("survived", "killed", "survived"), False),
        (("survived", "survived", "inconclusive"), False),
        (("failed", "failed", "failed"), True),
        (("failed", "survived", "killed"), False),
    ],
)
def test_a_known_mutant_is_lost_if_it_survives_each_seed_or_its_judge_fails(
    mutation: Any, monkeypatch: pytest.MonkeyPatch, fates: tuple[str, ...], gone: bool
) -> None:
    def judge(*_: object, seed: int, **__: object) -> Any:
        return mutation.Fate(fates[seed - 1], "", 1)

    monkeypatch.setattr(mutation, "judge", judge)
    assert mutation.lost("fetch", list(MUTANTS[:1]), OPTIONS) == list(MUTANTS[:1] if gone else ())


def test_an_equivalent_mutant_is_left_out_by_its_number(mutation: Any) -> None:
    lists = importlib.import_module("mutant_lists")
    second = lists.Excluded(frozenset([(MUTANTS[1].key, 2)]), frozenset())
    assert second.without(MUTANTS) == (MUTANTS[0], MUTANTS[2])
    unserved = lists.Excluded(frozenset(), frozenset([("spec/f.py", "f")]))
    assert unserved.without(MUTANTS) == ()


def test_an_entry_whose_code_is_gone_is_named(
    mutation: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lists = importlib.import_module("mutant_lists")
    monkeypatch.setattr(lists, "EQUIVALENT", tmp_path / "equivalent.toml")
    entry = '[[{}]]\npath = "spec/f.py"\nfunction = "{}"\nkind = "comparison"\ntext = "{}"\n'
    lists.EQUIVALENT.write_text(
        entry.format("equivalent", "f", "a == b")
        + entry.format("equivalent", "f", "a > b")
        + entry.format("unserved", "f", "")
        + entry.format("unserved", "g", "")
    )
    assert lists.stale(MUTANTS) == ("spec/f.py f", "spec/f.py g")
    assert mutation.stale is lists.stale


@pytest.mark.slow
def test_each_subject_has_known_mutants_that_are_still_there(mutation: Any) -> None:
    known = importlib.import_module("mutant_lists").killed()
    for subject in mutation.SOURCES:
        keys = {mutant.key for mutant in mutation.unique(mutation.mutants_of(subject, ROOT))}
        assert known & keys, f"expected known mutants of {subject}; measure with --keep"
