"""Probes: a mutant is recorded if and only if its change is seen."""

import importlib
from pathlib import Path
from typing import Any

import pytest

from benchmarks.mutants import mutants_in

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = '''\
"""A module."""

from __future__ import annotations

MOST = 3


def grade(size, most=2):
    if size < most and size > -100:
        return "small"
    return "large" if [one for one in (size, 0) if one] else "none"


def never(size):
    return size + 1
'''


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("mutant_probe")


def _seen(probe: Any, folder: Path, *sizes: int) -> tuple[set[str], set[str]]:
    """What is recorded, and what has no probe, where `grade` is asked about some sizes."""
    (folder / "m.py").write_text(SOURCE)
    mutants = mutants_in(SOURCE, "m.py")
    record = folder / "record"
    record.touch()
    sources, unprobed = probe.probed(mutants, folder, record)
    names: dict[str, Any] = {}
    exec(compile(sources["m"], "m.py", "exec"), names)
    for size in sizes:
        assert names["grade"](size) == ("small" if size < 2 else "large")
    seen = {int(line) for line in record.read_text().split()}
    text = [f"{mutant.kind} {mutant.text}" for mutant in mutants]
    return {text[number] for number in seen}, {text[number] for number in unprobed}


def test_a_comparison_is_seen_at_its_boundary_alone(probe: Any, tmp_path: Path) -> None:
    assert "comparison size < most" not in _seen(probe, tmp_path, 1, 3)[0]
    assert "comparison size < most" in _seen(probe, tmp_path, 1, 3, 2)[0]


def test_a_branch_is_seen_where_it_is_reached(probe: Any, tmp_path: Path) -> None:
    seen, _ = _seen(probe, tmp_path, 3)
    assert "negated size < most and size > -100" in seen
    assert "negated one" in seen


def test_what_is_not_reached_is_not_seen(probe: Any, tmp_path: Path) -> None:
    assert not {text for text in _seen(probe, tmp_path, 1, 2, 3)[0] if "size + 1" in text}


def test_a_connective_is_seen_where_its_operands_differ(probe: Any, tmp_path: Path) -> None:
    assert "and-to-or size < most and size > -100" not in _seen(probe, tmp_path, 1)[0]
    assert "and-to-or size < most and size > -100" in _seen(probe, tmp_path, 3)[0]


def test_constants_outside_of_functions_have_no_probe(probe: Any, tmp_path: Path) -> None:
    unprobed = _seen(probe, tmp_path, 1)[1]
    assert {"plus-one MOST = 3", "minus-one MOST = 3"} <= unprobed
