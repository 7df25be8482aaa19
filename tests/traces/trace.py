"""A recorded play: what was asked, where the layout lay, and the bytes that a real broker answered
with.

A file of them is JSON lines under gzip: a header, then a line for each play. Bytes are written in
hexadecimal, so that a batch that stands in several frames is the same text in each, and gzip keeps
it once.
"""

import gzip
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.placement.deployment import PRODUCE_VERSION, produce_results
from conformance.placement.placed_partition import Placed, PlacedPartition
from conformance.subjects.fetch.answers import fetch_answer
from conformance.wire.codec import Codec, Malformed
from spec.canonical import from_plain, to_plain
from spec.fetch.releases import FetchSemantics
from spec.fetch.steps import OWN, Fetch
from spec.observation import Exchange, Observation
from spec.outcomes import AppendAnswer, Closed, Garbled, NotSent, Outcome, Silent
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.steps import Append, DeleteRecords, Step

FORMAT = 1
FOLDER = Path(__file__).parent
DELETE_RECORDS_VERSION = 2
Unanswered = Closed | Silent | NotSent


@dataclass(frozen=True, slots=True)
class Header:
    """What a file's plays were recorded on.

    Attributes:
        kafka: the exact version, `4.3.1`.
        release: the release it is judged as.
        seed: what the drawing started from.
        limits: the broker's own limits by config name.
    """

    kafka: str
    release: str
    seed: int
    limits: dict[str, int]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for one step: the response frame without its length, or what there was instead
    of one.
    """

    step: int
    frame: bytes | None
    instead: Unanswered | None
    sent_ms: float
    answered_ms: float


@dataclass(frozen=True, slots=True)
class Trace:
    """One play.

    Attributes:
        title: where its scenario comes from.
        scenario: what was asked.
        placed: where the layout lay, what was appended meanwhile included.
        replies: what came back, one for each step that was done.
    """

    title: str
    scenario: Scenario
    placed: Placed
    replies: tuple[Reply, ...]


def api_of(step: Step) -> tuple[str, int]:
    """The API and version that a step is done by."""
    match step:
        case Fetch():
            return "Fetch", step.version
        case Append():
            return "Produce", PRODUCE_VERSION
        case DeleteRecords():
            return "DeleteRecords", DELETE_RECORDS_VERSION
    raise TypeError(
        f"expected a step of a fetch scenario, found {type(step).__name__}: no trace has one yet"
    )


def semantics_of(header: Header, scenario: Scenario) -> Semantics:
    """What the play is judged by: the release, with the limits that the broker had by then."""
    limit = dict(scenario.config).get("fetch.max.bytes", header.limits["fetch.max.bytes"])
    slots = header.limits["max.incremental.fetch.session.cache.slots"]
    return semantics_for(header.release).with_decisions(
        FetchSemantics, fetch_max_bytes=int(limit), session_slots=slots
    )


def observed(trace: Trace, codec: Codec) -> Observation:
    """Decode the frames, step by step, as it is done on a live connection."""
    own = 0
    exchanges = []
    for reply in trace.replies:
        outcome: Outcome
        if reply.frame is None:
            assert reply.instead is not None
            outcome = reply.instead
        else:
            outcome, session = _decoded(trace, codec, reply, own)
            own = session or own
        exchanges.append(Exchange(reply.step, outcome, reply.sent_ms, reply.answered_ms))
    return Observation(tuple(exchanges))


def _decoded(trace: Trace, codec: Codec, reply: Reply, own: int) -> tuple[Outcome, int]:
    """What a frame says, and the session id that it newly gives, otherwise 0."""
    assert reply.frame is not None
    step = trace.scenario.steps[reply.step]
    try:
        _, decoded = codec.request(*api_of(step)).decode_response(reply.frame)
    except Malformed as problem:
        return Garbled(str(problem)), 0
    if isinstance(step, Fetch):
        asked = own if step.session == OWN else int(step.session)
        answer = fetch_answer(decoded.value, decoded.trailing, trace.placed, own=own, asked=asked)
        return answer, decoded.value["session_id"] if answer.session == 2 else 0
    if isinstance(step, Append):
        _, error, offset = next(produce_results(decoded.value))
        return AppendAnswer(
            error,
            None if offset < 0 else offset - trace.placed.placed_partitions[step.partition].base,
        ), 0
    assert isinstance(step, DeleteRecords)
    part = decoded.value["topics"][0]["partitions"][0]
    return AppendAnswer(
        part["error_code"],
        part["low_watermark"] - trace.placed.placed_partitions[step.partition].base,
    ), 0


def write_traces(path: Path, header: Header, traces: Iterable[Trace]) -> None:
    """Write a file; the same traces give the same bytes."""
    lines = [{"fencepost_traces": FORMAT, **to_plain(header)}, *map(_to_plain, traces)]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def read_traces(path: Path) -> tuple[Header, tuple[Trace, ...]]:
    """Read a file that `write_traces` made."""
    first, *others = gzip.decompress(path.read_bytes()).splitlines()
    head = json.loads(first)
    assert head.pop("fencepost_traces") == FORMAT
    return Header(**head), tuple([_from_plain(json.loads(line)) for line in others])


def _to_plain(trace: Trace) -> dict[str, Any]:
    return {
        "title": trace.title,
        "scenario": to_plain(trace.scenario),
        "sites": [
            _partition_to_plain(placed_partition)
            for placed_partition in trace.placed.placed_partitions
        ],
        "replies": [_reply_to_plain(reply) for reply in trace.replies],
    }


def _from_plain(plain: dict[str, Any]) -> Trace:
    scenario = from_plain(Scenario, plain["scenario"])
    placed = tuple([_partition_from_plain(placed_partition) for placed_partition in plain["sites"]])
    return Trace(
        plain["title"],
        scenario,
        Placed(scenario.layout, placed),
        tuple([_reply_from_plain(one) for one in plain["replies"]]),
    )


def _partition_to_plain(placed_partition: PlacedPartition) -> dict[str, Any]:
    return {
        "topic": placed_partition.topic,
        "topic_id": placed_partition.topic_id.hex(),
        "partition": placed_partition.partition,
        "base": placed_partition.base,
        "leader_epoch": placed_partition.leader_epoch,
        "known": [
            [
                absolute,
                known.sent.hex(),
                placed_partition.base + known.seen.last,
                known.seen.records,
                known.seen.size,
                known.magic,
            ]
            for absolute, known in placed_partition.known.items()
        ],
        "producers": [
            [producer, first, txn] for (producer, first), txn in placed_partition.producers.items()
        ],
    }


def _partition_from_plain(plain: dict[str, Any]) -> PlacedPartition:
    placed_partition = PlacedPartition(
        plain["topic"],
        bytes.fromhex(plain["topic_id"]),
        plain["partition"],
        plain["base"],
        plain["leader_epoch"],
        timestamp=0,
    )
    for absolute, sent, last, records, size, magic in plain["known"]:
        placed_partition.add(absolute, bytes.fromhex(sent), last, records, size=size, magic=magic)
    placed_partition.producers.update(
        {(producer, first): txn for producer, first, txn in plain["producers"]}
    )
    return placed_partition


def _reply_to_plain(reply: Reply) -> dict[str, Any]:
    found = (
        {"frame": reply.frame.hex()}
        if reply.frame is not None
        else {"instead": to_plain(reply.instead)}
    )
    return {"step": reply.step, **found, "sent_ms": reply.sent_ms, "answered_ms": reply.answered_ms}


def _reply_from_plain(plain: dict[str, Any]) -> Reply:
    frame = bytes.fromhex(plain["frame"]) if "frame" in plain else None
    instead = from_plain(Unanswered, plain["instead"]) if ("instead") in plain else None  # type: ignore[arg-type]
    return Reply(plain["step"], frame, instead, plain["sent_ms"], plain["answered_ms"])
