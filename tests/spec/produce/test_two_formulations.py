"""The clauses against the reference: it breaks none of them, and what is drawn exercises all."""

from functools import cache

import pytest

from generators.drawing import collect
from generators.produce.histories import (
    config_change_histories,
    limit_histories,
    long_record_histories,
    mixed_histories,
    produce_histories,
    producer_id_histories,
    recompression_histories,
    sequence_histories,
)
from generators.produce.relations import all_produce_relations, produce_relations
from spec.judge import judge
from spec.produce.chapters import CLAUSES
from spec.produce.dry_run import answer_all
from spec.releases import semantics_for
from spec.requirement_set import clauses_in
from spec.scenario import Scenario

SCENARIOS, SEQUENCES = 320, 100


@cache
def drawn(seed: int) -> list[Scenario]:
    """Scenarios of each kind, drawn once for all tests."""
    return [
        *collect(produce_histories(), seed, SCENARIOS),
        *collect(sequence_histories(), seed, SEQUENCES),
        *collect(recompression_histories(), seed, SEQUENCES),
        *collect(limit_histories(), seed, SEQUENCES),
        *collect(config_change_histories(), seed, SEQUENCES),
        *collect(long_record_histories(), seed, 20),
        *collect(producer_id_histories(), seed, SEQUENCES),
        *collect(mixed_histories(), seed, 40),
    ]


@pytest.mark.parametrize("release", ["4.0", "4.4"])
def test_the_reference_breaks_no_clause(release: str) -> None:
    semantics = semantics_for(release)
    exercised: set[str] = set()
    for scenario in drawn(11):
        judgement = judge(scenario, answer_all(scenario, semantics), semantics)
        assert judgement.breaks == (), (scenario, judgement.breaks)
        exercised |= {verdict.clause for verdict in judgement.verdicts}
    clauses = clauses_in(CLAUSES, release).values()
    assert exercised >= {one.id for one in clauses if not one.excluded}


def test_what_is_drawn_covers_all_relations() -> None:
    tried = {relation for scenario in drawn(12) for relation in produce_relations(scenario)}
    assert tried == all_produce_relations()
