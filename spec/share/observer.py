"""The observer of share groups: their part of the search for a history that explains best what was
observed.

An exchange is put beside each state that it may have met: locks may have run out by then, closed
sessions may have given back what they held, and exchanges that were under way at the same time may
have taken effect.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from spec.frozen import frozen, replace
from spec.judgement import (
    EVERY_CLAUSE,
    Clauses,
    Judgement,
    infrastructure,
    step_failed,
    stopped_by,
)
from spec.kafka import Error, error_name
from spec.observation import Exchange, Observation
from spec.observer import Move, judge_history
from spec.outcomes import AppendAnswer
from spec.requirement_set import clauses_in
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.share.chapters import CLAUSES
from spec.share.hidden import possible_states
from spec.share.model.session import epoch_after
from spec.share.model.state import State, initial_state
from spec.share.outcomes import Done, GroupChanged, ShareAcknowledgeAnswer, ShareFetchAnswer
from spec.share.steps import (
    DropConnection,
    GroupQuestion,
    ShareAcknowledge,
    ShareFetch,
    asked_again,
    line_of,
)
from spec.share.transitions import Way, moves
from spec.share.turn import Turn
from spec.share.waiting import Slowness, slowness
from spec.share.wake import Wake, wake_of
from spec.steps import Step, in_words
from spec.verdict import Outcome, Verdict

MOST_OVERLAPPING = 3
"""Requests under way at the same time and answered later, past which a history is inconclusive
rather than guessed at.
"""


@cache
def _clauses(release: str) -> Clauses[Turn]:
    return Clauses(clauses_in(CLAUSES, release))


@frozen
class ShareEvent:
    """One exchange of a share group's history.

    Attributes:
        exchange: what came of a step, and when.
        step: as it was sent.
        patience_over: it was the last try of a patient fetch.
        asked_ms: from the first sending of a patient fetch to the answer.
        alone: no other exchange was under way with it.
        active: members that send a request in it or later.
        judged: the play had not ended when its answer came; of any other nothing is known but that
            it was sent.
    """

    exchange: Exchange
    step: Step
    patience_over: bool
    asked_ms: float = 0.0
    alone: bool = True
    active: frozenset[int] = frozenset()
    judged: bool = True

    @property
    def sent(self) -> float:
        """Soon after it was sent, ms: an answer that was there by then was there before."""
        return math.nextafter(self.exchange.sent_ms, math.inf)

    @property
    def end(self) -> float:
        """The time of its answer, ms."""
        return self.exchange.answered_ms if self.judged else math.inf

    @property
    def line(self) -> int | None:
        """The connection; each member has one of its own."""
        return (
            line_of(self.step)
            if isinstance(self.step, ShareFetch | ShareAcknowledge | DropConnection)
            else None
        )


@frozen
class ShareHistory:
    """An observation of a share group, and how it may have come about; see
    `spec.observer.Observed`.

    Attributes:
        events: the exchanges, in the order of their answers.
        start: the state before them.
        semantics: the decisions in force.
        broker: the broker's configs that the scenario names.
        slowness: how slow the broker was, which says after how long what happens by itself is
            surely done.
    """

    events: Sequence[ShareEvent]
    start: State
    semantics: Semantics
    broker: Mapping[str, str]
    slowness: Slowness

    @property
    def by_turns(self) -> bool:
        """A row of deviations weighs less than one violation."""
        return False

    def arrive(self, state: State, number: int, now: float) -> Iterator[Move[State, Turn]]:  # noqa: ARG002 - times are the exchange's
        """Each way in which a step can have taken effect, in each state that it may have met."""
        event, answers = self.events[number], frozenset([number])
        if not event.judged:
            yield Move(state, (), answers)
        met = possible_states(
            state,
            event.exchange,
            self.semantics,
            self.broker,
            event.active,
            self.slowness.settle_ms,
        )
        quiet = event.alone and len(met) == 1
        wake = wake_of(state, event.step, event.exchange)
        for one in met:
            for turn, after in self._ways(one, event, quiet=quiet, wake=wake):
                yield Move(after, (turn,) if turn is not None and event.judged else (), answers)
            session = one.session(event.step.actor)
            if session is not None and self._is_overtaken(event):
                counted = replace(session, epoch=epoch_after(session.epoch))
                met_later = one.with_session(event.step.actor, counted)
                for turn, after in self._ways(met_later, event, quiet=quiet, wake=wake):
                    as_before = after.with_session(event.step.actor, session)
                    yield Move(as_before, (turn,) if turn is not None else (), answers)

    def _ways(self, state: State, event: ShareEvent, *, quiet: bool, wake: Wake) -> Iterator[Way]:
        return moves(
            state,
            event.step,
            event.exchange,
            self.semantics,
            self.broker,
            quiet=quiet,
            over=event.patience_over,
            asked_ms=event.asked_ms,
            slowness=self.slowness,
            wake=wake,
        )

    def _is_overtaken(self, event: ShareEvent) -> bool:
        """Whether a request was refused by its epoch while its session may have counted another one
        of the same member, which waited or was on its way over another connection.
        """
        sent, answered = event.exchange.sent_ms, event.exchange.answered_ms
        return (
            getattr(event.exchange.outcome, "error", 0) == Error.INVALID_SHARE_SESSION_EPOCH
            and event.line is not None
            and any(
                other.step.actor == event.step.actor
                and other.line not in {None, event.line}
                and other.exchange.sent_ms < answered
                and other.exchange.answered_ms > sent
                for other in self.events
            )
        )

    def hidden_moves(
        self,
        state: State,  # noqa: ARG002 - see `arrive`
        now: float,  # noqa: ARG002
        until: float,  # noqa: ARG002
    ) -> Iterator[Move[State, Turn]]:
        """Nothing alone: what happens by itself is looked at where an exchange may have met it."""
        yield from ()

    def unlawful(
        self,
        state: State,  # noqa: ARG002 - nothing to look at
        waiting: frozenset[int],  # noqa: ARG002
        now: float,  # noqa: ARG002
    ) -> Iterator[Move[State, Turn]]:
        """Nothing: each exchange takes in its own answer."""
        yield from ()

    def fits(self, turn: Turn) -> Mapping[tuple[str, str], bool]:
        """By clause and reading: whether the turn fits it."""
        return _clauses(self.semantics.release).fits(turn)


def judge(scenario: Scenario, observation: Observation, semantics: Semantics) -> Judgement:
    """Judge one play of a share group's history."""
    if observation.broken is not None:
        return Judgement((infrastructure(Outcome.INCONCLUSIVE, observation.broken),))
    events, stopped = _until_stopped(_events(scenario, observation))
    start, broker = initial_state(scenario), dict(scenario.config)
    slow = slowness(((one.step, one.exchange) for one in events), observation.delay_ms)
    history = ShareHistory(events, start, semantics, broker, slow)
    return judge_history(
        history, _clauses(semantics.release), [stopped] if stopped is not None else []
    )


def _events(scenario: Scenario, observation: Observation) -> list[ShareEvent]:
    """The exchanges in the order of their answers."""
    tries: dict[int, list[Exchange]] = {}
    for exchange in observation.exchanges:
        tries.setdefault(exchange.step, []).append(exchange)
    found = []
    for exchange in observation.exchanges:
        step, of_step = scenario.steps[exchange.step], tries[exchange.step]
        first, last = of_step[0], of_step[-1]
        over = (
            isinstance(step, ShareFetch)
            and exchange is last
            and _patience_over(step, first, exchange)
        )
        if isinstance(step, ShareFetch) and exchange is not first:
            step = asked_again(step)
        found.append(ShareEvent(exchange, step, over, exchange.answered_ms - first.sent_ms))
    found.sort(key=lambda event: event.exchange.answered_ms)
    return found


def _until_stopped(found: Sequence[ShareEvent]) -> tuple[list[ShareEvent], Verdict | None]:
    """The exchanges that are judged, those under way when the play ended, and what ended it
    early.
    """
    events: list[ShareEvent] = []
    stopped, over = None, False
    for place, event in enumerate(found):
        earlier, later = found[:place], found[place + 1 :]
        beside = [one for one in later if one.exchange.sent_ms < event.exchange.answered_ms]
        if not over:
            stopped = _ending_verdict(event) or _too_much_under_way(event, beside)
            over = stopped is not None
        if over:
            last = events[-1].exchange.answered_ms if events else -math.inf
            if event.exchange.sent_ms < last and _ending_verdict(event) is None:
                events.append(_with(event, later, alone=False, judged=False))
            continue
        alone = not beside and all(
            one.exchange.answered_ms <= event.exchange.sent_ms for one in earlier
        )
        events.append(_with(event, later, alone=alone, judged=True))
        over = _is_unanswered(event)
    return events, stopped


def _with(
    event: ShareEvent, later: Sequence[ShareEvent], *, alone: bool, judged: bool
) -> ShareEvent:
    requests = [
        one.step for one in (event, *later) if isinstance(one.step, ShareFetch | ShareAcknowledge)
    ]
    active = frozenset(step.actor for step in requests)
    return replace(event, alone=alone, active=active, judged=judged)


def _too_much_under_way(event: ShareEvent, beside: Sequence[ShareEvent]) -> Verdict | None:
    if len(beside) <= MOST_OVERLAPPING:
        return None
    why = (
        f"step {event.exchange.step}: more than {MOST_OVERLAPPING} requests were under way at once"
    )
    return Verdict(EVERY_CLAUSE, Outcome.INCONCLUSIVE, why=why, signature="too many states")


def _patience_over(fetch: ShareFetch, first: Exchange, exchange: Exchange) -> bool:
    """Whether a patient fetch has got what it was patient for, or has been sent for so long that it
    gives up.
    """
    if not fetch.patience_ms or not isinstance(exchange.outcome, ShareFetchAnswer):
        return False
    acquired = any(part.acquired for part in exchange.outcome.partitions)
    return acquired or exchange.answered_ms - first.sent_ms >= fetch.patience_ms


def _ending_verdict(event: ShareEvent) -> Verdict | None:
    """The verdict where a step could not be sent, or did not do what the rest of the play needs."""
    outcome = event.exchange.outcome
    done = isinstance(outcome, Done) or (
        isinstance(outcome, AppendAnswer | GroupChanged) and outcome.error == 0
    )
    stopped = stopped_by(outcome)
    if (
        stopped is not None
        or done
        or isinstance(event.step, ShareFetch | ShareAcknowledge | GroupQuestion)
    ):
        return stopped
    found = (
        error_name(outcome.error)
        if isinstance(outcome, AppendAnswer | GroupChanged)
        else in_words(type(outcome))
    )
    return step_failed(event.exchange.step, event.step.name, found)


def _is_unanswered(event: ShareEvent) -> bool:
    """Whether a request has no answer, so that nothing is known of what it did."""
    request = isinstance(event.step, ShareFetch | ShareAcknowledge)
    return request and not isinstance(
        event.exchange.outcome, ShareFetchAnswer | ShareAcknowledgeAnswer
    )
