"""Fetches under a consumer byte quota: each with a client id of its own, put off until it comes
through, and nothing left behind.
"""

import secrets

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import Cluster, reach
from conformance.engine.play_result import Played
from conformance.facts import Given, read_facts, semantics_of
from conformance.retries import tries
from conformance.subjects.fetch.broker_player import FetchBrokerPlayer
from conformance.subjects.fetch.quotas import CONSUMER_BYTE_RATE, clients_with
from conformance.systems.embedded import Embedded
from conformance.systems.model import Model
from spec.fetch.outcomes import FetchAnswer
from spec.fetch.releases import FetchSemantics
from spec.fetch.steps import Fetch, FetchPartition
from spec.layout import Batch, Layout, Partition
from spec.outcomes import NotSent
from spec.scenario import Scenario
from spec.verdict import Outcome

LAYOUT = Layout((Partition(((Batch(500),) * 6,)),))


def asked(rate: int) -> Scenario:
    return Scenario(LAYOUT, (Fetch((FetchPartition(0, 0),), quota=rate),))


def quotas_of(cluster: Cluster, name: str) -> list[str]:
    component = {"entity_type": "client-id", "match_type": 0, "match": name}
    with cluster.connect() as connection:
        answer = connection.ask(
            "DescribeClientQuotas", 1, {"components": [component], "strict": True}
        )
    return [value["key"] for entry in answer["entries"] for value in entry["values"]]


def awaited_no_quotas(cluster: Cluster, name: str) -> list[str]:
    """The client id's quotas once there are none, or those that stay for the cluster's timeout: a
    broker takes over a removal after it has answered.
    """
    for _ in tries(cluster.timeout):
        if not (quotas := quotas_of(cluster, name)):
            break
    return quotas


@pytest.mark.broker
def test_what_a_quota_lets_through_in_its_window_is_what_comes() -> None:
    with Embedded("4.3.1") as broker:
        cluster = reach(*broker.address, make_codec())
        semantics = semantics_of(read_facts(cluster))
        player = FetchBrokerPlayer(cluster, semantics, f"quotas-{secrets.token_hex(4)}")
        plays = player.play([asked(rate) for rate in (250, 299, 300, 301)])
        played = [one for one in dict(plays).values() if isinstance(one, Played)]
        player.close()
        with clients_with(cluster, [1000, 2000]) as names:
            within = [quotas_of(cluster, name) for name in names]
        left = [awaited_no_quotas(cluster, name) for name in names]
    assert semantics.of(FetchSemantics).quota_window_s == 10
    answers = [one.observation.exchanges[0].outcome for one in played]
    assert [answer.partitions[0].size for answer in answers if isinstance(answer, FetchAnswer)] == [
        2500,
        2990,
        3000,
        3000,
    ]
    assert {
        v.outcome for one in played for v in one.judgement.verdicts if v.clause == "FET-017"
    } == {Outcome.CONFORMS}
    assert (within, left) == ([[CONSUMER_BYTE_RATE]] * 2, [[], []])


WINDOW = Given(limits={"quota.window.num": 11, "quota.window.size.seconds": 1})


@pytest.mark.system
@pytest.mark.parametrize(
    ("given", "offered", "why"),
    [
        (WINDOW, False, "has no AlterClientQuotas"),
        (None, False, "has no AlterClientQuotas"),
        (None, True, "expected the broker to report quota.window"),
    ],
)
def test_where_no_quota_can_be_set_or_its_window_is_not_known_nothing_is_sent(
    given: Given | None, offered: bool, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Model() as model:
        cluster = reach(*model.address, make_codec())
        if offered:
            monkeypatch.setattr(Cluster, "offers", lambda *_: True)
        player = FetchBrokerPlayer(
            cluster, semantics_of(read_facts(cluster, given)), f"quotas-{secrets.token_hex(4)}"
        )
        played = player.play_one(asked(250))
        player.close()
    outcome = played.observation.exchanges[0].outcome
    assert isinstance(outcome, NotSent)
    assert why in outcome.reason
    assert not played.judgement.breaks
