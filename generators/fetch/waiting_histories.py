"""Histories in which a fetch waits for data while another connection writes (FET-008, FET-014 to
FET-016, FET-055).
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.weighted import weighted
from spec.fetch.releases import FetchSemantics
from spec.fetch.steps import OWN, Fetch, FetchPartition
from spec.frozen import replace
from spec.kafka import INT32_MAX, READ_COMMITTED, READ_UNCOMMITTED
from spec.layout import Batch, Layout, Partition
from spec.log import bytes_of, log_of
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.steps import Append, Step

LONG_MS = 5000
"""Long enough that an answer after the append can't be taken for the end of the wait."""
SHORT_MS = (120, 60, 90, 150)
LASTING_MS = 1100
"""A wait that nothing ends, so long that a broker's own bound of a second or less shows."""
TICK_MS = 30
TICKS = 5
WRITER = 1
"""The actor that writes."""
REPEATER = 2
"""The actor that sends what another one waits for."""
REPEATED_MS = 60
"""When a request of a session is repeated: the session has been opened by then and the first one
has arrived, or the history says less.
"""

_sizes = weighted((100, 2), (200, 1), (300, 1))
_versions = weighted((12, 2), *[(version, 1) for version in (4, 6, 7, 9, 11, 13, 15, 16, 17, 18)])
_isolations = st.sampled_from((READ_UNCOMMITTED, READ_COMMITTED))
_few = st.integers(0, 3)
_ticks = st.integers(1, TICKS)
_short = st.sampled_from(SHORT_MS)


class Surplus(Enum):
    """How many of the bytes that an append brings are more than what is waited for."""

    NONE = "none"
    ONE = "one byte"
    MOST = "all but one byte"

    def of(self, batch: Batch) -> int:
        """Bytes, of a batch."""
        return {Surplus.NONE: 0, Surplus.ONE: 1, Surplus.MOST: batch.size - 1}[self]


_surpluses = weighted((Surplus.NONE, 2), (Surplus.ONE, 1), (Surplus.MOST, 1))


@dataclass
class Scene:
    """The choices that a waiting history is drawn from.

    Attributes:
        draw: Hypothesis's.
        version, isolation: of the fetches.
        data: batches that lie in partition 0 already.
        seen: how many of them the fetch has behind it; the rest is available.
        other: whether there is a second partition, at whose end it waits too.
        surplus: by how much an append exceeds what is waited for.
    """

    draw: st.DrawFn
    version: int
    isolation: int
    data: tuple[Batch, ...]
    seen: int
    other: bool
    surplus: Surplus

    @property
    def available(self) -> int:
        """Bytes that can be read before anything is appended."""
        return sum([batch.size for batch in self.data[self.seen :]])

    def layout(self) -> Layout:
        """The partitions."""
        more = (Partition(((Batch(100),),)),) if self.other else ()
        return Layout((Partition((self.data,)), *more))

    def asks(self, limit: int = INT32_MAX) -> tuple[FetchPartition, ...]:
        """Partition 0 where it is read, the other at its end."""
        more = (FetchPartition(1, 1),) if self.other else ()
        return (FetchPartition(0, self.seen, limit), *more)

    def waiting_fetch(
        self, min_bytes: int, wait: int, limit: int = INT32_MAX, max_bytes: int = INT32_MAX
    ) -> Fetch:
        """The fetch that waits."""
        return Fetch(self.asks(limit), max_bytes, min_bytes, wait, self.isolation, self.version)

    def short(self) -> int:
        """A wait that ends by itself, in ms."""
        return self.draw(_short)

    def appends(self, *partitions: int) -> list[Append]:
        """One append to each of the partitions, one after the other, from the other connection."""
        at = 0
        found = []
        for partition in partitions:
            at = min(at + TICK_MS * self.draw(_ticks), TICK_MS * TICKS)
            found.append(Append(partition, Batch(self.draw(_sizes)), WRITER, at))
        return found


def _wake(scene: Scene) -> Scenario:
    """An append brings what was missing: exactly, or more than that."""
    appends = scene.appends(0)
    less = scene.surplus.of(appends[0].batch)
    return _scenario(
        scene, scene.waiting_fetch(scene.available + appends[0].batch.size - less, LONG_MS), appends
    )


def _woken_by_second(scene: Scene) -> Scenario:
    """Only the second append brings enough, in the same or the other partition."""
    appends = scene.appends(0, 1 if scene.other else 0)
    wanted = (
        scene.available
        + appends[0].batch.size
        + (appends[1].batch.size if scene.draw(st.booleans()) else 1)
    )
    return _scenario(scene, scene.waiting_fetch(wanted, LONG_MS), appends)


def _not_enough(scene: Scene) -> Scenario:
    """An append leaves one byte missing; the wait runs out, and the answer has what is there by
    then.
    """
    appends = scene.appends(0)
    return _scenario(
        scene,
        scene.waiting_fetch(scene.available + appends[0].batch.size + 1, TICK_MS * TICKS),
        appends,
    )


def _expires(scene: Scene) -> Scenario:
    """Nothing is appended."""
    return _scenario(scene, scene.waiting_fetch(scene.available + 1, scene.short()), [])


def _lasts(scene: Scene) -> Scenario:
    """Nothing is appended for longer than a second."""
    return _scenario(scene, scene.waiting_fetch(scene.available + 1, LASTING_MS), [])


def _elsewhere(scene: Scene) -> Scenario:
    """An append to a partition that the fetch does not name wakes nobody."""
    scene.other = True
    fetch = Fetch(
        scene.asks()[:1],
        INT32_MAX,
        scene.available + 1,
        TICK_MS * TICKS,
        scene.isolation,
        scene.version,
    )
    return _scenario(scene, fetch, scene.appends(1))


def _limit(scene: Scene) -> Scenario:
    """The partition's limit keeps what counts below min_bytes, whatever is appended (FET-015)."""
    appends = scene.appends(0)
    return _scenario(
        scene, scene.waiting_fetch(scene.available + 101, TICK_MS * TICKS, limit=100), appends
    )


def _lower(scene: Scene) -> Scenario:
    """The request's limit lowers min_bytes, so that an append that fills it is enough (FET-015)."""
    appends = scene.appends(0)
    enough = scene.available + appends[0].batch.size
    return _scenario(scene, scene.waiting_fetch(enough + 1000, LONG_MS, max_bytes=enough), appends)


def _older_segment(scene: Scene) -> Scenario:
    """A read that starts on an older segment is not kept waiting (FET-016)."""
    layout = Layout((Partition((scene.data or (Batch(100),), (Batch(100),))),))
    total = bytes_of(log_of(layout.partitions[0]).batches)
    fetch = Fetch(
        (FetchPartition(0, 0),), INT32_MAX, total + 1, scene.short(), scene.isolation, scene.version
    )
    return Scenario(layout, (fetch,), subject="fetch")


def _unstable(scene: Scene) -> Scenario:
    """With read_committed an append behind an open transaction adds nothing (FET-055)."""
    layout = Layout((Partition(((*scene.data, Batch(100, txn=0)),)),))
    available = scene.available
    fetch = Fetch(
        (FetchPartition(0, scene.seen),),
        INT32_MAX,
        available + 1,
        TICK_MS * TICKS,
        READ_COMMITTED,
        scene.version,
    )
    return Scenario(layout, (fetch, *scene.appends(0)), subject="fetch")


def _in_session(scene: Scene, *, woken: bool) -> Scenario:
    """An incremental fetch that names nothing waits like one that names all its session's
    partitions.
    """
    version = max(scene.version, 7)
    end = len(scene.data)
    full = Fetch(
        (FetchPartition(0, end), *scene.asks()[1:]),
        isolation=scene.isolation,
        version=version,
        epoch=0,
    )
    wait = LONG_MS if woken else scene.short()
    empty = Fetch(
        min_bytes=1,
        max_wait_ms=wait,
        isolation=scene.isolation,
        version=version,
        session=OWN,
        epoch=1,
    )
    appends = scene.appends(1 if scene.other and scene.draw(st.booleans()) else 0) if woken else []
    return Scenario(scene.layout(), (full, empty, *appends), subject="fetch")


def _session_expires(scene: Scene) -> Scenario:
    return _in_session(scene, woken=False)


def _session_woken(scene: Scene) -> Scenario:
    return _in_session(scene, woken=True)


def _not_enough_in_session(scene: Scene) -> Scenario:
    """An append leaves one byte missing of what an incremental fetch waits for, or brings it."""
    full, empty = _in_session(scene, woken=False).steps
    assert isinstance(empty, Fetch)
    appends = scene.appends(0)
    size, enough = appends[0].batch.size, scene.draw(st.booleans())
    waits = replace(
        empty,
        min_bytes=size + (not enough),
        max_wait_ms=LONG_MS if enough else TICK_MS * TICKS,
    )
    return Scenario(scene.layout(), (full, waits, *appends), subject="fetch")


def _repeat(scene: Scene) -> Scenario:
    """The same fetch comes over another connection while the first waits: each waits for itself,
    and an append that brings what was missing ends both waits.
    """
    appends = scene.appends(0)
    first = scene.waiting_fetch(scene.available + appends[0].batch.size, LONG_MS)
    second = replace(first, actor=REPEATER, after_ms=TICK_MS // 2)
    return Scenario(scene.layout(), (first, second, *appends), subject="fetch")


def _beside_another(scene: Scene, *, follows: bool) -> Scenario:
    """Another request of the session comes over another connection while one waits."""
    scenario = _in_session(scene, woken=True)
    full, first = [step for step in scenario.steps if isinstance(step, Fetch)]
    appends = [step for step in scenario.steps if isinstance(step, Append)]
    second = replace(
        first,
        epoch=first.epoch + follows,
        max_wait_ms=scene.short() if follows else first.max_wait_ms,
        actor=REPEATER,
        after_ms=REPEATED_MS,
    )
    later = [replace(each, after_ms=each.after_ms + REPEATED_MS) for each in appends]
    return replace(scenario, steps=(full, first, second, *later))


def _repeated_in_session(scene: Scene) -> Scenario:
    """A request of a session is repeated while the first one waits: the session has taken that on,
    so that the repeat is refused, and the first is answered with what is appended (FET-032).
    """
    return _beside_another(scene, follows=False)


def _followed_in_session(scene: Scene) -> Scenario:
    """The request that a session expects next comes while the one before it still waits."""
    return _beside_another(scene, follows=True)


def _unknown_beside(scene: Scene) -> Scenario:
    """A partition that does not exist does not end the wait of one that does (FET-008)."""
    asks = (FetchPartition(7, 0), FetchPartition(0, len(scene.data)))
    appends = scene.appends(0)
    fetch = Fetch(asks, INT32_MAX, 1, LONG_MS, scene.isolation, scene.version)
    return _scenario(scene, fetch, appends)


def _scenario(scene: Scene, fetch: Fetch, appends: list[Append]) -> Scenario:
    steps: tuple[Step, ...] = (fetch, *appends)
    return Scenario(scene.layout(), steps, subject="fetch")


WEIGHTS: tuple[tuple[Callable[[Scene], Scenario], int], ...] = (
    (_expires, 4),
    (_lasts, 6),
    (_wake, 10),
    (_session_expires, 4),
    (_session_woken, 6),
    (_not_enough_in_session, 10),
    (_not_enough, 4),
    (_woken_by_second, 5),
    (_lower, 4),
    (_limit, 4),
    (_elsewhere, 4),
    (_older_segment, 4),
    (_unstable, 4),
    (_unknown_beside, 4),
    (_repeat, 8),
    (_repeated_in_session, 12),
    (_followed_in_session, 5),
)
"""The purposes of a wait, with weights."""
_scenes = weighted(*WEIGHTS)


@st.composite
def _histories(draw: st.DrawFn, oldest: int, newest: int) -> Scenario:
    build = draw(_scenes)
    version = min(max(draw(_versions), oldest), newest)
    isolation = draw(_isolations)
    data = tuple([Batch(draw(_sizes)) for _ in range(draw(_few))])
    seen = max(0, len(data) - draw(_few))
    return build(
        Scene(
            draw,
            version,
            isolation,
            data,
            seen,
            other=draw(st.booleans()),
            surplus=draw(_surpluses),
        )
    )


def waiting_histories(semantics: Semantics | None = None) -> SearchStrategy[Scenario]:
    """Scenarios of one fetch that waits, 1 or 2 partitions, and up to two appends from another
    connection meanwhile.

    Waits that nothing ends take 60 to 150 ms, or 1100 ms; those of 5000 ms are ended by an append
    30 to 150 ms after the start.

    Args:
        semantics: the broker's versions.
    """
    known = (semantics or Semantics()).of(FetchSemantics)
    return _histories(known.oldest_fetch, known.newest_fetch)


def awaits_data(fetch: Fetch) -> bool:
    """Whether a fetch may be kept waiting at all."""
    return fetch.max_wait_ms > 0 and fetch.min_bytes > 0
