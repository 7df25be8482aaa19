"""The observer: it looks for the history that explains best what was sent, what was answered, and
when.

A request has its effect at some moment between its sending and its answer, and what happens by
itself happens unseen. So an observation allows many histories. Each one is a path of moves through
the states of a subject's machine; what a move may be, and what the clauses look at in it, the
subject says. The search takes the history that breaks the least, so that no legal answer is called
a break; past a budget it says so rather than guess.

Two answers can't be explained by two different pasts: a history is one path, and a state is only
left by a move.
"""

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Generic, Protocol, TypeVar

from spec.clause import Held
from spec.frozen import frozen
from spec.judgement import (
    EVERY_CLAUSE,
    Clauses,
    Judgement,
    merge_held,
    reading_results,
    verdicts_of,
)
from spec.verdict import Outcome, Verdict

MOST_STATES = 50_000
"""States that are reached in the search, past which a history is inconclusive rather than guessed
at.
"""
MOST_FOR_READINGS = 1_000
"""States reached past those of a best history, in search of others that fit more readings; no
reading is ruled out where there are more."""


class Event(Protocol):
    """One request and its answer, as far as the search needs to know it."""

    @property
    def sent(self) -> float:
        """The time at which it was sent, ms."""

    @property
    def end(self) -> float:
        """The time of its answer, ms; infinite where none came that says what became of it."""

    @property
    def line(self) -> int | None:
        """The connection, on which requests take effect in their order; None for what came on
        none.
        """


class Turn(Protocol):
    """A turn, as clauses look at it: one event in one explanation of the history."""

    @property
    def as_reference(self) -> bool:
        """Whether the reference gives the same answer, so that a break is a known one of the
        reference itself.
        """


State = TypeVar("State")
Seen = TypeVar("Seen", bound=Turn)


@frozen
class Move(Generic[State, Seen]):
    """One thing that may have happened.

    Attributes:
        state: the state after it.
        turns: what the clauses look at.
        answers: numbers of the requests that wait no longer: their answers were made, or nothing is
            left that could make them.
        at: when it happened, ms, for what happens by itself; None: when the request came.
    """

    state: State
    turns: tuple[Seen, ...] = ()
    answers: frozenset[int] = frozenset()
    at: float | None = None


class Observed(Protocol[State, Seen]):
    """An observation of a subject, and the possible moves of its machine.

    Moves are made one at a time and the likeliest come first: what nothing needs is never computed.
    They are total: whatever was answered, some move takes it in, at the price of its breaks, and
    continues from what was observed.
    """

    @property
    def by_turns(self) -> bool:
        """Whether fewer broken turns count before milder breaks.

        So it is where any answer can be taken in as a mere oddity: a row of them could stand for
        one break.
        """

    @property
    def events(self) -> Sequence[Event]:
        """The requests and their answers; an event's number is its place here."""

    @property
    def start(self) -> State:
        """The state before anything was sent. Equal states have an equal future."""

    def arrive(self, state: State, number: int, now: float) -> Iterable[Move[State, Seen]]:
        """Each way in which a request may have met the state at a time, given its answer; without
        one, that it never came too.
        """

    def hidden_moves(self, state: State, now: float, until: float) -> Iterable[Move[State, Seen]]:
        """Each thing that may happen by itself from a time up to another."""

    def unlawful(
        self, state: State, waiting: frozenset[int], now: float
    ) -> Iterable[Move[State, Seen]]:
        """Moves that answer requests that wait though by the rules nothing does, so that a broker
        that breaks them can be followed.

        Such a move weighs as much as a broken `must`, or a row of them could stand for any answer.
        """

    def fits(self, turn: Seen) -> Mapping[tuple[str, str], bool]:
        """By clause and reading: whether what was seen fits it, where the readings differ."""


Weight = tuple[int, int, int, int, int]
"""The badness of a history as an explanation, what counts most first: turns in which something is
broken that the reference does not break, where the subject counts by turns; `must` clauses broken
by answers that the reference does not give; `reference` clauses; `must` clauses broken by answers
that the reference gives too; and the first break, which of two histories is later in the better
one."""
NOTHING_BROKEN: Weight = (0, 0, 0, 0, 0)


Reading = tuple[str, str]
"""A clause and one of its readings."""


@frozen
class Node(Generic[State, Seen]):
    """A state and the history that led to it.

    Attributes:
        state: see `Observed.start`.
        now: the earliest time at which all this can have come about, ms.
        arrived: requests that had their effect.
        waiting: of those, the ones that no answer was made for yet.
        unfit: readings that the history does not fit.
        broken: its weight.
        held: what the clauses held of the last move, one mapping for each turn.
        asked: the readings that the last move's turns say something of.
        before: the node that the last move was made from; None at the start.
    """

    state: State
    now: float = -inf
    arrived: frozenset[int] = frozenset()
    waiting: frozenset[int] = frozenset()
    unfit: frozenset[Reading] = frozenset()
    broken: Weight = NOTHING_BROKEN
    held: tuple[Mapping[str, Held], ...] = ()
    asked: tuple[Reading, ...] = ()
    before: "Node[State, Seen] | None" = None

    def history(self) -> Iterator["Node[State, Seen]"]:
        """The nodes on the way, the first one first."""
        found: list[Node[State, Seen]] = []
        node: Node[State, Seen] | None = self
        while node is not None:
            found.append(node)
            node = node.before
        return reversed(found)


class TooManyStatesError(Exception):
    """The budget was spent before a history was found."""


def judge_history(
    observed: Observed[State, Seen], clauses: Clauses[Seen], stopped: Sequence[Verdict] = ()
) -> Judgement:
    """The results of the clauses on the history that explains the observation best.

    `stopped` holds what ended the play early.
    """
    return judge_by_parts((observed,), clauses, stopped)


def judge_by_parts(
    parts: Iterable[Observed[State, Seen]], clauses: Clauses[Seen], stopped: Sequence[Verdict] = ()
) -> Judgement:
    """The results of the clauses on an observation of things that don't depend on each other, each
    explained by itself: the weights of their histories add up, so the best of all is made of the
    best of each.
    """
    try:
        best = [Search(part, clauses).best() for part in parts]
    except TooManyStatesError:
        why = f"expected a history that explains the answers, found none among {MOST_STATES} states"
        why = f"{why}; play it again"
        undecided = Verdict(
            EVERY_CLAUSE, Outcome.INCONCLUSIVE, why=why, signature="too many states"
        )
        return Judgement((undecided, *stopped[:1]))
    found: dict[str, Held] = {}
    readings: dict[tuple[str, str], bool] = {}
    for node, unfit in best:
        for step in node.history():
            for held in step.held:
                for clause_id, one in held.items():
                    before = found.get(clause_id, one)
                    found[clause_id] = one if before is one else merge_held(before, one)
            for reading in step.asked:
                readings[reading] = readings.get(reading, True) and reading not in unfit
    return Judgement((*verdicts_of(found, clauses.by_id), *stopped[:1]), reading_results(readings))


class Search(Generic[State, Seen]):
    """The search for a best history.

    Args:
        observed: what was observed.
        clauses: what it is judged by.
    """

    def __init__(self, observed: Observed[State, Seen], clauses: Clauses[Seen]) -> None:
        self._observed = observed
        self._clauses = clauses
        self._sent = [event.sent for event in observed.events]
        self._end = [event.end for event in observed.events]
        self._last = max([end for end in self._end if end < inf], default=-inf)
        self._answered_before = _answered_before(
            [event.line for event in observed.events], self._end
        )

    def best(self) -> tuple[Node[State, Seen], frozenset[Reading]]:
        """A history of least weight, and the readings that no history of that weight fits.

        Raises:
            TooManyStatesError: there are more states than are followed.
        """
        best: Node[State, Seen] | None = None
        unfit: frozenset[Reading] = frozenset()
        try:
            for node in self._ends():
                if best is not None and node.broken[:4] > best.broken[:4]:
                    break
                best, unfit = (node, node.unfit) if best is None else (best, unfit & node.unfit)
                if not unfit:
                    break
        except TooManyStatesError:
            if best is None:
                raise
            return best, frozenset()
        if best is None:
            raise AssertionError(
                "the moves of this subject are not total: no move takes an answer in"
            )
        return best, unfit

    def _ends(self) -> Iterator[Node[State, Seen]]:
        """The ends of whole histories, the lightest first.

        A node whose moves are not all made yet stays in the queue, behind what was made from it and
        weighs as much: a play without breaks is followed straight through.
        """
        start: Node[State, Seen] = Node(self._observed.start)
        queue: list[_Entry[State, Seen]] = [(start.broken, 0, 0, start, None)]
        reached: dict[object, float] = {}
        made, most = 0, MOST_STATES
        while queue:
            broken, ahead, age, node, moves = heapq.heappop(queue)
            if moves is None:
                key = (node.state, node.arrived, node.waiting, node.unfit)
                if reached.get(key, inf) <= node.now:
                    continue
                reached[key] = node.now
                if self._is_explained(node):
                    yield node
                    most = min(most, made + MOST_FOR_READINGS)
                    continue
                moves = self._next_nodes(node)
            further = next(moves, None)
            if further is None:
                continue
            made += 1
            if made > most:
                raise TooManyStatesError
            left = len(further.waiting) - 2 * len(further.arrived)
            heapq.heappush(queue, (broken, ahead, age, node, moves))
            heapq.heappush(queue, (further.broken, left, made, further, None))

    def _is_explained(self, node: Node[State, Seen]) -> bool:
        """Whether all that was seen has come about: only requests without an answer still wait."""
        everything = len(node.arrived) == len(self._end)
        return everything and all(self._end[number] == inf for number in node.waiting)

    def _next_nodes(self, node: Node[State, Seen]) -> Iterator[Node[State, Seen]]:
        """Everything that may come next, up to the first answer that is still to be made."""
        left = [number for number in range(len(self._end)) if number not in node.arrived]
        due = min([self._end[number] for number in (*left, *node.waiting)], default=inf)
        if due < node.now:
            return
        answered = node.arrived - node.waiting
        for number in left:
            sent = self._sent[number]
            if sent <= due and self._answered_before[number] <= answered:
                now = max(node.now, sent)
                for move in self._observed.arrive(node.state, number, now):
                    yield from self._nodes_after(node, move, now, frozenset([number]))
        for move in self._observed.hidden_moves(node.state, node.now, min(due, self._last)):
            yield from self._nodes_after(node, move, node.now)
        if any(self._end[number] < inf for number in node.waiting):
            for move in self._observed.unlawful(node.state, node.waiting, node.now):
                yield from self._nodes_after(node, move, node.now)

    def _nodes_after(
        self,
        node: Node[State, Seen],
        move: Move[State, Seen],
        now: float,
        came: frozenset[int] = frozenset(),
    ) -> Iterator[Node[State, Seen]]:
        """The node after a move, unless an answer that it made was there before."""
        at = now if move.at is None else move.at
        if any(self._end[number] < at for number in move.answers):
            return
        held = tuple([self._clauses.results(turn) for turn in move.turns])
        arrived = node.arrived | came
        asked: dict[Reading, bool] = {}
        for turn in move.turns:
            for reading, fits in self._observed.fits(turn).items():
                asked[reading] = asked.get(reading, True) and fits
        yield Node(
            state=move.state,
            now=at,
            arrived=arrived,
            waiting=(node.waiting | came) - move.answers,
            unfit=node.unfit.union([reading for reading, fits in asked.items() if not fits]),
            broken=self._added_weight(node.broken, move.turns, held, len(arrived)),
            held=held,
            asked=tuple(asked),
            before=node,
        )

    def _added_weight(
        self,
        broken: Weight,
        turns: Sequence[Seen],
        held: Sequence[Mapping[str, Held]],
        arrived: int,
    ) -> Weight:
        """The weight of a history that these turns are added to."""
        odd, must, reference, shared, first = broken
        for turn, one in zip(turns, held, strict=True):
            musts, references = self._clauses.weight(one)
            if turn.as_reference:
                shared += musts
            else:
                must += musts
                odd += self._observed.by_turns and bool(musts or references)
            reference += references
        if not (odd or must or reference or shared):
            return NOTHING_BROKEN
        return odd, must, reference, shared, first or -arrived


def _answered_before(lines: Sequence[int | None], ends: Sequence[float]) -> list[frozenset[int]]:
    """For each request, the answered ones that went over the same connection before."""
    before: dict[int, frozenset[int]] = {}
    found = []
    for number, (line, end) in enumerate(zip(lines, ends, strict=True)):
        earlier = frozenset[int]() if line is None else before.get(line, frozenset())
        found.append(earlier)
        if line is not None and end < inf:
            before[line] = earlier | {number}
    return found


_Entry = tuple[Weight, int, int, Node[State, Seen], Iterator[Node[State, Seen]] | None]
"""A node in the queue: its weight, how far it has come (less is further), its age, and the moves
from it that are still to be made, once they have been begun."""
