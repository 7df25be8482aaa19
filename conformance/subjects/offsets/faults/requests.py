"""Faults of what is asked: entries, errors, versions, leader epochs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from conformance.subjects.offsets.faults.fault import (
    OffsetFault,
    change_found,
    change_refused,
    replace_lookup,
)
from spec.frozen import replace
from spec.kafka import Error
from spec.offsets.model import Broker, as_it_is, look_up
from spec.offsets.outcomes import Found, ListOffsetsAnswer
from spec.offsets.steps import EARLIEST, EARLIEST_PENDING, ListOffsets
from spec.outcomes import Closed

if TYPE_CHECKING:
    from spec.outcomes import Outcome


def _close_on_several(request: ListOffsets, found: tuple[Found, ...]) -> Outcome:
    """Several partitions at once get no answer."""
    if len(request.lookups) > 1:
        return Closed("it was closed")
    return as_it_is(request, found)


FAULTS: tuple[OffsetFault, ...] = (
    OffsetFault(
        "several-partitions-unanswered",
        "OFF-001",
        Expected.VIOLATES,
        "A request with several partitions ends the connection.",
        Broker(altering=_close_on_several),
    ),
    OffsetFault(
        "entry-missing",
        "OFF-007",
        Expected.VIOLATES,
        "A partition with an error is left out of the answer.",
        Broker(
            altering=lambda request, found: as_it_is(
                request, tuple([one for one in found if not one.error])
            )
        ),
    ),
    OffsetFault(
        "entry-twice",
        "OFF-007",
        Expected.VIOLATES,
        "The last partition comes twice.",
        Broker(altering=lambda _, found: ListOffsetsAnswer((*found, found[-1]))),
    ),
    OffsetFault(
        "empty-partition-has-no-offsets",
        "OFF-008",
        Expected.VIOLATES,
        "A lookup in a partition without records is refused.",
        change_found(
            lambda asked: (
                asked.expected
                if asked.timeline.stamps
                else Found(asked.lookup.partition, Error.OFFSET_OUT_OF_RANGE)
            )
        ),
    ),
    OffsetFault(
        "unknown-partition-has-an-offset",
        "OFF-006",
        Expected.VIOLATES,
        "A partition that does not exist begins and ends at 0.",
        change_refused({Error.UNKNOWN_TOPIC_OR_PARTITION: Found(0, 0, 0)}),
    ),
    OffsetFault(
        "newer-leader-epoch-accepted",
        "OFF-023",
        Expected.VIOLATES,
        "The leader epoch of a lookup is not checked.",
        replace_lookup(lambda lookup, request: (replace(lookup, leader_epoch=None), request)),
    ),
    OffsetFault(
        "leader-epochs-swapped",
        "OFF-023",
        Expected.VIOLATES,
        "A newer leader epoch is answered with FENCED_LEADER_EPOCH.",
        change_refused({Error.UNKNOWN_LEADER_EPOCH: Found(0, Error.FENCED_LEADER_EPOCH)}),
    ),
    OffsetFault(
        "leader-epoch-one-ahead",
        "OFF-025",
        Expected.VIOLATES,
        "The leader epoch in an answer is one past the current one.",
        change_found(
            lambda asked: (
                asked.expected
                if asked.expected.leader_epoch is None
                else replace(asked.expected, leader_epoch=1)
            )
        ),
    ),
    OffsetFault(
        "named-twice-answered-twice",
        "OFF-108",
        Expected.DEVIATES,
        "A partition that is named twice has an entry for each lookup.",
        replace_lookup(lambda lookup, request: (lookup, replace(request, lookups=(lookup,)))),
    ),
    OffsetFault(
        "named-twice-answered-once",
        "OFF-108",
        Expected.DEVIATES,
        "Of a partition that is named twice the last lookup is answered.",
        Broker(
            looking_up=lambda timelines, lookup, request, semantics: look_up(
                timelines, lookup, replace(request, lookups=(lookup,)), semantics
            ),
            altering=lambda request, found: as_it_is(
                request, tuple({one.partition: one for one in found}.values())
            ),
        ),
    ),
    OffsetFault(
        "unknown-partition-otherwise",
        "OFF-106",
        Expected.DEVIATES,
        "A partition that does not exist is answered with NOT_LEADER_OR_FOLLOWER.",
        change_refused({Error.UNKNOWN_TOPIC_OR_PARTITION: Found(0, Error.NOT_LEADER_OR_FOLLOWER)}),
    ),
    OffsetFault(
        "special-in-any-version",
        "OFF-109",
        Expected.DEVIATES,
        "A special timestamp is answered in versions before the one that it came with.",
        replace_lookup(
            lambda lookup, request: (
                (lookup, replace(request, version=11))
                if lookup.timestamp >= EARLIEST_PENDING and lookup.leader_epoch is None
                else (lookup, request)
            )
        ),
    ),
    OffsetFault(
        "any-negative-timestamp",
        "OFF-119",
        Expected.DEVIATES,
        "A negative timestamp that is not special leads to the log start.",
        replace_lookup(
            lambda lookup, request: (
                (replace(lookup, timestamp=EARLIEST), request)
                if lookup.is_special and lookup.timestamp < EARLIEST_PENDING
                else (lookup, request)
            )
        ),
    ),
    OffsetFault(
        "error-with-offset",
        "OFF-107",
        Expected.DEVIATES,
        "An error comes with offset 0.",
        change_refused(
            {
                code: Found(0, code, 0)
                for code in (
                    Error.UNSUPPORTED_VERSION,
                    Error.UNKNOWN_LEADER_EPOCH,
                    Error.FENCED_LEADER_EPOCH,
                    Error.UNKNOWN_TOPIC_OR_PARTITION,
                )
            }
        ),
    ),
    OffsetFault(
        "no-leader-epoch",
        "OFF-024",
        Expected.DEVIATES,
        "The leader epoch in an answer is -1.",
        change_found(lambda asked: replace(asked.expected, leader_epoch=None)),
    ),
)
