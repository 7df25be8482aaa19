"""The clauses against the reference: it breaks none of them, and what is drawn exercises all."""

from functools import cache

import pytest

from generators.drawing import collect
from generators.segments.histories import altered_histories, edge_histories, segment_histories
from generators.segments.relations import all_segment_relations, segment_relations
from generators.segments.retention import retention_histories
from spec.judge import judge
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.segments.chapters import CLAUSES
from spec.segments.dry_run import answer_all

SCENARIOS, EDGES = 250, 160


@cache
def drawn() -> tuple[Scenario, ...]:
    """Scenarios of each kind."""
    return (
        *collect(segment_histories(), 11, SCENARIOS),
        *collect(altered_histories(), 11, EDGES),
        *collect(edge_histories(), 11, EDGES),
        *collect(retention_histories(), 11, EDGES),
    )


@pytest.mark.parametrize("release", ["4.0", "4.3"])
def test_the_reference_breaks_no_clause(release: str) -> None:
    semantics = semantics_for(release)
    exercised: set[str] = set()
    for scenario in drawn():
        judgement = judge(scenario, answer_all(scenario, semantics), semantics)
        assert judgement.breaks == (), (scenario, judgement.breaks)
        exercised |= {verdict.clause for verdict in judgement.verdicts}
    assert exercised >= {one.id for one in CLAUSES.values() if not one.excluded}


def test_what_is_drawn_covers_all_relations() -> None:
    tried = {relation for scenario in drawn() for relation in segment_relations(scenario)}
    assert tried == all_segment_relations()
