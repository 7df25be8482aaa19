"""The judge and the reference, two formulations, agree on every worked example of the catalogue."""

import pytest

from spec.catalogue import catalogue, examples
from spec.clause import Example
from spec.judge import judge
from spec.model import answer_all
from spec.verdict import Outcome
from spec.worked import semantics_of

EXPECTED_BREAKS = {
    *("FET-071", "SHR-127", "SHR-128", "SHR-322", "GRP-008", "GRP-034", "GRP-038"),
    *("OFF-003", "OFF-004", "OFF-005", "OFF-030", "OFF-031"),
}
"""What Apache Kafka's reference itself breaks."""

ALL = [(clause_id, example) for clause_id, found in examples().items() for example in found]


@pytest.mark.parametrize(
    ("clause_id", "example"),
    ALL,
    ids=[f"{clause_id}: {example.title}" for clause_id, example in ALL],
)
def test_the_reference_answer_to_an_example_is_permitted_and_exercises_its_clause(
    clause_id: str, example: Example
) -> None:
    semantics = semantics_of(example.scenario, "4.3")
    verdicts = {
        v.clause: v
        for v in judge(
            example.scenario, answer_all(example.scenario, semantics), semantics
        ).verdicts
    }
    assert clause_id in verdicts
    assert {c for c, v in verdicts.items() if v.outcome is not Outcome.CONFORMS} <= EXPECTED_BREAKS


def test_every_clause_can_be_checked_or_says_why_not() -> None:
    for clause in catalogue().values():
        assert (clause.check is None) == bool(clause.excluded)
        assert clause.statement
        assert clause.sources
