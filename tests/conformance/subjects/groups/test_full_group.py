"""Real clients that join a full group: each reports it to its application, or is reported as
spinning; none runs past its deadline.
"""

import sys
from collections.abc import Iterator

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import Cluster, reach
from conformance.subjects.groups.full_group import (
    CLIENTS,
    FULL_AT_ONE,
    Client,
    ClientFate,
    fill,
    joining,
    serve,
    watch,
)
from conformance.systems.embedded import Embedded
from tests.cases.conftest import VERSION

TOPIC = "wanted"
SPINNING = frozenset({Client("java", "share")})
"""Kafka 4.3.1's share consumer goes into its fatal state, and logs so, while the application's poll
continues.
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A broker on which one member fills a group, with a topic."""
    with Embedded(VERSION, config=FULL_AT_ONE) as broker:
        cluster = reach(*broker.address, make_codec())
        serve(cluster, TOPIC)
        yield cluster


@pytest.mark.broker
@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: f"{client.name} {client.protocol}")
def test_a_client_that_joins_a_full_group_reports_it(cluster: Cluster, client: Client) -> None:
    group = f"full-{client.name}-{client.protocol}"
    fill(cluster, client.protocol, group, TOPIC)
    found = joining(client, f"{cluster.host}:{cluster.port}", TOPIC, group)
    assert found.did is (ClientFate.SPINNING if client in SPINNING else ClientFate.REFUSED), (
        found.said
    )


@pytest.mark.broker
@pytest.mark.parametrize(
    "client",
    [Client("java", "classic"), Client("librdkafka", "classic")],
    ids=lambda client: client.name,
)
def test_a_client_that_finds_room_joins(cluster: Cluster, client: Client) -> None:
    found = joining(client, f"{cluster.host}:{cluster.port}", TOPIC, f"empty-{client.name}")
    assert found.did is ClientFate.JOINED, found.said


SOME = Client("some", "classic")


@pytest.mark.system
def test_a_client_that_says_nothing_is_reported_as_spinning_and_killed() -> None:
    found = watch(
        SOME,
        [
            sys.executable,
            "-c",
            "import threading; print('trying', flush=True); threading.Event().wait()",
        ],
        3.0,
    )
    assert (found.did, found.said) == (ClientFate.SPINNING, "trying")


@pytest.mark.system
def test_a_client_that_ends_with_another_error_has_failed() -> None:
    assert (
        watch(SOME, [sys.executable, "-c", "print('error _ALL_BROKERS_DOWN')"]).did
        is ClientFate.FAILED
    )
