"""Share groups on the served model: histories conform, what waits is woken, what is lost is given
back, and faults are reported.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.cli.common import make_codec
from conformance.cluster import Cluster, reach
from conformance.engine.restarts import Restarts
from conformance.placement.deployment import Deployment
from conformance.placement.problem import Unlaid
from conformance.play.background import play_alone
from conformance.subjects.share.broker_player import ShareBrokerPlayer
from conformance.subjects.share.history import ShareHistory
from conformance.systems.model import Model
from generators.drawing import collect
from generators.share.histories import restarting_histories
from generators.share.layouts import batch_of_size
from spec.judge import judge
from spec.layout import Partition
from spec.observation import Observation
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.share.dry_run import answer_all
from spec.share.examples import FIVES, confirm, fetch, history, release
from spec.share.outcomes import Acquired, ShareAcknowledgeAnswer, ShareFetchAnswer
from spec.share.releases import ShareSemantics
from spec.share.steps import (
    AlterGroupConfig,
    DeleteShareGroupOffsets,
    DropConnection,
    Pause,
    ShareFetch,
    SharePartition,
)
from spec.steps import Append

pytestmark = pytest.mark.system

CODEC = make_codec()
SEMANTICS = semantics_for("4.3")
SHORT_MS = 300
SHORT_LOCKS = {
    "group.share.min.record.lock.duration.ms": str(SHORT_MS),
    "group.share.record.lock.duration.ms": str(SHORT_MS),
}
LONG_MS = 20_000
WAIT_MS = 2_000


@pytest.fixture
def cluster(model: Model) -> Cluster:
    return reach(*model.address, CODEC)


def played(cluster: Cluster, scenario: Scenario) -> Observation:
    """What comes back, after the judge has nothing to say against it."""
    deployment = Deployment(cluster, "share-groups")
    placed = deployment.place([scenario.layout])
    observation = play_alone(
        ShareHistory(cluster, scenario, placed[0], semantics=SEMANTICS.of(ShareSemantics))
    )
    deployment.close()
    assert judge(scenario, observation, SEMANTICS).breaks == ()
    return observation


def acquired(observation: Observation, step: int) -> tuple[Acquired, ...]:
    """What a fetch of one partition acquired, with its last try."""
    outcome = [exchange.outcome for exchange in observation.exchanges if exchange.step == step][-1]
    assert isinstance(outcome, ShareFetchAnswer)
    return tuple([one for part in outcome.partitions for one in part.acquired])


def answered_ms(observation: Observation, step: int) -> float:
    return next(exchange.answered_ms for exchange in observation.exchanges if exchange.step == step)


def elapsed_ms(observation: Observation, step: int) -> float:
    """How long the first try of a step took."""
    return next(exchange.elapsed_ms for exchange in observation.exchanges if exchange.step == step)


def parked(actor: int, max_wait_ms: int = LONG_MS) -> ShareFetch:
    """A first fetch that may wait, by default for long."""
    return ShareFetch(
        (SharePartition(0),), max_wait_ms=max_wait_ms, version=2, actor=actor, parked=True
    )


def test_a_fetch_that_waits_is_woken_by_records(cluster: Cluster) -> None:
    observation = played(
        cluster, history((Partition(),), parked(0), Append(0, batch_of_size(5), actor=1))
    )
    assert acquired(observation, 1) == (Acquired(0, 4),)
    assert answered_ms(observation, 1) < LONG_MS


def test_a_fetch_that_waits_acquires_what_another_member_releases_once_its_time_is_over(
    cluster: Cluster,
) -> None:
    """A mere release wakes no fetch (SHR-144); Kafka 4.3.1 answered after its 3000 ms too."""
    observation = played(
        cluster,
        history((FIVES,), fetch(0), parked(1, WAIT_MS), Pause(SHORT_MS, actor=2), release(5, 9)),
    )
    assert acquired(observation, 2) == (Acquired(5, 9, 2),)
    assert WAIT_MS <= elapsed_ms(observation, 2) < LONG_MS


def test_a_lost_connection_gives_back_what_its_session_held(cluster: Cluster) -> None:
    observation = played(
        cluster,
        history(
            (FIVES,), fetch(0), parked(1, WAIT_MS), Pause(SHORT_MS, actor=2), DropConnection(0)
        ),
    )
    assert acquired(observation, 2) == (Acquired(0, 14, 2),)
    assert WAIT_MS <= elapsed_ms(observation, 2) < LONG_MS


@pytest.mark.parametrize("limits", [{"max_records": 0}, {"max_records": -1}, {"max_bytes": 0}])
def test_a_fetch_that_can_read_nothing_does_not_wait(
    cluster: Cluster, limits: dict[str, int]
) -> None:
    """Kafka 4.3.1 answers at once."""
    ask = replace(ShareFetch(max_wait_ms=LONG_MS, version=2), **limits)  # type: ignore[arg-type]
    observation = played(cluster, history((FIVES,), fetch(0, max_records=1), ask))
    assert acquired(observation, 2) == ()
    assert elapsed_ms(observation, 2) < LONG_MS


@pytest.mark.parametrize(("min_bytes", "waits"), [(200, False), (201, True)])
def test_a_fetch_waits_while_fewer_than_min_bytes_can_be_read(
    cluster: Cluster, min_bytes: int, *, waits: bool
) -> None:
    """Two batches of 100 bytes are left; once its time is over the fetch gets them all the same (so
    on Kafka 4.3.1).
    """
    ask = ShareFetch(min_bytes=min_bytes, max_wait_ms=WAIT_MS, version=2)
    observation = played(cluster, history((FIVES,), fetch(0, max_records=1), ask))
    assert acquired(observation, 2) == (Acquired(5, 14),)
    assert (elapsed_ms(observation, 2) >= WAIT_MS) is waits


def test_a_batch_size_below_one_leaves_the_share_partition_as_usable_as_before(
    cluster: Cluster,
) -> None:
    scenario = history((FIVES,), fetch(0, batch_size=0), confirm(0, 4), release(5, 9), fetch(0))
    deployment = Deployment(cluster, "batch-size")
    observation = play_alone(
        ShareHistory(
            cluster,
            scenario,
            deployment.place([scenario.layout])[0],
            semantics=SEMANTICS.of(ShareSemantics),
        )
    )
    deployment.close()
    assert acquired(observation, 1) == (
        Acquired(0, -1),
        Acquired(0, 4),
        Acquired(5, 9),
        Acquired(10, 14),
    )
    acknowledged = [
        exchange.outcome for exchange in observation.exchanges if exchange.step in {2, 3}
    ]
    assert [one.partitions for one in acknowledged if isinstance(one, ShareAcknowledgeAnswer)] == [
        ((0, 0),)
    ] * 2
    assert acquired(observation, 4) == (Acquired(5, 9, 2),)
    assert {verdict.clause for verdict in judge(scenario, observation, SEMANTICS).breaks} == {
        "SHR-127"
    }


def test_what_was_acknowledged_along_with_a_fetch_that_waits_is_done_at_once(
    cluster: Cluster,
) -> None:
    along = ShareFetch(
        confirm(0, 4, 2).partitions,
        max_records=1,
        max_wait_ms=SHORT_MS,
        version=2,
        mode=1,
        parked=True,
    )
    observation = played(cluster, history((FIVES,), fetch(0), along, fetch(1)))
    assert acquired(observation, 2) == (Acquired(0, 0, 2),)
    assert acquired(observation, 3) == (Acquired(1, 4, 2),)


def test_a_lock_that_runs_out_wakes_a_fetch_that_waits() -> None:
    with Model(config=SHORT_LOCKS) as model:
        scenario = history(
            (FIVES,),
            fetch(0),
            parked(1),
            Pause(2 * SHORT_MS, actor=2),
            config=tuple(SHORT_LOCKS.items()),
        )
        observation = played(reach(*model.address, CODEC), scenario)
    assert acquired(observation, 2) == (Acquired(0, 14, 2),)
    assert SHORT_MS <= answered_ms(observation, 2) < LONG_MS


def test_deleting_a_groups_offsets_of_one_topic_leaves_those_of_another(cluster: Cluster) -> None:
    stages = [
        Deployment(cluster, f"share-offsets-{number}") for number in range(2)
    ]  # each has topics of its own
    kept, gone = [deployment.place([history((FIVES,)).layout])[0] for deployment in stages]
    first, then = (
        history((FIVES,), fetch(0, max_records=5)),
        Scenario(kept.layout, (fetch(0, max_records=5),)),
    )
    delete = history((FIVES,), DeleteShareGroupOffsets())
    for scenario, placed in ((first, kept), (delete, gone), (then, kept)):
        observation = play_alone(
            ShareHistory(
                cluster,
                scenario,
                placed,
                semantics=SEMANTICS.of(ShareSemantics),
                group="two-topics",
            )
        )
    assert acquired(observation, 0) == (Acquired(0, 4, 2),)
    for deployment in stages:
        deployment.close()


def test_a_group_config_out_of_its_bounds_is_refused_with_a_message(cluster: Cluster) -> None:
    configs = {"name": "share.delivery.count.limit", "config_operation": 0, "value": "11"}
    resource = {"resource_type": 32, "resource_name": "bounded", "configs": [configs]}
    with cluster.connect() as connection:
        observation = connection.ask(
            "IncrementalAlterConfigs", 1, {"resources": [resource], "validate_only": False}
        )["responses"][0]
    assert observation["error_code"] == 40
    assert "share.delivery.count.limit=11" in observation["error_message"]
    played(
        cluster,
        history((FIVES,), AlterGroupConfig((("share.delivery.count.limit", "10"),)), fetch(0)),
    )


def run(tmp_path: Path, *arguments: str) -> tuple[int, str]:
    wanted = [
        "run",
        "model",
        "--subject",
        "share",
        "--no-report",
        "--no-corpus",
        "--out",
        str(tmp_path),
        *arguments,
    ]
    observation = CliRunner().invoke(main, wanted)
    return observation.exit_code, observation.output


@pytest.mark.parametrize("release", ["4.0.2", "4.3.1"])
def test_drawn_histories_of_share_groups_conform(tmp_path: Path, release: str) -> None:
    code, output = run(
        tmp_path,
        "--strict",
        "--scenarios",
        "100",
        "--seed",
        "5",
        "--no-restart",
        "--kafka",
        release,
    )
    assert code == 0, output


def test_a_planted_fault_of_share_groups_fails_the_run(tmp_path: Path) -> None:
    code, output = run(
        tmp_path,
        "--scenarios",
        "32",
        "--seed",
        "5",
        "--no-restart",
        "--kafka",
        "4.2.2",
        "--fault",
        "count-always-one",
    )
    assert code == 1, output
    assert "SHR-400" in output


def test_a_legal_variant_of_share_groups_passes(tmp_path: Path) -> None:
    arguments = ("--strict", "--scenarios", "32", "--seed", "5", "--no-restart", "--kafka", "4.2.2")
    code, output = run(tmp_path, *arguments, "--fault", "empty-share-partitions-left-out")
    assert code == 0, output


def test_a_restart_gives_back_nothing_that_was_held() -> None:
    """What is acquired after it is what the dry run says: unknown again, with the count last
    written.
    """
    histories = collect(restarting_histories(SEMANTICS), 1, 6)
    with Model() as served:

        def restart(config: Mapping[str, str], _: object) -> Cluster:
            served.restart(config)
            return reach(*served.address, CODEC)

        player = ShareBrokerPlayer(
            *(reach(*served.address, CODEC), SEMANTICS, "restarting", ()),
            restarts=Restarts(restart, places_files=False),
        )
        for number, found in player.play(histories):
            assert not isinstance(found, Unlaid)
            expected = answer_all(histories[number], SEMANTICS)
            assert acquired_by_step(found.observation) == acquired_by_step(expected)
        player.close()


def acquired_by_step(observation: Observation) -> list[tuple[int, tuple[Acquired, ...]]]:
    return [
        (exchange.step, part.acquired)
        for exchange in observation.exchanges
        if isinstance(exchange.outcome, ShareFetchAnswer)
        for part in exchange.outcome.partitions
        if part.acquired
    ]
