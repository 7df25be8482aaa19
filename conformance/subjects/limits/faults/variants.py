"""Legal variants of a controller, which must pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.limits.faults.fault import CONFORMS, LimitFault
from spec.kafka import Error
from spec.limits.model import Controller, growth_error

if TYPE_CHECKING:
    from spec.limits.topic import Topic


def _policed_growth(count: int, topic: Topic | None) -> Error:
    """Not the growth by thousands, of which LIM-035 says that no policy refuses it."""
    two_more = topic is not None and count == topic.partitions + 2
    return Error.POLICY_VIOLATION if two_more else growth_error(count, topic)


VARIANTS: tuple[LimitFault, ...] = (
    LimitFault(
        "partitions-unsaid",
        "LIM-019",
        CONFORMS,
        "Answers do not say how many partitions a new topic has, as those before version 5.",
        Controller(says_partitions=False),
    ),
    LimitFault(
        "entries-backwards",
        "LIM-002",
        CONFORMS,
        "Answers name the topics in the order in which they were not asked for.",
        Controller(lists=lambda places: tuple(reversed(places))),
    ),
    LimitFault(
        "growth-against-a-policy",
        "LIM-034",
        CONFORMS,
        "A policy refuses to give a topic two partitions more at once.",
        Controller(growing=_policed_growth),
    ),
    LimitFault(
        "growth-backwards",
        "LIM-036",
        CONFORMS,
        "Topics grow in the order in which they were not asked for, so that others do not fit.",
        Controller(growing_backwards=True),
    ),
)
