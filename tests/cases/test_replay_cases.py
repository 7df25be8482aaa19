"""The same example twice on one broker (case X05): each play has names of its own, so that nothing
of an earlier one is met.
"""

import secrets

import pytest

from conformance.subjects.fetch.broker_player import FetchBrokerPlayer
from conformance.subjects.offsets.broker_player import OffsetBrokerPlayer
from spec.layout import Layout
from spec.offsets.examples import EMPTY
from spec.offsets.outcomes import OffsetFetchAnswer
from spec.offsets.steps import AppendTimed, Commit, ListOffsets, Lookup, OffsetCommit, OffsetFetch
from spec.scenario import Scenario

pytestmark = pytest.mark.broker


def test_x05_an_example_that_is_replayed_meets_nothing_of_the_play_before(
    player: FetchBrokerPlayer,
) -> None:
    steps = (
        OffsetFetch((0,)),
        OffsetCommit((Commit(0, 7),)),
        OffsetFetch((0,)),
        AppendTimed(0, (60, 50)),
        ListOffsets((Lookup(0),)),
    )
    scenario = Scenario(Layout((EMPTY,)), steps)
    seen, topics = [], []
    for _ in range(2):  # a later run asks the same; each plays it twice
        name = f"cases-again-{secrets.token_hex(4)}"
        asked = OffsetBrokerPlayer(player.cluster, player.semantics, name)
        plays = [asked.play_one(scenario) for _ in range(2)]
        topics.append(set(asked.deployment.pool.topics))
        asked.close()
        for played in plays:
            assert not played.judgement.breaks
            seen.append([exchange.outcome for exchange in played.observation.exchanges])
    first = seen[0]
    assert isinstance(first[0], OffsetFetchAnswer)
    assert first[0].committed[0].offset is None  # nobody has committed yet
    assert all(outcomes == first for outcomes in seen)
    assert topics[0]
    assert not topics[0] & topics[1]
