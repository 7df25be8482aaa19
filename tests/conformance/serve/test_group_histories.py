"""Histories of groups on the served model are answered as the machine of `spec` answers them."""

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.play.background import play_alone
from conformance.subjects.groups.history import GroupHistory
from conformance.systems.model import Model
from spec.groups.examples import first, history, pair, second
from spec.groups.outcomes import Assigned, GroupAnswer, JoinGroupAnswer
from spec.groups.steps import ConsumerGroupHeartbeat, SyncGroup
from spec.judge import judge
from spec.releases import semantics_for
from spec.verdict import Outcome

pytestmark = pytest.mark.system


def test_a_consumer_that_leaves_no_group_leaves_the_ids_of_a_classic_one(model: Model) -> None:
    """Only a consumer that joins replaces an empty classic group, and with it the ids that were
    given out.
    """
    scenario = history(first(0), ConsumerGroupHeartbeat(6, epoch=-1), second(0))
    cluster = reach(*model.address, make_codec())
    observation = play_alone(GroupHistory(cluster, scenario, topic="fencepost-committed"))
    assert judge(scenario, observation, semantics_for("4.3")).breaks == ()
    outcome = observation.exchanges[-1].outcome
    assert isinstance(outcome, JoinGroupAnswer)
    assert outcome.error == 0


def test_each_member_is_given_what_its_leader_assigned_as_often_as_it_asks(model: Model) -> None:
    scenario = history(*pair(), SyncGroup(1), SyncGroup(0))
    cluster = reach(*model.address, make_codec())
    observation = play_alone(GroupHistory(cluster, scenario, topic="fencepost-committed"))
    syncs = [
        exchange.outcome
        for exchange in observation.exchanges
        if isinstance(scenario.steps[exchange.step], SyncGroup)
    ]
    assert syncs == [GroupAnswer(0, assigned=Assigned.OWN)] * 5
    found = judge(scenario, observation, semantics_for("4.3"))
    assert found.breaks == ()
    outcomes = {verdict.clause: verdict.outcome for verdict in found.verdicts}
    assert outcomes["GRP-165"] is Outcome.CONFORMS
