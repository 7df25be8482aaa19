"""Each clause of the catalogue is named, fenced and found as it says."""

import re

import pytest

from spec.catalogue import UnknownClauseError, catalogue, clause, clauses_of, examples
from spec.draft_registry import draft_of
from spec.fetch.releases import FetchSemantics
from spec.judge import judge
from spec.model import answer_all
from spec.releases import semantics_for
from spec.subject_registry import SUBJECTS
from spec.verdict import Side

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
        semantics = semantics_for("4.3")
        if limit := dict(example.scenario.config).get("fetch.max.bytes"):
            semantics = semantics.changed(FetchSemantics, fetch_max_bytes=int(limit))
        if (draft := draft_of(example.scenario.subject)) is not None:
            semantics = draft.questions.change(draft.questions.default)(semantics)
        observation = answer_all(example.scenario, semantics)
        for verdict in judge(example.scenario, observation, semantics).verdicts:
            of = catalogue()[verdict.clause]
            assert not verdict.sides & ~of.sides, (verdict, of.fence)
            if verdict.clause == clause_id and of.fence is not None:
                assert verdict.sides is not Side.NONE
