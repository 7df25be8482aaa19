"""The field's bug reports on produce, as scenarios on a real broker, and one run of `fencepost`."""

import json
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.engine.play_result import Played
from conformance.facts import REQUEST_MAX_BYTES, read_facts, semantics_of
from conformance.placement.placed_partition import Placed
from conformance.placement.problem import Unlaid
from conformance.subjects.produce.faults import FAULTS
from conformance.subjects.produce.player import ProduceBrokerPlayer
from conformance.subjects.produce.requests import AppendTimes, produce_answer, produce_value
from conformance.systems.embedded import Embedded
from conformance.wire.batches import Record, encode_batch
from spec.judge import judge
from spec.kafka import Error
from spec.layout import Codec
from spec.outcomes import Closed
from spec.produce.dry_run import answer_all
from spec.produce.examples import LOOK, alone, empty, scenario
from spec.produce.outcomes import EndOffsetsAnswer, ProduceAnswer, ReadAnswer, TimeFound, Times
from spec.produce.steps import Flaw, LookUpTime, Outgoing, Produce, UseTopic
from spec.produce.topic import Compression, TimestampType, TopicSettings
from spec.releases import semantics_for
from spec.scenario import Scenario
from tests.cases.case import broken
from tests.cases.conftest import VERSION

pytestmark = pytest.mark.broker


@pytest.fixture(scope="module")
def broker() -> Iterator[Embedded]:
    """A broker that takes requests of no more than 8,000,000 bytes."""
    with Embedded(VERSION, config={REQUEST_MAX_BYTES: "8000000"}) as found:
        yield found


@pytest.fixture(scope="module")
def player(broker: Embedded) -> Iterator[ProduceBrokerPlayer]:
    """A player on it."""
    cluster = reach(*broker.address, make_codec())
    name = f"produce-{secrets.token_hex(4)}"
    found = ProduceBrokerPlayer(cluster, semantics_of(read_facts(cluster)), name, None)
    yield found
    found.close()


def on(topic: TopicSettings, *requests: Produce) -> Scenario:
    """Requests for a topic, and a look at what is stored."""
    return Scenario(empty(1), (UseTopic(topic), *requests, *LOOK))


def packed(unpacked: int, size: int = 400, records: int = 1) -> Produce:
    """A request of one batch, compressed by gzip."""
    return Produce((Outgoing(0, size, records, Codec.GZIP, unpacked=unpacked),))


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


def test_g05_a_batch_that_is_larger_than_a_segment_has_its_own_error(
    player: ProduceBrokerPlayer,
) -> None:
    topic = TopicSettings(max_message_bytes=4_000_000, segment_bytes=1 << 20)
    played = player.play_one(on(topic, alone(1_500_000), alone(200)))
    assert codes(played) == [[Error.RECORD_LIST_TOO_LARGE], [0]]
    assert ends(played) == (1,)
    assert broken(played) == set()


P01 = on(
    TopicSettings(max_message_bytes=1_000_000, max_decompressed=10_000),
    packed(100_000),
    alone(20_000),
    packed(40_000, records=40),
)


def test_p01_a_release_without_a_limit_of_unpacked_records_refuses_the_topic(
    player: ProduceBrokerPlayer,
) -> None:
    (_, played) = next(iter(player.play([P01])))
    assert isinstance(played, Unlaid)
    assert "max.decompressed.message.bytes" in played.why


def test_p01_a_record_is_not_too_long_once_it_is_unpacked() -> None:
    semantics = semantics_for("4.4")
    observation = answer_all(P01, semantics)
    answers = [exchange.outcome for exchange in observation.exchanges]
    found = [one.partitions[0].error for one in answers if isinstance(one, ProduceAnswer)]
    assert found == [Error.INVALID_RECORD, 0, 0]
    assert judge(P01, observation, semantics).breaks == ()


def test_p02_the_limit_holds_for_what_is_stored(player: ProduceBrokerPlayer) -> None:
    topic = TopicSettings(max_message_bytes=1000, compression=Compression.UNCOMPRESSED)
    played = player.play_one(on(topic, packed(50_061, size=156)))
    assert codes(played) == [[Error.MESSAGE_TOO_LARGE]]
    assert ends(played) == (0,)
    assert broken(played) == set()


def test_p02_a_broker_that_measures_before_it_unpacks_is_caught() -> None:
    topic = TopicSettings(max_message_bytes=1000, compression=Compression.UNCOMPRESSED)
    scenario, semantics = on(topic, packed(50_061, size=156)), semantics_for("4.3")
    fault = next(one for one in FAULTS if one.name == "unpacked-size-not-measured")
    judgement = judge(scenario, answer_all(scenario, semantics, fault.leader), semantics)
    assert {one.clause for one in judgement.breaks} >= {"PRO-022", "PRO-122"}


def with_headers(size: int) -> bytes:
    """A batch of so many bytes, of which the headers of its record are the most."""
    now = int(time.time() * 1000)
    full = [
        encode_batch([Record(headers=((b"h" * 60, bytes(count)),))], base_timestamp=now)
        for count in range(size - 150, size)
    ]
    return next(one for one in full if len(one) == size)


def test_t20_a_stamped_record_is_found_by_the_time_of_its_batch(
    player: ProduceBrokerPlayer,
) -> None:
    batch = Outgoing(0, 200, 3, times=(0, 50, 100))
    looks = [LookUpTime(0, after) for after in (0, 1, None)]
    topic = UseTopic(TopicSettings(timestamp_type=TimestampType.APPEND))
    played = player.play_one(Scenario(empty(1), (topic, Produce((batch,)), *looks, *LOOK)))
    found = [
        (one.outcome.offset, one.outcome.found_ms)
        for one in played.observation.exchanges
        if isinstance(one.outcome, TimeFound)
    ]
    assert found == [(0, 0), (None, None), (0, 0)]
    read = played.observation.exchanges[-1].outcome
    assert isinstance(read, ReadAnswer)
    (stored,) = read.partitions[0].batches
    assert (stored.times, set(stored.altered)) == (
        Times.APPENDED,
        {"timestamp_type", "max_timestamp"},
    )
    assert broken(played) == set()


def test_p03_the_limit_counts_the_headers_of_records(player: ProduceBrokerPlayer) -> None:
    asked = alone(1000)
    (placed,) = player.topics.place([on(TopicSettings(max_message_bytes=1000), asked)])
    assert isinstance(placed, Placed)
    found = []
    with player.broker.cluster.connect() as connection:
        for size in (1000, 1001):
            value = produce_value(asked, placed, [with_headers(size)], {})
            answer = connection.ask("Produce", 9, value)
            found += [
                one.error for one in produce_answer(answer, asked, placed, AppendTimes()).partitions
            ]
    assert found == [0, Error.MESSAGE_TOO_LARGE]


def test_p04_a_request_past_the_limit_is_closed_and_a_batch_past_its_own_is_answered(
    player: ProduceBrokerPlayer,
) -> None:
    topic = TopicSettings(max_message_bytes=5_000_000)
    played = player.play_one(on(topic, alone(9_000_000), alone(6_000_000), alone(200)))
    first = played.observation.exchanges[1].outcome
    assert isinstance(first, Closed)
    assert first.control_answered
    assert codes(played) == [[Error.MESSAGE_TOO_LARGE], [0]]
    assert ends(played) == (1,)
    assert broken(played) == set()


def test_a_request_of_exactly_as_many_bytes_as_are_taken_is_answered(
    player: ProduceBrokerPlayer,
) -> None:
    lengths = (7_999_999, 8_000_000, 8_000_001)
    requests = [Produce((Outgoing(0, 200),), length=length) for length in lengths]
    played = player.play_one(on(TopicSettings(500), *requests))
    assert codes(played) == [[0], [0]]
    assert isinstance(played.observation.exchanges[3].outcome, Closed)
    assert broken(played) == set()


def test_a_strict_run_of_the_command_line_finds_nothing(broker: Embedded, tmp_path: Path) -> None:
    host, port = broker.address
    options = ["--subject", "produce", "--strict", "--no-report", "--no-corpus"]
    where = ["--bootstrap-server", f"{host}:{port}", "--out", str(tmp_path)]
    done = CliRunner().invoke(main, ["run", *options, *where, "--scenarios", "60", "--seed", "4"])
    assert done.exit_code == 0, done.output
    (summary,) = tmp_path.glob("*/summary.json")
    assert json.loads(summary.read_text())["scenarios"] >= 60
