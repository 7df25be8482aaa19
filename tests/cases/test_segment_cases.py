"""The field's bug reports on segments, as scenarios on a real broker, and a run of the command
line.
"""

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
from conformance.engine.start import restarts_of
from conformance.exit_codes import FOUND
from conformance.facts import read_facts, semantics_of
from conformance.subjects.fetch.broker_player import FetchBrokerPlayer
from conformance.subjects.segments.player import SegmentBrokerPlayer
from conformance.systems.embedded import Embedded
from spec.canonical import read_scenario
from spec.kafka import INT32_MAX, Error
from spec.outcomes import AppendAnswer
from spec.segments.examples import batches, edge, far_batch, scenario
from spec.segments.model import Segment, begins_segment
from spec.segments.outcomes import SegmentBatch, SegmentsRead
from spec.segments.settings import SMALLEST_SEGMENT, SegmentSettings
from spec.segments.steps import AppendBatch, UseSegments
from spec.steps import DeleteRecords
from tests.cases.case import broken
from tests.cases.conftest import VERSION


@pytest.fixture(scope="module")
def segments(player: FetchBrokerPlayer) -> Iterator[SegmentBrokerPlayer]:
    """A player of segments on the session's broker."""
    name = f"segments-{secrets.token_hex(4)}"
    found = SegmentBrokerPlayer(player.cluster, player.semantics, name, None)
    yield found
    found.close()


def bases(played: Played) -> list[int]:
    """The base offsets of the segments that were read."""
    (read,) = [
        exchange.outcome
        for exchange in played.observation.exchanges
        if isinstance(exchange.outcome, SegmentsRead)
    ]
    return [run[0].base for run in read.runs]


@pytest.mark.broker
def test_g05_a_batch_larger_than_a_segment(segments: SegmentBrokerPlayer) -> None:
    settings = SegmentSettings(segment_bytes=SMALLEST_SEGMENT)
    played = segments.play_one(scenario(settings, *batches(1_500_000, 100)))
    appended = [one.outcome for one in played.observation.exchanges[1:3]]
    assert appended == [AppendAnswer(Error.RECORD_LIST_TOO_LARGE), AppendAnswer(0, 0)]
    assert broken(played) == set()


@pytest.mark.broker
@pytest.mark.parametrize(("index_bytes", "expected"), [(12, [0, 1, 2]), (16, [0, 1, 2])])
def test_g09_a_small_index_begins_segments(
    segments: SegmentBrokerPlayer, index_bytes: int, expected: list[int]
) -> None:
    steps = [AppendBatch(5000, time=number) for number in range(3)]
    played = segments.play_one(scenario(SegmentSettings(index_bytes=index_bytes), *steps))
    assert bases(played) == expected
    assert broken(played) == set()


@pytest.mark.broker
def test_g09_a_larger_index_takes_one_batch_more(segments: SegmentBrokerPlayer) -> None:
    steps = [AppendBatch(5000, time=number) for number in range(3)]
    played = segments.play_one(scenario(SegmentSettings(index_bytes=24), *steps))
    assert bases(played) == [0, 2]
    assert broken(played) == set()


def test_g03_the_last_offset_of_a_segment() -> None:
    held = Segment(0, (SegmentBatch(0, 0, 100, 0),), 100)
    far = [SegmentBatch(INT32_MAX - 1, INT32_MAX + more, 100, 0) for more in (0, 1)]
    assert [begins_segment(held, batch, SegmentSettings()) for batch in far] == [False, True]


@pytest.mark.broker
def test_g03_logs_at_the_edge_of_offsets_and_positions() -> None:
    full = SegmentSettings(segment_bytes=INT32_MAX, index_bytes=4096)
    last = UseSegments(full, 2**62, filler=INT32_MAX - 300)
    scenarios = [
        edge(UseSegments(), far_batch(left=2), *batches(100, 100, 100)),
        edge(UseSegments(base=2**32), far_batch(left=-1), *batches(100)),
        edge(UseSegments(base=2**31 - 1), None, *batches(100), DeleteRecords(0, 1)),
        edge(last, None, *batches(100, 100, 100)),
    ]
    with Embedded(VERSION) as broker:
        codec = make_codec()
        cluster = reach(*broker.address, codec)
        semantics = semantics_of(read_facts(cluster))
        name = f"edges-{secrets.token_hex(4)}"
        player = SegmentBrokerPlayer(cluster, semantics, name, restarts_of(broker, codec))
        found = dict(player.play(scenarios))
        player.close()
    plays = [found[number] for number in range(len(scenarios))]
    assert all(isinstance(one, Played) and broken(one) == set() for one in plays)
    borders = [bases(one) for one in plays if isinstance(one, Played)]
    assert borders == [[0, INT32_MAX + 1], [0, INT32_MAX + 1], [1], [0, 3]]


@pytest.mark.broker
def test_a_strict_run_of_the_command_line_finds_nothing(
    player: FetchBrokerPlayer, tmp_path: Path
) -> None:
    where = ["--bootstrap-server", f"{player.cluster.host}:{player.cluster.port}"]
    options = ["--subject", "segments", "--strict", "--no-report", "--no-corpus"]
    more = ["--out", str(tmp_path), "--scenarios", "32", "--seed", "4"]
    done = CliRunner().invoke(main, ["run", *options, *where, *more])
    assert done.exit_code == 0, done.output
    (summary,) = tmp_path.glob("*/summary.json")
    assert json.loads(summary.read_text())["scenarios"] >= 32


REPORTED = Path(__file__).parents[2] / "docs" / "kafka" / "torn-end.json"


def test_the_case_of_the_report_is_the_worked_example() -> None:
    assert read_scenario(REPORTED.read_text()) == edge(UseSegments(torn=50, indexed=True), None)


@pytest.mark.broker
def test_a_broker_leaves_part_of_a_batch_beside_an_index_as_the_report_says() -> None:
    done = CliRunner().invoke(main, ["replay", str(REPORTED), "embedded", "--kafka", VERSION])
    assert done.exit_code == FOUND, done.output
    assert "SEG-027 violates: segment 0: expected 100 bytes of .log, found 150" in done.output
    assert "SEG-018" not in done.output
