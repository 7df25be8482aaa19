"""How long a run sends patient fetches again: less, once they got nothing often for one reason.

A patient fetch waits for seconds until it acquires something. On a broker that never offers such
records nearly every history waits to the end, and shows what is known already.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

from conformance.engine.player import Omission
from spec.frozen import frozen, replace
from spec.share.steps import ShareFetch
from spec.share.turn import SETTLE_MS
from spec.share.waiting import ran_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.engine.play_result import Played
    from spec.scenario import Scenario

RAN_OUT = 12
"""After so many histories in which the whole patience ran out for one reason, others wait less."""
WHOLE_ONE_IN = 8
"""One history in so many still waits as long as it should, so that other reasons are found."""
SHORT_MS = 500
"""How long the others wait, in milliseconds: less than SHR-155 allows a broker, so that the clause
says nothing of them unless something comes.
"""
CLAUSES = frozenset({"SHR-140", "SHR-155", "SHR-503"})
"""The clauses that say nothing where a patient fetch was given up early."""
HASTY_MS = int(SETTLE_MS)
"""How patient the fetches of a hastened replay are: as long as SHR-155 allows a broker at least."""
Reason = str


class Patience:
    """The patience of all histories of a player."""

    def __init__(self) -> None:
        self._ran_out: Counter[Reason] = Counter()
        self._histories = 0
        self._all_whole = 0
        self._given_up = 0

    def of_history(self) -> HistoryPatience:
        """The patience of the next history."""
        whole = bool(self._all_whole) or self._histories % WHOLE_ONE_IN == 0
        self._histories += not self._all_whole
        return HistoryPatience(self, whole)

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Let histories that begin within wait as long as they should: replays decide a verdict."""
        self._all_whole += 1
        try:
            yield
        finally:
            self._all_whole -= 1

    def see(self, played: Played) -> None:
        """Count a history in which the whole patience ran out, where it broke a clause by that."""
        reason = _reason(played)
        if reason and ran_out(played.scenario, played.observation):
            self._ran_out[reason] += 1

    def give_up(self) -> None:
        """Count a fetch that was given up early."""
        self._given_up += 1

    @property
    def is_used_up(self) -> bool:
        """Whether the whole patience ran out for one reason often enough."""
        return any(times >= RAN_OUT for times in self._ran_out.values())

    @property
    def omissions(self) -> tuple[Omission, ...]:
        """The fetches that were given up early; empty where none was."""
        if not self._given_up:
            return ()
        reasons = [reason for reason, times in self._ran_out.items() if times >= RAN_OUT]
        why = (
            f"patient fetches were given up after {SHORT_MS} ms, since in {RAN_OUT} histories or "
            f"more all their time ran out with {', '.join(sorted(reasons))}"
        )
        return (Omission(why, CLAUSES, self._given_up),)


@frozen
class HistoryPatience:
    """The patience of one history.

    Attributes:
        shared: that of all histories.
        whole: it waits as long as it should in any case.
    """

    shared: Patience
    whole: bool

    def allowed_ms(self, wanted_ms: int) -> int:
        """For how many milliseconds a fetch that wants so many is sent again now."""
        return wanted_ms if self.whole or not self.shared.is_used_up else min(wanted_ms, SHORT_MS)


def with_short_patience(scenario: Scenario) -> Scenario:
    """The same with fetches that are patient for `HASTY_MS` at most."""
    steps = [
        replace(step, patience_ms=min(step.patience_ms, HASTY_MS))
        if isinstance(step, ShareFetch)
        else step
        for step in scenario.steps
    ]
    return replace(scenario, steps=tuple(steps))


def _reason(played: Played) -> Reason:
    """The breaks of a history that take a patient fetch, in words; empty where there is none."""
    kinds = {
        f"{one.clause} '{one.signature}'"
        for one in played.judgement.breaks
        if one.clause in CLAUSES
    }
    return ", ".join(sorted(kinds))
