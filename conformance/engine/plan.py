"""What a run is asked to do."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.engine.corpus import Reading

CHUNK = 16
"""Layouts placed side by side."""
QUESTIONS = 4
"""Questions asked about each layout."""
SESSIONS, WAITING = 16, 8
"""Histories played side by side: those of fetch sessions, and those in which the broker is made to wait."""
HISTORIES_EVERY = 4
"""Chunks of layouts for each such lot of histories: these mostly wait, so it is cheaper to play many at a time."""
SHARE_HISTORIES = 96
"""Histories of share groups that are drawn together: the last of them to end is waited for."""
EXPIRING, EXPIRING_SHARE = 96, 16
"""Histories whose locks run out: at most so many, and one scenario in so many, since each waits for seconds."""
CRAFTED_SHARE = 8
"""Histories of share groups after each other restart, at least."""
RESTARTED_SHARE = 8
"""One scenario in so many is asked after a restart with small limits, where the system can restart."""
SMALL_FETCH_MAX_BYTES = 1024
"""The broker's `fetch.max.bytes` after the restart: its smallest."""
CRAFTED = 48
"""Crafted layouts, placed by that restart where the system takes files."""
CRAFTED_QUESTIONS = 8
"""Questions asked about each crafted layout: they are few."""
AIMED_LOTS = 2
"""Lots of histories drawn for each chunk of layouts where a run aims at some clauses; what exercises none of them is left out."""
BARREN_CHUNKS = 12
"""Chunks running in which nothing exercises them, after which the run stops looking."""
SHRINK_CALLS = 400
"""Live replays that shrinking one break may take."""
SHARE_SHRINK_CALLS = 120
"""The same for share groups, whose histories take longer."""
RESTARTING_SHRINK_CALLS = 25
"""The same, where each takes a restart."""
SHRINKS = 8
"""Breaks that are shrunk; what else breaks is still in the log."""

SEEDS_APART = 1_000_003
"""More chunks than a run of one seed draws, so that the next seed's run draws none of them again."""

NO_CORPUS = Reading()


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run is asked to do.

    Attributes:
        seed: what the drawing starts from.
        scenarios: how many scenarios to judge.
        seconds: how long to go on, instead of a number; None for no limit.
        clauses: ids that count, and are aimed at; empty for all.
        skip_chunks, skip_scenarios: what an earlier, cut-off run of the same seed has done.
        restart: restart the broker with small limits for the last part, where that is possible.
        shrink: make breaks small.
        examples: ask the catalogue's worked examples before what is drawn.
        corpus: scenarios that are tried before all others. They count beside `scenarios`, so that what is drawn hangs on the seed alone.
        skip_corpus: how many of them an earlier, cut-off run has judged.
        ruled_out: the (clause, reading) pairs that it has told already.
    """

    seed: int
    scenarios: int
    seconds: float | None = None
    clauses: frozenset[str] = frozenset()
    skip_chunks: int = 0
    skip_scenarios: int = 0
    restart: bool = True
    shrink: bool = True
    examples: bool = True
    corpus: Reading = NO_CORPUS
    skip_corpus: int = 0
    ruled_out: frozenset[tuple[str, str]] = frozenset()

    def seed_of(self, chunk: int) -> int:
        """What a chunk of the run is drawn by."""
        return self.seed * SEEDS_APART + chunk
