"""Each adapter, and the one that the protocol's page shows, in one conversation with the served
model.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.cli.common import make_codec
from conformance.clients.process import ClientProcess
from conformance.clients.protocol import (
    PRODUCER,
    SHARE_CONSUMER,
    UNSUPPORTED,
    Delivered,
    Failure,
    offset_in,
    records_in,
    results_in,
)
from conformance.clients.registry import CLIENTS, client_command
from conformance.clients.topics import ClientTopics, written_values
from conformance.cluster import reach
from conformance.misuse import BadConfiguration
from conformance.placement.placed_partition import Placed
from conformance.systems.base import NotAvailable
from conformance.systems.model import Model
from spec.layout import Batch, Codec, Layout, Marker, Partition
from tests.processes import awaited, gone

pytestmark = pytest.mark.system

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "client-protocol.md"
LAYOUT = Layout(
    (
        Partition(((Batch(400, records=6), Batch(300, records=4, codec=Codec.GZIP)),)),
        Partition(((Batch(200, records=2, txn=0), Marker(0, commit=False), Batch(150)),)),
    )
)
VISIBLE = {0: list(range(10)), 1: [3]}
"""By partition: the offsets that read_committed delivers."""
ANSWER_S = 30.0
BROKER = pytest.mark.broker
POLLS = 200


@pytest.fixture(scope="module")
def bootstrap() -> Iterator[tuple[str, Placed]]:
    """Where the served model listens, and what lies on it."""
    with Model("4.3.1") as model:
        topics = ClientTopics(reach(*model.address, make_codec()), "adapters")
        yield "{}:{}".format(*model.address), topics.place(LAYOUT)
        topics.close()


def shown_adapter() -> str:
    """The adapter that the page shows."""
    found = re.search(
        r"^```python file=my_adapter.py\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL
    )
    assert found is not None
    return found[1]


@pytest.fixture(
    scope="module",
    params=["kafka-python", "confluent", "shown", pytest.param("java", marks=pytest.mark.broker)],
)
def client(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ClientProcess]:
    """A client of each kind, started once."""
    if request.param == "shown":
        file = tmp_path_factory.mktemp("adapter") / "my_adapter.py"
        file.write_text(shown_adapter())
        command = [sys.executable, str(file)]
    else:
        command = client_command(request.param)
    with ClientProcess(command) as client:
        yield client
        pid = client.pid
    assert pid is not None
    assert awaited(lambda: gone(pid), 30)


def ok(client: ClientProcess, do: str, **fields: Any) -> dict[str, Any]:
    answer = client.ask({"do": do, **fields}, ANSWER_S)
    assert not isinstance(answer, Failure), answer
    return answer


def read(client: ClientProcess, count: int) -> list[Delivered]:
    """So many records, by as many polls as that takes."""
    found: list[Delivered] = []
    for _ in range(POLLS):
        found += records_in(ok(client, "poll", timeout_ms=100))
        if len(found) >= count:
            break
    return found


def test_a_client_reads_pauses_seeks_and_is_opened_again(
    client: ClientProcess, bootstrap: tuple[str, Placed]
) -> None:
    address, placed = bootstrap
    partitions = [[one.topic, one.partition] for one in placed.placed_partitions]
    written = [written_values(one) for one in placed.placed_partitions]
    options = {
        "max.poll.records": "3",
        "auto.offset.reset": "earliest",
        "isolation.level": "read_committed",
    }
    for _ in range(2):
        ok(client, "open", bootstrap=address, options=options)
        ok(client, "assign", partitions=partitions)
        ok(client, "pause", partitions=partitions[1:])
        first = records_in(ok(client, "poll", timeout_ms=5000))
        assert 0 < len(first) <= 3
        found = [*first, *read(client, 10 - len(first))]
        assert [(one.partition, one.offset) for one in found] == [(0, n) for n in VISIBLE[0]]
        ok(client, "resume", partitions=partitions[1:])
        found += read(client, 1)
        assert [one.offset for one in found if one.partition == 1] == VISIBLE[1]
        assert all(one.value == written[one.partition][one.offset] for one in found)
        ok(client, "seek", partition=partitions[0], offset=8)
        assert [one.offset for one in read(client, 2)] == [8, 9]
        assert offset_in(ok(client, "position", partition=partitions[0])) == 10
        ok(client, "close")


@pytest.mark.parametrize("name", ["confluent-share", pytest.param("java-share", marks=BROKER)])
def test_a_share_consumer_releases_then_accepts(name: str, bootstrap: tuple[str, Placed]) -> None:
    address, placed = bootstrap
    host, port = address.split(":")
    with reach(host, int(port), make_codec()).connect() as connection:
        config = {"name": "share.auto.offset.reset", "config_operation": 0, "value": "earliest"}
        resource = {"resource_type": 32, "resource_name": name, "configs": [config]}
        value = {"resources": [resource], "validate_only": False}
        connection.ask("IncrementalAlterConfigs", 1, value)
    options = {
        "group.id": name,
        "max.poll.records": "6",
        "share.acknowledgement.mode": "explicit",
    }
    seen: list[tuple[int, int, int | None]] = []
    with ClientProcess(client_command(name)) as client:
        assert client.greeting.kind == SHARE_CONSUMER
        ok(client, "open", bootstrap=address, options=options)
        ok(client, "subscribe", topics=[placed.placed_partitions[0].topic])
        for _ in range(POLLS):
            records = records_in(ok(client, "poll", timeout_ms=500))
            first = [one for one in records if one.deliveries == 1]
            ways = {"release": first, "accept": [one for one in records if one not in first]}
            for way, group in ways.items():
                named = [[one.topic, one.partition, one.offset] for one in group]
                ok(client, "acknowledge", records=named, way=way)
            seen += [(one.partition, one.offset, one.deliveries) for one in records]
            if sum(count == 2 for _, _, count in seen) == 13:
                break
        ok(client, "close")
    offsets = [(0, n) for n in range(10)] + [(1, 0), (1, 1), (1, 3)]
    assert sorted(seen) == [(*at, count) for at in offsets for count in (1, 2)]


def if_usable(name: str) -> Any:
    """A client that needs what not every machine has: it is skipped, with the reason, without."""
    (client,) = [one for one in CLIENTS if one.name == name]
    problem = client.problem()
    return pytest.param(name, marks=pytest.mark.skipif(problem is not None, reason=str(problem)))


@pytest.mark.parametrize(
    "name",
    [
        "kafka-python-producer",
        "confluent-producer",
        pytest.param("java-producer", marks=BROKER),
        if_usable("aiokafka-producer"),
        if_usable("franz-go-producer"),
    ],
)
def test_a_producer_says_what_became_of_each_record(
    name: str, bootstrap: tuple[str, Placed]
) -> None:
    address, placed = bootstrap
    first, second = placed.placed_partitions
    options = {"acks": "all", "compression.type": "none", "max.request.size": "2000"}
    with ClientProcess(client_command(name)) as client:
        assert client.greeting.kind == PRODUCER
        is_limited = "max.request.size" in client.greeting.options
        if not is_limited:
            del options["max.request.size"]
        for _ in range(2):
            ok(client, "open", bootstrap=address, options=options)
            records = [[one.topic, one.partition, "written"] for one in (first, second, first)]
            records.append([first.topic, first.partition, "x" * 4000])
            *written, large = results_in(ok(client, "produce", records=records))
            one, other, next_one = [offset for offset in written if isinstance(offset, int)]
            assert (one >= 10, other >= 4, next_one) == (True, True, one + 1)
            assert isinstance(large, str if is_limited else int)
            ok(client, "close")
        unknown = client.ask(
            {"do": "open", "bootstrap": address, "options": {"no.such": "1"}}, ANSWER_S
        )
        assert isinstance(unknown, Failure)
        assert unknown.name == UNSUPPORTED


def test_an_assignment_that_grows_keeps_positions(
    client: ClientProcess, bootstrap: tuple[str, Placed]
) -> None:
    address, placed = bootstrap
    partitions = [[one.topic, one.partition] for one in placed.placed_partitions]
    options = {"auto.offset.reset": "earliest", "isolation.level": "read_committed"}
    ok(client, "open", bootstrap=address, options=options)
    ok(client, "assign", partitions=partitions[:1])
    assert [one.offset for one in read(client, 10)] == VISIBLE[0]
    ok(client, "assign", partitions=partitions)
    assert [(one.partition, one.offset) for one in read(client, 1)] == [(1, 3)]
    ok(client, "close")


def test_what_a_client_does_not_have_is_reported(
    client: ClientProcess, bootstrap: tuple[str, Placed]
) -> None:
    unknown = client.ask(
        {"do": "open", "bootstrap": bootstrap[0], "options": {"no.such": "1"}}, ANSWER_S
    )
    assert isinstance(unknown, Failure)
    ok(client, "close")
    if client.greeting.client != "kafka-python by hand":
        assert unknown.name == UNSUPPORTED
        lacking = client.ask({"do": "acknowledge", "records": [], "way": "accept"}, ANSWER_S)
        assert isinstance(lacking, Failure)
        assert lacking.name == UNSUPPORTED


def test_the_adapter_that_is_shown_has_at_most_60_lines() -> None:
    assert len(shown_adapter().splitlines()) <= 60


def test_a_client_whose_package_is_missing_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("conformance.clients.registry.find_spec", lambda _: None)
    with pytest.raises(NotAvailable, match="found none; pip install aiokafka"):
        client_command("aiokafka")


def test_a_client_that_is_not_known_is_refused() -> None:
    for name in ("nosuch", "confluent:4.3.1"):
        with pytest.raises(BadConfiguration, match="expected one of the clients java"):
            client_command(name)
