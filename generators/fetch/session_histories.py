"""Histories of one fetch session: a full fetch, then requests that use it rightly and wrongly, with
writes in between.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.fetch.session_track import Track
from generators.weighted import weighted
from spec.fetch.releases import FetchSemantics
from spec.fetch.steps import OWN, Fetch, FetchPartition
from spec.frozen import replace
from spec.kafka import INT32_MAX, READ_COMMITTED, SESSIONS_SINCE, TOPIC_IDS_SINCE
from spec.layout import Batch, Layout, Marker, Partition
from spec.log import log_of
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.steps import Append, DeleteRecords, Step

MOST_PARTITIONS = 4
MOST_STEPS = 8
BATCHES = tuple(
    [
        Batch(*each)
        for each in ((100, 1), (100, 1), (150, 1), (200, 1), (100, 2), (100, 3), (100, 3), (300, 5))
    ]
)
"""The batches that are written, by slot; those of several records have places inside, where a
position can lie (FET-038).
"""
RUNS = (1, 1, 2, 2, 3, 3, 4, 0)
"""How many batches a partition has, by slot."""
MORE = 8
LAST = 2
EMPTY = 8
"""Of 12 ways to begin, the one that names no partition."""
TRANSACTIONAL = (10, 11)
"""Of 12 ways to begin, those with an aborted transaction, read by read_committed."""
STRANGE_SESSION = 12345
"""A session id in the range that brokers give, but hardly this one."""
OLD_VERSIONS = (12, 12, 11, 10, 9, 8, 7)
LIMITS = (INT32_MAX, INT32_MAX, 100, 150, 1, 0)
TIGHT = (1, 1, 0, 50, 150)
NEW_LIMITS = (100, 101, 99, 200, 199, 150)
"""Limits that a partition is given while it is in the session."""
ONE_BATCH = (100, 99, 101)
"""Request limits around a first batch of the commonest size."""
SHORT_MS = (60, 120)
PAIRS: tuple[tuple[str, tuple[int, ...], tuple[int, ...]], ...] = (
    ("max_bytes", (100, 1), (INT32_MAX, 300)),
    ("offset", (0,), (1, 2)),
    ("leader_epoch", (0,), (1,)),
    ("leader_epoch", (0,), (1,)),
)
"""Each parameter that a session keeps of a partition, with lower and higher values between which
lies what is answered; offsets of 1 and 2 come after the first and second batch of `GROWN`.
"""
CHANGES = 3
"""How often such a parameter changes, so that it goes both ways."""
GROWN = (Batch(100), Batch(200))
"""The batches of an empty partition before a parameter changes up and down."""

_more = st.integers(0, MORE - 1)
_run = st.integers(0, len(RUNS) - 1)
_batch = st.integers(0, len(BATCHES) - 1)
_which = st.integers(0, 11)
_how = st.integers(0, 11)
_bit = st.integers(0, 1)
_forgotten = weighted(
    ("one and back", 2), ("one", 2), ("named too", 5), ("all", 2), ("one that is not there", 1)
)


@st.composite
def small_layouts(draw: st.DrawFn, most: int = MOST_PARTITIONS) -> Layout:
    """One to `most` partitions, each of 0 to 4 plain batches of 100 to 300 bytes and 1 to 5
    records.
    """
    partitions: list[Partition] = []
    while not partitions or (len(partitions) < most and draw(_more) >= LAST):
        partitions.append(
            Partition((tuple([BATCHES[draw(_batch)] for _ in range(RUNS[draw(_run)])]),))
        )
    return Layout(tuple(partitions))


ABORTED = Partition(((Batch(100), Batch(200, txn=0), Marker(0, commit=False), Batch(100)),))
"""A partition with an aborted transaction between what is not: a session is answered which data to
leave out (FET-052).
"""


def with_aborted_transaction(layout: Layout) -> Layout:
    """The layout, its last partition with an aborted transaction."""
    return Layout((*layout.partitions[:-1], ABORTED))


@dataclass
class Script:
    """A history while it is drawn.

    Attributes:
        draw: Hypothesis's.
        ends: each partition's end offset by now.
        version, isolation: of the requests, but for those that are to differ.
        newest: the newest version that the broker knows.
        track: the session.
        steps: what is done so far.
    """

    draw: st.DrawFn
    ends: list[int]
    version: int
    isolation: int
    newest: int
    track: Track = field(default_factory=Track)
    steps: list[Step] = field(default_factory=list)

    def pick(self, items: list[int]) -> int:
        """One of some partition numbers."""
        return items[self.draw(_which) % len(items)]

    def held_partitions(self) -> list[int]:
        """The session's partitions that exist; partition 0 where it has none."""
        return [number for number in self.track.partitions if number < len(self.ends)] or [0]

    def ask(self, number: int, how: int = 0) -> FetchPartition:
        """A partition where it was, at its start, or (by `how`) at its end, one further, at the
        last record, past the end, or limited.
        """
        before = self.track.partitions.get(number, FetchPartition(number, 0))
        end = self.ends[number] if number < len(self.ends) else 0
        match how % 8:
            case 1 | 2:
                return replace(before, offset=end)
            case 3:
                return replace(before, offset=min(before.offset + 1, end))
            case 4:
                return replace(before, max_bytes=LIMITS[self.draw(_how) % len(LIMITS)])
            case 5:
                return replace(before, offset=end + 1)
            case 6:
                return replace(before, offset=0)
            case 7:
                return replace(before, offset=max(0, end - 1))
        return before

    def append(self, number: int, batch: Batch) -> None:
        """Write a batch to a partition."""
        self.steps.append(Append(number, batch))
        self.ends[number] += batch.records

    def send(self, fetch: Fetch) -> None:
        """Add a request and follow the session."""
        self.steps.append(fetch)
        self.track.send(fetch)

    def continue_session(
        self,
        partitions: tuple[FetchPartition, ...] = (),
        forgotten: tuple[int, ...] = (),
        *,
        off: int = 0,
        max_bytes: int = INT32_MAX,
    ) -> None:
        """An incremental request, `off` from the right epoch."""
        self.send(
            Fetch(
                partitions,
                max_bytes,
                isolation=self.isolation,
                version=self.version,
                session=OWN,
                epoch=max(1, self.track.epoch) + off,
                forgotten=forgotten,
            )
        )


def _nothing(script: Script) -> None:
    script.continue_session()


def _stop(script: Script) -> None:
    """End the history; directly after the full fetch, a request that names nothing."""
    script.continue_session()


def _positions(script: Script) -> None:
    how = script.draw(_how)
    script.continue_session(tuple([script.ask(number, how) for number in script.held_partitions()]))


def _one(script: Script) -> None:
    script.continue_session((script.ask(script.pick(script.held_partitions()), script.draw(_how)),))


def _tight(script: Script) -> None:
    """With a limit that starves later partitions, so that their order shows (FET-033)."""
    script.continue_session(max_bytes=TIGHT[script.draw(_how) % len(TIGHT)])


def _turns(script: Script) -> None:
    """A new session of all from their start, and room for about one batch until each has had its
    turn, and once more (FET-033, FET-133).
    """
    asks = tuple([FetchPartition(number, 0) for number in range(len(script.ends))])
    script.send(
        Fetch(
            asks,
            ONE_BATCH[0],
            isolation=script.isolation,
            version=script.version,
            session=OWN,
            epoch=0,
        )
    )
    for _ in range(len(asks) + 1):
        script.continue_session(max_bytes=ONE_BATCH[script.draw(_how) % len(ONE_BATCH)])


def _inside(script: Script) -> None:
    """All at their last record, inside a batch of several, then a request that names nothing:
    positions stay (FET-038).
    """
    script.continue_session(tuple([script.ask(number, 7) for number in script.held_partitions()]))
    script.continue_session()


def _quiet(script: Script) -> None:
    """All at their ends, then a log start moves there too: the answer reports that, without data
    (FET-031).
    """
    held = script.held_partitions()
    script.continue_session(tuple([script.ask(number, 1) for number in held]))
    number = script.pick(held)
    script.steps.append(DeleteRecords(number, script.ends[number]))
    script.continue_session()


def _add(script: Script) -> None:
    """A partition that is not in the session, where there is one, at its start or its end; by
    chance one that does not exist.
    """
    fresh = [number for number in range(len(script.ends)) if number not in script.track.partitions]
    script.continue_session(
        (script.ask(script.pick([*fresh, *fresh, len(script.ends)]), script.draw(_bit)),)
    )


def _append(script: Script) -> None:
    script.append(script.pick(list(range(len(script.ends)))), BATCHES[script.draw(_batch)])


def _delete(script: Script) -> None:
    number = script.pick(list(range(len(script.ends))))
    script.steps.append(DeleteRecords(number, min(script.ends[number], 1 + script.draw(_bit))))


def _forget(script: Script) -> None:
    """One partition, all, one that is not there, or one that the same request names (FET-034,
    FET-134).

    By chance the one comes back at its end: it is new to the session, so its offsets are answered,
    without data (FET-031).
    """
    held = script.held_partitions()
    number = script.pick(held)
    match script.draw(_forgotten):
        case "one and back":
            script.continue_session(forgotten=(number,))
            if script.track.partitions:
                script.continue_session((script.ask(number, 1),))
        case "one":
            script.continue_session(forgotten=(number,))
        case "named too":
            script.continue_session((script.ask(number, 1),), (number,))
        case "all":
            script.continue_session(forgotten=tuple(script.track.partitions))
        case _:
            script.continue_session(forgotten=(len(script.ends) + 1,))


def _forget_all(script: Script) -> None:
    """One that the session does not have, then each one by one, until the session is empty and so
    closed (FET-034).
    """
    for number in (len(script.ends) + 1, *script.track.partitions):
        script.continue_session(forgotten=(number,))


def _low(script: Script) -> None:
    """An epoch that was; where there was none, a negative one that is not the sessionless."""
    script.continue_session((script.ask(0, 1),), off=-1 if script.track.epoch > 1 else -3)


def _high(script: Script) -> None:
    script.continue_session((script.ask(0, 1),), off=1)


def _stranger(script: Script) -> None:
    session = (STRANGE_SESSION, 0)[script.draw(_bit)]
    epoch = max(1, script.track.epoch)
    script.send(
        Fetch(isolation=script.isolation, version=script.version, session=session, epoch=epoch)
    )


def _close(script: Script) -> None:
    """A sessionless request that names the session closes it (FET-030)."""
    asks = (script.ask(0),)
    script.send(Fetch(asks, isolation=script.isolation, version=script.version, session=OWN))


def _reopen_session(script: Script) -> None:
    """A full fetch that names the session replaces it (FET-030), by chance with one that holds
    nothing (FET-130).
    """
    held = [] if script.draw(_bit) else script.held_partitions()
    asks = tuple([script.ask(number, script.draw(_bit)) for number in held])
    script.send(
        Fetch(asks, isolation=script.isolation, version=script.version, session=OWN, epoch=0)
    )


def _relimit(script: Script) -> None:
    """New limits for partitions that the session has: around one batch of the commonest size and
    two of them (FET-038).
    """
    limit = NEW_LIMITS[script.draw(_how) % len(NEW_LIMITS)]
    script.continue_session(
        tuple(
            [replace(script.ask(number, 6), max_bytes=limit) for number in script.held_partitions()]
        )
    )


def _up_and_down(script: Script) -> None:
    """A parameter of one partition changes up and down, and after each change a request that names
    nothing shows what the session keeps of it (FET-038).
    """
    name, lows, highs = PAIRS[script.draw(_how) % len(PAIRS)]
    number = script.pick(script.held_partitions())
    if number not in script.track.partitions or not script.track.alive:
        script.continue_session()
        return
    if script.ends[number] < len(GROWN):
        for batch in GROWN:
            script.append(number, batch)
    pair = (lows[script.draw(_how) % len(lows)], highs[script.draw(_how) % len(highs)])
    values = (*pair, *pair) if script.draw(_bit) else (*pair[::-1], *pair[::-1])
    for value in values[:CHANGES]:
        parameters: dict[str, Any] = {name: value}
        script.continue_session((replace(FetchPartition(number, 0), **parameters),))
        script.continue_session()


def _mismatch(script: Script) -> None:
    """The session used by a version that names topics the other way (FET-035)."""
    newest_names = min(TOPIC_IDS_SINCE - 1, script.newest)
    version = (
        newest_names if script.version >= TOPIC_IDS_SINCE else min(TOPIC_IDS_SINCE, script.newest)
    )
    fetch = Fetch(
        isolation=script.isolation, version=version, session=OWN, epoch=max(1, script.track.epoch)
    )
    script.send(fetch)


def _sessionless(script: Script) -> None:
    asks = tuple([script.ask(number) for number in script.held_partitions()])
    script.send(Fetch(asks, isolation=script.isolation, version=script.version))


def _idle(script: Script) -> None:
    """All at the end, then a request that names nothing and waits: it must not be answered at once
    (FET-014).
    """
    script.continue_session(tuple([script.ask(number, 1) for number in script.held_partitions()]))
    wait = SHORT_MS[script.draw(_bit)]
    epoch = max(1, script.track.epoch)
    script.send(
        Fetch(
            min_bytes=1,
            max_wait_ms=wait,
            isolation=script.isolation,
            version=script.version,
            session=OWN,
            epoch=epoch,
        )
    )


Action = Callable[[Script], None]
_actions: SearchStrategy[Action] = weighted(
    (_stop, 12),
    (_nothing, 6),
    (_positions, 12),
    (_one, 8),
    (_append, 12),
    (_tight, 14),
    (_add, 8),
    (_forget, 13),
    (_forget_all, 5),
    (_turns, 16),
    (_inside, 8),
    (_quiet, 5),
    (_low, 12),
    (_high, 4),
    (_stranger, 3),
    (_close, 4),
    (_reopen_session, 8),
    (_delete, 4),
    (_mismatch, 4),
    (_relimit, 6),
    (_up_and_down, 12),
    (_sessionless, 2),
    (_idle, 1),
)


@st.composite
def _histories(draw: st.DrawFn, newest: int) -> Scenario:
    layout = draw(small_layouts())
    transactional = draw(_how) in TRANSACTIONAL
    if transactional:
        layout = with_aborted_transaction(layout)
    versions = (*OLD_VERSIONS, TOPIC_IDS_SINCE, *range(TOPIC_IDS_SINCE, newest + 1))
    version = min(versions[draw(st.integers(0, len(versions) - 1))], newest)
    script = Script(
        draw,
        [log_of(partition).end for partition in layout.partitions],
        version,
        READ_COMMITTED if transactional else draw(_bit),
        newest,
    )
    some = draw(_more) >= MORE - 1 and len(layout.partitions) > 1
    how = draw(_how)
    asked = range(len(layout.partitions) - some)
    limit = TIGHT[how % len(TIGHT)] if how > 8 else INT32_MAX
    asks = tuple(
        [script.ask(number, how if how < 4 or how == 7 else 0) for number in asked if how != EMPTY]
    )
    script.send(Fetch(asks, limit, isolation=script.isolation, version=version, epoch=0))
    for number in range(MOST_STEPS):
        action = draw(_actions)
        if number and action is _stop:
            break
        action(script)
    return Scenario(layout, tuple(script.steps), subject="fetch")


def session_histories(semantics: Semantics | None = None) -> SearchStrategy[Scenario]:
    """Scenarios of one fetch session (KIP-227; FET-030 to FET-035): a full fetch and 1 to 8 actions
    after it.

    They shrink towards one partition with one batch, and one incremental request that names
    nothing.

    Args:
        semantics: the broker's versions; must know sessions (v7).

    Raises:
        ValueError: the newest Fetch version has no sessions.
    """
    newest = (semantics or Semantics()).of(FetchSemantics).newest_fetch
    if newest < SESSIONS_SINCE:
        raise ValueError(
            f"expected a broker with fetch sessions (v{SESSIONS_SINCE}), found Fetch up to "
            f"v{newest}"
        )
    return _histories(newest)
