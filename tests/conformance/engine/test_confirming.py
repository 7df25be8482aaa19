"""What a player makes of a break that a slow machine can bring about: it counts only when every
replay shows it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance.engine.asking import Ask
from conformance.engine.outcome import RunOutcome
from conformance.engine.plan import Plan
from conformance.engine.play_result import LEADER_CHANGED, STANDSTILL, Confirmation, Played
from conformance.engine.player import Player
from conformance.exit_codes import FOUND, OK
from conformance.placement.problem import LayingStep, Unlaid
from conformance.subjects.share.loop import ShareLoop
from spec.canonical import identity
from spec.events import Flaky, Judged
from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
from spec.judgement import Judgement
from spec.kafka import Error
from spec.observation import Exchange, Observation
from spec.outcomes import Outcome as Came
from spec.outcomes import Silent
from spec.releases import semantics_for
from spec.share.examples import FIVES, fetch, fetch_again, history
from spec.share.outcomes import ShareAnswerPartition, ShareFetchAnswer
from spec.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from spec.scenario import Scenario

TWICE = history((FIVES,), fetch(0, max_records=5), fetch_again(max_records=5))


def played(*verdicts: Verdict) -> Played:
    """A play of the same history with these verdicts."""
    return Played(TWICE, Observation(()), Judgement(verdicts))


class Scripted(Player):
    """A player whose plays are written down beforehand."""

    def __init__(self, *plays: Played | Unlaid) -> None:
        super().__init__(semantics_for("4.3"))
        self.plays: Iterator[Played | Unlaid] = iter(plays)

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played | Unlaid]]:
        """The next one of each."""
        for number, scenario in enumerate(scenarios):
            assert scenario == TWICE
            yield number, next(self.plays)


FOUND_NOTHING = played(Verdict("SHR-121", Outcome.DEVIATES, signature="nothing"))
STUCK = played(Verdict("SHR-155", Outcome.VIOLATES, signature="nothing acquired"))
TOO_MANY = played(Verdict("SHR-121", Outcome.DEVIATES, signature="more offsets"))
FINE = played(Verdict("SHR-121", Outcome.CONFORMS))


@pytest.mark.parametrize("late", [FOUND_NOTHING, STUCK])
def test_what_came_too_late_once_is_no_break(late: Played) -> None:
    assert Scripted(FINE).confirmed_play(late) == FINE
    assert Scripted(late, FINE).confirmed_play(late) == FINE


@pytest.mark.parametrize("late", [FOUND_NOTHING, STUCK])
def test_what_never_comes_is_a_break(late: Played) -> None:
    assert Scripted(late, late).confirmed_play(late) == late


HASTY = history((FIVES,), fetch(0, max_records=5), fetch_again(max_records=4))


class Hastened(Scripted):
    """A player that hastens replays; `asked` is which scenarios it played."""

    def __init__(self, *plays: Played) -> None:
        super().__init__(*plays)
        self.asked: list[Scenario] = []

    def with_shorter_waits(self, scenario: Scenario) -> Scenario:
        """Another history stands for the hastened one."""
        assert scenario == TWICE
        return HASTY

    def play_one(self, scenario: Scenario) -> Played:
        """The next play, as one of this scenario."""
        self.asked.append(scenario)
        return super().play_one(TWICE)


def test_hastened_replays_that_show_the_same_are_enough() -> None:
    player = Hastened(STUCK, STUCK)
    assert player.confirmed_play(STUCK) == STUCK
    assert player.asked == [HASTY, HASTY]


@pytest.mark.parametrize("hasty", [(FINE,), (STUCK, FINE), (STUCK, TOO_MANY)])
def test_hastened_replays_that_show_something_else_show_nothing(hasty: tuple[Played, ...]) -> None:
    player = Hastened(*hasty, STUCK, FINE)
    assert player.confirmed_play(STUCK) == FINE
    assert player.asked == [HASTY] * len(hasty) + [TWICE, TWICE]
    player = Hastened(*hasty, STUCK, STUCK)
    assert player.confirmed_play(STUCK) == STUCK


def test_what_does_not_depend_on_the_clock_is_never_hastened() -> None:
    player = Hastened()
    assert player.confirmed_play(TOO_MANY) == TOO_MANY
    assert player.asked == []


def test_what_had_no_answer_once_says_where_to_look() -> None:
    silent = Exchange(0, Silent(5000, control_answered=True), 0.0, 5000.0)
    verdict = Verdict("SHR-021", Outcome.VIOLATES, why="silent", signature="silent")
    lost = replace(played(verdict), observation=Observation((silent,)))
    [verdict] = Scripted(FINE, FINE).confirmed_play(lost).judgement.breaks
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.why.endswith(
        "not once in 2 replays; see whether the network or the broker loses connections"
    )


LED_OTHERWISE = TOO_MANY.as_moved("expected leader epoch 0, found 2", LEADER_CHANGED)


def test_what_a_change_of_leader_made_inconclusive_is_played_again() -> None:
    assert Scripted(FINE).confirm(LED_OTHERWISE) == Confirmation(FINE, FINE)
    assert Scripted(LED_OTHERWISE, TOO_MANY).confirmed_play(LED_OTHERWISE) == TOO_MANY
    assert Scripted(FOUND_NOTHING, FINE).confirmed_play(LED_OTHERWISE) == FINE


def test_leaders_that_change_in_every_replay_stay_inconclusive() -> None:
    assert Scripted(LED_OTHERWISE, LED_OTHERWISE).confirmed_play(LED_OTHERWISE) == LED_OTHERWISE


STALLED = replace(FOUND_NOTHING, standstill_s=13.0)


def test_what_was_late_while_the_broker_stood_still_is_played_again() -> None:
    assert Scripted(FINE).confirm(STALLED) == Confirmation(FINE, FINE)
    assert Scripted(FOUND_NOTHING, FOUND_NOTHING, FOUND_NOTHING).confirmed_play(STALLED) == (
        FOUND_NOTHING
    )
    (verdict,) = Scripted(STALLED, STALLED).confirmed_play(STALLED).judgement.breaks
    assert (verdict.outcome, verdict.signature) == (Outcome.INCONCLUSIVE, STANDSTILL)
    assert "nothing at all was answered for 13 s meanwhile" in verdict.why


def test_a_replay_while_the_broker_stands_still_shows_nothing() -> None:
    assert Scripted(STALLED, FINE).confirmed_play(FOUND_NOTHING) == FINE
    assert (
        Scripted(STALLED, FOUND_NOTHING, FOUND_NOTHING).confirmed_play(FOUND_NOTHING)
        == FOUND_NOTHING
    )
    (verdict,) = Scripted(STALLED, STALLED).confirmed_play(FOUND_NOTHING).judgement.breaks
    assert (verdict.outcome, verdict.signature) == (Outcome.INCONCLUSIVE, STANDSTILL)


def test_a_change_of_leader_during_a_replay_is_no_replay() -> None:
    assert Scripted(LED_OTHERWISE, FINE).confirmed_play(FOUND_NOTHING) == FINE
    assert Scripted(LED_OTHERWISE, LED_OTHERWISE).confirmed_play(FOUND_NOTHING) == LED_OTHERWISE


def test_a_standstill_excuses_nothing_that_does_not_depend_on_the_clock() -> None:
    stalled = replace(TOO_MANY, standstill_s=13.0)
    assert Scripted().confirmed_play(stalled) == stalled


def test_what_came_too_many_is_a_break_at_once() -> None:
    assert Scripted().confirmed_play(TOO_MANY) == TOO_MANY


def primary(verdict: Verdict) -> Verdict:
    return replace(verdict, primary=True)


LATE = played(primary(FOUND_NOTHING.judgement.verdicts[0]))


def test_a_break_that_is_not_reproduced_is_flaky_with_how_often_it_came() -> None:
    (flaky,) = Scripted(FINE).confirm(LATE).flaky
    assert (flaky.clause, flaky.signature) == ("SHR-121", "nothing")
    assert (flaky.scenario, flaky.observation) == (TWICE, LATE.observation)
    assert flaky.verdict == LATE.judgement.verdicts[0]
    assert (flaky.reproduced, flaky.replays) == (0, 1)
    (rare,) = Scripted(LATE, FINE).confirm(LATE).flaky
    assert (rare.reproduced, rare.replays) == (1, 2)


def test_a_break_that_counts_is_not_flaky() -> None:
    assert Scripted(LATE, LATE).confirm(LATE).flaky == ()
    assert Scripted().confirm(TOO_MANY).flaky == ()


def test_what_can_not_be_laid_for_a_replay_is_inconclusive() -> None:
    unlaid = Unlaid(TWICE.layout, LayingStep.RECORDS, "refused")
    for plays, first in (((unlaid,), LATE), ((LATE, unlaid), LATE), ((unlaid,), STALLED)):
        found = Scripted(*plays).confirm(first)
        (verdict,) = found.counts.judgement.breaks
        assert verdict.outcome is Outcome.INCONCLUSIVE
        assert verdict.why.endswith("its layout could not be laid: refused")
        assert found.flaky == ()


FENCED = primary(Verdict("SHR-503", Outcome.VIOLATES, signature="fetch failed"))


def test_what_only_one_replay_shows_is_flaky_beside_what_all_show() -> None:
    late = LATE.judgement.verdicts[0]
    both = played(late, FENCED)
    found = Scripted(LATE, both).confirm(LATE)
    assert found.counts.judgement.verdicts == (late,)
    (flaky,) = found.flaky
    assert (flaky.clause, flaky.reproduced, flaky.replays) == ("SHR-503", 0, 2)
    assert Scripted(both, both).confirm(both).counts == both


@pytest.mark.parametrize("error", [Error.FENCED_LEADER_EPOCH, Error.UNKNOWN_LEADER_EPOCH])
@pytest.mark.parametrize(
    "answer",
    [
        lambda error: FetchAnswer(partitions=(PartitionAnswer(0, error),)),
        lambda error: ShareFetchAnswer(partitions=(ShareAnswerPartition(0, error),)),
    ],
)
def test_a_leader_epoch_that_a_broker_does_not_know_yet_is_asked_for_again(
    error: Error, answer: Callable[[Error], Came]
) -> None:
    observation = Observation((Exchange(0, answer(error), 0.0, 5.0),))
    once = replace(TOO_MANY, observation=observation)
    assert Scripted(FINE, FINE).confirmed_play(once) == FINE
    assert Scripted(FINE, once).confirmed_play(once) == once


def test_what_stays_disturbed_is_inconclusive_and_not_flaky() -> None:
    stalled = replace(LATE, standstill_s=13.0)
    assert Scripted(stalled, stalled).confirm(stalled).flaky == ()
    assert Scripted(stalled, stalled).confirm(LATE).flaky == ()
    assert Scripted(LED_OTHERWISE, LED_OTHERWISE).confirm(LATE).flaky == ()


def test_an_inconclusive_verdict_that_is_gone_is_no_flaky_break() -> None:
    unsure = Verdict("SHR-121", Outcome.INCONCLUSIVE, signature="nothing", primary=True)
    assert Confirmation(played(unsure), FINE, (FINE,)).flaky == ()


def flaky_in(number: int) -> Flaky:
    """A break that was not reproduced, in a scenario of its own."""
    scenario = replace(TWICE, config=(("fetch.max.bytes", str(number)),))
    verdict = LATE.judgement.verdicts[0]
    return Flaky("SHR-121", "nothing", scenario, verdict, LATE.observation, 0, 1)


def outcome_of(flaky: int, scenarios: int, *, strict: bool, known: bool = False) -> RunOutcome:
    found = RunOutcome({("SHR-121", "nothing")} if known else (), strict)
    for number in range(flaky):
        found.see(flaky_in(number))
    for number in range(scenarios):
        found.see(Judged(str(number), "", "history", (), FINE.judgement.verdicts))
    return found


@pytest.mark.parametrize(
    ("flaky", "scenarios", "code"),
    [(1, 10, OK), (2, 10, FOUND), (2, 1_999, FOUND), (2, 2_000, OK), (3, 2_999, FOUND)],
)
def test_flaky_breaks_fail_a_strict_run_above_a_rate(flaky: int, scenarios: int, code: int) -> None:
    assert outcome_of(flaky, scenarios, strict=True).exit_code(OK, problems=False) == code
    assert outcome_of(flaky, scenarios, strict=False).exit_code(OK, problems=False) == OK
    listed = outcome_of(flaky, scenarios, strict=True, known=True)
    assert listed.exit_code(OK, problems=False) == OK


def test_the_same_scenario_counts_once() -> None:
    found = outcome_of(1, 10, strict=True)
    found.see(flaky_in(0))
    assert found.exit_code(OK, problems=False) == OK


def test_a_run_emits_what_was_flaky_before_the_verdict_that_counts() -> None:
    loop = ShareLoop(Scripted(FINE), Plan(1, 1), frozenset())  # type: ignore[arg-type]
    events = list(loop._judge(LATE, Ask(TWICE, "history")))
    flaky, _, judged = events
    assert isinstance(flaky, Flaky)
    assert isinstance(judged, Judged)
    assert judged.verdicts == FINE.judgement.verdicts
    assert judged.scenario == identity(flaky.scenario)
