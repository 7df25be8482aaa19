"""One real broker for all cases of a session: a case is a scenario, and its verdict is what it
says.
"""

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.engine.broker_player import BrokerPlayer
from conformance.engine.play_result import Played
from conformance.engine.player import Config
from conformance.engine.start import restarts_of
from conformance.facts import read_facts, semantics_of
from conformance.subjects.fetch.broker_player import FetchBrokerPlayer
from conformance.systems.embedded import Embedded
from spec.scenario import Scenario

VERSION = os.environ.get("FENCEPOST_TEST_KAFKA", "4.3.1")


AnyBrokerPlayer = TypeVar("AnyBrokerPlayer", bound=BrokerPlayer)


@contextmanager
def started(kind: type[AnyBrokerPlayer], config: Config = ()) -> Iterator[AnyBrokerPlayer]:
    """A player on an embedded broker that is started with these configs."""
    with Embedded(VERSION, config=dict(config)) as broker:
        codec = make_codec()
        cluster = reach(*broker.address, codec)
        name = f"cases-{secrets.token_hex(4)}"
        found = kind(
            cluster,
            semantics_of(read_facts(cluster)),
            name,
            config,
            restarts=restarts_of(broker, codec),
        )
        yield found
        found.close()


@pytest.fixture(scope="session")
def player() -> Iterator[FetchBrokerPlayer]:
    """A player on a broker as it comes."""
    with started(FetchBrokerPlayer) as found:
        yield found


@pytest.fixture
def play(player: FetchBrokerPlayer) -> Callable[[Scenario], Played]:
    """Plays one scenario on the broker."""
    return player.play_one
