"""The stage: what it makes of responses, and what it notes of them; and one client that reads from
it.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from conformance.cli.common import make_codec
from conformance.clients.process import ClientProcess
from conformance.clients.registry import client_command
from conformance.clients.topics import ClientTopics
from conformance.cluster import Cluster, reach
from conformance.subjects.fairness.application import Application
from conformance.subjects.fairness.scripted_proxy import ScriptedProxy
from conformance.systems.model import Model
from conformance.wire.batches import parse_batches
from spec.fairness.outcomes import (
    AskedPart,
    FetchedBatch,
    FetchedPart,
    PollReturned,
    PositionReturned,
    ServedFetch,
)
from spec.fairness.steps import (
    AskPosition,
    AssignPartitions,
    CutResponse,
    Damage,
    DamageBatch,
    FailPartition,
    FailSessions,
    FairnessStep,
    GiveOtherwise,
    MoveLeader,
    Poll,
    ResponseVariant,
    StartClient,
)
from spec.kafka import Error
from spec.layout import Batch, Codec, Layout, Marker, Partition
from spec.outcomes import Outcome
from spec.scenario import Scenario
from spec.steps import Append

LAYOUT = Layout(
    (
        Partition(((Batch(400, records=6), Batch(300, records=4, codec=Codec.GZIP)),)),
        Partition(((Batch(200, records=2, txn=0), Marker(0, commit=False), Batch(150)),)),
    )
)
FIRST = FetchedPart(0, 0, (FetchedBatch(0, 5, size=400), FetchedBatch(6, 9, size=300)))
SECOND = FetchedPart(
    1,
    0,
    (
        FetchedBatch(0, 1, size=200),
        FetchedBatch(2, 2, control=True, size=78),
        FetchedBatch(3, 3, size=150),
    ),
)


class Staged:
    """A stage before a served model, and a connection that fetches through it."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.topics = ClientTopics(cluster, "staged")
        self.placed = self.topics.place(LAYOUT)
        self.stage = ScriptedProxy((cluster.host, cluster.port), cluster.codec)
        self.stage.start()
        self.connection = cluster.connect()

    def close(self) -> None:
        self.connection.close()
        self.stage.stop()
        self.topics.close()

    def begin(self, *steps: Any, node: int = 0) -> None:
        """Begin a scene with these steps of the stage, and connect to one of its nodes."""
        self.connection.close()
        self.stage.begin(self.placed, moves=any(isinstance(one, MoveLeader) for one in steps))
        for step in steps:
            self.stage.script(step)
        host, port = self.stage.addresses[node]
        self.connection = Cluster(host, port, self.cluster.codec, self.cluster.versions).connect()

    def about_topic(self) -> dict[str, Any]:
        """A request for the metadata of the layout's topic."""
        return {"topics": [{"name": self.placed.placed_partitions[0].topic}]}

    def fetch(
        self,
        version: int = 12,
        session: tuple[int, int] = (0, -1),
        *,
        named: bool = True,
        epoch: int = -1,
    ) -> tuple[dict[str, Any], ServedFetch]:
        """The response to a fetch of all partitions from their beginning, and what was noted."""
        topic = {
            "topic": self.placed.placed_partitions[0].topic,
            "topic_id": self.placed.placed_partitions[0].topic_id,
        }
        parts = [
            {
                "partition": number,
                "fetch_offset": 0,
                "partition_max_bytes": 1000,
                "current_leader_epoch": epoch,
            }
            for number in range(2)
        ]
        value = {
            "max_wait_ms": 10,
            "min_bytes": 1,
            "max_bytes": 2000,
            "isolation_level": 1,
            "session_id": session[0],
            "session_epoch": session[1],
            "topics": [{**topic, "partitions": parts}] if named else [],
            "forgotten_topics_data": [],
        }
        answer = self.connection.ask("Fetch", version, value)
        ((served,), _) = self.stage.take_served()
        return answer, served


@pytest.fixture(scope="module")
def staged() -> Iterator[Staged]:
    with Model("4.3.1") as model:
        found = Staged(reach(*model.address, make_codec()))
        yield found
        found.close()


def parts_of(answer: dict[str, Any]) -> list[dict[str, Any]]:
    return [part for topic in answer["responses"] for part in topic["partitions"]]


@pytest.mark.system
@pytest.mark.parametrize("version", [12, 16])
def test_what_passes_is_noted(staged: Staged, version: int) -> None:
    staged.begin()
    answer, served = staged.fetch(version)
    assert served.parts == (FIRST, SECOND)
    assert served.asked == (AskedPart(0, 0, 1000), AskedPart(1, 0, 1000))
    assert (served.max_bytes, served.min_bytes, served.max_wait_ms) == (2000, 1, 10)
    assert (served.isolation, served.session, served.epoch) == (1, 0, -1)
    assert [len(part["records"]) for part in parts_of(answer)] == [700, 428]


@pytest.mark.system
@pytest.mark.parametrize(
    ("node", "epoch", "error"),
    [
        (0, -1, Error.NOT_LEADER_OR_FOLLOWER),
        (0, 0, Error.FENCED_LEADER_EPOCH),
        (0, 1, Error.NOT_LEADER_OR_FOLLOWER),
        (1, -1, Error.NONE),
        (1, 0, Error.FENCED_LEADER_EPOCH),
        (1, 1, Error.NONE),
        (1, 2, Error.UNKNOWN_LEADER_EPOCH),
    ],
)
def test_a_node_refuses_what_it_does_not_lead_and_other_epochs(
    staged: Staged, node: int, epoch: int, error: Error
) -> None:
    staged.begin(MoveLeader(0, 1), MoveLeader(1, node), node=node)
    metadata = staged.connection.ask("Metadata", 12, staged.about_topic())
    (topic,) = metadata["topics"]
    first = min(one["node_id"] for one in metadata["brokers"])
    answer, served = staged.fetch(16, epoch=epoch)
    given = parts_of(answer)[0]
    assert (given["error_code"], served.node) == (error, node)
    assert (served.parts[0] == FIRST) is (error is Error.NONE)
    led = [(one["leader_id"], one["leader_epoch"]) for one in topic["partitions"]]
    assert led == [(first + 1, 1), (first + node, 1)]
    if error:
        assert given["current_leader"] == {"leader_id": first + 1, "leader_epoch": 1}
    found = [(one["host"], one["port"]) for one in answer["node_endpoints"]]
    assert found == list(staged.stage.addresses)


@pytest.mark.system
def test_a_session_remembers_the_leader_epochs_that_were_named(staged: Staged) -> None:
    staged.begin(MoveLeader(0, 0))
    staged.connection.ask("Metadata", 12, staged.about_topic())
    answer, _ = staged.fetch(12, (0, 0), epoch=1)
    session = answer["session_id"]
    staged.stage.script(MoveLeader(0, 0))
    errors = [
        part["error_code"] for part in parts_of(staged.fetch(12, (session, 1), named=False)[0])
    ]
    assert Error.FENCED_LEADER_EPOCH in errors


@pytest.mark.system
def test_metadata_name_an_old_leader_for_a_while(staged: Staged) -> None:
    staged.begin(MoveLeader(0, 1, stale=2))
    asked = [staged.connection.ask("Metadata", 12, staged.about_topic()) for _ in range(3)]
    epochs = [one["topics"][0]["partitions"][0]["leader_epoch"] for one in asked]
    assert epochs == [0, 0, 1]


@pytest.mark.system
def test_lookups_are_answered_by_the_leader(staged: Staged) -> None:
    staged.begin(MoveLeader(0, 1))
    staged.connection.ask("Metadata", 12, staged.about_topic())
    topic = staged.placed.placed_partitions[0].topic
    parts = [
        {"partition_index": number, "current_leader_epoch": -1, "timestamp": -2}
        for number in range(2)
    ]
    value = {
        "replica_id": -1,
        "isolation_level": 0,
        "topics": [{"name": topic, "partitions": parts}],
    }
    answer = staged.connection.ask("ListOffsets", 5, value)
    found = [one["error_code"] for one in answer["topics"][0]["partitions"]]
    assert found == [Error.NOT_LEADER_OR_FOLLOWER, 0]


@pytest.mark.system
@pytest.mark.parametrize("batch", [0, 1])
def test_a_batch_whose_checksum_does_not_fit(staged: Staged, batch: int) -> None:
    staged.begin(DamageBatch(0, batch, Damage.CRC, responses=1))
    answer, served = staged.fetch()
    found = parse_batches(parts_of(answer)[0]["records"]).batches
    assert [one.crc_ok for one in found] == [batch != 0, batch != 1]
    assert [one.damage for one in served.parts[0].batches].index(Damage.CRC) == batch
    assert staged.fetch()[1].parts == (FIRST, SECOND)


@pytest.mark.system
def test_batches_that_end_early_or_have_an_unknown_format(staged: Staged) -> None:
    staged.begin(DamageBatch(0, 0, Damage.LENGTH), DamageBatch(1, 2, Damage.MAGIC))
    answer, served = staged.fetch()
    (short, odd) = parts_of(answer)
    assert len(short["records"]) == 399
    assert served.parts[0].batches == (
        FetchedBatch(0, 5, damage=Damage.LENGTH, size=399, whole=False),
    )
    assert odd["records"][278 + 16] == 99
    assert served.parts[1].batches[2].damage is Damage.MAGIC


@pytest.mark.system
def test_a_response_that_is_cut_and_a_partition_that_fails(staged: Staged) -> None:
    staged.begin(CutResponse(0, 100), FailPartition(1, Error.NOT_LEADER_OR_FOLLOWER, responses=1))
    answer, served = staged.fetch()
    assert [len(part["records"]) for part in parts_of(answer)] == [100, 0]
    assert [part["error_code"] for part in parts_of(answer)] == [0, 6]
    assert served.parts == (
        FetchedPart(0, 0, (FetchedBatch(0, 5, size=100, whole=False),)),
        FetchedPart(1, 6),
    )
    assert staged.fetch()[1].parts == (FIRST, SECOND)


@pytest.mark.system
@pytest.mark.parametrize(
    ("giving", "expected"),
    [
        (ResponseVariant.EMPTY, (FetchedPart(0), FetchedPart(1))),
        (ResponseVariant.THROTTLED, ()),
        (ResponseVariant.REVERSED, (SECOND, FIRST)),
        (ResponseVariant.ONE_PARTITION, (FIRST, FetchedPart(1))),
        (ResponseVariant.LATE, (FIRST, SECOND)),
    ],
)
def test_responses_that_are_given_otherwise(
    staged: Staged, giving: ResponseVariant, expected: tuple[FetchedPart, ...]
) -> None:
    staged.begin(GiveOtherwise(giving))
    answer, served = staged.fetch()
    assert served.parts == expected
    assert bool(answer["throttle_time_ms"]) == (giving is ResponseVariant.THROTTLED)
    assert staged.fetch()[1].parts == (FIRST, SECOND)


@pytest.mark.system
def test_aborted_transactions_that_are_listed_twice(staged: Staged) -> None:
    staged.begin(GiveOtherwise(ResponseVariant.ABORTED_TWICE, responses=1))
    listed = [parts_of(staged.fetch()[0])[1]["aborted_transactions"] for _ in range(2)]
    assert [len(one) for one in listed] == [2, 1]


@pytest.mark.system
def test_sessions_are_numbered_and_refused(staged: Staged) -> None:
    staged.begin(FailSessions(Error.FETCH_SESSION_ID_NOT_FOUND))
    answer, opened = staged.fetch(session=(0, 0))
    session = answer["session_id"]
    refused, noted = staged.fetch(session=(session, 1), named=False)
    assert (opened.session, noted.session, noted.epoch, noted.error) == (0, 1, 1, 70)
    assert refused["responses"] == []
    again, _ = staged.fetch(session=(0, 0))
    assert again["session_id"]
    _, third = staged.fetch(session=(again["session_id"], 1), named=False)
    assert (third.session, third.error, third.parts) == (2, 0, (FIRST, SECOND))


@pytest.fixture(scope="module")
def client() -> Iterator[ClientProcess]:
    with ClientProcess(client_command("kafka-python")) as client:
        yield client


def play(staged: Staged, client: ClientProcess, *steps: FairnessStep) -> list[Outcome]:
    """The outcomes of a scenario with a client."""
    placed = staged.topics.place(LAYOUT)
    staged.stage.begin(placed)
    connection = staged.cluster.connect()
    application = Application(
        Scenario(LAYOUT, steps), placed, client, staged.stage, staged.cluster, connection, "group"
    )
    exchanges = application.play().exchanges
    connection.close()
    staged.topics.release(placed)
    return [exchange.outcome for exchange in exchanges]


@pytest.mark.system
def test_an_application_asks_a_client_step_by_step(staged: Staged, client: ClientProcess) -> None:
    outcomes = play(
        staged,
        client,
        StartClient(max_poll_records=5, isolation=1),
        AssignPartitions((0, 1)),
        GiveOtherwise(ResponseVariant.ONE_PARTITION),
        Append(1, Batch(200, records=3)),
        *[Poll(300)] * 8,
        AskPosition(1),
    )
    polls = [one for one in outcomes if isinstance(one, PollReturned)]
    records = [record for poll in polls for record in poll.records]
    assert all(record.intact for record in records)
    assert [one.offset for one in records if one.partition == 0] == [*range(10)]
    assert [one.offset for one in records if one.partition == 1] == [3, 4, 5, 6]
    assert max(len(poll.records) for poll in polls) == 5
    fetches = [served for poll in polls for served in poll.fetches]
    assert fetches[0].parts == (FIRST, FetchedPart(1))
    position = outcomes[-1]
    assert isinstance(position, PositionReturned)
    assert (position.offset, position.errors) == (7, ())


@pytest.mark.system
def test_what_a_client_delivers_otherwise_than_it_was_written_is_not_intact(
    staged: Staged, client: ClientProcess
) -> None:
    outcomes = play(
        staged,
        client,
        StartClient(check_crcs=False),
        AssignPartitions((0,)),
        DamageBatch(0, 0),
        *[Poll(300)] * 4,
    )
    records = [
        record for one in outcomes if isinstance(one, PollReturned) for record in one.records
    ]
    assert [one.offset for one in records if not one.intact]
    assert all(one.intact for one in records if one.offset > 5)
