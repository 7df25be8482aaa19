"""The observer of fetches: their part of the search for a history that explains best what was seen.

A broker reads the partitions of a fetch one after the other, so a fetch has no one moment: of each
partition it shows one version of the log. The versions of a partition follow each other, one for
each write, and a fetch shows none older than a fetch that was answered before it was sent.
Partitions bind each other in nothing: a fetch may show a later write of a connection to one
partition and not yet an earlier one to another.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from math import inf

from spec.fetch.chapters import CLAUSES
from spec.fetch.clauses.rotation import unserved_after
from spec.fetch.model.session import (
    Admission,
    Cached,
    Mode,
    Session,
    admissions,
    admit,
    session_after,
)
from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
from spec.fetch.scenarios import changes_log
from spec.fetch.steps import OWN, Fetch
from spec.fetch.turn import Turn, turn_of
from spec.fetch.writes import LogVersion, Write, Writes, writes_of
from spec.frozen import frozen, replace
from spec.judgement import (
    Clauses,
    Judgement,
    infrastructure,
    reading_results,
    step_failed,
    stopped_by,
)
from spec.kafka import Error, error_name
from spec.log import Log, logs_of
from spec.observation import Exchange, Observation
from spec.observer import Move, Reading, judge_history
from spec.outcomes import AppendAnswer
from spec.requirement_set import clauses_in
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.steps import Step, in_words
from spec.verdict import Outcome, Verdict


@cache
def _clauses(release: str) -> Clauses[Turn]:
    return Clauses(clauses_in(CLAUSES, release))


def judge(scenario: Scenario, observation: Observation, semantics: Semantics) -> Judgement:
    """Judge one play of a scenario of fetches.

    What comes after a step that failed, or a fetch without an answer, is not judged: nothing is
    known of what that did.
    """
    if observation.broken is not None:
        return Judgement((infrastructure(Outcome.INCONCLUSIVE, observation.broken),))
    logs = logs_of(scenario.layout)
    if len(scenario.steps) == 1 == len(observation.exchanges):
        fetch, exchange = scenario.steps[0], observation.exchanges[0]
        if isinstance(fetch, Fetch) and isinstance(exchange.outcome, FetchAnswer):
            return _judge_one(fetch, exchange, logs, semantics, (), observation.delay_ms)
    events: list[Event] = []
    for exchange in observation.exchanges:
        step = scenario.steps[exchange.step]
        if (stopped := _ending_verdict(step, exchange)) is not None:
            return _judge_history(scenario, observation, semantics, events, logs, (stopped,))
        if isinstance(step, Fetch):
            events.append(Event(step, exchange))
            if not isinstance(exchange.outcome, FetchAnswer):
                break
    return _judge_history(scenario, observation, semantics, events, logs, ())


def _judge_history(
    scenario: Scenario,
    observation: Observation,
    semantics: Semantics,
    events: Sequence["Event"],
    logs: Mapping[int, Log],
    stopped: tuple[Verdict, ...],
) -> Judgement:
    writes = writes_of(scenario, observation) if changes_log(scenario) else ()
    if len(events) == 1 and not writes:
        fetch, exchange = events[0].fetch, events[0].exchange
        return _judge_one(fetch, exchange, logs, semantics, stopped, observation.delay_ms)
    following = ObservedFetches(events, writes, logs, semantics, observation.delay_ms)
    return judge_history(following, _clauses(semantics.release), stopped)


def _judge_one(
    fetch: Fetch,
    exchange: Exchange,
    logs: Mapping[int, Log],
    semantics: Semantics,
    stopped: tuple[Verdict, ...],
    delay_ms: float,
) -> Judgement:
    """Judge a single fetch of logs that nothing writes to, first as Apache Kafka takes it. Only
    where it names a partition twice are there other ways to take it.
    """
    admission, clauses = admit(fetch, None), _clauses(semantics.release)
    turn = turn_of(
        fetch,
        admission,
        semantics,
        logs,
        exchange.outcome,
        exchange.answered_ms - exchange.sent_ms,
        delay_ms=delay_ms,
    )
    found = Judgement(clauses.verdicts(turn) + stopped, reading_results(clauses.fits(turn)))
    if len(admission.asks) == len(fetch.partitions) or _is_unbroken(found):
        return found
    following = ObservedFetches([Event(fetch, exchange)], (), logs, semantics, delay_ms)
    return judge_history(following, clauses, stopped)


def _is_unbroken(found: Judgement) -> bool:
    """Whether nothing is broken in a history and each reading fits: none explains more."""
    return not found.breaks and all(fits for _, _, fits in found.readings)


def _ending_verdict(step: Step, exchange: Exchange) -> Verdict | None:
    """The verdict on all clauses where a step was not answered as the rest needs it."""
    outcome = exchange.outcome
    if isinstance(outcome, FetchAnswer) and isinstance(step, Fetch):
        return None
    if (stopped := stopped_by(outcome)) is not None:
        return stopped
    if not isinstance(step, Fetch) and not (
        isinstance(outcome, AppendAnswer) and outcome.error == 0
    ):
        found = (
            error_name(outcome.error)
            if isinstance(outcome, AppendAnswer)
            else in_words(type(outcome))
        )
        return step_failed(exchange.step, step.name, found)
    return None


@frozen
class Event:
    """A fetch and what became of it."""

    fetch: Fetch
    exchange: Exchange

    @property
    def sent(self) -> float:
        """The time at which it was sent, ms."""
        return self.exchange.sent_ms

    @property
    def end(self) -> float:
        """The time of its answer, ms; infinite where none came."""
        return self.exchange.answered_ms if isinstance(self.exchange.outcome, FetchAnswer) else inf

    @property
    def line(self) -> int | None:
        """Its connection."""
        return self.fetch.actor


def _after(one: Event, other: Event) -> bool:
    """Whether the other fetch counts as later: sent after the answer, or on the same connection."""
    same = one.line == other.line and one.exchange.step < other.exchange.step
    return one.end < inf and (same or other.sent > one.end)


@frozen
class LogVersions:
    """The versions of one partition, as far as fetches have shown them.

    Attributes:
        applied: numbers of the writes, in the order in which they have had their effect.
        floors: by the number of each fetch that is still to arrive, how many of these writes it
            shows at least.
    """

    applied: tuple[int, ...]
    floors: tuple[int, ...]

    def show(self, version: LogVersion, number: int, later: Sequence[bool]) -> "LogVersions":
        """The chain after a fetch has shown a version.

        Args:
            version: which.
            number: the fetch's.
            later: for each fetch, whether it was sent after this one was answered.
        """
        bound = [
            max(floor, version.read) if after else floor
            for floor, after in zip(self.floors, later, strict=True)
        ]
        bound[number] = 0
        return LogVersions(version.applied, tuple(bound))


def _shows(
    version: LogVersion,
    writes: Writes,
    fetch: Fetch,
    got: PartitionAnswer | None,
    kept: Cached | None,
) -> int:
    """The fit of an answer to a version: 2 by its offsets, 1 by its records alone, 0
    not at all.

    A partition that is left out shows what the session reported of it last; one that is out of
    range shows that.
    """
    moments = writes.moments(version)
    read = moments[-1]
    if got is None:
        return 2 if kept is not None and _was_reported(moments[0], kept) else 0
    if got.error:
        in_range = read.in_range(_asked_offset(writes.partition, fetch, kept))
        return 2 if in_range == (got.error != Error.OFFSET_OUT_OF_RANGE) else 0
    ends = bool(got.batches) and got.batches[-1].last + 1 == read.end
    still = moments[0] == read
    if _reports(got, moments):
        return 2 if ends or still else 0
    return 1 if ends and still else 0


def _was_reported(log: Log, kept: Cached) -> bool:
    """Whether a session reported the partition as this log has it."""
    return (log.end, log.start) == (kept.high_watermark, kept.log_start)


def _asked_offset(partition: int, fetch: Fetch, kept: Cached | None) -> int:
    """The offset from which a fetch reads a partition: the one that it names last, otherwise the
    session's.
    """
    offsets = [part.offset for part in fetch.partitions if part.partition == partition]
    if offsets:
        return offsets[-1]
    return 0 if kept is None else kept.ask.offset


def _reports(got: PartitionAnswer, moments: Sequence[Log]) -> bool:
    """Whether an answer has offsets of these moments; before a log's start nothing is known of the
    last stable one.
    """
    return (
        got.high_watermark in {log.end for log in moments}
        and any(
            log.undecided < log.start or got.last_stable_offset == log.stable for log in moments
        )
        and got.log_start_offset in {None, *[log.start for log in moments]}
    )


@frozen
class ObservedState:
    """The state that fetches have shown so far: the versions of each partition that is written to,
    and the session.
    """

    chains: tuple[LogVersions, ...]
    session: Session | None = None


class ObservedFetches:
    """An observation of fetches, and the moves by which a broker may have come to it.

    Args:
        events: the fetches, in the order of the scenario's steps.
        writes: what was written meanwhile.
        logs: the partitions before.
        semantics: the decisions in force.
        delay_ms: the longest delay that was measured meanwhile, see `Observation`.
    """

    by_turns = False

    def __init__(
        self,
        events: Sequence[Event],
        writes: Sequence[Write],
        logs: Mapping[int, Log],
        semantics: Semantics,
        delay_ms: float = 0.0,
    ) -> None:
        self.events = events
        self._delay_ms = delay_ms
        self._logs = logs
        self._semantics = semantics
        written = sorted({write.partition for write in writes})
        self._written = [
            Writes(logs[number], [write for write in writes if write.partition == number])
            for number in written
        ]
        self._place = {number: place for place, number in enumerate(written)}
        self._later = [[_after(one, other) for other in events] for one in events] if writes else []
        self.start = ObservedState(tuple([LogVersions((), (0,) * len(events))] * len(written)))

    def arrive(
        self, past: ObservedState, number: int, _: float
    ) -> Iterator[Move[ObservedState, Turn]]:
        """The fetch with each choice of versions that it may have met, those first that it shows
        of.
        """
        for admission in admissions(self.events[number].fetch, past.session):
            yield from self._moves_of_fetch(past, number, admission)
            if admission.mode is Mode.INCREMENTAL and self._may_be_overtaken(number):
                yield from self._moves_of_fetch(past, number, replace(admission, overtaken=True))

    def _may_be_overtaken(self, number: int) -> bool:
        """Whether a fetch is answered as one that waited while its session took the next one on."""
        event = self.events[number]
        outcome = event.exchange.outcome
        return (
            isinstance(outcome, FetchAnswer)
            and outcome.error == Error.INVALID_FETCH_SESSION_EPOCH
            and any(
                other.fetch.session == OWN
                and other.fetch.epoch > event.fetch.epoch
                and other.sent < event.end
                and not _after(other, event)
                for other in self.events
            )
        )

    def _moves_of_fetch(
        self, past: ObservedState, number: int, admission: Admission
    ) -> Iterator[Move[ObservedState, Turn]]:
        places = [
            self._place[ask.partition] for ask in admission.asks if ask.partition in self._place
        ]
        choices = [self._versions(past, number, place) for place in places]
        for versions in product(*choices):
            yield self._move_of_answer(
                past, number, admission, dict(zip(places, versions, strict=True))
            )

    def hidden_moves(
        self, _: ObservedState, __: float, ___: float
    ) -> Iterator[Move[ObservedState, Turn]]:
        """None: here only a scenario's writes change a log, not retention and no timer."""
        return iter(())

    def unlawful(
        self, _: ObservedState, __: frozenset[int], ___: float
    ) -> Iterator[Move[ObservedState, Turn]]:
        """None: an answer is taken whenever it comes, so that none came too early."""
        return iter(())

    def fits(self, turn: Turn) -> Mapping[Reading, bool]:
        """By clause and reading: whether a fetch fits it, where the readings differ."""
        return _clauses(self._semantics.release).fits(turn)

    def _versions(self, past: ObservedState, number: int, place: int) -> list[LogVersion]:
        """The versions of a partition that a fetch may have met: those that its answer shows, and
        the oldest of all.

        Of versions that it does not show the oldest binds later fetches the least, so that no other
        one explains more.
        """
        event, writes, chain = self.events[number], self._written[place], past.chains[place]
        found = writes.versions(chain.applied, chain.floors[number], event.fetch, event.exchange)
        outcome = event.exchange.outcome
        answered = outcome.partitions if isinstance(outcome, FetchAnswer) else ()
        got = next((one for one in answered if one.partition == writes.partition), None)
        cached = () if past.session is None else past.session.cached
        kept = next((one for one in cached if one.ask.partition == writes.partition), None)
        shown = {
            version: 2 * _shows(version, writes, event.fetch, got, kept)
            - (version.reported != version.read)
            for version in found
        }
        oldest = min([version.read for version in found])
        likely = [version for version in found if shown[version] > 0]
        rest = [one for one in found if shown[one] <= 0 and one.reported == one.read == oldest]
        return [*sorted(likely, key=lambda one: -shown[one]), *rest]

    def _move_of_answer(
        self,
        past: ObservedState,
        number: int,
        admission: Admission,
        chosen: Mapping[int, LogVersion],
    ) -> Move[ObservedState, Turn]:
        event, logs, moments = self.events[number], dict(self._logs), {}
        chains = list(past.chains)
        for place, version in chosen.items():
            writes = self._written[place]
            logs[writes.partition] = writes.log(version.applied[: version.read])
            moments[writes.partition] = writes.moments(version)
            chains[place] = chains[place].show(version, number, self._later[number])
        outcome = event.exchange.outcome
        turn = turn_of(
            event.fetch,
            admission,
            self._semantics,
            logs,
            outcome,
            event.exchange.elapsed_ms,
            moments=moments,
            delay_ms=self._delay_ms,
        )
        session = past.session
        if isinstance(outcome, FetchAnswer):
            session = _follow_session(turn, outcome, session)
        return Move(ObservedState(tuple(chains), session), (turn,), frozenset([number]))


def _follow_session(turn: Turn, answer: FetchAnswer, session: Session | None) -> Session | None:
    """The session after an answer."""
    if turn.fetch.session != OWN and turn.fetch.epoch:
        return session
    before = turn.admission.before
    if answer.error == Error.FETCH_SESSION_ID_NOT_FOUND and before is not None:
        return None
    followed = session_after(turn.admission, turn.fetch, answer.session, answer.partitions)
    if followed is None or before is None or followed is before:
        return followed
    if turn.fetch.epoch <= 0:
        return followed
    return replace(followed, unserved=unserved_after(turn, followed))
