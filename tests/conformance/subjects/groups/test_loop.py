"""How the histories of a run on groups are shared out among their kinds."""

import pytest

from conformance.engine.plan import Plan
from conformance.subjects.groups.dry_run import GroupDryRun
from conformance.subjects.groups.loop import GroupLoop, strategies
from spec.events import Cursor, Judged
from spec.groups.releases import GroupSemantics
from spec.releases import semantics_for

KAFKA = semantics_for("4.3")


def batches(scenarios: int) -> list[int]:
    """How many scenarios each batch of a run without worked examples judges."""
    plan = Plan(1, scenarios, examples=False)
    judged = 0
    found = []
    for event in GroupLoop(GroupDryRun(KAFKA), plan, frozenset()).events():
        judged += isinstance(event, Judged)
        if isinstance(event, Cursor):
            found += [judged] if event.part.startswith("batch ") else []
            judged = 0
    return found


def test_a_short_run_has_a_batch_of_each_kind_of_history() -> None:
    kinds = len(strategies(KAFKA.of(GroupSemantics)))
    found = batches(10 * kinds)
    assert len(found) >= kinds
    assert max(found) == 10, "some kinds have fewer histories than that"


@pytest.mark.parametrize(("scenarios", "found"), [(20, [8, 8, 8]), (100, [8] * 13)])
def test_a_very_short_one_has_fewer_kinds(scenarios: int, found: list[int]) -> None:
    assert batches(scenarios) == found
