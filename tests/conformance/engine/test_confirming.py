"""What a bench makes of a break that a slow machine can bring about: it counts only when every
replay shows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.engine.played import Played
from conformance.engine.player import Player
from spec.judgement import Judgement
from spec.observation import Observation
from spec.releases import semantics_for
from spec.share.examples import FIVES, again, fetch, history
from spec.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spec.scenario import Scenario

TWICE = history((FIVES,), fetch(0, max_records=5), again(max_records=5))


def played(*verdicts: Verdict) -> Played:
    """A play of the same history with these verdicts."""
    return Played(TWICE, Observation(()), Judgement(verdicts))


class Scripted(Player):
    """A bench whose plays are written down beforehand."""

    def __init__(self, *plays: Played) -> None:
        super().__init__(semantics_for("4.3"))
        self.plays: Iterator[Played] = iter(plays)

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
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
    assert Scripted(FINE).confirmed(late) == FINE
    assert Scripted(late, FINE).confirmed(late) == FINE


@pytest.mark.parametrize("late", [FOUND_NOTHING, STUCK])
def test_what_never_comes_is_a_break(late: Played) -> None:
    assert Scripted(late, late).confirmed(late) == late


def test_what_came_too_many_is_a_break_at_once() -> None:
    assert Scripted().confirmed(TOO_MANY) == TOO_MANY
