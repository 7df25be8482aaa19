"""The plan of a run: what is asked for, and how the engine divides work and time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.claims.features import ANYTHING, Claims
from conformance.engine.corpus import Reading
from conformance.engine.resume_point import BEGINNING, ResumePoint
from spec.frozen import frozen
from spec.judgement import EVERY_CLAUSE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from spec.verdict import Verdict

CHUNK = 16
"""Layouts placed side by side."""
QUESTIONS = 4
"""Questions asked about each layout."""
SESSIONS = 16
"""Histories of fetch sessions that are played side by side in one lot."""
WAITING = 8
"""Histories in which the broker is made to wait that are played side by side in one lot."""
HISTORIES_EVERY = 4
"""A run of fetches plays one lot of each of these two kinds for so many chunks of layouts. Such
histories mostly wait, so it is cheaper to play many at a time.
"""
SHARE_HISTORIES = 96
"""Histories of share groups in one lot. A lot ends when its slowest history has ended."""
SCENARIOS_PER_SLOW_SHARE_HISTORY = 16
"""A run of share groups plans one history with short locks for so many of its scenarios, since each
waits for seconds; and as many again after each restart.
"""
MOST_EXPIRING_SHARE_HISTORIES = 96
"""The most histories with short locks that a run of share groups plans."""
LEAST_RESTARTED_SHARE_HISTORIES = 8
"""The fewest histories of share groups that are played after a restart with other settings."""
SCENARIOS_PER_RESTARTED_FETCH = 8
"""A run of fetches asks one scenario in so many after a restart with small limits, where the system
can restart.
"""
SMALL_FETCH_MAX_BYTES = 1024
"""The broker's `fetch.max.bytes` after the restart: its smallest."""
LARGEST_FETCH_MAX_BYTES = 60 * 2**20
"""A broker's own `fetch.max.bytes` up to this is met by a layout that holds more, where the broker
can't be restarted with a small one.
"""
SCENARIOS_WITH_LARGE_LAYOUT = 1000
"""The fewest scenarios of a run that lays one."""
TRIED_BYTES = 4_000_000
"""Bytes of the layout that is laid before it, to see how fast the way to the broker is."""
TRIED_SECONDS = 2.0
"""The most seconds that this may take: otherwise the large one is left out."""
CRAFTED = 48
"""Crafted layouts, placed by that restart where the system takes files."""
CRAFTED_QUESTIONS = 8
"""Questions asked about each crafted layout: they are few."""
AIMED_LOTS = 2
"""Lots of histories of each kind that are drawn for a chunk of layouts where a run aims at some
clauses. Histories that exercise none of them are left out.
"""
BARREN_CHUNKS = 12
"""After so many chunks in succession in which nothing exercises the clauses aimed at, that part of
the run ends.
"""
SHRINK_CALLS = 400
"""Live replays that shrinking one break may take."""
SHARE_SHRINK_CALLS = 120
"""The same for share groups, whose histories take longer."""
RESTARTING_SHRINK_CALLS = 25
"""The same, where each takes a restart."""
SHRINK_SECONDS = 60.0
"""The most seconds that shrinking one kind of break may take, where the run has no other budget."""
SHRINKING_SECONDS = 240.0
"""The most seconds that shrinking may take in a whole run."""
SHRINKING_PART = 0.2
"""The part of the time that the run has taken otherwise, by which shrinking may make it longer."""
FIRST_SHRINKING_SECONDS = 10.0
"""The seconds that shrinking may take in any run, however short."""
CONFIRMING_SECONDS = 180.0
"""The most seconds in which a run may replay breaks that may be due to timing or the network."""
CONFIRMING_PART = 0.25
"""The part of its other time that a run may take for that."""
FIRST_CONFIRMING_SECONDS = 45.0
"""The seconds that it may take for that, however short it is."""
TIMED_PART = 0.25
"""In a run of a given time, shrinking and confirming may each take at most this part of it."""
REPRODUCED = 3
"""After so many breaks of one kind that were reproduced, further ones are not replayed: the kind is
taken for the broker's. A single one is enough once another kind of the same clause came so often,
or the time for replays is used up.
"""

SEEDS_APART = 1_000_003
"""The distance between the chunks' seeds of two runs. No run draws so many chunks, so that runs of
two seeds never draw the same one.
"""

NO_CORPUS = Reading()


@frozen
class Allowance:
    """The time that something may take in a run.

    Attributes:
        most: seconds, however long the run is.
        least: seconds, however short it is, unless `most` is less.
        part: the part of the run's other time.
    """

    most: float
    least: float = 0.0
    part: float = 0.0

    def of(self, seconds: float) -> float:
        """The seconds allowed in a run that has taken so many otherwise."""
        return min(self.most, max(self.least, self.part * seconds))


@frozen
class Plan:
    """The plan of a run.

    Attributes:
        seed: of the drawing; the same seed draws the same scenarios.
        scenarios: how many scenarios to judge.
        seconds: how long to continue, whatever `scenarios` says; None: until `scenarios` are asked.
        clauses: ids that count, and are aimed at; empty for all.
        restart: restart the broker with small limits for the last part, where that is possible.
        shrink: make breaks small.
        shrink_seconds: how long that may take in all; None for a small part of the run.
        examples: ask the catalogue's worked examples before what is drawn.
        corpus: scenarios that are tried before all others. They count beside `scenarios`, so that
            what is drawn depends on the seed alone.
        before: what was done before the run was cut off, where it is resumed.
        claims: what the broker is said to have.
        granted: whether the cluster says that the user may do all that some error codes of
            permissions are about.
        suspect: called with each break that is played again before it counts.
    """

    seed: int
    scenarios: int
    seconds: float | None = None
    clauses: frozenset[str] = frozenset()
    restart: bool = True
    shrink: bool = True
    shrink_seconds: float | None = None
    examples: bool = True
    corpus: Reading = NO_CORPUS
    before: ResumePoint = BEGINNING
    claims: Claims = ANYTHING
    granted: Callable[[Iterable[int]], bool] = lambda _: False
    suspect: Callable[[Verdict], None] = lambda _: None

    @property
    def shrinking(self) -> Allowance:
        """How long all shrinking may take."""
        if self.shrink_seconds is not None:
            return Allowance(self.shrink_seconds, least=self.shrink_seconds)
        most = self._within(SHRINKING_SECONDS)
        return Allowance(most, FIRST_SHRINKING_SECONDS, SHRINKING_PART)

    @property
    def shrink_seconds_each(self) -> float:
        """How long shrinking one kind of break may take."""
        return SHRINK_SECONDS if self.shrink_seconds is None else self.shrink_seconds

    @property
    def confirming(self) -> Allowance:
        """How long breaks may be played again."""
        most = self._within(CONFIRMING_SECONDS)
        return Allowance(most, FIRST_CONFIRMING_SECONDS, CONFIRMING_PART)

    def counted(self, verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
        """Those of some verdicts that count here: of the clauses that are aimed at, weighed by what
        the broker is said to have.
        """
        weighed = self.claims.weigh(verdicts)
        if not self.clauses:
            return weighed
        return tuple([one for one in weighed if one.clause in {*self.clauses, EVERY_CLAUSE}])

    def _within(self, most: float) -> float:
        return most if self.seconds is None else min(most, TIMED_PART * self.seconds)

    def seed_of(self, chunk: int) -> int:
        """The seed of a chunk of the run."""
        return self.seed * SEEDS_APART + chunk
