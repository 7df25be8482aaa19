"""Each clause of the catalogue is named, fenced and found as it says."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spec.catalogue import UnknownClauseError, catalogue, clause, clauses_of, examples
from spec.clause import Clause, Code, Report
from spec.disk.rules import RULES
from spec.draft_registry import drafts
from spec.judge import judge
from spec.model import answer_all
from spec.subject_registry import SUBJECTS
from spec.verdict import Side
from spec.worked import semantics_of

EACH = [clause_id for clause_id, one in catalogue().items() if not one.excluded]


def test_each_slug_is_unique_and_begins_with_its_subject() -> None:
    slugs = [one.slug for one in catalogue().values()]
    assert len(set(slugs)) == len(slugs)
    for subject in SUBJECTS:
        for one in clauses_of(subject.name).values():
            name = subject.name.replace("_", "-")
            assert re.fullmatch(rf"{name}(/[a-z0-9]+(-[a-z0-9]+)*){{2}}", one.slug), one.slug


def test_a_clause_is_found_by_id_slug_and_alias() -> None:
    for one in catalogue().values():
        assert clause(one.id.lower()) is one
        assert clause(one.slug) is one
    assert clause("DIV-11").id == "SHR-120"
    assert clause("segments/names").id == "SEG-109"


def test_a_slug_that_is_none_names_those_near_it() -> None:
    with pytest.raises(UnknownClauseError, match="fetch/limit/first-batch"):
        clause("fetch/limit/first-batsh")


def test_a_fence_says_what_is_compared_and_why_a_side_is_never_met() -> None:
    for one in catalogue().values():
        if one.fence is not None:
            assert one.fence.axis
            assert one.fence.at
            assert one.fence.sides
            assert bool(one.fence.never.sides) == bool(one.fence.never.reason)


@pytest.mark.parametrize("clause_id", EACH)
def test_sides_are_counted_of_fences_alone(clause_id: str) -> None:
    """What the model answers to each example, judged: no clause without a fence stands on a side,
    none stands on one that can't be met, and one with a fence stands on some side in its own.
    """
    for example in examples().get(clause_id, ()):
        semantics = semantics_of(example.scenario, "4.3")
        observation = answer_all(example.scenario, semantics)
        for verdict in judge(example.scenario, observation, semantics).verdicts:
            of = catalogue()[verdict.clause]
            assert not verdict.sides & ~of.sides, (verdict, of.fence)
            if verdict.clause == clause_id and of.fence is not None:
                assert verdict.sides is not Side.NONE


def test_each_clause_that_can_be_tested_has_an_example() -> None:
    """`test_examples` shows that the model's answers to it exercise the clause."""
    assert not [one.id for one in catalogue().values() if not one.excluded and not one.examples]


REPORT = re.compile(r"KAFKA-\d+|[\w.-]+(/[\w.-]+)?#\d+|https://\S+")
LINES_OR_SYMBOL = re.compile(r"\d+(-\d+)?(, ?\d+(-\d+)?)*|[A-Za-z]\w*")


@pytest.mark.parametrize("one", catalogue().values(), ids=lambda one: one.id)
def test_each_source_is_something_outside_of_this_project(one: Clause[Any]) -> None:
    """A proposal, a page of the documentation, a public issue, or lines or a symbol of a file of a
    named release.
    """
    assert one.sources
    for source in one.sources:
        match source:
            case Report():
                assert REPORT.fullmatch(source.where), source
            case Code():
                assert source.file.endswith((".java", ".scala", ".json")), source
                assert LINES_OR_SYMBOL.fullmatch(source.lines), source
                assert re.fullmatch(r"\d+\.\d+\.\d+", source.release), source


ROOT = Path(__file__).resolve().parents[2]
MENTIONING = (
    *["spec", "generators", "conformance", "results", "drafts", "benchmarks", "tools", "docs"],
    *["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md"],
)
ID = re.compile(r"\b(?!SHA-|UTF-|KIP-|END-|CRC-)[A-Z]{3}-A?\d{1,3}\b")
"""Of a clause, of a draft's question, or of a divergence of text and implementation; `END-001` is
the toy subject's.
"""
UNKNOWN = "FET-999"
"""What the documents show as an id that there is not."""


def _texts() -> Iterator[tuple[Path, str]]:
    for name in MENTIONING:
        root = ROOT / name
        for path in [root] if root.is_file() else sorted(root.rglob("*")):
            if path.suffix in {".py", ".md", ".toml", ".html"}:
                yield path, path.read_text(encoding="utf-8")


def test_each_id_that_is_mentioned_exists() -> None:
    known = {name for one in catalogue().values() for name in (one.id, *one.aliases)} | set(RULES)
    for draft in drafts():
        known |= {axis.id for axis in draft.axes} | draft.questions.elsewhere.keys()
    strange = {
        (str(path.relative_to(ROOT)), found)
        for path, text in _texts()
        for found in ID.findall(text)
        if found not in known and found != UNKNOWN
    }
    assert not strange
