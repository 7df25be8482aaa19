"""The lookups that are worth asking of a partition: every special timestamp, and every time at,
below and above each record's.
"""

from spec.kafka import INT64_MAX, READ_COMMITTED, READ_UNCOMMITTED
from spec.offsets.releases import OLDEST_LIST_OFFSETS, OffsetSemantics
from spec.offsets.steps import (
    EARLIEST,
    EARLIEST_LOCAL,
    EPOCH_SINCE,
    LARGEST,
    LATEST,
    SPECIALS,
    ListOffsets,
    Lookup,
    OffsetForLeaderEpoch,
)
from spec.offsets.timeline import Timeline

Question = ListOffsets | OffsetForLeaderEpoch

MOST_TIMES = 12
"""Distinct timestamps of a partition around which is asked."""
NO_SPECIAL = -7
"""A negative timestamp below every special one."""


def questions(
    timeline: Timeline, number: int, semantics: OffsetSemantics, *, older_epochs: bool
) -> tuple[tuple[Question, ...], ...]:
    """Every lookup worth asking of a partition, each as a request of its own, and the ends of
    leader epochs: by kind, the simplest first.

    Args:
        timeline: what lies in it.
        number: its number in the layout.
        semantics: the decisions of the release.
        older_epochs: whether it has had an older leader epoch.
    """
    newest = semantics.newest_list_offsets
    epochs = (-1, 0, 1) if older_epochs else (0, 1)
    ends = [
        ListOffsets((Lookup(number, special),), isolation, newest)
        for special in (LATEST, EARLIEST, LARGEST, EARLIEST_LOCAL)
        for isolation in (READ_UNCOMMITTED, READ_COMMITTED)
    ]
    times = [
        ListOffsets((Lookup(number, time, relative=True),), isolation, newest)
        for isolation in (READ_UNCOMMITTED, READ_COMMITTED)
        for time in _times(timeline)
    ]
    extremes = [
        ListOffsets((Lookup(number, time),), version=newest) for time in (0, INT64_MAX, NO_SPECIAL)
    ]
    extremes.append(ListOffsets((Lookup(number, LATEST), Lookup(number, EARLIEST)), version=newest))
    versions = [
        ListOffsets((Lookup(number, special),), version=version)
        for special, (_, since) in SPECIALS.items()
        for version in (since - 1, since, newest)
        if OLDEST_LIST_OFFSETS <= version <= newest
    ]
    fenced = [
        ListOffsets((Lookup(number, timestamp, leader_epoch=epoch),), version=version)
        for epoch in epochs
        for timestamp in (LATEST, EARLIEST)
        for version in (EPOCH_SINCE - 1, EPOCH_SINCE, newest)
    ]
    kinds = (ends, times or ends, extremes, versions, fenced, _epoch_ends(number, epochs))
    return tuple([tuple(dict.fromkeys(kind)) for kind in kinds])


def _epoch_ends(number: int, epochs: tuple[int, ...]) -> list[Question]:
    """Requests for the end of each leader epoch without a current leader epoch, with each current
    one, and with the right one in version 2.
    """
    return [
        *[OffsetForLeaderEpoch(number, epoch) for epoch in epochs],
        *[OffsetForLeaderEpoch(number, current=epoch) for epoch in epochs],
        *[OffsetForLeaderEpoch(number, epoch, 0, version=2) for epoch in epochs],
    ]


def _times(timeline: Timeline) -> tuple[int, ...]:
    """Each record's timestamp, one below and one above."""
    own = {stamp.time for stamp in timeline.stamps if stamp.time is not None}
    around = {time + more for time in sorted(own)[:MOST_TIMES] for more in (-1, 0, 1)}
    return tuple(sorted(around, key=lambda time: (abs(time), time)))
