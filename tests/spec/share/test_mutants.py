"""The judge catches at least one wrong answer for each clause about share groups, by that
clause.
"""

import pytest

from spec.catalogue import clauses_of
from spec.judge import judge
from spec.releases import semantics_for
from spec.share.outcomes import Acquired
from spec.verdict import Outcome, Strength
from tests.spec.share.mutants import FIRST, MUTANTS, OPEN, Mutant, part

SEMANTICS = semantics_for("4.4")
NOT_BROKEN_BY_AN_ANSWER = {"SHR-144"}
"""What is promised as an attempt never fails."""


@pytest.mark.parametrize(
    "mutant", MUTANTS, ids=[f"{number}: {mutant.clause}" for number, mutant in enumerate(MUTANTS)]
)
def test_a_wrong_answer_is_caught_by_its_clause(mutant: Mutant) -> None:
    found = {
        v.clause: v for v in judge(mutant.scenario, mutant.observation(SEMANTICS), SEMANTICS).breaks
    }
    must = clauses_of("share")[mutant.clause].strength is Strength.MUST
    assert mutant.clause in found, found
    assert found[mutant.clause].outcome is (Outcome.VIOLATES if must else Outcome.DEVIATES)
    assert found[mutant.clause].why
    assert found[mutant.clause].signature


def test_a_range_without_end_is_caught_and_never_counted_through() -> None:
    endless = Mutant(
        "SHR-129", OPEN, 1, part(acquired=(Acquired(0, 4), Acquired(5, 2**62)), batches=(FIRST,))
    )
    again = Mutant(
        "SHR-127",
        OPEN,
        1,
        part(acquired=(Acquired(0, 2**62), Acquired(5, 2**62)), batches=(FIRST,)),
    )
    for mutant in (endless, again):
        found = judge(mutant.scenario, mutant.observation(SEMANTICS), SEMANTICS).breaks
        assert (mutant.clause, Outcome.VIOLATES) in {
            (verdict.clause, verdict.outcome) for verdict in found
        }


def test_each_clause_has_a_wrong_answer() -> None:
    checked = {clause.id for clause in clauses_of("share").values() if clause.check is not None}
    assert checked - {mutant.clause for mutant in MUTANTS} == NOT_BROKEN_BY_AN_ANSWER
