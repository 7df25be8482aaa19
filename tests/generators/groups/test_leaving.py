"""A consumer without an instance id can't leave for a moment: a coordinator that takes such a
heartbeat for one that leaves is caught within a stated number of drawn histories.
"""

from dataclasses import replace

import pytest

from generators.drawing import collect
from generators.groups.named import named_histories
from spec.groups.dry_run import answer_all
from spec.groups.model.assigned import LEAVE, HeartbeatRequest, decide_heartbeat, is_invalid
from spec.groups.model.group import Group
from spec.groups.releases import GroupSemantics
from spec.groups.seams import REFERENCE, Coordinator
from spec.judge import judge
from spec.releases import semantics_for

SEMANTICS = semantics_for("4.3")
HISTORIES = 100
FOUND_IN_KAFKA = {"GRP-034"}


def _leaves(group: Group, ask: HeartbeatRequest, limit: int, semantics: GroupSemantics) -> int:
    asked = replace(ask, epoch=LEAVE) if is_invalid(ask) else ask
    return decide_heartbeat(group, asked, limit, semantics)


def broken(seed: int, coordinator: Coordinator) -> set[str]:
    return {
        one.clause
        for scenario in collect(named_histories(2), seed, HISTORIES)
        for one in judge(scenario, answer_all(scenario, SEMANTICS, coordinator), SEMANTICS).breaks
    } - FOUND_IN_KAFKA


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_dynamic_member_that_leaves_for_a_moment_is_caught(seed: int) -> None:
    assert not broken(seed, REFERENCE)
    assert "GRP-157" in broken(seed, Coordinator(heartbeat=_leaves))
