"""The field's bug reports on produce, as scenarios on a real broker, and a run of the command line."""

import json
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.engine.play_result import Played
from conformance.facts import read_facts, semantics_of
from conformance.subjects.produce.player import ProduceBrokerPlayer
from conformance.systems.embedded import Embedded
from spec.kafka import Error
from spec.layout import Codec
from spec.produce.examples import LOOK, alone, empty, scenario
from spec.produce.outcomes import EndOffsetsAnswer, ProduceAnswer
from spec.produce.steps import Flaw, Outgoing, Produce, UseTopic
from spec.produce.topic import TopicSettings
from spec.scenario import Scenario
from tests.cases.case import broken
from tests.cases.conftest import VERSION

pytestmark = pytest.mark.broker


@pytest.fixture(scope="module")
def broker() -> Iterator[Embedded]:
    """A broker as it comes."""
    with Embedded(VERSION) as found:
        yield found


@pytest.fixture(scope="module")
def player(broker: Embedded) -> Iterator[ProduceBrokerPlayer]:
    """A player on it."""
    cluster = reach(*broker.address, make_codec())
    name = f"produce-{secrets.token_hex(4)}"
    found = ProduceBrokerPlayer(cluster, semantics_of(read_facts(cluster)), name, None)
    yield found
    found.close()


def codes(played: Played) -> list[list[int]]:
    """The error codes of each request, partition by partition."""
    outcomes = [exchange.outcome for exchange in played.observation.exchanges]
    return [
        [one.error for one in outcome.partitions]
        for outcome in outcomes
        if isinstance(outcome, ProduceAnswer)
    ]


def ends(played: Played) -> tuple[int | None, ...]:
    """The end offsets that were looked up last."""
    outcomes = [exchange.outcome for exchange in played.observation.exchanges]
    return [one.ends for one in outcomes if isinstance(one, EndOffsetsAnswer)][-1]


def test_p08_the_limit_is_that_of_the_batch_with_its_header(player: ProduceBrokerPlayer) -> None:
    topic = UseTopic(TopicSettings(max_message_bytes=1000))
    played = player.play_one(Scenario(empty(1), (topic, alone(1000), alone(1001), *LOOK)))
    assert codes(played) == [[0], [Error.MESSAGE_TOO_LARGE]]
    assert ends(played) == (1,)
    assert broken(played) == set()


def test_p09_two_batches_for_one_partition_are_refused(player: ProduceBrokerPlayer) -> None:
    played = player.play_one(scenario(alone(flaw=Flaw.TWO_BATCHES)))
    assert codes(played) == [[Error.INVALID_RECORD]]
    assert ends(played) == (0,)
    assert broken(played) == set()


@pytest.mark.parametrize("codec", Codec)
def test_the_limit_is_that_of_the_compressed_batch(
    player: ProduceBrokerPlayer, codec: Codec
) -> None:
    requests = [Produce((Outgoing(0, 500 + more, 3, codec),)) for more in (-1, 0, 1)]
    played = player.play_one(scenario(*requests))
    assert codes(played) == [[0], [0], [Error.MESSAGE_TOO_LARGE]]
    assert ends(played) == (6,)
    assert broken(played) == set()


def test_t22_what_a_header_may_say(player: ProduceBrokerPlayer) -> None:
    flaws = (
        Flaw.BASE_OFFSET,
        Flaw.CONTROL,
        Flaw.NO_SEQUENCE,
        Flaw.CODEC_5,
        Flaw.MAGIC_1,
        Flaw.COUNT_ABOVE,
        Flaw.APPEND_TIME,
    )
    requests = [Produce((Outgoing(0, 200, 2, flaw=flaw), Outgoing(1, 200, 2))) for flaw in flaws]
    played = player.play_one(scenario(*requests, partitions=2))
    invalid = Error.INVALID_RECORD
    assert [first for first, _ in codes(played)] == [
        *[invalid] * 3,
        Error.UNKNOWN_SERVER_ERROR,
        *[invalid] * 2,
        0,
    ]
    assert [second for _, second in codes(played)] == [0] * len(flaws)
    assert ends(played) == (2, 2 * len(flaws))
    assert broken(played) == set()


def test_t22_a_record_without_a_key_is_named(player: ProduceBrokerPlayer) -> None:
    topic = UseTopic(TopicSettings(max_message_bytes=500, compacted=True))
    batch = Outgoing(0, 200, 2, keyed=True, keyless=(1,))
    played = player.play_one(Scenario(empty(1), (topic, Produce((batch,)), *LOOK)))
    answer = played.observation.exchanges[1].outcome
    assert isinstance(answer, ProduceAnswer)
    assert [(one.error, one.record_errors) for one in answer.partitions] == [
        (Error.INVALID_RECORD, (1,))
    ]
    assert ends(played) == (0,)
    assert broken(played) == set()


def test_the_default_limit_is_a_mebibyte_and_twelve_bytes(player: ProduceBrokerPlayer) -> None:
    requests = [alone(1048588 + more) for more in (-1, 0, 1)]
    played = player.play_one(Scenario(empty(1), (*requests, *LOOK)))
    assert codes(played) == [[0], [0], [Error.MESSAGE_TOO_LARGE]]
    assert broken(played) == set()


def test_an_unreadable_batch_fails_its_neighbours_too(player: ProduceBrokerPlayer) -> None:
    batches = (Outgoing(0, 200, flaw=Flaw.MAGIC_3), Outgoing(1, 200))
    played = player.play_one(scenario(Produce(batches), partitions=2))
    assert codes(played) == [[Error.CORRUPT_MESSAGE] * 2]
    assert ends(played) == (0, 0)
    assert broken(played) == set()


def test_a_strict_run_of_the_command_line_finds_nothing(broker: Embedded, tmp_path: Path) -> None:
    host, port = broker.address
    options = ["--subject", "produce", "--strict", "--no-report", "--no-corpus"]
    where = ["--bootstrap-server", f"{host}:{port}", "--out", str(tmp_path)]
    done = CliRunner().invoke(main, ["run", *options, *where, "--scenarios", "60", "--seed", "4"])
    assert done.exit_code == 0, done.output
    (summary,) = tmp_path.glob("*/summary.json")
    assert json.loads(summary.read_text())["scenarios"] >= 60
