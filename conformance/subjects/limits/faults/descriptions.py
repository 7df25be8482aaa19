"""Faults in how topics and their configs are described."""

from __future__ import annotations

from conformance.subjects.limits.faults.fault import DEVIATES, VIOLATES, LimitFault
from spec.limits.model import Controller, page_of
from spec.limits.setting import default_of

FAULTS: tuple[LimitFault, ...] = (
    LimitFault(
        "other-default",
        "LIM-067",
        DEVIATES,
        "The default of retention.ms is forever.",
        Controller(
            defaulting=lambda name, semantics: (
                "-1" if name == "retention.ms" else default_of(name, semantics)
            )
        ),
    ),
    LimitFault(
        "page-of-one-more",
        "LIM-070",
        VIOLATES,
        "A page has one partition more than asked for.",
        Controller(paging=lambda limit, semantics: page_of(limit, semantics) + 1),
    ),
    LimitFault(
        "page-not-full",
        "LIM-071",
        DEVIATES,
        "A page has at most one partition.",
        Controller(paging=lambda _limit, _semantics: 1),
    ),
    LimitFault(
        "no-limit-is-no-page",
        "LIM-071",
        DEVIATES,
        "A page of at most no partitions has all of them.",
        Controller(
            paging=lambda limit, semantics: page_of(limit if limit > 0 else 2000, semantics)
        ),
    ),
    LimitFault(
        "no-cursor",
        "LIM-072",
        VIOLATES,
        "A page that is not the last one has no cursor.",
        Controller(following=lambda _start, _count, _partitions: None),
    ),
    LimitFault(
        "cursor-at-the-last-given",
        "LIM-072",
        VIOLATES,
        "The cursor names the last partition of the page.",
        Controller(
            following=lambda start, count, partitions: (
                start + count - 1 if start + count < partitions else None
            )
        ),
    ),
    LimitFault(
        "described-though-not-there",
        "LIM-068",
        VIOLATES,
        "The configs of a topic that is not there are those of a new one.",
        Controller(describes_any=True),
    ),
)
