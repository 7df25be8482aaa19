"""Breaks that may be the clock's or the network's are played again before they count."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from conformance.engine.plan import REPRODUCED
from conformance.engine.play_result import DISTURBED, Confirmation
from conformance.engine.player import REPLAYS
from conformance.engine.time_spent import TimeSpent
from conformance.placement.problem import PlacementFailed
from spec.events import Flaky
from spec.judgement import NOT_READY
from spec.reasons import kind_of_reason
from spec.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from conformance.engine.plan import Plan
    from conformance.engine.play_result import Played
    from conformance.engine.player import Player
    from conformance.engine.resume_point import BreakKind
    from spec.events import Event

_FAILURES = (Outcome.DEVIATES, Outcome.VIOLATES)
"""Outcomes that can fail a run by themselves."""


class Doubts(TimeSpent):
    """What counts of a play, after replays of what is doubtful in it, within the time that a run
    has for those; the time that it has spent on them.

    Args:
        player: plays again.
        plan: says how long that may take, and which clauses count.
        known: (clause, signature) of the findings. They fail no run, so they need no replay.
        seconds: how long the run has taken so far.
    """

    def __init__(
        self, player: Player, plan: Plan, known: frozenset[BreakKind], seconds: Callable[[], float]
    ) -> None:
        super().__init__()
        self._player = player
        self._plan = plan
        self._known = known
        self._seconds = seconds
        self._reproduced: Counter[BreakKind] = Counter()
        self._lasting: Counter[tuple[str, str]] = Counter()

    def settle(self, played: Played) -> Generator[Event, None, Played]:
        """The play that counts; the breaks that were not reproduced are reported as flaky."""
        confirmation = self._confirmation(played)
        yield from self._report_flaky(confirmation)
        return (yield from self._decide(confirmation.counts))

    def _confirmation(self, played: Played) -> Confirmation:
        """What counts of a play whose breaks may be doubtful.

        A kind of break that showed in every replay so far is the broker's. What can't be played
        again any more is inconclusive.
        """
        doubtful = played.doubtful_kinds - self._known
        used_up = self._is_over
        if all(self._is_reproduced(kind, used_up=used_up) for kind in doubtful):
            return Confirmation(played, played)
        if used_up:
            return Confirmation(
                played,
                played.inconclusive(
                    "it may be the clock's or the network's, and the time for playing such breaks "
                    "again is used up"
                ),
            )
        self._report_suspicion(played, doubtful)
        with self.spending():
            found = self._player.confirm(played)
        if not any(one.signature in DISTURBED for one in found.counts.judgement.breaks):
            for kind in doubtful:
                shows = found.counts.broke(*kind)
                self._reproduced[kind] = self._reproduced[kind] + 1 if shows else 0
        return found

    def _decide(self, played: Played) -> Generator[Event, None, Played]:
        """The play that counts of a scenario that is inconclusive: the first replay that is not,
        and then the doubt is reported as flaky; the play itself where there is none.

        A connection that was lost once says nothing of the broker, so it does not decide how a run
        ends. That many are lost does, see `RunOutcome.too_undecided`. A play that diverges in what
        no finding lists counts as it is, and a doubt that replays did not lift several times is
        taken for one that lasts.
        """
        doubt = played.doubt
        if doubt is None or any(one.kind not in self._known for one in played.divergences):
            return played
        lasting = doubt.signature, kind_of_reason(doubt.why)
        replays = 0
        most = 1 if doubt.signature == NOT_READY else REPLAYS  # what has been waited for already
        while replays < most and self._lasting[lasting] < REPRODUCED and not self._is_over:
            try:
                with self.spending():
                    again = self._player.confirmed_play(self._player.play_one(played.scenario))
            except PlacementFailed:
                replays += 1
                break
            replays += 1
            if again.doubt is None:
                yield Flaky(
                    doubt.clause,
                    doubt.signature,
                    played.scenario,
                    doubt,
                    played.observation,
                    reproduced=replays - 1,
                    replays=replays,
                )
                return again
        self._lasting[lasting] += replays > 0
        return played

    def _is_reproduced(self, kind: BreakKind, *, used_up: bool) -> bool:
        """Whether a kind of break was reproduced often enough to need no replay: once, where the
        time for replays is used up or another kind of its clause was reproduced often enough.
        """
        alike = [times for other, times in self._reproduced.items() if other[0] == kind[0]]
        often = max(alike, default=0) >= REPRODUCED
        return self._reproduced[kind] >= (1 if used_up or often else REPRODUCED)

    def _report_suspicion(self, played: Played, doubtful: frozenset[BreakKind]) -> None:
        """Name at once the breaks of clauses that count here and that are played again first.

        This is no event: nothing is decided yet, and a log holds what was.
        """
        for verdict in self._plan.counted(played.divergences):
            if verdict.outcome in _FAILURES and verdict.kind in doubtful:
                self._plan.suspect(verdict)

    def _report_flaky(self, confirmation: Confirmation) -> Iterator[Event]:
        """The breaks of clauses that count here and that were not reproduced."""
        for flaky in confirmation.flaky:
            counted = self._plan.counted((flaky.verdict,))
            if counted and counted[0].outcome is not Outcome.UNSUPPORTED:
                yield flaky

    @property
    def _is_over(self) -> bool:
        """Whether the time that a run has for playing scenarios again is used up."""
        return self.spent >= self._plan.confirming.of(self._seconds() - self.spent)
