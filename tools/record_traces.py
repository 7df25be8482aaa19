"""Record again what real brokers answer: `python -m tools.record_traces [VERSION...]`, from the root of the repository.

For each version the catalogue's worked examples, and layouts, questions and histories drawn from a fixed seed, are played on an
embedded broker, and the frames that came back are written to `tests/traces/kafka-VERSION.jsonl.gz`. Nothing is written where the judge
has a word against an answer that no shipped finding lists: that is a thing to look into, not to record.
"""

from __future__ import annotations

import random
import secrets
import sys
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from conformance.cli.common import make_codec
from conformance.cluster import Cluster, reach
from conformance.facts import read_facts
from conformance.findings import SHIPPED, load_findings
from conformance.placement.stage import Stage
from conformance.play.histories import play
from conformance.play.lanes import Lanes, answerable
from conformance.systems.embedded import Embedded
from conformance.systems.jars import available_versions
from conformance.wire.connection import Connection
from generators.fences import choose, sample
from generators.histories import session_histories, waiting_histories
from generators.layouts import collect, large_layouts, layouts
from spec.catalogue import examples
from spec.judge import judge
from spec.layout import Layout
from spec.observation import AppendAnswer, FetchAnswer
from spec.scenario import Fetch, Scenario
from tests.traces.trace import FOLDER, Header, Reply, Trace, observed, semantics_of, write_traces

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.placement.site import Placed
    from conformance.wire.codec import Codec, Decoded, RequestCodec

SEED = 20260714
LAYOUTS = 24
QUESTIONS = 3
SESSIONS = 24
WAITS = 6
LARGE = 6
MOST_BYTES = 5200
"""Of a recorded layout: a few hundred kilobytes are to hold all versions."""
SMALL = {"fetch.max.bytes": "1024"}
TRIES = 3


@dataclass(slots=True)
class Tape:
    """A codec for one connection that keeps every response frame which it decodes."""

    codec: Codec
    frames: list[bytes] = field(default_factory=list)

    def request(self, api: str, version: int) -> TapedRequest:
        return TapedRequest(self.codec.request(api, version), self.frames)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.codec, name)


@dataclass(slots=True)
class TapedRequest:
    request: RequestCodec
    frames: list[bytes]

    def decode_response(self, frame: bytes) -> tuple[int, Decoded]:
        self.frames.append(frame)
        return self.request.decode_response(frame)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.request, name)


@dataclass(frozen=True, slots=True)
class TapedCluster(Cluster):
    """A cluster whose connections have a tape each, in the order in which they were made."""

    tapes: list[Tape] = field(default_factory=list)

    def connect(self, timeout: float | None = None) -> Connection:
        tape = Tape(self.codec)
        self.tapes.append(tape)
        limit = self.timeout if timeout is None else timeout
        return Connection(self.host, self.port, tape, timeout=limit, ssl_context=self.ssl_context)  # type: ignore[arg-type]


def taped(cluster: Cluster) -> TapedCluster:
    return TapedCluster(cluster.host, cluster.port, cluster.codec, cluster.versions, cluster.ssl_context, cluster.timeout)


def record(cluster: Cluster, title: str, scenario: Scenario, placed: Placed) -> Trace:
    """Play a scenario on its placed layout."""
    only = scenario.steps[0]
    if isinstance(only, Fetch) and not answerable(cluster, only):
        lanes = Lanes(cluster)
        [(_, observation)] = list(lanes.ask([(placed, only)]))
        lanes.close()
        return Trace(title, scenario, placed, tuple([_instead(exchange) for exchange in observation.exchanges]))
    tape = taped(cluster)
    observation = play(tape, scenario, placed)
    assert observation.broken is None, observation.broken
    actors = list(dict.fromkeys(step.actor for step in scenario.steps))
    frames = {actor: iter(tape.tapes[number].frames) for number, actor in enumerate(actors)}
    replies = []
    for exchange in observation.exchanges:
        if isinstance(exchange.outcome, FetchAnswer | AppendAnswer):
            frame = next(frames[scenario.steps[exchange.step].actor])
            replies.append(Reply(exchange.step, frame, None, round(exchange.sent_ms, 3), round(exchange.answered_ms, 3)))
        else:
            replies.append(_instead(exchange))
    return Trace(title, scenario, placed, tuple(replies))


def _instead(exchange: Any) -> Reply:
    return Reply(exchange.step, None, exchange.outcome, round(exchange.sent_ms, 3), round(exchange.answered_ms, 3))


class Recorder:
    """Records plays on one broker, each checked before it is kept."""

    def __init__(self, cluster: Cluster, header: Header) -> None:
        self.cluster = cluster
        self.header = header
        self.stage = Stage(cluster, f"trace-{secrets.token_hex(3)}")
        self.known = {finding.key for finding in load_findings((SHIPPED,), header.release)}

    def plays(self, title: str, scenario: Scenario) -> Trace:
        """Record one scenario on a layout of its own, again where the clock spoilt it.

        Raises:
            SystemExit: a break that no finding lists, each time.
        """
        for _ in range(TRIES):
            [placed] = self.stage.place([scenario.layout])
            try:
                trace = record(self.cluster, title, scenario, placed)
            finally:
                self.stage.release(placed)
            verdicts = judge(scenario, observed(trace, self.cluster.codec), semantics_of(self.header, scenario)).breaks
            broken = [v for v in verdicts if (v.clause, v.signature) not in self.known]
            if not broken:
                return trace
        sys.exit(f"expected Kafka {self.header.kafka} to keep to every clause, found {broken} in {title}: {scenario}")


def light(layout: Layout) -> bool:
    """Whether a layout is small enough to be kept, and can be written by Produce."""
    return not layout.crafted and sum(getattr(e, "size", 78) for p in layout.partitions for e in p.entries()) <= MOST_BYTES


def of_catalogue(config: Sequence[tuple[str, str]]) -> Iterator[tuple[str, Scenario]]:
    for clause, found in examples().items():
        for example in found:
            scenario = example.scenario
            if scenario.subject == "fetch" and scenario.config == tuple(config) and light(scenario.layout):
                yield f"{clause}: {example.title}", scenario


def drawn(header: Header, config: tuple[tuple[str, str], ...]) -> Iterator[tuple[str, Scenario]]:
    semantics = semantics_of(header, Scenario(Layout(()), (), config))
    strategy, count = (large_layouts(semantics.fetch_max_bytes), LARGE) if config else (layouts(), LAYOUTS)
    seen: Counter[str] = Counter()
    rng = random.Random(SEED)  # noqa: S311 - choosing questions, not secrets
    for turn, layout in enumerate(filter(light, collect(strategy, SEED, 4 * count))):
        if turn == count:
            break
        for question in choose(sample(layout, semantics, turn), seen, QUESTIONS, rng):
            yield f"question: {question.relations[0]}", Scenario(layout, (question.fetch,), config)
    if not config:
        for kind, histories, wanted in (("session", session_histories, SESSIONS), ("waiting", waiting_histories, WAITS)):
            for scenario in collect(histories(semantics), SEED, wanted):
                if light(scenario.layout):
                    yield f"history: {kind}", scenario


def record_version(version: str) -> tuple[Header, list[Trace]]:
    """Everything that is recorded of one version."""
    traces = []
    with Embedded(version) as broker:
        cluster = reach(*broker.address, make_codec())
        facts = read_facts(cluster, kafka_version=version)
        header = Header(version, facts.release, SEED, dict(facts.limits))
        for config in ((), tuple(SMALL.items())):
            if config:
                broker.restart(SMALL)
                cluster = reach(*broker.address, cluster.codec)
            recorder = Recorder(cluster, header)
            for title, scenario in (*of_catalogue(config), *drawn(header, config)):
                traces.append(recorder.plays(title, replace(scenario, config=config)))
            recorder.stage.close()
    return header, traces


def main(versions: list[str]) -> int:
    """Record the versions that are named, or all that have a lock."""
    for version in versions or available_versions():
        began = time.monotonic()
        header, traces = record_version(version)
        path = FOLDER / f"kafka-{version}.jsonl.gz"
        write_traces(path, header, traces)
        print(f"{path.name}: {len(traces)} plays, {path.stat().st_size:,} bytes, {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
