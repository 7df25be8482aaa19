"""Faults in how a topic may grow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.limits.faults.fault import DEVIATES, VIOLATES, LimitFault, replace_code
from spec.kafka import Error
from spec.limits.model import Controller, growth_error

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.limits.topic import Topic


def _change_growth(change: Callable[[int, Topic, Error], Error]) -> Controller:
    """The controller says something else of a topic that is there and is to grow."""

    def growing(count: int, topic: Topic | None) -> Error:
        found = growth_error(count, topic)
        return found if topic is None else change(count, topic, found)

    return Controller(growing=growing)


FAULTS: tuple[LimitFault, ...] = (
    LimitFault(
        "shrinks",
        "LIM-030",
        VIOLATES,
        "A topic is given fewer partitions.",
        _change_growth(
            lambda count, topic, found: Error.NONE if 0 < count < topic.partitions else found
        ),
    ),
    LimitFault(
        "as-many-taken",
        "LIM-030",
        VIOLATES,
        "A topic may be given as many partitions as it has.",
        _change_growth(
            lambda count, topic, found: Error.NONE if count == topic.partitions else found
        ),
    ),
    LimitFault(
        "growth-by-one-refused",
        "LIM-034",
        VIOLATES,
        "One partition more is refused.",
        _change_growth(
            lambda count, topic, found: (
                Error.INVALID_PARTITIONS if count == topic.partitions + 1 else found
            )
        ),
    ),
    LimitFault(
        "unknown-topic-grows",
        "LIM-031",
        VIOLATES,
        "A topic that does not exist may be given partitions.",
        Controller(
            growing=lambda count, topic: Error.NONE if topic is None else growth_error(count, topic)
        ),
    ),
    LimitFault(
        "growth-has-another-code",
        "LIM-041",
        DEVIATES,
        "A topic that does not grow is refused with INVALID_REQUEST.",
        replace_code(Error.INVALID_PARTITIONS, Error.INVALID_REQUEST),
    ),
    LimitFault(
        "grows-by-one-less",
        "LIM-051",
        VIOLATES,
        "A topic that grows has one partition less than asked for.",
        Controller(grows_by=-1),
    ),
    LimitFault(
        "grows-by-one-more",
        "LIM-051",
        VIOLATES,
        "A topic that grows has one partition more than asked for.",
        Controller(grows_by=1),
    ),
)
