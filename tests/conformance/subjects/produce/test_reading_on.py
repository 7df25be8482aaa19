"""Reading back on a broker that is so slow that a single answer takes all the time there is."""

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.engine.play_result import Played
from conformance.ledger import PREFIX
from conformance.serve.settings import Settings
from conformance.subjects.produce import player as playing
from conformance.subjects.produce.player import ProduceBrokerPlayer
from spec.layout import Layout, Partition
from spec.produce.outcomes import ReadAnswer
from spec.produce.steps import Outgoing, Produce, ReadBack, UseTopic
from spec.produce.topic import TopicSettings
from spec.releases import semantics_for
from spec.scenario import Scenario
from tests.conformance.serve.listening import serving


def test_each_segment_is_read_however_slow_the_broker_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "VISIBLE_S", 0.0)
    sent = [Produce((Outgoing(0, size),)) for size in (399, 400, 200)]
    steps = (UseTopic(TopicSettings(segment_bytes=400)), *sent, ReadBack())
    with serving(Settings("4.3.1")) as state:
        cluster = reach(state.host, state.port, make_codec())
        player = ProduceBrokerPlayer(cluster, semantics_for("4.3"), f"{PREFIX}slow", None)
        played = dict(player.play([Scenario(Layout((Partition(),)), steps)]))[0]
        player.close()
    assert isinstance(played, Played)
    read = played.observation.exchanges[-1].outcome
    assert isinstance(read, ReadAnswer)
    assert [one.size for one in read.partitions[0].batches] == [399, 400, 200]
    assert played.judgement.breaks == ()
