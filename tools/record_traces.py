"""Record again what real brokers answer: `python -m tools.record_traces [VERSION...]`, from the
root of the repository.

For each version the catalogue's worked examples, and layouts, questions and histories drawn from a
fixed seed, are played on an embedded broker, and the frames that came back are written to
`tests/traces/kafka-VERSION.jsonl.gz`. Nothing is written where the judge finds a break in an
answer that no shipped finding lists: that is a thing to look into, not to record.
"""

from __future__ import annotations

import random
import secrets
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conformance.cli.common import make_codec
from conformance.cluster import Cluster, reach
from conformance.engine.restarts import Restarts
from conformance.facts import read_facts
from conformance.findings import SHIPPED, load_findings
from conformance.placement.problem import Unlaid
from conformance.play.background import play_alone
from conformance.subjects.fetch.broker_player import FetchBrokerPlayer
from conformance.subjects.fetch.history import FetchHistory
from conformance.subjects.fetch.lanes import Lanes
from conformance.subjects.fetch.requests import answerable
from conformance.subjects.fetch.runner import RUNNER
from conformance.systems.embedded import Embedded
from conformance.systems.jars import available_versions
from generators.compaction import crafted_layouts
from generators.fetch.fences import Question, choose, sample
from generators.fetch.histories import session_histories, waiting_histories
from generators.layouts import collect, large_layouts, layouts
from spec.catalogue import examples
from spec.fetch.outcomes import FetchAnswer
from spec.fetch.releases import FetchSemantics
from spec.fetch.steps import Fetch
from spec.frozen import frozen, replace
from spec.judge import judge
from spec.layout import Layout
from spec.outcomes import AppendAnswer
from spec.scenario import Scenario
from tests.traces.trace import FOLDER, Header, Reply, Trace, observed, semantics_of, write_traces

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conformance.placement.placed_partition import Placed
    from conformance.systems.base import Files
    from conformance.wire.codec import Codec, Decoded, RequestCodec
    from conformance.wire.connection import Connection
    from conformance.wire.security import Opened
    from spec.verdict import Verdict

SEED = 20260714
FETCH = RUNNER.subject
LAYOUTS = 24
QUESTIONS = 3
SESSIONS = 24
WAITS = 6
LARGE = 6
CRAFTED = 8
MOST_BYTES = 5200
"""Of a recorded layout: a few hundred kilobytes are to hold all versions."""
SMALL = (("fetch.max.bytes", "1024"),)
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


@frozen
class TapedCluster(Cluster):
    """A cluster whose connections have a tape each, in the order in which they were made."""

    tapes: list[Tape] = field(default_factory=list)

    def connect(self, timeout: float | None = None, connected: Opened | None = None) -> Connection:
        tape = Tape(self.codec)
        self.tapes.append(tape)
        opened = Cluster.connect(self, timeout, connected)
        opened.codec = tape  # type: ignore[assignment]
        return opened


def taped(cluster: Cluster) -> TapedCluster:
    return TapedCluster(
        cluster.host,
        cluster.port,
        cluster.codec,
        cluster.versions,
        cluster.security,
        cluster.timeout,
    )


def record(cluster: Cluster, title: str, scenario: Scenario, placed: Placed) -> Trace:
    """Play a scenario on its placed layout."""
    only = scenario.steps[0]
    if isinstance(only, Fetch) and not answerable(cluster, only):
        lanes = Lanes(cluster)
        [(_, observation)] = list(lanes.ask([(placed, only)]))
        lanes.close()
        return Trace(
            title,
            scenario,
            placed,
            tuple([_instead(exchange) for exchange in observation.exchanges]),
        )
    tape = taped(cluster)
    if isinstance(only, Fetch) and only.quota is not None:
        lanes = Lanes(tape)
        [(_, observation)] = list(lanes.ask([(placed, only)]))
        lanes.close()
        [exchange] = observation.exchanges
        reply = Reply(
            0,
            tape.tapes[-1].frames[-1],
            None,
            round(exchange.sent_ms, 3),
            round(exchange.answered_ms, 3),
        )
        return Trace(title, scenario, placed, (reply,))
    observation = play_alone(FetchHistory(tape, scenario, placed))
    assert observation.broken is None, observation.broken
    actors = list(dict.fromkeys(step.actor for step in scenario.steps))
    frames = {actor: iter(tape.tapes[number].frames) for number, actor in enumerate(actors)}
    replies = []
    for exchange in observation.exchanges:
        if isinstance(exchange.outcome, FetchAnswer | AppendAnswer):
            frame = next(frames[scenario.steps[exchange.step].actor])
            replies.append(
                Reply(
                    exchange.step,
                    frame,
                    None,
                    round(exchange.sent_ms, 3),
                    round(exchange.answered_ms, 3),
                )
            )
        else:
            replies.append(_instead(exchange))
    return Trace(title, scenario, placed, tuple(replies))


def _instead(exchange: Any) -> Reply:
    return Reply(
        exchange.step,
        None,
        exchange.outcome,
        round(exchange.sent_ms, 3),
        round(exchange.answered_ms, 3),
    )


class Recorder:
    """Records plays on one broker, each checked before it is kept."""

    def __init__(self, cluster: Cluster, header: Header, restarts: Restarts | None = None) -> None:
        semantics = semantics_of(header, Scenario(Layout(()), ()))
        self.player = FetchBrokerPlayer(
            cluster, semantics, f"trace-{secrets.token_hex(3)}", restarts=restarts
        )
        self.header = header
        self.known = {finding.key for finding in load_findings((SHIPPED,), header.release)}

    def plays(self, title: str, scenario: Scenario) -> Trace:
        """Record one scenario on a layout of its own, again where the clock spoilt it.

        Raises:
            SystemExit: a break that no finding lists, each time.
        """
        scenario = replace(scenario, config=self.player.config)
        for _ in range(TRIES):
            [placed] = self.player.deployment.place([scenario.layout])
            trace = record(self.player.cluster, title, scenario, placed)
            self.player.deployment.release(placed)
            if not self.broken(trace):
                break
        return self.sound(trace)

    def sound(self, trace: Trace) -> Trace:
        """The trace itself.

        Raises:
            SystemExit: it has a break that no finding lists.
        """
        if broken := self.broken(trace):
            sys.exit(
                f"expected Kafka {self.header.kafka} to keep to every clause, found {broken} in "
                f"{trace.title}: {trace.scenario}"
            )
        return trace

    def broken(self, trace: Trace) -> list[Verdict]:
        """The breaks of a play that no finding lists."""
        observation = observed(trace, self.player.cluster.codec)
        found = judge(trace.scenario, observation, semantics_of(self.header, trace.scenario)).breaks
        return [
            verdict for verdict in found if (verdict.clause, verdict.signature) not in self.known
        ]


def light(layout: Layout) -> bool:
    """Whether a layout is small enough to be kept."""
    return sum(getattr(e, "size", 78) for p in layout.partitions for e in p.entries()) <= MOST_BYTES


def of_catalogue(*, crafted: bool) -> Iterator[tuple[str, Scenario]]:
    """The worked examples of Fetch, those on crafted layouts or the others."""
    for clause, found in examples().items():
        for example in found:
            layout = example.scenario.layout
            if example.scenario.subject == FETCH and light(layout) and layout.is_crafted == crafted:
                yield f"{clause}: {example.title}", example.scenario


def without_quotas(asked: Sequence[Question]) -> list[Question]:
    """Questions that need no client id of their own; the worked example under a quota is
    recorded.
    """
    return [question for question in asked if question.fetch.quota is None]


def of_crafted(header: Header) -> Iterator[tuple[str, Scenario]]:
    """The worked examples on layouts that no Produce request can write, and questions about drawn
    ones.
    """
    semantics = semantics_of(header, Scenario(Layout(()), ()))
    yield from of_catalogue(crafted=True)
    seen: Counter[str] = Counter()
    rng = random.Random(SEED)  # noqa: S311 - choosing questions, not secrets
    for turn, layout in enumerate(
        [one for one in collect(crafted_layouts(), SEED, 4 * CRAFTED) if light(one)][:CRAFTED]
    ):
        for question in choose(
            without_quotas(sample(layout, semantics, turn)), seen, QUESTIONS, rng
        ):
            yield f"crafted: {question.relations[0]}", Scenario(layout, (question.fetch,))


def drawn(header: Header, config: tuple[tuple[str, str], ...]) -> Iterator[tuple[str, Scenario]]:
    semantics = semantics_of(header, Scenario(Layout(()), (), config))
    strategy, count = (
        (large_layouts(semantics.of(FetchSemantics).fetch_max_bytes), LARGE)
        if config
        else (layouts(), LAYOUTS)
    )
    seen: Counter[str] = Counter()
    rng = random.Random(SEED)  # noqa: S311 - choosing questions, not secrets
    for turn, layout in enumerate(filter(light, collect(strategy, SEED, 4 * count))):
        if turn == count:
            break
        for question in choose(
            without_quotas(sample(layout, semantics, turn)), seen, QUESTIONS, rng
        ):
            yield f"question: {question.relations[0]}", Scenario(layout, (question.fetch,), config)
    if not config:
        for kind, histories, wanted in (
            ("session", session_histories, SESSIONS),
            ("waiting", waiting_histories, WAITS),
        ):
            for scenario in collect(histories(semantics), SEED, wanted):
                if light(scenario.layout):
                    yield f"history: {kind}", scenario


def record_version(version: str) -> tuple[Header, list[Trace]]:
    """Everything that is recorded of one version: with its own limits, with small ones, and with
    crafted layouts.
    """
    codec = make_codec()
    with Embedded(version) as broker:

        def restart(config: Mapping[str, str], files: Files) -> Cluster:
            broker.restart_with(files, config)
            return reach(*broker.address, codec)

        cluster = reach(*broker.address, codec)
        facts = read_facts(cluster, kafka_version=version)
        header = Header(version, facts.release, SEED, dict(facts.limits))
        recorder = Recorder(cluster, header, Restarts(restart, places_files=True))
        traces = []
        for config in ((), SMALL):
            if config:
                recorder.player.restart(config)
            wanted = [
                (title, one) for title, one in of_catalogue(crafted=False) if one.config == config
            ]
            traces += [
                recorder.plays(title, one) for title, one in (*wanted, *drawn(header, config))
            ]
        crafted = list(of_crafted(header))
        placed = recorder.player.restart(
            (("fetch.max.bytes", str(facts.fetch_max_bytes)),), [one.layout for _, one in crafted]
        )
        traces += [
            recorder.sound(record(recorder.player.cluster, *one, where))
            for one, where in zip(crafted, placed, strict=True)
            if not isinstance(where, Unlaid)
        ]
        recorder.player.close()
    return header, traces


def main(versions: list[str]) -> int:
    """Record the versions that are named, or all that have a lock."""
    for version in versions or available_versions():
        began = time.monotonic()
        header, traces = record_version(version)
        path = FOLDER / f"kafka-{version}.jsonl.gz"
        write_traces(path, header, traces)
        print(
            f"{path.name}: {len(traces)} plays, {path.stat().st_size:,} bytes, "
            f"{time.monotonic() - began:.0f} s"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
