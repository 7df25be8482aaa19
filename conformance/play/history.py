"""One scenario while it is played: the same clock, order, connections, evidence and ending for
every subject.
"""

from __future__ import annotations

import asyncio
import math
from abc import ABC, abstractmethod
from collections import defaultdict
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from conformance.cluster import MissingApiError
from conformance.placement.problem import PlacementFailed, TookTooLong
from conformance.play.connection import AsyncConnection
from conformance.play.restarts import CannotRestart, SharedRestart
from conformance.play.silence import SILENCE_S, answers_control, observed_end
from conformance.play.steps import log_outcome, log_request
from conformance.wire import outcomes
from conformance.wire.sizing import NoSuchBatchError
from spec.frozen import frozen, replace
from spec.kafka import error_name
from spec.observation import Exchange, Observation
from spec.outcomes import Garbled, NotReady, NotSent, Outcome
from spec.steps import Append, DeleteRecords
from spec.waiting import with_delay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from conformance.cluster import Cluster
    from conformance.ledger import Kind
    from conformance.placement.placed_partition import Placed
    from conformance.play.connection import Sent
    from conformance.play.request import Request
    from conformance.play.restarts import Config, Restarted
    from spec.scenario import Scenario
    from spec.steps import Step


@frozen
class Retry:
    """A request that is sent again.

    Attributes:
        step: what is asked then.
        pause_s: how long is waited before.
        kept: the answer so far is evidence too; otherwise only the last one counts.
    """

    step: Step
    pause_s: float
    kept: bool = True


@frozen
class Acted:
    """The outcome of a step that was done at another time than when it was begun, in seconds of the
    monotonic clock.
    """

    outcome: Outcome
    sent: float
    answered: float


def no_delay(_: float) -> float:
    """No delay, where none is measured."""
    return 0.0


class Inconclusive(Exception):  # noqa: N818 - it describes the scenario
    """Nothing can be said of the broker by this scenario."""


class ClosedAsIdle(Exception):  # noqa: N818 - it describes the connection
    """The broker closed a connection that was idle, and gave back what was held over it."""


SESSION_OVER = (
    "the session that the broker granted was over while a request was under way "
    "(connections.max.reauth.ms, or the lifetime of a token)"
)
CLOSED_AS_IDLE = (
    "the broker closed a connection while it was idle (connections.max.idle.ms), and with it what "
    "was held over it"
)
COMING_UP_S = 30.0
"""How long a coordinator may answer that it is loading, or that it is not there, seconds."""
SOON_S, LATER_S = 0.015, 0.5
"""How long before it is asked again, seconds: at first, and at most."""
UNDONE = (outcomes.NotConnected, outcomes.NoAnswer, PlacementFailed)
"""What a broker that is still there did not do: it lacks that, and the next scenario is played."""
NAMED = (Inconclusive, CannotRestart, *UNDONE)
"""Failures whose text says enough."""


@dataclass(slots=True)
class _Parked:
    """A request that the next step does not wait for."""

    request: Request
    connection: AsyncConnection
    sent: Sent


@dataclass
class History(ABC):
    """A scenario that is played once. A subject says how a step is asked, how an answer reads, and
    what other steps do.

    Attributes:
        cluster: whom to ask; another one after a restart.
        scenario: what is played.
        placed: where its layout lies; None where it needs none.
        restart: how the broker is restarted, together with the histories that are played side by
            side; None where it can't be.
        client_id: what all requests carry; None for the suite's own.
        delay_s: gives the longest delay of plain requests beside it since a moment of the monotonic
            clock, in seconds.
        started: when it began, in seconds of the monotonic clock.
        stopped: nothing more is begun.
        elapsed_s: how long the last answer took, when it is decided whether to ask again.
    """

    cluster: Cluster
    scenario: Scenario
    placed: Placed | None = None
    restart: SharedRestart | None = None
    client_id: str | None = None
    delay_s: Callable[[float], float] = no_delay
    started: float = 0.0
    stopped: bool = False
    elapsed_s: float = 0.0
    _connections: dict[int, AsyncConnection] = field(init=False, default_factory=dict)
    _exchanges: dict[int, list[Exchange]] = field(
        init=False, default_factory=lambda: defaultdict(list)
    )
    _parked: dict[int, _Parked] = field(init=False, default_factory=dict)
    _released: list[asyncio.Event] = field(init=False, default_factory=list)
    _done: list[asyncio.Event] = field(init=False, default_factory=list)
    _stop: asyncio.Event = field(init=False, default_factory=asyncio.Event)
    _in_ledger: set[tuple[Kind, str]] = field(init=False, default_factory=set)

    in_order: ClassVar[bool] = True
    """Whether a step waits for the one before it over all actors, unless that one is parked, or
    only for those of its own actor.
    """
    holds_by_connection: ClassVar[bool] = False
    """Whether a broker gives back what an actor holds when the actor's connection is closed."""

    # What a subject says

    def sends(self, step: Step) -> bool:
        """Whether a step is a single request of its actor."""
        del step
        return True

    @abstractmethod
    def request(self, step: Step) -> Request | NotSent | None:
        """Make a step's request; None for a step that is no single request of its actor."""

    @abstractmethod
    def outcome(self, step: Step, request: Request, answer: outcomes.Answer) -> Outcome:
        """Read an answer.

        Raises:
            KeyError, IndexError, TypeError, NoAnswer: it lacks something.
        """

    @abstractmethod
    def continues(self, step: Step, outcome: Outcome) -> bool:
        """Whether further steps are begun after this outcome."""

    async def act(self, number: int, step: Step) -> Outcome | Acted:
        """Do a step that is no single request."""
        del number
        return NotSent(f"{step.name} is no step of {self.scenario.subject}")

    async def prepare(self, step: Step) -> None:
        """Do what must be done before a request is made: its actor's connection is open then."""
        await self.connection(self.actor(step))

    def retry(
        self, step: Step, request: Request, outcome: Outcome, waited_s: float
    ) -> Retry | None:
        """Say whether a request is sent again that was answered so many seconds after it was first
        sent.
        """
        del step, request, outcome, waited_s
        return None

    def coming_up(self, step: Step, outcome: Outcome) -> int:
        """The error by which an answer says that a coordinator, or what it needs, is still to come
        up: the request is sent again for `COMING_UP_S`. 0 where it says nothing of the kind.
        """
        del step, outcome
        return 0

    def actor(self, step: Step) -> int:
        """Which actor does a step."""
        return step.actor

    def cluster_of(self, actor: int) -> Cluster:
        """The broker that an actor asks, as a cluster; most ask the same."""
        del actor
        return self.cluster

    async def finish(self) -> None:  # noqa: B027 - most leave nothing
        """Leave the broker as it was."""

    # What it does by itself

    def will_make(self, kind: Kind, name: str) -> None:
        """Have what the next request makes on the cluster in its ledger, once a history."""
        if (kind, name) not in self._in_ledger:
            self._in_ledger.add((kind, name))
            self.cluster.ledger.will_make(kind, name)

    async def play(self) -> Observation:
        """Play it.

        What the broker does is in the observation. Where an actor fails, or the broker can't be
        reached, it is `broken`.
        """
        self.started = monotonic()
        by_actor: dict[int, list[int]] = defaultdict(list)
        for number, step in enumerate(self.scenario.steps):
            by_actor[self.actor(step)].append(number)
        self._released = [asyncio.Event() for _ in self.scenario.steps]
        self._done = [asyncio.Event() for _ in self.scenario.steps]
        broken: str | None = None
        try:
            if not self.in_order:
                await self._connect_all(by_actor)
            async with asyncio.TaskGroup() as group:
                for numbers in by_actor.values():
                    group.create_task(self._act(numbers))
            self._look_for_idle_ones()
            await self._finish()
        except* Exception as failed:  # noqa: BLE001 - whatever fails, nothing can be said of the broker
            broken = _why(failed)
        finally:
            self._close()
        found = [
            exchange for number in sorted(self._exchanges) for exchange in self._exchanges[number]
        ]
        return Observation(tuple(found), broken, self.delay_ms)

    @property
    def delay_ms(self) -> float:
        """The longest delay that was measured since it began, see `Observation`."""
        return round(self.delay_s(self.started) * 1000, 3)

    def _look_for_idle_ones(self) -> None:
        """Nothing is said of a history some of whose connections were closed as idle, where that
        gave back what was held over them.
        """
        if self.holds_by_connection and any(
            one.closed_as_idle for one in self._connections.values()
        ):
            last, now = len(self.scenario.steps) - 1, monotonic()
            began = ended = (now - self.started) * 1000
            self._exchanges[last] = [Exchange(last, NotReady(CLOSED_AS_IDLE), began, ended)]

    async def connection(self, actor: int) -> AsyncConnection:
        """Give an actor's connection, which is opened where it has none, and authenticated again
        where its session is nearly over. One that was closed as idle is opened again.

        Raises:
            NotConnected, NoAnswer: the broker is gone.
            ClosedAsIdle: it was, and what was held over it is not known.
        """
        known = self._connections.get(actor)
        closed_as_idle = known is not None and known.closed_as_idle
        if closed_as_idle and self.holds_by_connection:
            raise ClosedAsIdle
        if known is None or closed_as_idle or (self.in_order and not known.alive):
            if known is not None:
                known.close()
            known = self._connections[actor] = await AsyncConnection.open(
                self.cluster_of(actor), SILENCE_S, self.client_id
            )
        await known.renew(self.cluster_of(actor), SILENCE_S)
        return known

    def drop(self, actor: int) -> None:
        """Close an actor's connection without a request."""
        if (connection := self._connections.pop(actor, None)) is not None:
            connection.close()

    async def restart_broker(self, number: int, config: Config | None) -> Restarted:
        """Wait until all that is under way is answered, and for the broker's restart together with
        the other histories.

        The broker stops while the connections are open: one that is closed before gives back what
        was held on it. Later ones go to the restarted broker.

        Raises:
            CannotRestart: this broker can't be restarted, or others wait for other settings.
        """
        if self.restart is None:
            raise CannotRestart("this system can't be restarted here")
        self._await_parked()
        for earlier in self._done[:number]:
            await earlier.wait()
        try:
            restarted = await self.restart.wait(config)
        finally:
            self._close()
        self.cluster = restarted.cluster
        return restarted

    async def _connect_all(self, actors: Iterable[int]) -> None:
        """Open all actors' connections before the first step is due."""
        try:
            for actor in actors:
                await self.connection(actor)
        except outcomes.NotConnected as refused:
            if not await answers_control(self.cluster):
                raise
            self._note(0, self.scenario.steps[0], NotSent(str(refused)), monotonic(), monotonic())
        self.started = monotonic()

    async def _finish(self) -> None:
        """Leave the broker as it was, as far as it lets us: its ledger has the rest."""
        try:
            await self.finish()
        except MissingApiError:
            pass
        except UNDONE:
            if not await answers_control(self.cluster):
                raise

    async def _act(self, numbers: list[int]) -> None:
        """Do an actor's steps, one after the other."""
        for number in numbers:
            step = self.scenario.steps[number]
            try:
                await self._due(number, step)
                if self.stopped:
                    return
                await self._do(number, step)
            except NAMED:
                raise
            except Exception as failed:
                why = (
                    f"step {number} ({step.name}, actor {step.actor}) failed: "
                    f"{type(failed).__name__}: {failed}"
                )
                raise Inconclusive(why) from failed
            self._done[number].set()
            self._release(number)

    async def _due(self, number: int, step: Step) -> None:
        """Wait for what a step waits for."""
        if self.in_order:
            if number:
                await self._released[number - 1].wait()
            return
        late = self.started + getattr(step, "after_ms", 0) / 1000 - monotonic()
        if late > 0:
            try:
                async with asyncio.timeout(late):
                    await self._stop.wait()
            except TimeoutError:
                pass

    async def _do(self, number: int, step: Step) -> None:
        """Do a step; one whose batch can't be made, or that the broker can't do though it is still
        there, ends the history, as one that was not sent.
        """
        try:
            await self._do_made(number, step)
        except NoSuchBatchError as unmade:
            why = f"step {number} ({step.name}): {unmade}"
            self._note(number, step, NotSent(why, impossible=True), monotonic(), monotonic())
        except MissingApiError as missing:
            self._note(number, step, NotSent(str(missing)), monotonic(), monotonic())
        except ClosedAsIdle:
            self._note(number, step, NotReady(CLOSED_AS_IDLE), monotonic(), monotonic())
        except UNDONE as undone:
            if not await answers_control(self.cluster_of(self.actor(step))):
                raise
            self._note(number, step, _undone(step, undone), monotonic(), monotonic())

    async def _do_made(self, number: int, step: Step) -> None:
        if self.sends(step):
            await self.prepare(step)
        request = self._request(step)
        if isinstance(request, NotSent):
            self._note(number, step, request, monotonic(), monotonic())
        elif request is None:
            sent = monotonic()
            done = await self.act(number, step)
            acted = done if isinstance(done, Acted) else Acted(done, sent, monotonic())
            self._note(number, step, acted.outcome, acted.sent, acted.answered)
        else:
            await self._ask(number, step, request)

    async def _ask(self, number: int, step: Step, request: Request) -> None:
        """Send a step's request, again and again where it is patient, and note what becomes of it.

        An answer is read as soon as it is there: what is sent later carries what it says.
        """
        first: float | None = None
        while True:
            read: list[Outcome] = []
            connection = self._connections[self.actor(step)]
            sent = self._send(number, step, request, read)
            answered = await sent.answered
            self._parked.pop(self.actor(step), None)
            if isinstance(answered, outcomes.Answer):
                outcome, at = read[0], answered.received_at
            elif isinstance(answered, outcomes.Closed) and connection.is_stale:
                outcome, at = NotReady(SESSION_OVER), answered.at
            else:
                asked = self.cluster_of(self.actor(step))
                outcome, at = (
                    await observed_end(asked, answered, request.max_wait_s),
                    answered.at,
                )
            self.elapsed_s = at - sent.ticket.sent_at
            first = sent.ticket.sent_at if first is None else first
            error = self.coming_up(step, outcome)
            if error and at - first >= COMING_UP_S:
                why = (
                    f"{step.name}: expected its coordinator to have come up within "
                    f"{COMING_UP_S:.0f} s, found {error_name(error)}"
                )
                outcome, error = NotReady(why), 0
            retry = (
                Retry(step, min(max(SOON_S, (at - first) / 10), LATER_S), kept=False)
                if error
                else self.retry(step, request, outcome, at - first)
            )
            if retry is None or retry.kept:
                self._note(number, step, outcome, sent.ticket.sent_at, at)
            if retry is None:
                return
            await asyncio.sleep(retry.pause_s)
            step = retry.step
            await self.prepare(step)
            again = self._request(step)
            assert again is not None
            assert not isinstance(again, NotSent)
            request = replace(again, within_s=min(again.within_s, again.awaited_s))

    def _send(self, number: int, step: Step, request: Request, read: list[Outcome]) -> Sent:
        """Send a request on its actor's connection; what its answer says will be in `read`."""

        def take(answered: outcomes.Outcome) -> None:
            if isinstance(answered, outcomes.Answer):
                read.append(self._read(step, request, answered))

        connection = self._connections[self.actor(step)]
        last = number + 1 == len(self.scenario.steps)
        within_s = min(request.within_s, request.finally_s) if last else request.within_s
        sent = connection.send(request.api, request.version, request.value, within_s, take)
        self.cluster.belongs(sent.ticket, number)
        if request.parked:
            self._parked[self.actor(step)] = _Parked(request, connection, sent)
            self._release(number)
            if self.stopped:
                self._await_parked()
        return sent

    def _request(self, step: Step) -> Request | NotSent | None:
        if isinstance(step, Append | DeleteRecords) and self.placed is not None:
            return log_request(
                self.cluster, step, self.placed.placed_partitions[step.partition], SILENCE_S
            )
        return self.request(step)

    def _read(self, step: Step, request: Request, answer: outcomes.Answer) -> Outcome:
        try:
            if isinstance(step, Append | DeleteRecords) and self.placed is not None:
                return log_outcome(
                    step, self.placed.placed_partitions[step.partition], answer, request
                )
            return self.outcome(step, request, answer)
        except (KeyError, IndexError, TypeError) as missing:
            return Garbled(f"the answer lacks {missing}")
        except outcomes.NoAnswer as wrong:
            return Garbled(str(wrong.outcome))

    def _note(
        self, number: int, step: Step, outcome: Outcome, sent: float, answered: float
    ) -> None:
        """Keep what became of a step; an outcome after which nothing more is to be done ends the
        history.
        """
        began, ended = (sent - self.started) * 1000, (answered - self.started) * 1000
        self._exchanges[number].append(Exchange(number, outcome, began, ended))
        ends = isinstance(outcome, NotReady) or not self.continues(step, outcome)
        if not self.stopped and ends:
            self.stopped = True
            self._stop.set()
            for event in self._released:
                event.set()
            self._await_parked()

    def _release(self, number: int) -> None:
        """The next step need not wait for this one any more."""
        if self._released[number].is_set():
            return
        self._released[number].set()
        if number + 1 == len(self._released):
            self._await_parked()
        elif (parked := self._parked.get(self.actor(self.scenario.steps[number + 1]))) is not None:
            parked.connection.expire(parked.sent, parked.request.awaited_s)

    def _await_parked(self) -> None:
        """Everything else is over: from now on, parked requests are waited for, longer on a slow
        machine.
        """
        for parked in self._parked.values():
            if parked.request.finally_s < math.inf:
                finally_s = with_delay(parked.request.finally_s, self.delay_s(self.started))
                parked.connection.expire(parked.sent, finally_s)

    def _close(self) -> None:
        for actor in list(self._connections):
            self.drop(actor)


def not_ready(why: str) -> Observation:
    """The observation of a play that did not begin, since what it needs was not ready in time."""
    return Observation((Exchange(0, NotReady(why)),))


def _undone(step: Step, undone: Exception) -> Outcome:
    """The outcome of a step that the broker, which is still there, did not do: what only took too
    long can be done here, maybe.
    """
    silent = isinstance(undone, outcomes.NoAnswer) and isinstance(undone.outcome, outcomes.Silent)
    if silent or isinstance(undone, TookTooLong):
        return NotReady(f"{step.name}: {undone}")
    return NotSent(f"{step.name} can't be done here: {undone}")


def _why(failed: BaseExceptionGroup[Exception]) -> str:
    """The end of a history: the first failure in a group, which cancelled the others."""
    found: BaseException = failed
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    if isinstance(found, outcomes.NotConnected | outcomes.NoAnswer):
        return f"the broker is gone: {found}"
    return str(found) if isinstance(found, NAMED) else f"{type(found).__name__}: {found}"
