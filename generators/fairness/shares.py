"""Histories of a share consumer: small batches around its limit, what its application acknowledges
and how, until everything was read.
"""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.numbers import below
from generators.weighted import several, weighted
from spec.fairness.steps import (
    Acknowledgement,
    AcknowledgeRecords,
    AcquireMode,
    ClientKind,
    CloseClient,
    CommitPositions,
    EndLocks,
    Poll,
    StartClient,
    SubscribeTopics,
)
from spec.kafka import READ_COMMITTED, READ_UNCOMMITTED
from spec.layout import Batch, Entry, Layout, Marker, Partition
from spec.log import log_of
from spec.scenario import Scenario
from spec.steps import Append, Step

FIRST_POLL = Poll(8000)
"""Long enough for a group to assign its partitions."""
POLL = Poll(600)
"""Long enough to say something where it returns nothing."""
LAST_POLLS = 3
"""Polls after everything is read."""
MOST_POLLS = 14

_partitions = several(1, 3, 60)
_entries = several(1, 4, 60)
_sizes = weighted((5, 3), (1, 2), (2, 2), (3, 2), (6, 2), (4, 1), (8, 1))
_transactions = weighted((None, 6), (False, 1), (True, 1))
_most = weighted((4, 4), (2, 3), (1, 2), (5, 2), (7, 1), (None, 1))
_modes = weighted((None, 4), (AcquireMode.RECORD_LIMIT, 3), (AcquireMode.BATCH_OPTIMIZED, 1))
_isolations = weighted((READ_UNCOMMITTED, 3), (READ_COMMITTED, 1))
_small = weighted((None, 6), (1, 1), (100, 1))
_fetch_max = weighted((None, 5), (1000, 1), (1_000_000, 1))
_waits = weighted((None, 4), (100, 2))
_explicit = weighted((True, 3), (False, 2))
_ways = weighted(
    (Acknowledgement.ACCEPT, 4), (Acknowledgement.RELEASE, 2), (Acknowledgement.REJECT, 1)
)
_commits = weighted((False, 3), (True, 1))
_ends = weighted((False, 9), (True, 1))
_appends = weighted((False, 9), (True, 1))
_closes = weighted((True, 1), (False, 1))


@st.composite
def _partition(draw: st.DrawFn) -> Partition:
    entries: list[Entry] = []
    for number in range(draw(_entries)):
        records, commits = draw(_sizes), draw(_transactions)
        size = 100 + 100 * records
        if commits is None:
            entries.append(Batch(size, records))
        else:
            entries += [Batch(size, records, txn=number), Marker(number, commits)]
    return Partition((tuple(entries),))


@st.composite
def _histories(draw: st.DrawFn) -> Scenario:
    partitions = tuple([draw(_partition()) for _ in range(draw(_partitions))])
    start = StartClient(
        ClientKind.SHARE_CONSUMER,
        max_poll_records=draw(_most),
        fetch_max_bytes=draw(_fetch_max),
        fetch_min_bytes=draw(_small),
        max_wait_ms=draw(_waits),
        isolation=draw(_isolations),
        acquire_mode=draw(_modes),
    )
    explicit = draw(_explicit)
    steps: list[Step] = []
    for number in range(_polls(partitions, start)):
        steps.append(POLL if number else FIRST_POLL)
        if draw(_ends):
            steps.append(EndLocks())
        if explicit:
            steps.append(AcknowledgeRecords(draw(_ways) if number < 3 else Acknowledgement.ACCEPT))
        elif draw(_commits):
            steps.append(CommitPositions())
        if draw(_appends):
            steps.append(Append(draw(below(len(partitions))), Batch(300, 2)))
    for _ in range(LAST_POLLS):
        steps += [POLL, AcknowledgeRecords()] if explicit else [POLL]
    closing = [CloseClient()] if draw(_closes) else []
    return Scenario(
        Layout(partitions), (start, SubscribeTopics(), *steps, *closing), subject="fairness"
    )


def _polls(partitions: tuple[Partition, ...], start: StartClient) -> int:
    """Polls that read everything once, within bounds."""
    records = sum(log_of(one).end for one in partitions)
    return min(-(-records // (start.max_poll_records or records)) + len(partitions), MOST_POLLS)


def share_histories() -> SearchStrategy[Scenario]:
    """Histories of one share consumer; they shrink towards one batch that is read and accepted."""
    return _histories()
