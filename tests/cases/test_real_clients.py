"""Cases of clients that others met, played with real ones on the served model: what each client
delivers, by poll.
"""

from collections.abc import Iterator, Sequence

import pytest

from conformance.cli.common import make_codec
from conformance.clients.process import ClientProcess
from conformance.clients.registry import client_command
from conformance.clients.topics import ClientTopics
from conformance.cluster import Cluster, reach
from conformance.subjects.fairness.application import Application
from conformance.subjects.fairness.scripted_proxy import ScriptedProxy
from conformance.systems.model import Model
from spec.fairness.outcomes import PollReturned, PositionReturned, ServedFetch
from spec.fairness.steps import (
    AskPosition,
    AssignPartitions,
    DamageBatch,
    FairnessStep,
    MoveLeader,
    Poll,
    RefuseMembers,
    SeekTo,
    StartClient,
    SubscribeTopics,
    TruncateLog,
)
from spec.judge import judge
from spec.layout import Batch, Codec, Layout, Marker, Partition
from spec.observation import Observation
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.steps import Append
from spec.verdict import Outcome, Verdict

pytestmark = pytest.mark.system
POLL = Poll(3000)
MOST_FETCHES = 5


class Played:
    """A play of a case."""

    def __init__(self, observation: Observation, breaks: Sequence[Verdict]) -> None:
        self.outcomes = [exchange.outcome for exchange in observation.exchanges]
        self.broken = [one.clause for one in breaks]
        self.violated = [one.clause for one in breaks if one.outcome is Outcome.VIOLATES]

    @property
    def polls(self) -> list[list[tuple[int, int]]]:
        """By poll that returned records: (partition, offset) of each."""
        return [
            [(record.partition, record.offset) for record in one.records]
            for one in self.outcomes
            if isinstance(one, PollReturned) and one.records
        ]

    @property
    def fetches(self) -> list[ServedFetch]:
        """Every request and its response."""
        return [one for out in self.outcomes for one in getattr(out, "fetches", ())]


class Player:
    """A client that reads from the served model."""

    def __init__(self, cluster: Cluster, client: ClientProcess) -> None:
        self.cluster, self.client = cluster, client
        self.topics = ClientTopics(cluster, f"cases-{client.greeting.client}")
        self.proxy = ScriptedProxy((cluster.host, cluster.port), cluster.codec)
        self.proxy.start()

    def close(self) -> None:
        self.proxy.stop()
        self.topics.close()

    def play(self, partitions: tuple[Partition, ...], *steps: FairnessStep) -> Played:
        """What came of a case; a client that ended in another one is started again."""
        if not self.client.running:
            self.client.stop()
            self.client.start()
        layout = Layout(partitions)
        scenario = Scenario(layout, steps)
        placed = self.topics.place(layout)
        self.proxy.begin(
            placed, moves=any(isinstance(one, MoveLeader | TruncateLog) for one in steps)
        )
        with self.cluster.connect() as connection:
            observation = Application(
                scenario, placed, self.client, self.proxy, self.cluster, connection, "unused"
            ).play()
        self.topics.release(placed)
        return Played(observation, judge(scenario, observation, semantics_for("4.3")).breaks)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Model("4.3.1") as model:
        yield reach(*model.address, make_codec())


@pytest.fixture(
    scope="module", params=["kafka-python", pytest.param("java", marks=pytest.mark.broker)]
)
def played(request: pytest.FixtureRequest, cluster: Cluster) -> Iterator[Player]:
    with ClientProcess(client_command(request.param)) as client:
        found = Player(cluster, client)
        yield found
        found.close()


def partition(*records: int, codec: Codec = Codec.NONE) -> Partition:
    """A partition with batches of so many records."""
    return Partition((tuple([Batch(100 + 60 * one, one, codec) for one in records]),))


def test_m02_a_poll_counts_over_all_partitions(played: Player) -> None:
    """KAFKA-15836: the limit was counted afresh for each partition."""
    case = played.play(
        (partition(3), partition(3)),
        StartClient(max_poll_records=2),
        AssignPartitions((0, 1)),
        *[POLL] * 3,
    )
    assert [len(poll) for poll in case.polls] == [2, 2, 2]
    assert {number for number, _ in case.polls[1]} == {0, 1}
    assert case.violated == []


def test_m04_records_before_the_position_are_dropped_before_they_are_counted(
    played: Player,
) -> None:
    """kafka-python#1214: a seek into a compressed batch delivered earlier offsets."""
    case = played.play(
        (partition(40, codec=Codec.GZIP),),
        StartClient(max_poll_records=1),
        AssignPartitions((0,)),
        SeekTo(0, 20),
        POLL,
        POLL,
    )
    assert case.polls == [[(0, 20)], [(0, 21)]]
    assert case.violated == []


def test_r02_a_poll_continues_with_the_partition_of_the_one_before(played: Player) -> None:
    """KAFKA-3932: A A B B C C, where KIP-387 asks for A B C A B C."""
    case = played.play(
        (partition(10), partition(10), partition(10)),
        StartClient(max_poll_records=5),
        AssignPartitions((0, 1, 2)),
        *[POLL] * 6,
    )
    order = [poll[0][0] for poll in case.polls]
    assert [len(poll) for poll in case.polls] == [5] * 6
    assert order[::2] == order[1::2]
    assert sorted(order[::2]) == [0, 1, 2]
    assert case.violated == []


def test_r06_a_small_partition_is_delivered_beside_a_hot_one(played: Player) -> None:
    """Dekaf#2256: a client whose requests never rotate delivers nothing of the second one."""
    case = played.play(
        (partition(*[5] * 12), partition(5)),
        StartClient(max_poll_records=5, fetch_max_bytes=1000, partition_max_bytes=500),
        AssignPartitions((0, 1)),
        *[POLL] * 6,
    )
    served = [part.partition for one in case.fetches for part in one.parts if part.batches]
    assert 1 in served[:MOST_FETCHES]
    assert 1 in {number for poll in case.polls for number, _ in poll}
    assert case.violated == []


def test_nothing_is_lost_or_repeated_where_a_leader_moves(played: Player) -> None:
    """KIP-320: to another node, whose metadata come late, and on it to the next epoch."""
    more = Append(0, Batch(200, 2))
    case = played.play(
        (partition(3),),
        StartClient(max_poll_records=2),
        AssignPartitions((0,)),
        POLL,
        MoveLeader(0, 1, stale=1),
        more,
        *[Poll(8000)] * 2,
        MoveLeader(0, 1),
        more,
        Poll(8000),
    )
    delivered = [offset for poll in case.polls for _, offset in poll]
    assert delivered == [*range(len(delivered))]
    assert delivered[-1] >= 5
    assert {one.node for one in case.fetches if any(part.batches for part in one.parts)} == {0, 1}
    assert case.violated == []


def test_a_truncated_log_is_read_on_from_where_it_ends(played: Player) -> None:
    """KIP-320: five records are lost, and the log is longer than before when that is learnt."""
    case = played.play(
        (partition(5, 5),),
        StartClient(),
        AssignPartitions((0,)),
        *[POLL] * 2,
        TruncateLog(0, 1),
        *[Append(0, Batch(700, 10))] * 2,
        *[Poll(8000)] * 2,
    )
    delivered = [offset for poll in case.polls for _, offset in poll]
    assert delivered == [*range(10), *range(5, 25)]
    assert case.broken == []


@pytest.mark.parametrize("commit", [True, False], ids=["committed", "aborted"])
def test_t18_a_position_passes_a_marker_at_the_end(played: Player, *, commit: bool) -> None:
    """FLINK-34470: whoever waits for the record before the end waits for ever."""
    case = played.play(
        (Partition(((Batch(280, 3, txn=0), Marker(0, commit)),)),),
        StartClient(isolation=1),
        AssignPartitions((0,)),
        *[Poll(700)] * 2,
        AskPosition(0),
    )
    assert sum(len(poll) for poll in case.polls) == (3 if commit else 0)
    position = case.outcomes[-1]
    assert isinstance(position, PositionReturned)
    assert position.offset == 4
    assert case.violated == []


def test_t28_a_limit_for_partitions_leaves_the_limit_of_the_fetch_alone(played: Player) -> None:
    """confluent-kafka-javascript#511: one option wrote the other's key."""
    (limited,) = [
        played.play(
            (partition(5), partition(5)),
            StartClient(partition_max_bytes=20_000),
            AssignPartitions((0, 1)),
            POLL,
        ).fetches[:1]
    ]
    (whole,) = [
        played.play(
            (partition(5), partition(5)),
            StartClient(fetch_max_bytes=30_000),
            AssignPartitions((0, 1)),
            POLL,
        ).fetches[:1]
    ]
    assert {part.max_bytes for part in limited[0].asked} == {20_000}
    assert limited[0].max_bytes == 50 * 2**20
    assert whole[0].max_bytes == 30_000
    assert {part.max_bytes for part in whole[0].asked} == {2**20}


def test_a_full_group_is_reported_and_asked_again(played: Player) -> None:
    """KIP-389: a group that is full for three requests, then lets its client in."""
    case = played.play(
        (partition(3),),
        StartClient(),
        RefuseMembers(3),
        SubscribeTopics(),
        *[POLL] * 8,
    )
    polls = [one for one in case.outcomes if isinstance(one, PollReturned)]
    assert sum(one.refused for one in polls) == 3
    assert [one for poll in case.polls for one in poll] == [(0, 0), (0, 1), (0, 2)]
    if played.client.greeting.client == "java":
        assert {error.name for one in polls for error in one.errors} == {
            "GroupMaxSizeReachedException"
        }
    assert case.broken == []


def test_a_healthy_partition_starves_behind_one_that_can_not_be_read(
    played: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FAIR-006: Kafka's own client reports the error in each poll, and nothing else.

    kafka-python 3.0.12 reports it once, and its next poll never returns, see the shipped findings.
    """
    monkeypatch.setattr("conformance.subjects.fairness.application.PATIENCE_S", 3.0)
    case = played.play(
        (partition(3), partition(3)),
        StartClient(),
        AssignPartitions((0, 1)),
        DamageBatch(0, 0),
        *[Poll(500)] * 3,
    )
    errors = [one.errors for one in case.outcomes if isinstance(one, PollReturned)]
    delivered = {number for poll in case.polls for number, _ in poll}
    assert 0 not in delivered
    assert any(errors)
    hangs = played.client.greeting.client == "kafka-python"
    assert case.violated == (["FAI-001"] if hangs else [])
