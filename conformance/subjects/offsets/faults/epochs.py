"""Faults of OffsetForLeaderEpoch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from conformance.subjects.offsets.faults.fault import OffsetFault
from spec.frozen import replace
from spec.offsets.model import Broker, epoch_end
from spec.offsets.outcomes import EpochEndAnswer

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.offsets.steps import OffsetForLeaderEpoch
    from spec.offsets.timeline import Timeline


def _ending(
    change: Callable[[Timeline, OffsetForLeaderEpoch, EpochEndAnswer], EpochEndAnswer],
) -> Broker:
    return Broker(
        ending_epoch=lambda timeline, step: change(timeline, step, epoch_end(timeline, step))
    )


FAULTS: tuple[OffsetFault, ...] = (
    OffsetFault(
        "epoch-end-one-short",
        "OFF-040",
        Expected.VIOLATES,
        "The current leader epoch ends at the last record, not past it.",
        _ending(
            lambda timeline, _, found: (
                replace(found, offset=timeline.end - 1)
                if found.epoch == 0 and timeline.end
                else found
            )
        ),
    ),
    OffsetFault(
        "newer-epoch-has-an-end",
        "OFF-140",
        Expected.DEVIATES,
        "A leader epoch that is newer than the current one ends at the log end.",
        _ending(
            lambda timeline, step, found: (
                EpochEndAnswer(0, 0, timeline.end) if step.epoch > 0 and not found.error else found
            )
        ),
    ),
    OffsetFault(
        "older-epoch-ends-past-the-log",
        "OFF-141",
        Expected.VIOLATES,
        "An older leader epoch ends one past the log end.",
        _ending(
            lambda timeline, step, found: (
                replace(found, offset=timeline.end + 1)
                if step.epoch < 0 and not found.error
                else found
            )
        ),
    ),
    OffsetFault(
        "current-epoch-ignored",
        "OFF-043",
        Expected.VIOLATES,
        "The current leader epoch that a client sends is not checked.",
        Broker(
            ending_epoch=lambda timeline, step: epoch_end(timeline, replace(step, current=None))
        ),
    ),
    OffsetFault(
        "older-epoch-unknown",
        "OFF-042",
        Expected.DEVIATES,
        "An older leader epoch has no end.",
        _ending(
            lambda _, step, found: EpochEndAnswer() if step.epoch < 0 and not found.error else found
        ),
    ),
    OffsetFault(
        "epoch-error-with-offset",
        "OFF-144",
        Expected.DEVIATES,
        "An error comes with the log end.",
        _ending(
            lambda timeline, _, found: replace(found, offset=timeline.end) if found.error else found
        ),
    ),
)
