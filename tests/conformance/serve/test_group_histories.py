"""Histories of groups on the served model are answered as the machine of `spec` answers them."""

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.play.background import play_alone
from conformance.subjects.groups.player import GroupHistory
from conformance.systems.model import Model
from spec.groups.examples import first, history, second
from spec.groups.outcomes import JoinGroupAnswer
from spec.groups.steps import ConsumerGroupHeartbeat
from spec.judge import judge
from spec.releases import semantics_for

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
