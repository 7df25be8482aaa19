"""Groups that are asked at the same time are each explained by themselves."""

from dataclasses import replace

import pytest

from spec.groups.examples import history
from spec.groups.outcomes import JoinGroupAnswer, MemberId
from spec.groups.steps import NEW, JoinGroup
from spec.judge import judge
from spec.kafka import Error
from spec.model import answer_all
from spec.observation import Exchange, Observation
from spec.releases import semantics_for
from spec.scenario import Scenario

KAFKA = semantics_for("4.3")
GROUPS, MEMBERS = 4, 3


def all_in_flight() -> tuple[Scenario, list[Exchange]]:
    """Some new members of each group ask for a place, all of them together."""
    asked = [
        JoinGroup(10 * group + member, NEW, group=group)
        for group in range(GROUPS)
        for member in range(MEMBERS)
    ]
    scenario = history(*asked)
    played = answer_all(scenario, KAFKA).exchanges
    return scenario, [replace(one, sent_ms=0.0, answered_ms=100.0) for one in played]


@pytest.mark.parametrize("group", range(GROUPS))
def test_a_break_in_any_of_them_is_one_of_the_whole(group: int) -> None:
    scenario, exchanges = all_in_flight()
    place = MEMBERS * group
    full = JoinGroupAnswer(Error.GROUP_MAX_SIZE_REACHED, -1, MemberId.NONE)
    exchanges[place] = replace(exchanges[place], outcome=full)
    breaks = judge(scenario, Observation(tuple(exchanges)), KAFKA).breaks
    assert "GRP-002" in {verdict.clause for verdict in breaks}
