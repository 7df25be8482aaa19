"""The judgement of a client's history: step by step, then what it delivered of each partition."""

from collections.abc import Iterable

from spec.fairness.chapters import CHECKS
from spec.fairness.client_tracks import LONG_ENOUGH_MS, ClientTracks, out_of_range_partitions
from spec.fairness.model.options import options_of
from spec.fairness.outcomes import (
    ClientOutcome,
    PollReturned,
    StepDone,
)
from spec.fairness.sending import Record, records_of
from spec.fairness.sharing import Sharing
from spec.fairness.steps import (
    FOR_GOOD,
    AcknowledgeRecords,
    AssignPartitions,
    ClientKind,
    CloseClient,
    CommitPositions,
    DamageBatch,
    FailPartition,
    MoveLeader,
    PausePartitions,
    Poll,
    ResumePartitions,
    SeekTo,
    SendRecords,
    StageStep,
    StartClient,
    SubscribeTopics,
    TruncateLog,
)
from spec.fairness.turn import Chunk, ClientPosition, DeliveredSpan, Turn
from spec.frozen import replace
from spec.judgement import NOTHING_CAME, Judgement, infrastructure, step_failed, stopped_by
from spec.log import logs_of
from spec.observation import Exchange, Observation
from spec.outcomes import AppendAnswer, NotSent
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.share.steps import AcknowledgeType
from spec.steps import Append, DeleteRecords, Step
from spec.turn_by_turn import TurnByTurn
from spec.verdict import Outcome, Verdict

UNSURE_POLLS = 2
"""In how many polls a client may yet deliver from before its position was reset."""


class _Progress:
    """What is known of a history up to some step."""

    def __init__(self, scenario: Scenario) -> None:
        self.known = ClientTracks(logs_of(scenario.layout))
        self.started = StartClient()
        self.ever: set[int] = set()
        self.unsure: dict[int, int] = {}
        self.results = TurnByTurn(CHECKS)
        self.is_closed = False
        self.quiet_since: float | None = None
        self.quiet_ms = 0.0
        explicit = any(isinstance(one, AcknowledgeRecords) for one in scenario.steps)
        self.sharing = Sharing(explicit=explicit)
        self.given: tuple[Record, ...] = ()
        self.unreported: int | None = None

    @property
    def follows(self) -> bool:
        """Whether there are positions to follow."""
        return self.started.client_kind is ClientKind.CONSUMER and not self.is_closed

    @property
    def shares(self) -> bool:
        """Whether the client is a share consumer."""
        return self.started.client_kind is ClientKind.SHARE_CONSUMER

    def start(self, step: StartClient) -> None:
        """The client is made."""
        self.started = step
        self.known.options = options_of(step)

    def judge(self, turn: Turn) -> None:
        """Have the clauses look at a turn."""
        self.results.judge(turn)

    def turn(
        self,
        exchange: Exchange,
        step: Step,
        places: dict[int, ClientPosition],
        before: tuple[Chunk, ...] = (),
    ) -> Turn:
        """A step as a whole."""
        return Turn(
            self.started,
            self.known.options,
            dict(self.known.logs),
            step,
            exchange.outcome,
            exchange.elapsed_ms,
            places,
            {one: frozenset(found) for one, found in self.known.damaged.items()},
            before=before,
            after=self.known.waiting_chunks(),
            moves={
                one: replace(move, is_failing=one in self.known.failing)
                for one, move in self.known.moves.items()
            },
            quiet_ms=self.quiet_ms,
        )

    def close(self, spans: Iterable[DeliveredSpan]) -> None:
        """Judge what ended."""
        for span in spans:
            self.judge(Turn(self.started, self.known.options, dict(self.known.logs), span=span))

    def close_all(self) -> None:
        """The history is over."""
        self.close([self.known.end(partition) for partition in tuple(self.known.tracks)])

    def begin(self, partition: int, start: int | None, since_ms: float = 0.0) -> None:
        """The client reads a partition from another place."""
        self.close(self.known.begin(partition, start, since_ms))

    def see(self, exchange: Exchange, step: Step, outcome: ClientOutcome) -> None:
        """Judge what the client returned, and follow it."""
        if self.shares:
            self._see_shared(exchange, step, outcome)
            return
        if isinstance(step, SendRecords):
            self.given += records_of(step, len(self.given))
            self.judge(replace(self.turn(exchange, step, {}), given=self.given))
            return
        places, before = self.known.places(), self.known.waiting_chunks()
        if self.follows:
            self._lose(outcome)
        received = [(served, self.known.receive(served)) for served in outcome.fetches]
        if isinstance(outcome, PollReturned):
            self.known.deliver(outcome)
        self._count_quiet(exchange, before, outcome)
        for served, number in received:
            turn = self.turn(exchange, step, places, before)
            self.judge(replace(turn, served=served, number=number))
        turn = self.turn(exchange, step, places, before)
        if not isinstance(outcome, PollReturned):
            self.judge(turn)
            return
        self._count_unreported(exchange, outcome)
        self.judge(
            replace(
                turn,
                is_refused=self.unreported is not None,
                unreported=self.unreported or 0,
                truncations=self.known.resumed,
            )
        )
        if outcome.records or outcome.errors:
            self.unreported = None
        self.known.count_idle(outcome, exchange.elapsed_ms, places)
        for partition in tuple(self.unsure):
            self._read_elsewhere(partition)

    def _see_shared(self, exchange: Exchange, step: Step, outcome: ClientOutcome) -> None:
        """Judge what a share consumer returned, and follow what it holds."""
        sharing = self.sharing
        before = {*sharing.owed_places(self.known.logs)}
        if isinstance(step, AcknowledgeRecords):
            sharing.acknowledge(AcknowledgeType[step.way.name])
        elif isinstance(step, Poll | CommitPositions):
            sharing.accept_last()
        for served in outcome.fetches:
            turn = replace(self.turn(exchange, step, {}), served=served, held={**sharing.held})
            self.judge(turn)
            sharing.exchange(served)
        owed = tuple([one for one in sharing.owed_places(self.known.logs) if one in before])
        turn = replace(
            self.turn(exchange, step, {}),
            held={**sharing.held},
            owed=owed,
            last=sharing.last,
            idle=sharing.idle,
        )
        self.judge(turn)
        if isinstance(outcome, PollReturned):
            sharing.deliver(outcome)
            waited = exchange.elapsed_ms >= LONG_ENOUGH_MS
            if outcome.records or outcome.errors or not owed:
                sharing.idle = 0
            elif waited:
                sharing.idle += 1

    def _count_unreported(self, exchange: Exchange, outcome: PollReturned) -> None:
        """Count the polls that say nothing of a group that is full."""
        if outcome.refused and self.unreported is None:
            self.unreported = 0
        says_nothing = not (outcome.records or outcome.errors)
        if self.unreported is not None and says_nothing and exchange.elapsed_ms >= LONG_ENOUGH_MS:
            self.unreported += 1

    def _count_quiet(
        self, exchange: Exchange, before: tuple[Chunk, ...], outcome: ClientOutcome
    ) -> None:
        """Count for how long no request was sent though one could have been."""
        after = self.known.waiting_chunks()
        busy = {one.partition for one in (*before, *after)}
        idle = self.known.tracks.keys() - busy - self.known.paused
        spoiled = any(track.spoiled for track in self.known.tracks.values())
        moving = any(not move.is_followed for move in self.known.moves.values())
        if outcome.fetches or spoiled or moving or not (before and after and idle):
            self.quiet_since = None
        elif self.quiet_since is None:
            self.quiet_since = exchange.sent_ms
        self.quiet_ms = 0.0 if self.quiet_since is None else exchange.answered_ms - self.quiet_since

    def _lose(self, outcome: ClientOutcome) -> None:
        """The client may choose its position in some partitions itself."""
        reset = outcome.reset if isinstance(outcome, PollReturned) else ()
        for partition in {
            *reset,
            *out_of_range_partitions(outcome.fetches),
        } & self.known.tracks.keys():
            self.unsure[partition] = UNSURE_POLLS
            self.begin(partition, None)

    def _read_elsewhere(self, partition: int) -> None:
        if partition in self.known.tracks:
            self.begin(partition, None)
        self.unsure[partition] -= 1
        if not self.unsure[partition]:
            del self.unsure[partition]

    def change(self, step: Step, outcome: StepDone, now: float) -> None:
        """Follow what the application changed, ms after the start."""
        if self.shares:
            return
        failed = bool(outcome.errors)
        match step:
            case AssignPartitions() if not failed:
                self._assign(step.partitions)
            case SubscribeTopics() if not failed:
                self._assign(tuple(self.known.logs))
            case PausePartitions() if not failed:
                self.known.pause(step.partitions)
            case ResumePartitions():
                self.known.resume(step.partitions, now)
            case SeekTo() if step.partition in self.known.tracks:
                self.unsure.pop(step.partition, None)
                self.known.truncated.pop(step.partition, None)
                self.begin(step.partition, None if failed else step.offset, now)
            case CloseClient():
                self.close_all()
                self.is_closed = True

    def _assign(self, partitions: tuple[int, ...]) -> None:
        for partition in tuple(self.known.tracks):
            if partition not in partitions:
                self.close([self.known.end(partition)])
        for partition in partitions:
            self.known.truncated.pop(partition, None)
            first = partition not in self.ever
            self.begin(partition, self.known.logs[partition].start if first else None)
        self.known.paused &= {*partitions}
        self.ever |= {*partitions}

    def stage(self, exchange: Exchange, step: StageStep, outcome: StepDone) -> None:
        """The server does something otherwise from now on."""
        if isinstance(step, TruncateLog):
            self.see(exchange, step, outcome)
            self.close(self.known.truncate(step))
        elif isinstance(step, FailPartition) and step.responses == FOR_GOOD:
            self.known.failing.add(step.partition)
        elif isinstance(step, DamageBatch):
            self.known.damage(step)
        elif isinstance(step, MoveLeader):
            self.known.move(step.partition, step.node)

    def write(self, step: Append | DeleteRecords) -> None:
        """A batch was taken, or the log start was moved."""
        log = self.known.logs[step.partition]
        self.known.logs[step.partition] = (
            log.with_batch(step.batch) if isinstance(step, Append) else log.deleted_to(step.offset)
        )
        self.known.note_damage(step.partition)


def judge(scenario: Scenario, observation: Observation, semantics: Semantics) -> Judgement:
    """What each clause says of one history."""
    del semantics
    if observation.broken is not None:
        return Judgement((infrastructure(Outcome.INCONCLUSIVE, observation.broken),))
    progress = _Progress(scenario)
    ended: Verdict | None = None
    for exchange in observation.exchanges:
        if isinstance(exchange.outcome, NotSent) and progress.results.held:
            continue
        step = scenario.steps[exchange.step]
        ended = stopped_by(exchange.outcome) or _step(progress, step, exchange)
        if ended is not None or isinstance(exchange.outcome, NOTHING_CAME):
            break
    progress.close_all()
    return progress.results.judgement(ended)


def _step(progress: _Progress, step: Step, exchange: Exchange) -> Verdict | None:
    """Judge one step; the verdict on all clauses where nothing can be said from here on."""
    outcome = exchange.outcome
    if isinstance(step, Append | DeleteRecords):
        if not isinstance(outcome, AppendAnswer) or outcome.error:
            return step_failed(exchange.step, step.name, str(outcome))
        progress.write(step)
        return None
    if isinstance(step, StageStep):
        if not isinstance(outcome, StepDone):
            return step_failed(exchange.step, step.name, str(outcome))
        progress.stage(exchange, step, outcome)
        return None
    if isinstance(step, StartClient):
        progress.start(step)
    if isinstance(outcome, NOTHING_CAME):
        progress.judge(progress.turn(exchange, step, progress.known.places()))
        return None
    if not isinstance(outcome, ClientOutcome):
        return step_failed(exchange.step, step.name, str(outcome))
    progress.see(exchange, step, outcome)
    if isinstance(outcome, StepDone):
        progress.change(step, outcome, exchange.answered_ms)
    return None
