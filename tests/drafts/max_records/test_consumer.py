"""The reference consumer of the draft: its config, its limit where the broker knows the field, its
fallback where none does.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.cli.common import make_codec
from conformance.cluster import Cluster, reach
from conformance.facts import read_facts, semantics_of
from conformance.misuse import BadConfiguration
from conformance.placement.deployment import Deployment
from conformance.placement.placed_partition import Placed
from conformance.subjects.fetch.broker_player import FetchBrokerPlayer
from conformance.subjects.fetch.requests import fetch_request
from conformance.systems.embedded import Embedded
from conformance.systems.jars import available_versions
from conformance.systems.model import Model
from conformance.wire.outcomes import Answer, Closed
from drafts.max_records.axes import parse
from drafts.max_records.change import DRAFT_VERSION, limited_to
from drafts.max_records.clauses import ask_all
from drafts.max_records.consumer import MESSAGE_COUNT, ConsumerConfig, Delivered, DraftConsumer
from drafts.max_records.cost import cost_of
from drafts.max_records.draft import DRAFT
from spec.draft import Drafted
from spec.fetch.steps import Fetch, FetchPartition
from spec.kafka import FETCH_API, FLEXIBLE_SINCE
from spec.layout import Batch, Codec, Layout, Partition
from spec.log import log_of
from spec.verdict import Outcome

FOURS = Partition((tuple([Batch(120, 4)] * 3),))
LAYOUT = Layout((FOURS, Partition(((Batch(120, 4), Batch(120, 4)),))))
TAGGED, UNVERSIONED = (
    parse("zero=invalid,negative=invalid"),
    parse("zero=invalid,negative=invalid,encoding=unversioned"),
)


@pytest.mark.parametrize("value", ["0", "-1", "many", "", "1.5", "2147483648", "٣"])
def test_the_config_is_a_whole_number_above_0_or_a_clear_error(value: str) -> None:
    with pytest.raises(
        BadConfiguration,
        match=r"expected a whole number from 1 to 2147483647 for fetch\.max\.message\.count"
        ".*leave it out",
    ):
        ConsumerConfig.read({MESSAGE_COUNT: value})


def test_an_unknown_config_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(
        BadConfiguration, match=r"fetch\.max\.message\.count.*'fetch\.max\.messages'"
    ):
        ConsumerConfig.read({"fetch.max.messages": "1"})


@dataclass
class Running:
    """A broker with a layout on it."""

    cluster: Cluster
    placed: Placed

    def positions(self, *offsets: int) -> dict[tuple[str, int], int]:
        placed_partitions = self.placed.placed_partitions
        return {
            (placed_partition.topic, placed_partition.partition): placed_partition.base + offset
            for placed_partition, offset in zip(
                placed_partitions, offsets or [0] * len(placed_partitions), strict=True
            )
        }

    def offsets(self, delivered: list[Delivered]) -> list[tuple[int, int]]:
        """(partition of the layout, relative offset) of what was delivered."""
        numbers = {
            (placed_partition.topic, placed_partition.partition): (number, placed_partition.base)
            for number, placed_partition in enumerate(self.placed.placed_partitions)
        }
        return [
            (
                numbers[one.topic, one.partition][0],
                one.offset - numbers[one.topic, one.partition][1],
            )
            for one in delivered
        ]

    def polls(
        self, configs: dict[str, str], *offsets: int, times: int = 4
    ) -> tuple[list[list[tuple[int, int]]], list[str], int]:
        """What each of some polls delivers, what the consumer says, and the version that it fetches
        by.
        """
        said: list[str] = []
        with DraftConsumer(self.cluster, ConsumerConfig.read(configs), said.append) as consumer:
            consumer.assign(self.positions(*offsets))
            return [self.offsets(consumer.poll(0)) for _ in range(times)], said, consumer.version

    def cost(self, records: int, configs: dict[str, str]) -> tuple[int, int]:
        """What a consumer fetches that drops what it can't take, partition 0 alone: bytes, and
        records that were delivered.
        """
        with DraftConsumer(
            self.cluster,
            ConsumerConfig.read({**configs, "max.poll.records": str(records)}),
            lambda _: None,
        ) as consumer:
            position = taken = 0
            while True:
                consumer.assign(
                    dict(
                        [
                            next(
                                iter(
                                    self.positions(
                                        *[position] * len(self.placed.placed_partitions)
                                    ).items()
                                )
                            )
                        ]
                    )
                )
                if not (found := self.offsets(consumer.poll(0))):
                    return consumer.fetched_bytes, taken
                position, taken = found[-1][1] + 1, taken + len(found)


THIRTIES = Partition((tuple([Batch(500, 30)] * 10),))
AT_A_TIME = 100
"""Records of `THIRTIES` that are taken at a time."""


@contextmanager
def served(layout: Layout, profile: str) -> Iterator[Running]:
    with Model(draft=profile and f"max-records:{profile}") as model:
        cluster = reach(*model.address, make_codec(Drafted(DRAFT, parse(profile))))
        deployment = Deployment(cluster, "draft")
        yield Running(cluster, deployment.place([layout])[0])
        deployment.close()


@pytest.mark.system
@pytest.mark.parametrize("profile", ["default", "encoding=plain"])
def test_where_the_broker_knows_the_field_a_fetch_keeps_to_it(profile: str) -> None:
    with served(LAYOUT, profile) as running:
        found, said, version = running.polls({MESSAGE_COUNT: "4"}, times=6)
        assert running.polls({})[0][0] == [(0, n) for n in range(12)] + [(1, n) for n in range(8)]
    assert found == [
        *[[(0, base + n) for n in range(4)] for base in (0, 4, 8)],
        *[[(1, base + n) for n in range(4)] for base in (0, 4)],
        [],
    ]
    assert (said, version) == ([], DRAFT_VERSION)


@pytest.mark.system
def test_case_m02_a_poll_delivers_no_more_than_max_poll_records_over_all_partitions() -> None:
    """KAFKA-15836: two partitions of three records, two records a poll."""
    three = Partition(((Batch(120, 3),),))
    with served(Layout((three, three)), "default") as running:
        found, _, _ = running.polls({"max.poll.records": "2"}, times=3)
    assert found == [[(0, 0), (0, 1)], [(0, 2), (1, 0)], [(1, 1), (1, 2)]]


@pytest.mark.system
def test_case_m04_records_before_the_position_are_not_delivered() -> None:
    """kafka-python#1214: a seek into the middle of a compressed batch with a limit of one
    record.
    """
    with served(Layout((Partition(((Batch(400, 40, Codec.GZIP),),)),)), "default") as running:
        found, _, _ = running.polls({MESSAGE_COUNT: "1", "max.poll.records": "1"}, 20, times=2)
    assert found == [[(0, 20)], [(0, 21)]]


@pytest.mark.system
@pytest.mark.parametrize(
    "profile", ["default", "stop=before", "stop=before,oversize=refused", "start=usable"]
)
def test_a_consumer_fetches_what_the_cost_of_its_profile_says(profile: str) -> None:
    expected = cost_of(log_of(THIRTIES), AT_A_TIME, parse(profile))
    with served(Layout((THIRTIES,)), profile) as running:
        assert running.cost(AT_A_TIME, {MESSAGE_COUNT: str(AT_A_TIME)}) == (
            expected.fetched,
            expected.records,
        )


@pytest.fixture(scope="module", params=available_versions())
def broker(request: pytest.FixtureRequest) -> Iterator[Embedded]:
    with Embedded(request.param) as running:
        yield running


@pytest.fixture(scope="module")
def running(broker: Embedded) -> Iterator[Running]:
    cluster = reach(*broker.address, make_codec(Drafted(DRAFT, TAGGED)))
    deployment = Deployment(cluster, "draft")
    yield Running(cluster, deployment.place([LAYOUT])[0])
    deployment.close()


@pytest.mark.broker
def test_today_a_consumer_fetches_what_the_cost_says(running: Running) -> None:
    expected = cost_of(log_of(FOURS), 1, None)
    assert expected.thrown_away > 0
    assert running.cost(1, {}) == (expected.fetched, expected.records)


@pytest.mark.broker
def test_against_a_real_broker_it_falls_back_says_so_once_and_behaves_as_today(
    running: Running,
) -> None:
    limited, said, version = running.polls({MESSAGE_COUNT: "1"})
    assert (limited, [], version) == running.polls({})
    assert [limited[0][0], limited[0][11], limited[0][-1]] == [(0, 0), (0, 11), (1, 7)]
    assert len(said) == 1
    assert said[0].startswith(
        "fetch.max.message.count=1 is not sent: it takes a broker with Fetch v19"
    )


@pytest.mark.broker
def test_a_real_broker_refuses_the_drafts_version(running: Running) -> None:
    fetch = Fetch((FetchPartition(0, 0),), version=DRAFT_VERSION, extra=limited_to(1))
    assert running.cluster.versions.ranges[FETCH_API][1] < DRAFT_VERSION
    with running.cluster.connect() as connection:
        connection.send("Fetch", DRAFT_VERSION, fetch_request(fetch, running.placed, 0))
        assert isinstance(connection.receive(20), Closed)


@pytest.mark.broker
def test_a_real_broker_ignores_the_field_as_a_tag_that_it_does_not_know(
    broker: Embedded, running: Running
) -> None:
    """In each version with tagged fields: the answer to the same question has not a byte more or
    less.
    """
    newest = running.cluster.versions.ranges[FETCH_API][1]
    cluster = reach(*broker.address, make_codec(Drafted(DRAFT, UNVERSIONED)))
    fetch = Fetch((FetchPartition(0, 0), FetchPartition(1, 0)))
    for version in range(FLEXIBLE_SINCE, newest + 1):
        answers = []
        for limit in (None, 1):
            with cluster.connect() as connection:
                asked = fetch_request(
                    replace(fetch, version=version, extra=limited_to(limit)), running.placed, 0
                )
                connection.send("Fetch", version, asked)
                outcome = connection.receive(20)
            assert isinstance(outcome, Answer), version
            answers.append(outcome.value)
        assert answers[0] == answers[1], version
        assert [
            len(part["records"])
            for topic in answers[1]["responses"]
            for part in topic["partitions"]
        ] == [360, 240], version
    assert newest >= 17


@pytest.mark.broker
def test_the_verdict_on_a_real_broker_is_unsupported(
    broker: Embedded, running: Running, tmp_path: Path
) -> None:
    player = FetchBrokerPlayer(
        running.cluster, semantics_of(read_facts(running.cluster)), "unsupported"
    )
    verdicts = player.play_one(ask_all(LAYOUT, 1)).judgement.verdicts
    player.close()
    assert {verdict.outcome for verdict in verdicts} == {Outcome.UNSUPPORTED}
    result = CliRunner().invoke(
        main,
        [
            "identify",
            "--subject",
            "max-records",
            "--bootstrap-server",
            ":".join(map(str, broker.address)),
            "--no-report",
            "--out",
            str(tmp_path),
        ],
    )
    assert result.exit_code == 3, result.output
    assert "UNSUPPORTED" in result.output
