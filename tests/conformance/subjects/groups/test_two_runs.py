"""Two runs on groups of one broker at the same time."""

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.engine.play_result import Played
from conformance.facts.asking import read_facts
from conformance.facts.judging import semantics_of
from conformance.placement.pool import delete_topics
from conformance.serve.settings import Settings
from conformance.subjects.groups.broker_player import GroupBrokerPlayer
from spec.groups.examples import alone, history
from spec.groups.outcomes import GroupAnswer
from spec.groups.releases import INITIAL_DELAY
from spec.groups.steps import MemberCommit
from spec.kafka import Error
from tests.conformance.serve.listening import serving


def commits(player: GroupBrokerPlayer) -> None:
    """Have a member join and commit."""
    ((_, played),) = player.play([history(*alone(), MemberCommit(0))])
    assert isinstance(played, Played)
    assert played.judgement.breaks == ()
    committed = played.observation.exchanges[-1].outcome
    assert isinstance(committed, GroupAnswer)
    assert committed.error == Error.NONE


def test_a_run_that_ends_leaves_the_topic_of_another_one() -> None:
    with serving(Settings("4.3.1", {INITIAL_DELAY: "0"})) as state:
        cluster = reach(state.host, state.port, make_codec())
        semantics = semantics_of(read_facts(cluster))
        runs = [GroupBrokerPlayer(cluster, semantics, name, None) for name in ("one", "other")]
        try:
            for run in runs:
                commits(run)
            with cluster.connect() as connection:
                delete_topics(cluster, connection, [runs[0].topic])
            commits(runs[1])
        finally:
            for run in runs:
                run.close()
