"""Faults planted in a real broker's answers by the proxy: what the judge makes of each."""

import re
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.engine.play_result import Played
from conformance.exit_codes import FOUND, OK, UNREACHABLE
from conformance.facts import Facts, read_facts, semantics_of
from conformance.faults.proxy import Proxy
from conformance.faults.wire import (
    Add,
    Alter,
    Cut,
    Drop,
    Fault,
    FlipByte,
    Planted,
    Put,
    Repeat,
    Reset,
    Truncate,
)
from conformance.subjects.fetch.broker_player import FetchBrokerPlayer
from conformance.subjects.fetch.lanes import Lanes
from conformance.systems.embedded import Embedded
from conformance.wire.codec import Codec
from results.log import read_log
from spec.events import Flaky
from spec.fetch.steps import Fetch, FetchPartition
from spec.flaky import FLAKY_ALLOWED
from spec.judgement import EVERY_CLAUSE
from spec.layout import Batch, Layout, Partition
from spec.scenario import Scenario

pytestmark = pytest.mark.broker

LAYOUT = Layout((Partition(((Batch(100), Batch(200)),)), Partition(((Batch(300),),))))
FETCH = Fetch((FetchPartition(0, 0), FetchPartition(1, 0)))
SCENARIO = Scenario(LAYOUT, (FETCH,))


class Broker:
    """A real broker, what it reports of itself, and a way to it through a proxy."""

    def __init__(self, address: tuple[str, int], codec: Codec) -> None:
        self.address = address
        self.codec = codec
        self.facts: Facts = read_facts(reach(*address, codec))

    @contextmanager
    def behind(self, *planted: Planted) -> Iterator[tuple[FetchBrokerPlayer, Proxy]]:
        """A player that reaches it through these faults, over one connection so that answers have
        an order, and with little patience.
        """
        with Proxy(self.address, self.codec, planted) as proxy:
            cluster = reach(*proxy.address, self.codec)
            player = FetchBrokerPlayer(
                cluster, semantics_of(self.facts), f"faults-{secrets.token_hex(4)}"
            )
            player.lanes = Lanes(cluster, connections=1, silence=3)
            yield player, proxy
            player.close()


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Embedded("4.3.1") as running:
        yield Broker(running.address, make_codec())


def breaks(played: Played) -> set[tuple[str, str, str]]:
    return {
        (verdict.clause, verdict.outcome.value, verdict.signature)
        for verdict in played.judgement.breaks
    }


def primary(played: Played) -> tuple[str, str, str]:
    """Clause, outcome and signature of the primary break."""
    return next(
        (v.clause, v.outcome.value, v.signature) for v in played.judgement.breaks if v.primary
    )


def test_nothing_is_seen_through_a_proxy_without_faults(broker: Broker) -> None:
    with broker.behind() as (player, _):
        assert breaks(player.play_one(SCENARIO)) == set()


@pytest.mark.parametrize(
    ("fault", "found"),
    [
        (Alter("high_watermark", Add(1)), ("FET-072", "violates", "high watermark")),
        (Alter("last_stable_offset", Add(-1)), ("FET-072", "violates", "last stable offset")),
        (Alter("log_start_offset", Add(1)), ("FET-072", "violates", "log start offset")),
        (Alter("partition_index", Add(7)), ("FET-073", "violates", "not asked")),
        (Alter("partitions.error_code", Put(-1)), ("FET-071", "violates", "legal request")),
        (Alter("partitions.error_code", Put(1)), ("FET-021", "violates", "in range refused")),
        (Alter("partitions.error_code", Put(3)), ("FET-078", "violates", "readable partition")),
        (Alter("partitions.error_code", Put(29)), ("FET-078", "violates", "readable partition")),
        (Alter("error_code", Put(3)), ("FET-078", "violates", "whole request")),
        (Alter("session_id", Put(77)), ("FET-030", "violates", "session id")),
        (Alter("records", FlipByte(-1)), ("FET-070", "violates", "batch altered")),
        (Alter("records", FlipByte(3)), ("FET-070", "violates", "batch that is not in the log")),
        (Alter("records", FlipByte(16)), ("FET-076", "violates", "garbled records")),
        (Alter("records", Put(b"")), ("FET-004", "violates", "no first batch")),
        (Truncate(), ("FET-076", "violates", "garbled")),
        (Truncate(40), ("FET-076", "violates", "garbled")),
        (Cut(), ("FET-077", "violates", "closed")),
        (Cut(0), ("FET-077", "violates", "closed")),
        (Reset(), ("FET-077", "violates", "closed")),
        (Drop(), ("FET-077", "violates", "silent")),
    ],
    ids=str,
)
def test_a_fault_that_stays_breaks_its_clause(
    broker: Broker, fault: Fault, found: tuple[str, str, str]
) -> None:
    with broker.behind(Planted(fault)) as (player, proxy):
        played = player.confirmed_play(player.play_one(SCENARIO))
        assert proxy.struck[0] > 0
        assert found in breaks(played)


@pytest.mark.parametrize("fault", [Cut(), Cut(0), Reset()], ids=str)
def test_a_connection_that_is_lost_once_is_inconclusive_and_nothing_else_is_harmed(
    broker: Broker, fault: Fault
) -> None:
    with broker.behind(Planted(fault, after=5, times=1)) as (player, proxy):
        played = [player.confirmed_play(one) for one in player.ask_alike(LAYOUT, [FETCH] * 20)]
        assert proxy.struck == (1,)
        assert [breaks(one) for one in played if breaks(one)] == [
            {("*", "inconclusive", "unanswered once")}
        ]


def test_an_answer_that_is_missing_once_with_nothing_after_it_is_inconclusive(
    broker: Broker,
) -> None:
    with broker.behind(Planted(Drop(), times=1)) as (player, proxy):
        played = player.confirmed_play(player.play_one(SCENARIO))
        assert proxy.struck == (1,)
        assert breaks(played) == {("*", "inconclusive", "unanswered once")}


@pytest.mark.parametrize("fault", [Drop(), Repeat(), Truncate()], ids=str)
def test_bytes_that_are_no_answer_are_evidence_though_they_come_once(
    broker: Broker, fault: Fault
) -> None:
    with broker.behind(Planted(fault, after=5, times=1)) as (player, proxy):
        played = [player.confirmed_play(one) for one in player.ask_alike(LAYOUT, [FETCH] * 20)]
        assert proxy.struck == (1,)
        assert [breaks(one) for one in played if breaks(one)] == [
            {("FET-076", "violates", "garbled")}
        ]


def test_an_error_that_passes_by_itself_is_asked_about_again(broker: Broker) -> None:
    with broker.behind(Planted(Alter("partitions.error_code", Put(6)), times=1)) as (player, _):
        played = player.play_one(SCENARIO)
        assert breaks(played)
        assert breaks(player.confirmed_play(played)) == set()


def test_an_answer_that_came_twice_is_noticed_by_the_next_question_on_its_connection(
    broker: Broker,
) -> None:
    with broker.behind(Planted(Repeat(), times=1)) as (player, _):
        assert breaks(player.play_one(SCENARIO)) == set()
        assert breaks(player.play_one(SCENARIO)) == {("FET-076", "violates", "garbled")}


def run_through(broker: Broker, out: Path, scenarios: int, *options: str) -> tuple[int, str]:
    """A strict `run` through a `proxy` with these options: its exit code and what it printed."""
    to = f"{broker.address[0]}:{broker.address[1]}"
    command = [sys.executable, "-m", "conformance.cli", "proxy", "--to", to, *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as proxy:
        assert proxy.stdout is not None
        listening = re.search(r"listening on (\S+);", proxy.stdout.readline())
        assert listening is not None
        facts = out / "facts.toml"
        facts.write_text('implementation = "apache-kafka"\n')
        asked = [
            "--bootstrap-server",
            listening[1],
            "--facts",
            str(facts),
            "--scenarios",
            str(scenarios),
            "--seed",
            "3",
            "--out",
            str(out),
        ]
        try:
            words = ["run", "--strict", "--no-report", "--no-corpus", *asked]
            found = CliRunner().invoke(main, words)
            proxy.send_signal(signal.SIGINT)
            assert proxy.wait(30) == 0
        finally:
            proxy.kill()
    return found.exit_code, found.output


@pytest.mark.slow
def test_a_slow_network_is_no_fault(broker: Broker, tmp_path: Path) -> None:
    code, text = run_through(broker, tmp_path, 120, "--delay", "200")
    assert code == 0, text


def test_a_connection_that_is_lost_once_is_reported_and_decides_nothing(
    broker: Broker, tmp_path: Path
) -> None:
    """What is lost may be something that is asked again anyway: then another run is tried."""
    faulty = ("--fault", "reset", "--after", "100", "--times", "3")
    doubts: list[Flaky] = []
    for number in range(3):
        out = tmp_path / str(number)
        out.mkdir()
        code, text = run_through(broker, out, 240, *faulty)
        events = read_log(next(out.glob("*/events.jsonl"))).events
        doubts = [event for event in events if isinstance(event, Flaky)]
        undecided = sum(event.clause == EVERY_CLAUSE for event in doubts)
        broken = len(doubts) - undecided
        expected = (
            FOUND if broken > FLAKY_ALLOWED else UNREACHABLE if undecided > FLAKY_ALLOWED else OK
        )
        assert code == expected, text
        if doubts:
            break
    assert [doubt for doubt in doubts if "expected an answer" in doubt.verdict.why]


def test_a_run_through_a_faulty_network_names_the_clause(broker: Broker, tmp_path: Path) -> None:
    code, text = run_through(broker, tmp_path, 120, "--fault", "high_watermark+1", "--after", "20")
    assert code == 1, text
    assert "FET-072" in text
