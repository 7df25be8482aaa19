"""Mutants of the reference machines: what is changed, and that each can be named and compiled."""

import ast
import json
import subprocess
import sys
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from benchmarks.mutants import SOURCES, Mutant, mutants_in, mutants_of

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = '''\
"""A module."""

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import decimal

WAIT = 5
FLAG: bool = True


def take(state, most: "int < 3"):
    assert most > 0
    if state.size < most and state.open:
        return replace(state, size=state.size + 1, open=False)
    return [part for part in state.parts if part]
'''


@cache
def _machine(subject: str) -> tuple[Mutant, ...]:
    return mutants_of(subject, ROOT)


def _found(kind: str, source: str = SOURCE) -> list[tuple[int, str, str]]:
    every = mutants_in(source, "spec/take.py")
    return [(m.line, m.text, m.changed) for m in every if m.kind == kind]


def _source(mutant: Mutant, before: str, after: str) -> None:
    assert SOURCE.count(before) == 1
    expected = SOURCE.replace(before, after)
    assert ast.unparse(ast.parse(mutant.source)) == ast.unparse(ast.parse(expected))


def test_a_comparison_is_moved_at_its_boundary_and_nowhere_else() -> None:
    assert _found("comparison") == [(15, "state.size < most", "state.size <= most")]


@pytest.mark.parametrize(
    ("before", "after"),
    [("<", "<="), ("<=", "<"), (">", ">="), (">=", ">"), ("==", "!="), ("!=", "==")],
)
def test_each_comparison_has_its_other(before: str, after: str) -> None:
    assert _found("comparison", f"x = a {before} b") == [(1, f"a {before} b", f"a {after} b")]


def test_both_comparisons_of_a_chain_are_changed() -> None:
    assert _found("comparison", "x = a < b < c") == [(1, "a < b < c", "a <= b < c")]
    assert _found("comparison-2", "x = a < b < c") == [(1, "a < b < c", "a < b <= c")]


def test_numbers_go_up_and_down_by_one_and_truth_values_are_no_numbers() -> None:
    assert _found("plus-one") == [
        (9, "WAIT = 5", "WAIT = 6"),
        (16, "state.size + 1", "state.size + 2"),
    ]
    assert [changed for _, _, changed in _found("minus-one")] == ["WAIT = 4", "state.size + 0"]


def test_connectives_are_exchanged() -> None:
    before = "state.size < most and state.open"
    assert _found("and-to-or") == [(15, before, before.replace("and", "or"))]
    assert _found("or-to-and", "x = a or b") == [(1, "a or b", "a and b")]


def test_branches_are_negated_also_those_of_a_comprehension() -> None:
    assert _found("negated") == [
        (
            *(15, "state.size < most and state.open"),
            "not (state.size < most and state.open)",
        ),
        (17, "part", "not part"),
    ]


def test_each_update_is_dropped_alone() -> None:
    assert [(line, changed) for line, _, changed in _found("dropped-size")] == [
        (16, "replace(state, open=False)")
    ]
    assert [(line, changed) for line, _, changed in _found("dropped-open")] == [
        (16, "replace(state, size=state.size + 1)")
    ]


def test_a_mutant_is_its_module_with_one_change() -> None:
    mutant = next(m for m in mutants_in(SOURCE, "spec/take.py") if m.kind == "comparison")
    _source(mutant, "state.size < most", "state.size <= most")
    assert mutant.id == "spec/take.py:15:8:comparison"
    assert mutant.key == ("spec/take.py", "take", "comparison", "state.size < most")
    assert mutant.module == "spec.take"


def test_a_change_that_another_one_made_already_is_left_out() -> None:
    every = mutants_in("if a == b:\n    pass\n", "x.py")
    assert len({m.source for m in every}) == len(every)


@pytest.mark.slow
@pytest.mark.parametrize("subject", sorted(SOURCES))
def test_the_mutants_of_a_machine_have_ids_of_their_own_and_compile(subject: str) -> None:
    every = _machine(subject)
    assert len(every) > 50
    assert [one for one, times in Counter(m.id for m in every).items() if times > 1] == []
    for mutant in every[::10]:
        compile(mutant.source, mutant.path, "exec")


def test_what_is_excluded_has_a_reason_and_what_is_open_its_question() -> None:
    listed = tomllib.loads((ROOT / "benchmarks/equivalent_mutants.toml").read_text("utf-8"))
    for entry in [*listed["equivalent"], *listed["unserved"]]:
        assert entry["reason"].strip()
    assert all(entry["question"].strip() for entry in listed["open"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "fate", "code"), [("always-killed", "killed", 0), ("at-start", "crashed at start", 0)]
)
def test_a_served_mutant_is_judged(tmp_path: Path, seed: str, fate: str, code: int) -> None:
    """A wrong boundary is a break; a module that can't be imported is none."""
    session = ROOT / "spec/fetch/model/session.py"
    source = "raise ValueError\n" if seed == "at-start" else _never_in_session(session.read_text())
    file = tmp_path / "sources.json"
    file.write_text(json.dumps({"spec.fetch.model.session": source}))
    command = [sys.executable, str(ROOT / "benchmarks/mutant_judge.py"), "fetch"]
    done = subprocess.run(
        [*command, str(file), "60", "1"],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(ROOT)},
    )
    assert (done.returncode, f'"fate": "{fate}"' in done.stdout) == (code, True), done.stderr


def _never_in_session(source: str) -> str:
    """The mutant of the session module that is known to be detected at once."""
    every = mutants_in(source, "spec/fetch/model/session.py")
    return next(m.source for m in every if m.key[1:] == ("session_after", "minus-one", "epoch=1"))
