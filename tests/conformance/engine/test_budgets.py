"""What a run spends on breaks: the heaviest kinds are made small, doubtful ones played again, both
within a bound of time.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from conformance.engine import plan as plans
from conformance.engine.asking import Ask, Origin
from conformance.engine.loop import Loop
from conformance.engine.outcome import RunOutcome
from conformance.engine.plan import Plan
from conformance.engine.play_result import UNANSWERED_ONCE, Played
from conformance.engine.player import REPLAYS, Player
from conformance.engine.shrinking import Shrinker, ShrinkTime
from conformance.exit_codes import OK, UNREACHABLE
from generators.fetch.histories import session_histories
from spec.events import Flaky, Judged, Note, Shrunk
from spec.judgement import Judgement
from spec.observation import Observation
from spec.releases import semantics_for
from spec.share.examples import FIVES, fetch, history
from spec.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.engine.resume_point import BreakKind
    from spec.events import Event
    from spec.scenario import Scenario

SEMANTICS = semantics_for("4.3")
ONE = history((FIVES,), fetch(0, max_records=5))
ORIGIN = Origin(session_histories(SEMANTICS), 1, 1, (ONE,), 0, None)
LATE = Verdict("SHR-155", Outcome.VIOLATES, signature="nothing acquired", primary=True)


def kind(number: int, outcome: Outcome = Outcome.DEVIATES) -> Verdict:
    """A kind of break."""
    return Verdict("SHR-121", outcome, signature=f"kind {number}", primary=True)


def played(*verdicts: Verdict) -> Played:
    """A play with these verdicts."""
    return Played(ONE, Observation(()), Judgement(verdicts))


class Again(Player):
    """A player on which each scenario shows the same, and the first `fine` ones nothing."""

    def __init__(self, shows: Played, fine: int = 0) -> None:
        super().__init__(SEMANTICS)
        self.shows = shows
        self.fine = fine
        self.plays = 0

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
        """Count it."""
        for number, _ in enumerate(scenarios):
            self.plays += 1
            yield number, self.shows if self.plays > self.fine else played()


class InOrder(Player):
    """A player whose plays are written down beforehand; `left` are those still to come."""

    def __init__(self, plays: Sequence[Played]) -> None:
        super().__init__(SEMANTICS)
        self.left = list(plays)

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
        """The next one of each."""
        for number, _ in enumerate(scenarios):
            yield number, self.left.pop(0)


class Written(Loop):
    """A run whose parts are written down: each is a row of plays."""

    subject = "share"

    def __init__(
        self,
        parts: Sequence[Sequence[Played]],
        player: Player | None = None,
        plan: Plan | None = None,
        known: frozenset[BreakKind] = frozenset(),
    ) -> None:
        super().__init__(player or Again(played()), plan or Plan(1, 100), known)
        self.parts = parts
        self.shrunk: list[str] = []

    def _parts(self) -> Iterator[Event]:
        for part in self.parts:
            for one in part:
                yield from self._judge(one, Ask(ONE, "history", origin=ORIGIN))
            yield from self.small_cases.make()

    def _smallest_play(self, shrinker: Shrinker, origin: Origin) -> Played | None:
        assert origin is ORIGIN
        every = [
            verdict for part in self.parts for one in part for verdict in one.judgement.verdicts
        ]
        found = next(verdict for verdict in every if shrinker.is_about(verdict))
        self.shrunk.append(found.signature)
        return played(found)


def test_however_many_kinds_break_in_one_part_all_are_shrunk_the_heaviest_first() -> None:
    light = [kind(number) for number in range(20)]
    heavy = [kind(number, Outcome.VIOLATES) for number in (20, 21)]
    loop = Written([[played(*light, *heavy)]])
    events = list(loop.events())
    assert loop.shrunk == ["kind 20", "kind 21", *[f"kind {number}" for number in range(20)]]
    assert sum(isinstance(event, Shrunk) for event in events) == 22


def test_kinds_that_wait_share_the_time_and_light_ones_get_half_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: dict[str, float] = {}

    class Measured(Shrinker):
        def __init__(self, clause: str, signature: str, seconds: float) -> None:
            given[signature] = seconds
            super().__init__(clause, signature, seconds)

    monkeypatch.setattr("conformance.engine.small_cases.Shrinker", Measured)
    heavy = [kind(number, Outcome.VIOLATES) for number in range(4)]
    light = [kind(number) for number in range(4, 10)]
    assert list(Written([[played(*light, *heavy)]]).events())
    whole = plans.FIRST_SHRINKING_SECONDS
    assert [round(given[one.signature], 1) for one in heavy] == [
        pytest.approx(whole / left, abs=0.2) for left in (4, 3, 2, 1)
    ]
    assert given["kind 4"] == pytest.approx(whole / 2 / 6, abs=0.2)


def test_shrinking_takes_a_small_part_of_a_run_unless_it_is_given_a_time() -> None:
    time = ShrinkTime(Plan(1, 100).shrinking)
    assert time.seconds_left(10, light=False) == plans.FIRST_SHRINKING_SECONDS
    assert time.seconds_left(300, light=False) == pytest.approx(60)
    assert time.seconds_left(300, light=True) == pytest.approx(30)
    assert time.seconds_left(10_000, light=False) == plans.SHRINKING_SECONDS
    time.spent = 50
    assert time.seconds_left(350, light=False) == pytest.approx(10)
    with time.spending():
        pass
    assert 50 <= time.spent < 80
    given = ShrinkTime(Plan(1, 100, shrink_seconds=5.0).shrinking)
    assert [given.seconds_left(seconds, light=False) for seconds in (1, 1_000)] == [5, 5]
    assert Plan(1, 100, shrink_seconds=90.0).shrink_seconds_each == 90


def test_a_kind_is_shrunk_once() -> None:
    loop = Written([[played(kind(1)), played(kind(1))], [played(kind(1), kind(2))]])
    assert list(loop.events())
    assert loop.shrunk == ["kind 1", "kind 2"]


def test_nothing_more_is_shrunk_when_the_time_for_that_is_used_up() -> None:
    loop = Written([[played(kind(1))]], plan=Plan(1, 100, shrink_seconds=0.0))
    notes = [event.text for event in loop.events() if isinstance(event, Note)]
    assert loop.shrunk == []
    assert notes == ["not shrunk, since the time for that is used up: SHR-121 'kind 1'"]


def test_a_kind_without_time_is_shrunk_in_a_later_part_that_has_some(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left = iter([0.0, 5.0])
    monkeypatch.setattr(ShrinkTime, "seconds_left", lambda *_, **__: next(left))
    loop = Written([[played(kind(1))], [played(kind(1))]])
    assert not any(isinstance(event, Note) for event in loop.events())
    assert loop.shrunk == ["kind 1"]


@pytest.mark.parametrize(("seconds", "expected"), [(None, plans.SHRINKING_SECONDS), (20.0, 5.0)])
def test_a_run_that_is_given_a_time_spends_a_share_of_it(
    seconds: float | None, expected: float
) -> None:
    plan = Plan(1, 100, seconds)
    assert plan.shrinking.most == expected
    assert plan.confirming.most == min(expected, plans.CONFIRMING_SECONDS)


def test_a_shrinker_gives_the_smallest_it_has_when_its_time_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shows = played(kind(1))
    player = Again(shows, fine=2)
    ticks = itertools.count()
    monkeypatch.setattr(
        "conformance.engine.shrinking.time", SimpleNamespace(monotonic=lambda: next(ticks))
    )
    shrinker = Shrinker("SHR-121", "kind 1", 3.5)
    assert shrinker.history(player, session_histories(SEMANTICS), 1, 5, {}, 400) == shows
    assert player.plays == shrinker.calls == 3


def test_a_kind_that_showed_in_every_replay_is_not_played_again() -> None:
    player = Again(played(LATE))
    loop = Written([[played(LATE)] * 10], player, Plan(1, 100, shrink=False))
    found = [event for event in loop.events() if isinstance(event, Judged)]
    assert all(LATE in event.verdicts for event in found)
    assert player.plays == 2 * plans.REPRODUCED


def test_what_can_not_be_played_again_any_more_is_inconclusive(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(plans, "CONFIRMING_SECONDS", 0.0)
    player = Again(played(LATE))
    loop = Written([[played(LATE)]], player, Plan(1, 100, shrink=False))
    events = list(loop.events())
    [found] = [event for event in events if isinstance(event, Judged)]
    assert player.plays == 0
    [verdict] = found.verdicts
    assert (verdict.outcome, verdict.signature) == (Outcome.INCONCLUSIVE, UNANSWERED_ONCE)
    [note] = [event.text for event in events if isinstance(event, Note)]
    assert note == f"scenario {found.scenario} is inconclusive: {verdict.why}"
    assert verdict.why.endswith("the time for playing such breaks again is used up")


def test_a_doubtful_break_is_named_before_it_is_played_again_and_is_no_event() -> None:
    order: list[object] = []

    class Noted(Again):
        def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
            """Note each replay."""
            order.append("replay")
            yield from super().play(scenarios)

    shows = played(LATE, kind(1))
    silent = Plan(1, 100, shrink=False)
    plan = replace(silent, suspect=order.append)
    events = Written([[shows]], Noted(shows), plan).events()
    expected = Written([[shows]], Again(shows), silent).events()
    assert [type(event) for event in events] == [type(event) for event in expected]
    assert order == [LATE, "replay", "replay"]


def test_a_break_that_does_not_count_is_not_suspected() -> None:
    suspected: list[Verdict] = []
    asked = frozenset({"SHR-121"})
    plan = Plan(1, 100, shrink=False, clauses=asked, examples=False, suspect=suspected.append)
    assert list(Written([[played(LATE)]], Again(played(LATE)), plan).events())
    assert suspected == []


def test_a_listed_break_needs_no_replay() -> None:
    player = Again(played(LATE))
    suspected: list[Verdict] = []
    plan = Plan(1, 100, shrink=False, suspect=suspected.append)
    loop = Written([[played(LATE)]], player, plan, known=frozenset({LATE.kind}))
    [found] = [event for event in loop.events() if isinstance(event, Judged)]
    assert player.plays == 0
    assert suspected == []
    assert found.verdicts == (LATE,)


def test_confirming_takes_a_part_of_a_long_run_and_a_bounded_time_of_any() -> None:
    confirming = Plan(1, 100).confirming
    assert confirming.of(10) == plans.FIRST_CONFIRMING_SECONDS
    assert confirming.of(400) == 100
    assert confirming.of(10_000) == plans.CONFIRMING_SECONDS


def test_a_kind_that_was_reproduced_once_counts_when_the_time_for_replays_is_used_up() -> None:
    class Slow(Again):
        def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
            """As if each play took half a minute."""
            loop.doubts.spent += 30.0
            yield from super().play(scenarios)

    player = Slow(played(LATE))
    loop = Written([[played(LATE)] * 4], player, Plan(1, 100, shrink=False))
    found = [event for event in loop.events() if isinstance(event, Judged)]
    assert [LATE in event.verdicts for event in found] == [True] * 4
    assert player.plays == 2


def test_a_kind_that_needs_no_replay_brings_none_of_those_beside_it() -> None:
    player = Again(played(LATE))
    plays = [played(LATE, kind(number)) for number in range(10)]
    loop = Written([plays], player, Plan(1, 100, shrink=False))
    found = [event for event in loop.events() if isinstance(event, Judged)]
    assert player.plays == 2 * plans.REPRODUCED
    assert [len(event.verdicts) for event in found] == [1] * plans.REPRODUCED + [2] * 7


def test_another_kind_of_a_clause_that_was_reproduced_often_is_reproduced_once() -> None:
    closed = Verdict("SHR-155", Outcome.VIOLATES, signature="after a closed session", primary=True)
    rows = [[LATE]] * (2 * plans.REPRODUCED) + [[closed]] * 2
    player = InOrder([played(*row) for row in rows])
    plays = [played(LATE)] * plans.REPRODUCED + [played(closed)] * 3
    loop = Written([plays], player, Plan(1, 100, shrink=False))
    found = [event for event in loop.events() if isinstance(event, Judged)]
    assert [event.verdicts[0].signature for event in found[-3:]] == [closed.signature] * 3
    assert player.left == []


def test_a_replay_without_the_break_begins_the_count_again() -> None:
    rows = [*[played(LATE)] * 4, played(), *[played(LATE)] * 6]
    player = InOrder(rows)
    loop = Written([[played(LATE)] * 8], player, Plan(1, 100, shrink=False))
    found = [event for event in loop.events() if isinstance(event, Judged)]
    assert [LATE in event.verdicts for event in found] == [True, True, False, *[True] * 5]
    assert player.left == []


MOVED = Verdict("*", Outcome.INCONCLUSIVE, why="a leader changed", signature="leader changed")


def test_a_scenario_that_is_inconclusive_once_is_played_again_and_reported_as_flaky() -> None:
    loop = Written([[played(MOVED)]], InOrder([played(kind(1))]), Plan(1, 100, shrink=False))
    flaky, found = [event for event in loop.events() if isinstance(event, Flaky | Judged)]
    assert isinstance(flaky, Flaky)
    assert isinstance(found, Judged)
    assert (flaky.verdict, flaky.reproduced, flaky.replays) == (MOVED, 0, 1)
    assert found.verdicts == (kind(1),)


def test_a_scenario_that_is_inconclusive_in_each_replay_stays_so() -> None:
    player = Again(played(MOVED))
    loop = Written([[played(MOVED)]], player, Plan(1, 100, shrink=False))
    [found] = [event for event in loop.events() if isinstance(event, Flaky | Judged)]
    assert isinstance(found, Judged)
    assert found.verdicts == (MOVED,)


def test_an_unlisted_break_beside_a_doubt_counts_and_is_not_played_away() -> None:
    broken = kind(1, Outcome.VIOLATES)
    loop = Written([[played(broken, MOVED)]], InOrder([]), Plan(1, 100, shrink=False))
    [found] = [event for event in loop.events() if isinstance(event, Flaky | Judged)]
    assert isinstance(found, Judged)
    assert found.verdicts == (broken, MOVED)


def test_a_doubt_that_replays_never_lift_costs_no_more_replays() -> None:
    player = Again(played(MOVED))
    loop = Written([[played(MOVED)] * 10], player, Plan(1, 100, shrink=False))
    assert len([event for event in loop.events() if isinstance(event, Judged)]) == 10
    assert player.plays == REPLAYS * plans.REPRODUCED


@pytest.mark.parametrize(
    ("doubtful", "scenarios", "code"),
    [(1, 10, OK), (2, 10, UNREACHABLE), (3, 3000, OK), (4, 3000, UNREACHABLE)],
)
def test_scenarios_that_are_inconclusive_at_first_make_a_run_so_above_a_rate(
    doubtful: int, scenarios: int, code: int
) -> None:
    outcome = RunOutcome(frozenset(), strict=True, exercised=True, judged=scenarios)
    for limit in range(doubtful):
        scenario = history((FIVES,), fetch(0, max_records=limit))
        outcome.see(Flaky("*", "leader changed", scenario, MOVED, Observation(()), 0, 1))
    assert outcome.exit_code(OK, problems=False) == code
