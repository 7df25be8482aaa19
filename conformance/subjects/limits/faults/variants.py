"""Legal variants of a controller, which must pass."""

from __future__ import annotations

from conformance.subjects.limits.faults.fault import CONFORMS, LimitFault
from spec.limits.model import Controller

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
        "growth-backwards",
        "LIM-036",
        CONFORMS,
        "Topics grow in the order in which they were not asked for, so that others do not fit.",
        Controller(growing_backwards=True),
    ),
)
