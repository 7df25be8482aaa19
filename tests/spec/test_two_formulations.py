"""What the reference answers is always permitted, whatever is asked: the two formulations do not
contradict each other.
"""

import ast
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, NoReturn
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.compaction import crafted_layouts
from generators.fetch.fences import sample
from generators.fetch.histories import session_histories, waiting_histories
from generators.layouts import large_layouts, layouts
from spec.catalogue import catalogue, clauses_of, examples
from spec.fetch import observer as judging
from spec.fetch.chapters import CHAPTERS
from spec.fetch.releases import AbortedExtent, Crossing, FetchSemantics
from spec.fetch.turn import Turn, turn_of
from spec.judge import judge
from spec.layout import Layout
from spec.model import answer_all
from spec.releases import RELEASES, semantics_for
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.verdict import Outcome, Strength

Histories = Callable[[Semantics], SearchStrategy[Scenario]]

LISTED = {
    ("FET-071", "negative limit"),
    ("FET-071", "isolation level"),
    ("FET-071", "session id outside the shards"),
    ("FET-172", "below log start"),
}
"""What Apache Kafka itself breaks, as the shipped findings say; the reference answers as it does.
"""
SMALL_LIMIT = 1024

quick = settings(
    max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), database=None
)
releases = st.sampled_from(tuple(RELEASES)).map(semantics_for)
readings = st.builds(
    lambda semantics, crossing, extent: semantics.with_decisions(
        FetchSemantics, crossing=crossing, aborted_extent=extent
    ),
    releases,
    st.sampled_from(Crossing),
    st.sampled_from(AbortedExtent),
)
"""Each release, each with one way to read each clause that can be read in two."""


def breaks(scenario: Scenario, semantics: Semantics) -> set[tuple[str, str]]:
    return {
        (v.clause, v.signature)
        for v in judge(scenario, answer_all(scenario, semantics), semantics).breaks
    } - LISTED


def violations(
    scenario: Scenario, answers: Semantics, judged_by: Semantics
) -> set[tuple[str, str]]:
    found = judge(scenario, answer_all(scenario, answers), judged_by).breaks
    return {(v.clause, v.signature) for v in found if v.outcome is not Outcome.DEVIATES} - LISTED


@quick
@given(layouts(), readings)
def test_the_reference_answer_to_every_fence_question_is_permitted(
    layout: Layout, semantics: Semantics
) -> None:
    for question in sample(layout, semantics):
        assert breaks(Scenario(layout, (question.fetch,)), semantics) == set(), question


@quick
@given(large_layouts(SMALL_LIMIT), readings)
def test_the_reference_answer_of_a_broker_with_a_small_limit_is_permitted(
    layout: Layout, semantics: Semantics
) -> None:
    small = semantics.with_decisions(FetchSemantics, fetch_max_bytes=SMALL_LIMIT)
    for question in sample(layout, small):
        assert breaks(Scenario(layout, (question.fetch,)), small) == set(), question


@quick
@given(crafted_layouts(), readings)
def test_the_reference_answer_about_what_compaction_left_is_permitted(
    layout: Layout, semantics: Semantics
) -> None:
    for question in sample(layout, semantics):
        assert breaks(Scenario(layout, (question.fetch,)), semantics) == set(), question


@pytest.mark.parametrize("histories", [session_histories, waiting_histories])
@pytest.mark.parametrize("release", RELEASES)
def test_the_reference_answer_to_every_history_is_permitted(
    release: str, histories: Histories
) -> None:
    semantics = semantics_for(release)

    @quick
    @given(histories(semantics))
    def permitted(scenario: Scenario) -> None:
        assert breaks(scenario, semantics) == set()

    permitted()


@quick
@given(layouts(), releases, st.sampled_from(tuple(product(Crossing, AbortedExtent))))
def test_no_reading_of_an_unclear_text_violates_another(
    layout: Layout, semantics: Semantics, other: tuple[Crossing, AbortedExtent]
) -> None:
    """Where a text can be understood in more than one way, a broker that takes it another way at
    most deviates.
    """
    answers = semantics.with_decisions(FetchSemantics, crossing=other[0], aborted_extent=other[1])
    for question in sample(layout, semantics):
        assert violations(Scenario(layout, (question.fetch,)), answers, semantics) == set(), (
            question
        )


class _Reference:
    """Stands where the reference's answer would, and fails the test when it is looked at."""

    def _looked_at(self, *_: object) -> NoReturn:
        raise AssertionError("a must clause looked at what the reference answers")

    __bool__ = __getattr__ = __getitem__ = __contains__ = __iter__ = __len__ = _looked_at


def turns_judged(scenario: Scenario, semantics: Semantics) -> list[Turn]:
    """The turns that the judge looks at where the reference answers."""
    found: list[Turn] = []

    def kept(*arguments: Any, **named: Any) -> Turn:
        found.append(turn_of(*arguments, **named))
        return found[-1]

    with patch.object(judging, "turn_of", kept):
        judge(scenario, answer_all(scenario, semantics), semantics)
    return found


@quick
@given(st.data(), releases)
def test_no_must_clause_looks_at_what_the_reference_answers(
    data: st.DataObject, semantics: Semantics
) -> None:
    layout = data.draw(layouts())
    scenarios = [Scenario(layout, (question.fetch,)) for question in sample(layout, semantics)]
    scenarios += [data.draw(session_histories(semantics)), data.draw(waiting_histories(semantics))]
    promised = [
        clause.judge
        for clause in clauses_of("fetch").values()
        if clause.check and clause.strength is Strength.MUST
    ]
    for turn in [turn for scenario in scenarios for turn in turns_judged(scenario, semantics)]:
        without: Any = replace(turn, reads=_Reference(), held_back=_Reference())  # type: ignore[arg-type]
        assert [held(without) for held in promised] == [held(turn) for held in promised]


def test_the_stand_in_for_the_reference_is_noticed_when_a_clause_looks() -> None:
    [turn] = turns_judged(examples()["FET-101"][0].scenario, semantics_for("4.3"))
    check = catalogue()["FET-101"].check
    assert check is not None
    with pytest.raises(AssertionError, match="looked at what the reference answers"):
        check(replace(turn, reads=_Reference()))  # type: ignore[arg-type]


RELATIONS = sorted(
    {
        Path(clause.check.__code__.co_filename)
        for one in CHAPTERS
        for clause in one.clauses
        if clause.check
    }
)


@pytest.mark.parametrize("module", RELATIONS, ids=lambda path: path.stem)
def test_no_module_of_relations_imports_a_function_of_the_reference(module: Path) -> None:
    """A name of a type is all that may come from there: `Read`, what a clause of strength
    `reference` compares with.
    """
    imported = {
        (node.module, alias.name)
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    from_reference = {
        name
        for where, name in imported
        if where
        in {"spec.fetch.model.answer", "spec.fetch.model.reference", "spec.fetch.decisions"}
    }
    assert from_reference <= {"Read"}
    assert ("spec.fetch.model", "reference") not in imported
    assert ("spec.fetch.model", "answer") not in imported


def test_all_modules_of_relations_were_looked_at() -> None:
    assert {path.stem for path in RELATIONS} == {
        "answers",
        "errors",
        "versions",
        "sessions",
        "rotation",
        "positions",
        "limits",
        "isolation",
        "waiting",
        "exact",
        "holes",
    }
