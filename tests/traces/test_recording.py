"""The script that records traces works on a live broker, and what it writes is what it read."""

from pathlib import Path

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.facts import read_facts
from conformance.systems.embedded import Embedded
from spec.fetch.steps import OWN, Fetch, FetchPartition
from spec.judge import judge
from spec.layout import Batch, Layout, Partition
from spec.scenario import Scenario
from spec.steps import Append
from tests.traces.trace import Header, observed, read_traces, semantics_of, write_traces
from tools.record_traces import Recorder

HISTORY = Scenario(
    Layout((Partition(((Batch(100), Batch(200)),)), Partition())),
    (
        Fetch((FetchPartition(0, 0), FetchPartition(1, 0)), epoch=0),
        Append(1, Batch(150), actor=1),
        Fetch(session=OWN, epoch=1, min_bytes=1, max_wait_ms=5000),
        Fetch((FetchPartition(0, 9),), version=99),
    ),
)


@pytest.mark.broker
def test_a_recorded_history_is_read_back_and_judged_as_it_was_played(tmp_path: Path) -> None:
    codec = make_codec()
    with Embedded("4.3.1") as broker:
        cluster = reach(*broker.address, codec)
        facts = read_facts(cluster, kafka_version="4.3.1")
        header = Header("4.3.1", facts.release, 0, dict(facts.limits))
        recorder = Recorder(cluster, header)
        traces = (
            recorder.plays("a history", HISTORY),
            recorder.plays("a refusal", Scenario(HISTORY.layout, HISTORY.steps[3:])),
        )
        recorder.player.close()
    write_traces(tmp_path / "one.jsonl.gz", header, traces)
    write_traces(tmp_path / "other.jsonl.gz", header, traces)
    assert (tmp_path / "one.jsonl.gz").read_bytes() == (tmp_path / "other.jsonl.gz").read_bytes()
    read_header, read = read_traces(tmp_path / "one.jsonl.gz")
    assert read_header == header
    for was, found in zip(traces, read, strict=True):
        assert found.replies == was.replies
        assert observed(found, codec) == observed(was, codec)
        assert (
            judge(
                found.scenario, observed(found, codec), semantics_of(header, found.scenario)
            ).breaks
            == ()
        )
    assert [reply.frame is not None for reply in read[0].replies] == [True, True, True, False]
    assert [reply.frame is not None for reply in read[1].replies] == [False]
