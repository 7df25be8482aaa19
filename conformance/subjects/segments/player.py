"""Scenarios of segments on a broker, and on the model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conformance.engine.player import Player
from conformance.engine.topic_player import TopicPlayer
from conformance.placement.problem import LayingStep, PlacementFailed, Unlaid
from conformance.play.history import Acted, History, Retry
from conformance.play.topic_changes import alter_topic
from conformance.subjects.segments.edge_logs import Edge, edge_of
from conformance.subjects.segments.files import look_at
from conformance.subjects.segments.requests import (
    append_answer,
    append_request,
    log_dirs_answer,
    log_dirs_request,
    offset_answer,
    offset_request,
    read_answer,
    read_request,
)
from conformance.wire.decoding import Malformed
from spec.outcomes import AppendAnswer, Garbled, NotSent, Outcome
from spec.segments.dry_run import answer_all
from spec.segments.initial_log import takes_restart
from spec.segments.model import (
    REFERENCE,
    SegmentLog,
    SegmentRules,
    append,
    apply_retention,
    note_alteration,
)
from spec.segments.outcomes import (
    FilesSeen,
    LogDirAnswer,
    OffsetAnswer,
    SegmentBatch,
    SegmentsRead,
    SegmentsReady,
)
from spec.segments.releases import SegmentSemantics
from spec.segments.settings import SegmentSettings
from spec.segments.steps import (
    EARLIEST,
    AlterSegments,
    AppendBatch,
    AskOffset,
    AskTime,
    AwaitRetention,
    DescribeLogDirs,
    LookAtFiles,
    ReadSegments,
    ResendBatch,
    UseSegments,
)
from spec.steps import DeleteRecords

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from conformance.cluster import Cluster
    from conformance.engine.play_result import Played
    from conformance.engine.player import Config
    from conformance.engine.restarts import Restarts
    from conformance.placement.configured_topics import Configs
    from conformance.placement.placed_partition import Placed, PlacedPartition
    from conformance.play.request import Request
    from conformance.wire.outcomes import Answer
    from spec.scenario import Scenario
    from spec.semantics import Semantics
    from spec.steps import Step

ANSWERS = (AppendAnswer, LogDirAnswer, OffsetAnswer, SegmentsRead, FilesSeen, SegmentsReady)
NO_FILES = "this log lies at an edge: it takes a broker that Fencepost starts with its files"
DISCARDING = {"log.retention.check.interval.ms": "200", "log.initial.task.delay.ms": "100"}
"""Settings of a broker that discards old segments as soon as it may."""
DISCARDED_S = 5.0
"""How long a broker with these settings may take for that, seconds."""
PAUSE_S = 0.05
NO_FOLDER = "the files of this broker can't be read here: it takes one that Fencepost starts"


@dataclass
class SegmentHistory(History):
    """One scenario while it is played.

    Attributes:
        data: the folder with the broker's partitions; None where it can't be read here.
        small_segments: the name of the config by which segments below 1 MiB are asked for.
    """

    data: Path | None = None
    small_segments: str = "segment.bytes"
    _altered: SegmentSettings | None = field(init=False, default=None)
    """The topic's configs as they were altered last."""
    _runs: list[tuple[SegmentBatch, ...]] = field(init=False, default_factory=list)
    """The answers to fetches so far of the step that reads the log."""

    @property
    def where(self) -> PlacedPartition:
        """The one partition."""
        assert self.placed is not None
        return self.placed.placed_partitions[0]

    def sends(self, step: Step) -> bool:
        """Whether a step is a request."""
        return not isinstance(step, UseSegments | AlterSegments | LookAtFiles)

    def request(self, step: Step) -> Request | NotSent | None:
        """Make a step's request; None where it is none."""
        if isinstance(step, AppendBatch):
            return append_request(self.cluster, step, self.where, self._next_sequence)
        if isinstance(step, ResendBatch):
            return self._resend_request(step)
        if isinstance(step, DescribeLogDirs):
            return log_dirs_request(self.cluster, self.where)
        if isinstance(step, AskOffset):
            return offset_request(self.cluster, step.timestamp, self.where)
        if isinstance(step, AskTime):
            return offset_request(self.cluster, self.where.timestamp + step.time, self.where)
        if isinstance(step, AwaitRetention):
            return offset_request(self.cluster, EARLIEST, self.where)
        if isinstance(step, ReadSegments):
            return read_request(self.cluster, self.where, self._next)
        return None

    @property
    def _numbered(self) -> list[AppendBatch]:
        """The batches of the idempotent producer that were stored."""
        return [
            step
            for number, step in enumerate(self.scenario.steps)
            if isinstance(step, AppendBatch) and step.idempotent
            for exchange in self._exchanges.get(number, ())
            if isinstance(exchange.outcome, AppendAnswer) and not exchange.outcome.error
        ]

    @property
    def _next_sequence(self) -> int:
        """The sequence number of the idempotent producer's next record."""
        return sum([step.records for step in self._numbered])

    def _resend_request(self, step: ResendBatch) -> Request | NotSent:
        """Make the request of the idempotent producer's last batch, as a repetition or with a gap
        before it.
        """
        stored, following = self._numbered, self._next_sequence
        if not stored:
            return NotSent("no batch of the idempotent producer was stored before")
        sequence = following + step.skipped if step.skipped else following - stored[-1].records
        return append_request(self.cluster, stored[-1], self.where, sequence)

    @property
    def _next(self) -> int:
        """Where the next fetch begins: behind what was read, or where records were deleted to."""
        if self._runs:
            return self._runs[-1][-1].last + 1
        starts = [
            exchange.outcome.offset
            for number, exchanges in self._exchanges.items()
            for exchange in exchanges
            if isinstance(self.scenario.steps[number], DeleteRecords | AwaitRetention)
            and isinstance(exchange.outcome, AppendAnswer | OffsetAnswer)
            and exchange.outcome.offset is not None
        ]
        return max(starts, default=0)

    def outcome(self, step: Step, request: Request, answer: Answer) -> Outcome:
        """Read an answer."""
        if isinstance(step, AppendBatch | ResendBatch):
            return append_answer(answer, self.where)
        if isinstance(step, DescribeLogDirs):
            return log_dirs_answer(answer, self.where)
        if isinstance(step, AskOffset | AskTime | AwaitRetention):
            return offset_answer(request, answer, self.where)
        try:
            read = read_answer(request, answer, self.where)
        except Malformed as wrong:
            return Garbled(f"records that can't be read: {wrong}")
        if read.runs and read.runs[0][-1].last >= self._next:
            self._runs.append(read.runs[0])
        return SegmentsRead(read.error, read.high_watermark, tuple(self._runs))

    def retry(
        self, step: Step, request: Request, outcome: Outcome, waited_s: float
    ) -> Retry | None:
        """Fetch on while each answer leads further and the end is not reached."""
        del request
        if isinstance(step, AwaitRetention) and not self._is_discarded(outcome):
            return Retry(step, PAUSE_S, kept=False) if waited_s < DISCARDED_S else None
        if not isinstance(outcome, SegmentsRead):
            return None
        begun = self._next
        if not outcome.error and outcome.runs and begun < outcome.high_watermark:
            return Retry(step, 0.0, kept=False)
        self._runs.clear()
        return None

    def continues(self, step: Step, outcome: Outcome) -> bool:
        """Continue after each answer, and where files can't be read; but not while segments that
        may be discarded are still there, and go at any moment.
        """
        if isinstance(step, AwaitRetention):
            return self._is_discarded(outcome)
        return isinstance(outcome, ANSWERS) or isinstance(step, LookAtFiles)

    def _is_discarded(self, outcome: Outcome) -> bool:
        """Whether the log starts where the reference's retention leaves it."""
        if not isinstance(outcome, OffsetAnswer) or outcome.offset is None:
            return False
        settings = self._first_settings
        return outcome.offset >= apply_retention(self._reference_log(settings), settings).start

    @property
    def _first_settings(self) -> SegmentSettings:
        first = self.scenario.steps[0]
        return first.settings if isinstance(first, UseSegments) else SegmentSettings()

    def _reference_log(self, settings: SegmentSettings) -> SegmentLog:
        """The reference's log of what was accepted so far."""
        log = SegmentLog()
        for number in sorted(self._exchanges):
            step = self.scenario.steps[number]
            if isinstance(step, AlterSegments):
                log = note_alteration(log, settings)
                settings = settings.alter(step.settings)
            if isinstance(step, AwaitRetention):
                log = apply_retention(log, settings)
            for exchange in self._exchanges[number]:
                found = exchange.outcome
                if isinstance(step, AppendBatch) and isinstance(found, AppendAnswer):
                    base = found.offset
                    if base is not None and not found.error:
                        last = base + step.records - 1
                        batch = SegmentBatch(base, last, step.size, step.time)
                        log = append(log, batch, settings)
        return log

    async def act(self, number: int, step: Step) -> Outcome | Acted:
        """Take note of the topic, alter it, or look at the files."""
        if isinstance(step, AlterSegments):
            return await self._alter(number, step)
        if isinstance(step, LookAtFiles):
            if self.data is None:
                return NotSent(NO_FOLDER)
            return look_at(self.data / f"{self.where.topic}-{self.where.partition}", self.where)
        if isinstance(step, UseSegments) and number == 0:
            return SegmentsReady()
        return NotSent(f"{step.name}: expected it as the first step, found it as step {number}")

    async def _alter(self, number: int, step: AlterSegments) -> Outcome:
        before = self._altered or self._first_settings
        self._altered = before.alter(step.settings)
        known = dict(before.configs(self.small_segments))
        after = dict(self._altered.configs(self.small_segments))
        changes = {name: value for name, value in after.items() if known.get(name) != value}
        connection = await self.connection(step.actor)
        refused = await alter_topic(self.cluster, connection, self.where.topic, changes, number)
        return SegmentsReady() if refused is None else refused


class SegmentBrokerPlayer(TopicPlayer):
    """Plays scenarios of segments on one broker and judges them; see `TopicPlayer`.

    Each partition is used once: its segments can't be hidden from the next scenario.
    """

    def __init__(
        self,
        cluster: Cluster,
        semantics: Semantics,
        name: str,
        restarts: Restarts | None,
        config: Config = (),
    ) -> None:
        super().__init__(cluster, semantics, name, restarts, use_once=True)
        self.config = config

    @property
    def crafts(self) -> bool:
        """Whether a log can lie at an edge: the broker is restarted with its files."""
        return self.broker.places_files

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played | Unlaid]]:
        """Play scenarios side by side; those that take a restart come last, over one."""
        edges = [number for number, one in enumerate(scenarios) if takes_restart(one)]
        plain = [number for number in range(len(scenarios)) if number not in edges]
        if plain:
            for place, one in super().play([scenarios[number] for number in plain]):
                yield plain[place], one
        if edges:
            some = [scenarios[number] for number in edges]
            for place, one in self._play(some, self._placed_at_edges(some)):
                yield edges[place], one

    def _placed_at_edges(self, scenarios: Sequence[Scenario]) -> list[Placed | Unlaid]:
        """Restart the broker with the files of some scenarios; in their order."""
        if not self.crafts:
            return [Unlaid(one.layout, LayingStep.FILES, NO_FILES) for one in scenarios]
        laid: list[Edge | Unlaid] = []
        for scenario in scenarios:
            try:
                laid.append(edge_of(scenario, self.topics.take(scenario)))
            except PlacementFailed as failed:
                laid.append(Unlaid(scenario.layout, LayingStep.TOPIC, str(failed)))
        files = {
            path: content
            for one in laid
            if isinstance(one, Edge)
            for path, content in one.files.items()
        }
        config = {**dict(self.config), **DISCARDING}
        cluster = self.broker.restart(config, files, otherwise=NO_FILES)
        self.topics.reopen(cluster)
        return [self._await_settled(one) if isinstance(one, Edge) else one for one in laid]

    def _await_settled(self, edge: Edge) -> Placed | Unlaid:
        """Wait until the broker shows what was put there."""
        key = edge.slot.topic, edge.slot.partition
        base = edge.slot.end
        try:
            self.topics.settle({key: base + edge.end}, {key: base + edge.start})
        except PlacementFailed as failed:
            return Unlaid(edge.scenario.layout, LayingStep.FILES, str(failed))
        return edge.placed

    def configs_of(self, scenario: Scenario) -> Configs:
        """The configs of the topic that a scenario's partition belongs to."""
        first = scenario.steps[0]
        settings = first.settings if isinstance(first, UseSegments) else SegmentSettings()
        return settings.configs(self.semantics.of(SegmentSemantics).small_segments)

    def changes_configs(self, scenario: Scenario) -> bool:
        """Whether a step alters them."""
        return any(isinstance(step, AlterSegments) for step in scenario.steps)

    def _history(self, scenario: Scenario, placed: Placed) -> SegmentHistory:
        return SegmentHistory(
            self.broker.cluster,
            scenario,
            placed,
            data=self.broker.data,
            small_segments=self.semantics.of(SegmentSemantics).small_segments,
        )


class SegmentDryRun(Player):
    """Plays scenarios on the model, or on one that keeps its segments otherwise."""

    crafts = True

    def __init__(self, semantics: Semantics, rules: SegmentRules = REFERENCE) -> None:
        super().__init__(semantics)
        self.rules = rules

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
        """Play scenarios without a broker."""
        for number, scenario in enumerate(scenarios):
            yield (
                number,
                self._judge(scenario, answer_all(scenario, self.semantics, self.rules)),
            )
