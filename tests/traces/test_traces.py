"""What real brokers of all releases answered is decoded and judged, without a broker; a changed
answer is caught by the right clause.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from conformance.cli.common import make_codec
from conformance.findings import SHIPPED, load_findings
from conformance.systems.jars import available_versions
from conformance.wire.codec import Codec
from spec.fetch.steps import Fetch
from spec.judge import judge
from spec.kafka import Error
from spec.requirements import requirement_set
from spec.verdict import Verdict
from tests.traces.mutations import MUTATIONS, Answered, Mutation
from tests.traces.trace import FOLDER, Header, Trace, api_of, observed, read_traces, semantics_of

VERSIONS = ("4.0.2", "4.1.2", "4.2.2", "4.3.1", "4.4.0")
MOST_BYTES = 400_000
"""Of all files together: they are small things to keep in a repository."""

codec: Codec = make_codec()


def file_of(version: str) -> Path:
    return FOLDER / f"kafka-{version}.jsonl.gz"


@cache
def recorded(version: str) -> tuple[Header, tuple[Trace, ...]]:
    return read_traces(file_of(version))


def verdicts(header: Header, trace: Trace) -> tuple[Verdict, ...]:
    return judge(
        trace.scenario, observed(trace, codec), semantics_of(header, trace.scenario)
    ).verdicts


def primary(header: Header, trace: Trace) -> str | None:
    return next((verdict.clause for verdict in verdicts(header, trace) if verdict.primary), None)


def sound_answers(version: str) -> Iterator[tuple[Trace, Fetch, int, dict[str, Any]]]:
    """Each lone fetch whose answer has no unexpected error: the trace, the fetch, the frame's
    correlation id, and the answer again.
    """
    for trace in recorded(version)[1]:
        step, reply = trace.scenario.steps[0], trace.replies[0]
        if len(trace.scenario.steps) > 1 or not isinstance(step, Fetch) or reply.frame is None:
            continue
        correlation_id, decoded = codec.request(*api_of(step)).decode_response(reply.frame)
        errors = {decoded.value.get("error_code", 0)} | {
            part["error_code"] for part in Answered(step, decoded.value, trace.placed).parts
        }
        if Error.UNKNOWN_SERVER_ERROR not in errors:
            yield trace, step, correlation_id, decoded.value


def with_frame(trace: Trace, frame: bytes) -> Trace:
    return replace(trace, replies=(replace(trace.replies[0], frame=frame),))


def test_every_version_that_can_be_started_was_recorded() -> None:
    assert tuple(sorted(path.name for path in FOLDER.glob("*.gz"))) == tuple(
        file_of(version).name for version in VERSIONS
    )
    assert set(available_versions()) == set(VERSIONS)
    assert sum(file_of(version).stat().st_size for version in VERSIONS) < MOST_BYTES


@pytest.mark.parametrize("version", VERSIONS)
def test_what_a_real_broker_answered_breaks_no_clause_but_for_the_shipped_findings(
    version: str,
) -> None:
    header, traces = recorded(version)
    listed = {finding.key for finding in load_findings((SHIPPED,), header.release)}
    for trace in traces:
        found = judge(
            trace.scenario, observed(trace, codec), semantics_of(header, trace.scenario)
        ).breaks
        assert {(one.clause, one.signature) for one in found} <= listed, (trace.title, found)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_recorded_plays_of_a_version_exercise_every_clause_that_counts_for_it(
    version: str,
) -> None:
    header, traces = recorded(version)
    assert {one.clause for trace in traces for one in verdicts(header, trace)} >= set(
        requirement_set("fetch", header.release).clauses
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_a_real_brokers_frame_is_read_to_its_end_and_written_again_to_the_byte(
    version: str,
) -> None:
    for trace in recorded(version)[1]:
        for reply in trace.replies:
            if reply.frame is not None:
                request = codec.request(*api_of(trace.scenario.steps[reply.step]))
                correlation_id, decoded = request.decode_response(reply.frame)
                assert decoded.trailing == 0, trace.title
                assert request.encode_response(correlation_id, decoded.value) == reply.frame, (
                    trace.title
                )


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
@pytest.mark.parametrize("version", VERSIONS)
def test_a_changed_answer_is_caught_by_the_right_clause(version: str, mutation: Mutation) -> None:
    header, _ = recorded(version)
    caught = 0
    for trace, fetch, correlation_id, value in sound_answers(version):
        if mutation.apply(Answered(fetch, value, trace.placed)):
            frame = codec.request("Fetch", fetch.version).encode_response(correlation_id, value)
            assert primary(header, with_frame(trace, frame)) in mutation.clauses, trace.title
            caught += 1
    assert caught, "no recorded answer has what this changes"


@pytest.mark.parametrize("version", VERSIONS)
def test_a_byte_too_many_and_a_byte_too_few_are_caught(version: str) -> None:
    header, _ = recorded(version)
    for trace, _, _, _ in sound_answers(version):
        frame = trace.replies[0].frame
        assert frame is not None
        assert primary(header, with_frame(trace, frame + b"\0")) == "FET-076", trace.title
        assert primary(header, with_frame(trace, frame[:-1])) == "FET-076", trace.title


@pytest.mark.parametrize("version", VERSIONS)
def test_an_answer_to_another_trace_is_caught(version: str) -> None:
    """The answers of two plays of the same request on different layouts can't be exchanged."""
    header, _ = recorded(version)
    alone = [trace for trace, fetch, _, _ in sound_answers(version) if fetch.version == 12]
    exchanged = [
        primary(header, with_frame(one, other.replies[0].frame or b""))
        for one, other in pairwise(alone)
        if (one.placed.placed_partitions[0].topic, one.placed.placed_partitions[0].partition)
        != (other.placed.placed_partitions[0].topic, other.placed.placed_partitions[0].partition)
    ]
    assert exchanged
    assert None not in exchanged
