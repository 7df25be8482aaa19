"""The plan of a run."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.engine.corpus import Reading
from conformance.engine.standing import BEGINNING, Standing

CHUNK = 16
"""Layouts placed side by side."""
QUESTIONS = 4
"""Questions asked about each layout."""
SESSIONS, WAITING = 16, 8
"""Histories played side by side: those of fetch sessions, and those in which the broker is made to
wait.
"""
HISTORIES_EVERY = 4
"""Chunks of layouts for each such lot of histories: these mostly wait, so it is cheaper to play
many at a time.
"""
SHARE_HISTORIES = 96
"""Histories of share groups that are drawn together: the last of them to end is waited for."""
EXPIRING, EXPIRING_SHARE = 96, 16
"""Histories whose locks run out: at most so many, and one scenario in so many, since each waits for
seconds.
"""
CRAFTED_SHARE = 8
"""Histories of share groups after each other restart, at least."""
RESTARTED_SHARE = 8
"""One scenario in so many is asked after a restart with small limits, where the system can restart.
"""
SMALL_FETCH_MAX_BYTES = 1024
"""The broker's `fetch.max.bytes` after the restart: its smallest."""
CRAFTED = 48
"""Crafted layouts, placed by that restart where the system takes files."""
CRAFTED_QUESTIONS = 8
"""Questions asked about each crafted layout: they are few."""
AIMED_LOTS = 2
"""Lots of histories drawn for each chunk of layouts where a run aims at some clauses; what
exercises none of them is left out.
"""
BARREN_CHUNKS = 12
"""Chunks running in which nothing exercises them, after which the run stops looking."""
SHRINK_CALLS = 400
"""Live replays that shrinking one break may take."""
SHARE_SHRINK_CALLS = 120
"""The same for share groups, whose histories take longer."""
RESTARTING_SHRINK_CALLS = 25
"""The same, where each takes a restart."""
SHRINK_SECONDS, SHRINKING_SECONDS = 60.0, 240.0
"""How long shrinking may take: one kind of break, and all of a run."""
FIRST_SHRINKING_SECONDS = 60.0
"""How long it may take in all whatever time the run has taken for the rest."""
CONFIRMING_SECONDS = 180.0
"""How long a run may play breaks again that may be the clock's or the network's."""
TIMED_SHARE = 0.25
"""The same two for a run that is given a time, as a share of it."""
REPRODUCED = 3
"""Breaks of one kind that were played again and showed every time, after which the kind is known to
be the broker's.
"""

SEEDS_APART = 1_000_003
"""More chunks than a run of one seed draws, so that the next seed's run draws none of them again.
"""

NO_CORPUS = Reading()


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a run.

    Attributes:
        seed: what the drawing starts from.
        scenarios: how many scenarios to judge.
        seconds: how long to continue, instead of a number; None for no limit.
        clauses: ids that count, and are aimed at; empty for all.
        restart: restart the broker with small limits for the last part, where that is possible.
        shrink: make breaks small.
        examples: ask the catalogue's worked examples before what is drawn.
        corpus: scenarios that are tried before all others. They count beside `scenarios`, so that
            what is drawn depends on the seed alone.
        before: what was done of it before it was cut off, where it is resumed.
    """

    seed: int
    scenarios: int
    seconds: float | None = None
    clauses: frozenset[str] = frozenset()
    restart: bool = True
    shrink: bool = True
    examples: bool = True
    corpus: Reading = NO_CORPUS
    before: Standing = BEGINNING

    @property
    def shrinking_seconds(self) -> float:
        """How long all shrinking may take."""
        return self._within(SHRINKING_SECONDS)

    @property
    def confirming_seconds(self) -> float:
        """How long breaks may be played again."""
        return self._within(CONFIRMING_SECONDS)

    def _within(self, most: float) -> float:
        return most if self.seconds is None else min(most, TIMED_SHARE * self.seconds)

    def seed_of(self, chunk: int) -> int:
        """The seed of a chunk of the run."""
        return self.seed * SEEDS_APART + chunk
