"""What a broker with a reported fault of groups answers is caught by the clause that is about it;
no broker is needed.
"""

import pytest

from spec.groups.releases import GroupSemantics
from spec.groups.steps import ConsumerGroupHeartbeat, ShareGroupHeartbeat
from spec.judge import judge
from spec.model import answer_all
from spec.releases import semantics_for
from spec.verdict import Outcome
from tests.cases.group_histories import comes_back

KAFKA = semantics_for("4.3")
FENCING = KAFKA.with_part(GroupSemantics(fences_epoch_zero=True, first_epoch=2))


@pytest.mark.parametrize("heartbeat", [ConsumerGroupHeartbeat, ShareGroupHeartbeat])
def test_t07_a_member_that_is_fenced_when_it_comes_back_is_caught(
    heartbeat: type[ConsumerGroupHeartbeat | ShareGroupHeartbeat],
) -> None:
    scenario = comes_back(heartbeat)
    found = judge(scenario, answer_all(scenario, FENCING), KAFKA)
    assert {one.clause: one.outcome for one in found.breaks} == {"GRP-157": Outcome.DEVIATES}
