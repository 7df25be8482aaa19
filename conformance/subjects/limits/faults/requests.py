"""Faults of what one request may ask for in all its topics (partitions, metadata records, new
partitions), and of what becomes of a request that is refused or only validated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.limits.faults.fault import DEVIATES, VIOLATES, LimitFault
from spec.kafka import Error
from spec.limits.model import (
    Controller,
    counted_partitions,
    has_legal_letters,
    records_of,
    total_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spec.limits.releases import LimitSemantics
    from spec.limits.topic import RequestedTopic


def _unwrapped_total(wanted: Sequence[RequestedTopic], semantics: LimitSemantics) -> int:
    return sum(max(0, counted_partitions(one, semantics)) for one in wanted)


def _total_of_accepted(wanted: Sequence[RequestedTopic], semantics: LimitSemantics) -> int:
    return total_of([one for one in wanted if has_legal_letters(one.name)], semantics)


FAULTS: tuple[LimitFault, ...] = (
    LimitFault(
        "entry-of-refused-missing",
        "LIM-002",
        VIOLATES,
        "The answer has no entry for the second topic of a request.",
        Controller(lists=lambda places: [*places[:1], *places[2:]]),
    ),
    LimitFault(
        "refused-together",
        "LIM-004",
        VIOLATES,
        "A request of which one topic is refused makes none of its topics.",
        Controller(refuses_together=True),
    ),
    LimitFault(
        "many-partitions-unanswered",
        "LIM-001",
        VIOLATES,
        "A CreateTopics request for more than 10,000 partitions ends its connection.",
        Controller(answers=lambda partitions: partitions <= 10_000),
    ),
    LimitFault(
        "growth-not-bounded",
        "LIM-032",
        DEVIATES,
        "A request may add any number of partitions.",
        Controller(bounds_growth=False),
    ),
    LimitFault(
        "as-much-growth-as-may-be-refused",
        "LIM-035",
        DEVIATES,
        "Exactly 10,000 new partitions are too many for a policy.",
        Controller(growth_bound_by=-1, growth_code=Error.POLICY_VIOLATION),
    ),
    LimitFault(
        "growth-refused-as-a-whole",
        "LIM-036",
        DEVIATES,
        "Of too many new partitions none are made, even of topics that fit, as Kafka does from 4.4 "
        "on only.",
        Controller(refuses_growth_whole=True),
    ),
    LimitFault(
        "too-much-growth-has-another-code",
        "LIM-033",
        DEVIATES,
        "Too many new partitions are refused with INVALID_PARTITIONS.",
        Controller(growth_code=Error.INVALID_PARTITIONS),
    ),
    LimitFault(
        "one-partition-over-the-total",
        "LIM-021",
        DEVIATES,
        "A request may have one metadata record more.",
        Controller(recording=lambda wanted, semantics: records_of(wanted, semantics) - 1),
    ),
    LimitFault(
        "configs-not-counted",
        "LIM-021",
        DEVIATES,
        "Configs are no metadata records.",
        Controller(recording=lambda wanted, semantics: 1 + counted_partitions(wanted, semantics)),
    ),
    LimitFault(
        "records-not-counted",
        "LIM-021",
        DEVIATES,
        "Only partitions are counted, so that a topic of 10,000 is taken.",
        Controller(recording=lambda _wanted, _semantics: 0),
    ),
    LimitFault(
        "refused-not-counted",
        "LIM-020",
        DEVIATES,
        "The partitions of topics that are refused for their names count in no total.",
        Controller(totalling=_total_of_accepted),
    ),
    LimitFault(
        "excess-refused-alone",
        "LIM-020",
        DEVIATES,
        "Of too many partitions only those topics are refused that do not fit any more.",
        Controller(refuses_alone=True),
    ),
    LimitFault(
        "total-not-wrapped",
        "LIM-022",
        DEVIATES,
        "The partitions of a request are added up as they are, where Kafka's sum wraps at 32 bits.",
        Controller(totalling=_unwrapped_total),
    ),
    LimitFault(
        "validated-made",
        "LIM-050",
        VIOLATES,
        "Topics that are only validated are made.",
        Controller(makes_validated=True),
    ),
    LimitFault(
        "refused-made",
        "LIM-050",
        VIOLATES,
        "Topics that are refused are made all the same.",
        Controller(makes_refused=True),
    ),
)
