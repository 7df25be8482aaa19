"""One small case of each kind of break that a run finds, and the time that it gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.play_result import DISTURBED
from conformance.engine.shrinking import Shrinker, ShrinkTime
from spec.events import Note, Shrunk
from spec.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from conformance.engine.asking import Origin
    from conformance.engine.plan import Plan
    from conformance.engine.play_result import Played
    from conformance.engine.resume_point import BreakKind
    from spec.events import Event

    SmallestPlay = Callable[[Shrinker, Origin], Played | None]

SHRUNK = (Outcome.INCONCLUSIVE, Outcome.DEVIATES, Outcome.VIOLATES)
"""Outcomes that are made small, the lightest first."""


class SmallCases:
    """The kinds of break of a run, each made small once.

    Args:
        plan: says whether, and how long that may take.
        known: (clause, signature) of the findings, which are not made small.
        seconds: how long the run has taken so far.
        smallest_play: the smallest play that breaks in the same way.

    Attributes:
        time: what was spent on it, and may be.
    """

    def __init__(
        self,
        plan: Plan,
        known: frozenset[BreakKind],
        seconds: Callable[[], float],
        smallest_play: SmallestPlay,
    ) -> None:
        self._plan = plan
        self._known = known
        self._seconds = seconds
        self._smallest_play = smallest_play
        self._shrunk: dict[BreakKind, Outcome] = dict(plan.before.shrunk)
        self._waiting: dict[BreakKind, tuple[str, Verdict, Origin]] = {}
        self._without_time: dict[BreakKind, str] = {}
        self.time = ShrinkTime(plan.shrinking)

    def note(self, scenario_id: str, verdict: Verdict, origin: Origin | None) -> None:
        """Keep the first break of each kind that is to be made small, with where it was drawn."""
        kind = verdict.kind
        if (
            verdict.outcome not in SHRUNK
            or kind in self._known
            or kind in self._shrunk
            or origin is None
            or not verdict.primary
            or verdict.signature in DISTURBED
        ):
            return
        self._waiting.setdefault(kind, (scenario_id, verdict, origin))

    def make(self) -> Iterator[Event]:
        """Make small what broke in this part, once its layouts are off the broker: the heaviest
        first, all that wait with an equal share of the time there is.

        What gets no time here is kept in mind: it is made small when it breaks again in a later
        part, which has more time.
        """
        waiting, self._waiting = self._waiting, {}
        if not self._plan.shrink:
            return
        for kinds in _by_weight(waiting):
            for number, kind in enumerate(kinds):
                found, verdict, origin = waiting[kind]
                left = self.time.seconds_left(
                    self._seconds(), light=verdict.outcome is not Outcome.VIOLATES
                )
                if left <= 0:
                    self._without_time[kind] = found
                    continue
                self._shrunk[kind] = verdict.outcome
                self._without_time.pop(kind, None)
                share = min(self._plan.shrink_seconds_each, left / (len(kinds) - number))
                yield from self._shrink(kind, found, origin, share)

    def report_left(self) -> Iterator[Event]:
        """Name the kinds of break that got no time to be made small."""
        if self._without_time:
            kinds = ", ".join([f"{one[0]} '{one[1]}'" for one in self._without_time])
            yield Note(f"not shrunk, since the time for that is used up: {kinds}")

    def _shrink(
        self, kind: BreakKind, found: str, origin: Origin, seconds: float
    ) -> Iterator[Event]:
        """Make one kind of break small, within so many seconds."""
        clause, signature = kind
        shrinker = Shrinker(clause, signature, seconds)
        with self.time.spending():
            least = self._smallest_play(shrinker, origin)
        if least is None:
            yield Note(f"{clause} '{signature}' was not seen again while shrinking {found}")
            return
        same = [v for v in least.judgement.verdicts if shrinker.is_about(v)]
        yield Shrunk(
            clause,
            signature,
            found,
            least.scenario,
            same[0],
            least.observation,
            shrinker.calls,
        )


def _by_weight(waiting: Mapping[BreakKind, tuple[str, Verdict, Origin]]) -> list[list[BreakKind]]:
    """The kinds of break that wait, those of the heaviest outcome first, each as they came."""
    found: dict[Outcome, list[BreakKind]] = {outcome: [] for outcome in reversed(SHRUNK)}
    for kind, (_, verdict, _) in waiting.items():
        found[verdict.outcome].append(kind)
    return list(found.values())
