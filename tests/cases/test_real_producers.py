"""What real producers do at their limits and at the topic's, to the byte, on the served model."""

from collections.abc import Iterator

import pytest

from conformance.cli.common import make_codec
from conformance.clients.process import ClientProcess
from conformance.clients.registry import client_command
from conformance.cluster import Cluster, reach
from conformance.systems.model import Model
from spec.fairness.model.record_sizes import batch_size, estimated_size
from spec.fairness.outcomes import RecordsSent
from spec.fairness.steps import ClientKind, FairnessStep, LimitMessages, SendRecords, StartClient
from spec.kafka import Error
from spec.layout import Partition
from tests.cases.test_real_clients import Played, Player

pytestmark = pytest.mark.system

EMPTY = Partition(((),))
TRIES = 10
EDGES = SendRecords((0,), (1099, 1100, 1101))
"""Records a byte below a limit, at it and above it."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Model("4.3.1") as model:
        yield reach(*model.address, make_codec())


@pytest.fixture(
    scope="module",
    params=[
        "kafka-python-producer",
        "confluent-producer",
        pytest.param("java-producer", marks=pytest.mark.broker),
    ],
)
def player(request: pytest.FixtureRequest, cluster: Cluster) -> Iterator[Player]:
    with ClientProcess(client_command(request.param)) as client:
        found = Player(cluster, client)
        yield found
        found.close()


def played(
    player: Player, *steps: FairnessStep, batch: int = 1, request: int | None = None
) -> Played:
    """What comes of what is done with a producer of these limits."""
    start = StartClient(ClientKind.PRODUCER, batch_size=batch, max_request_size=request)
    return player.play((EMPTY,), start, *steps)


def sent(case: Played) -> RecordsSent:
    """What became of the last records."""
    last = case.outcomes[-1]
    assert isinstance(last, RecordsSent)
    return last


def played_in_one_batch(player: Player, *steps: FairnessStep) -> Played:
    """What comes of records that the producer put in one batch: on a busy machine it may send the
    first before it has the second, and is asked again then.
    """
    for _ in range(TRIES):
        case = played(player, *steps, batch=3000)
        if any(len(batch.records) > 1 for one in sent(case).requests for batch in one.batches):
            return case
    raise AssertionError(f"expected one batch of several records, found none in {TRIES} tries")


def name(player: Player) -> str:
    return player.client.greeting.client


def test_p08_the_topics_limit_is_one_of_a_whole_batch(player: Player) -> None:
    """librdkafka#1716: users take it for the limit of a message."""
    limit = LimitMessages(batch_size([1100]))
    case = played(player, limit, EDGES)
    below, at, above = sent(case).results
    assert (below.error, at.error, above.offset) == ("", "", None)
    answered = {batch.size: batch.error for one in sent(case).requests for batch in one.batches}
    assert answered == {
        limit.size - 1: Error.NONE,
        limit.size: Error.NONE,
        limit.size + 1: Error.MESSAGE_TOO_LARGE,
    }
    assert case.violated == []


def test_a_record_is_refused_unsent_by_an_estimate_of_its_batch(player: Player) -> None:
    """librdkafka has an estimate of its own: it is compared on either side of both."""
    case = played(player, EDGES, request=estimated_size(1100))
    tried = {
        number for one in sent(case).requests for batch in one.batches for number in batch.records
    }
    if name(player) != "confluent-producer":
        assert tried == {0, 1}
        assert sent(case).results[2].error
    else:
        assert tried == {0, 1, 2}
    assert case.violated == []


def test_a_batch_that_is_too_large_for_its_topic_is_split_or_reported(player: Player) -> None:
    """KIP-126; kafka-python 3.0.12 splits it, and its flush fails, see the shipped findings."""
    limit = LimitMessages(batch_size([1100]) + 10)
    case = played_in_one_batch(player, limit, SendRecords((0,), (1100, 1100)))
    errors = [one.error for one in sent(case).results]
    assert case.violated == (["FAI-081"] if name(player) == "kafka-python-producer" else [])
    if name(player) == "java-producer":
        assert errors == ["", ""]
    elif name(player) == "confluent-producer":
        assert errors == ["MSG_SIZE_TOO_LARGE"] * 2
    else:
        assert [one.name for one in sent(case).errors] == ["UnknownError"]
