"""The search for a best history, on a machine that is as small as can be: a counter that only
grows.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import permutations
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spec import observer
from spec.clause import Clause, Held, fails, holds
from spec.judgement import EVERY_CLAUSE, Clauses, Judgement
from spec.observer import Move, judge_history
from spec.verdict import LimitClass, Outcome, Strength

SPAN = st.tuples(st.integers(0, 12), st.integers(0, 6))


@dataclass(frozen=True)
class Asked:
    """A request to the counter.

    `add` raises it by one, `read` is answered with its value, `any` with one that was not seen, and
    `wait` with 2 once it is 2.

    Attributes:
        kind: see above.
        sent, end: when it was sent and answered.
        value: what was answered.
        line: the connection.
    """

    kind: str
    sent: float
    end: float
    value: int = 0
    line: int | None = None


@dataclass(frozen=True)
class Answer:
    """What a clause looks at: the value that was answered and the counter's."""

    got: int
    counter: int
    as_reference: bool = False
    lawful: bool = True


@dataclass(frozen=True)
class State:
    """The counter, how often it was raised by itself, and who waits for it to be 2."""

    counter: int = 0
    ticked: int = 0
    waiting: frozenset[int] = frozenset()


CounterMove = Move[State, Answer]


@dataclass(frozen=True)
class Counter:
    """What was observed of a counter that may also be raised by itself at `ticks`; `readings` gives
    its clause two of them.
    """

    events: tuple[Asked, ...]
    ticks: tuple[float, ...] = ()
    readings: bool = False
    start: State = State()
    by_turns: bool = False
    made: list[int] = field(default_factory=list)

    def arrive(self, state: State, number: int, now: float) -> Iterator[CounterMove]:
        self.made.append(number)
        asked, own = self.events[number], frozenset([number])
        if asked.kind == "add":
            yield self._raised(state, own, now)
            if asked.end == inf:
                yield Move(state, answers=own)
        elif asked.kind in {"read", "any"}:
            value = asked.value if asked.kind == "read" else state.counter
            yield Move(state, (Answer(value, state.counter),), own)
        elif state.counter >= 2:
            yield Move(state, (Answer(asked.value, 2),), own)
        else:
            yield Move(replace(state, waiting=state.waiting | own))

    def hidden_moves(self, state: State, now: float, until: float) -> Iterator[CounterMove]:
        if state.ticked < len(self.ticks) and self.ticks[state.ticked] <= until:
            yield self._raised(
                replace(state, ticked=state.ticked + 1),
                frozenset(),
                max(now, self.ticks[state.ticked]),
            )

    def unlawful(self, state: State, waiting: frozenset[int], _: float) -> Iterator[CounterMove]:
        for number in sorted(waiting):
            answer = Answer(self.events[number].value, 2, lawful=False)
            yield Move(
                replace(state, waiting=state.waiting - {number}), (answer,), frozenset([number])
            )

    def fits(self, turn: Answer) -> Mapping[tuple[str, str], bool]:
        return (
            {("TOY-1", "even"): turn.got % 2 == 0, ("TOY-1", "odd"): turn.got % 2 == 1}
            if self.readings
            else {}
        )

    def _raised(self, state: State, own: frozenset[int], at: float) -> CounterMove:
        """The counter one higher; those who wait for 2 are answered when it is 2."""
        counter = state.counter + 1
        freed = state.waiting if counter == 2 else frozenset()
        turns = tuple([Answer(self.events[number].value, 2) for number in sorted(freed)])
        return Move(State(counter, state.ticked, state.waiting - freed), turns, own | freed, at)


def _equal(turn: Answer) -> Held | None:
    if turn.got == turn.counter:
        return holds()
    return fails(f"expected {turn.counter}, found {turn.got}", "value")


def _waits(turn: Answer) -> Held | None:
    return holds() if turn.lawful else fails("expected it to wait, found it answered", "early")


CLAUSES: Clauses[Answer] = Clauses(
    {
        "TOY-1": Clause(
            "TOY-1",
            "toy/value/same",
            "The value is the counter's.",
            Strength.MUST,
            LimitClass.HARD,
            (),
            check=_equal,
        ),
        "TOY-2": Clause(
            "TOY-2",
            "toy/wait/lasts",
            "A wait lasts.",
            Strength.REFERENCE,
            LimitClass.HARD,
            (),
            check=_waits,
        ),
    }
)


def judge(*events: Asked, ticks: tuple[float, ...] = ()) -> Judgement:
    return judge_history(Counter(events, ticks), CLAUSES)


def broken(*events: Asked, ticks: tuple[float, ...] = ()) -> set[str]:
    return {verdict.signature for verdict in judge(*events, ticks=ticks).breaks}


def add(sent: float, end: float, line: int | None = None) -> Asked:
    return Asked("add", sent, end, line=line)


def read(sent: float, end: float, value: int, line: int | None = None) -> Asked:
    return Asked("read", sent, end, value, line)


def test_a_read_that_is_under_way_with_a_write_may_meet_it_or_not() -> None:
    assert broken(add(0, 100), read(10, 20, 1)) == set()
    assert broken(add(0, 100), read(10, 20, 0)) == set()
    assert broken(add(0, 5), read(10, 20, 0)) == {"value"}
    assert broken(add(30, 35), read(10, 20, 1)) == {"value"}


def test_two_reads_are_not_explained_by_two_different_pasts() -> None:
    assert broken(add(0, 100), read(10, 20, 1), read(30, 40, 0)) == {"value"}
    assert broken(add(0, 100), read(10, 20, 0), read(30, 40, 1)) == set()
    assert broken(add(0, 100), read(10, 40, 1), read(30, 60, 0)) == set()


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["add", "silent"]), SPAN), max_size=4),
    st.lists(SPAN, min_size=2, max_size=4),
    st.data(),
)
def test_a_value_that_only_grows_is_never_seen_to_shrink_in_a_history_that_is_explained(
    adds: list[tuple[str, tuple[int, int]]], spans: list[tuple[int, int]], data: st.DataObject
) -> None:
    events = [add(sent, inf if kind == "silent" else sent + took) for kind, (sent, took) in adds]
    events += [read(sent, sent + took, data.draw(st.integers(0, 4))) for sent, took in spans]
    explained = broken(*events, ticks=(3.0,)) == set()
    reads = [one for one in events if one.kind == "read"]
    shrinks = any(
        one.end < other.sent and one.value > other.value for one, other in permutations(reads, 2)
    )
    assert not (explained and shrinks)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["add", "read"]), SPAN, SPAN), min_size=1, max_size=5),
    st.integers(0, 2),
)
def test_whatever_has_happened_is_explained(
    made: list[tuple[str, tuple[int, int], tuple[int, int]]], lines: int
) -> None:
    """Requests have effect in some order of moments; the observation has only times before and
    after these.
    """
    counter, events = 0, []
    moment = 0
    for place, (kind, (before, _), (after, step)) in enumerate(made):
        moment += step
        counter += kind == "add"
        line = place % lines if lines else None
        events.append(
            Asked(
                kind,
                moment - before if line is None else moment,
                moment + after if line is None else moment,
                counter,
                line,
            )
        )
    assert broken(*events) == set()


def test_requests_of_one_connection_have_effect_in_their_order() -> None:
    assert broken(add(0, 10, 1), read(0, 10, 0, 1)) == {"value"}
    assert broken(add(0, 10, 1), read(0, 10, 0, 2)) == set()
    assert broken(read(0, 10, 0, 1), add(0, 10, 1)) == set()


def test_what_went_without_an_answer_may_have_happened_or_not() -> None:
    assert broken(add(5, inf), read(10, 20, 0), read(30, 40, 1)) == set()
    assert broken(add(5, inf), read(10, 20, 0), read(30, 40, 0)) == set()
    assert broken(add(5, inf), read(10, 20, 1), read(30, 40, 0)) == {"value"}
    assert broken(add(25, inf), read(10, 20, 1)) == {"value"}


def test_what_happens_by_itself_happens_at_its_time_or_later() -> None:
    assert broken(read(10, 20, 1), ticks=(15.0,)) == set()
    assert broken(read(10, 20, 0), read(30, 40, 1), ticks=(15.0,)) == set()
    assert broken(read(10, 20, 1), ticks=(25.0,)) == {"value"}


def test_one_who_waits_is_answered_by_what_ends_its_wait() -> None:
    assert broken(Asked("wait", 0, 50, 2), add(10, 20), add(30, 40)) == set()
    assert broken(Asked("wait", 0, 25, 2), add(10, 20), add(30, 40)) == {"early"}
    assert broken(Asked("wait", 0, inf), add(10, 20)) == set()
    assert broken(Asked("wait", 0, 50, 2), add(10, 20), ticks=(30.0,)) == set()


def test_the_mildest_of_several_histories_is_taken() -> None:
    """The wait ended early, which is an oddity; that both reads were wrong is worse."""
    verdicts = judge(
        Asked("wait", 0, 25, 2), add(10, 20), read(21, 22, 1), read(26, 27, 1)
    ).verdicts
    assert {verdict.clause: verdict.outcome for verdict in verdicts} == {
        "TOY-1": Outcome.CONFORMS,
        "TOY-2": Outcome.DEVIATES,
    }


def test_a_reading_is_only_ruled_out_where_no_history_of_least_weight_fits_it() -> None:
    def fit(*events: Asked) -> tuple[bool, ...]:
        return tuple(
            [fits for _, _, fits in judge_history(Counter(events, readings=True), CLAUSES).readings]
        )

    assert fit(add(0, 5), Asked("any", 10, 20)) == (False, True)
    assert fit(add(0, 100), Asked("any", 10, 20)) == (True, True)
    assert fit(add(0, 100), Asked("any", 10, 20), read(30, 40, 0)) == (True, False)


def test_a_play_without_breaks_is_followed_straight_through() -> None:
    events = tuple(
        [add(0, 1000) for _ in range(12)]
        + [read(2000 + 10 * n, 2005 + 10 * n, 12) for n in range(12)]
    )
    counter = Counter(events)
    assert judge_history(counter, CLAUSES).breaks == ()
    assert len(counter.made) == len(events)


def test_past_its_budget_a_history_is_inconclusive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observer, "MOST_STATES", 3)
    (verdict,) = judge(*[add(0, 100) for _ in range(4)], read(200, 210, 3)).verdicts
    assert (verdict.clause, verdict.outcome, verdict.signature) == (
        EVERY_CLAUSE,
        Outcome.INCONCLUSIVE,
        "too many states",
    )
