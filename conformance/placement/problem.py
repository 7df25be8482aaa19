"""How a layout that can't be laid says so."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from spec.frozen import frozen

if TYPE_CHECKING:
    from spec.layout import Layout


class PlacementFailed(Exception):  # noqa: N818 - it describes what happened
    """A layout could not be laid on the broker: the infrastructure's fault, never a verdict."""


class TookTooLong(PlacementFailed):
    """What was waited for did not come within its time limit, though the broker answers: it may be
    slow, and it may come later.
    """


class LeaderAway(PlacementFailed):
    """A layout could not be laid for an error that passes while a leader moves: it can be laid
    again, on other partitions.
    """


class LayingStep(StrEnum):
    """What is done for a layout, in this order: its batches are made, the rest is the broker's. A
    scenario that is played on it may lack a permission still.
    """

    BATCH = "making a batch"
    TOPIC = "creating a topic"
    RECORDS = "writing records"
    TRANSACTION = "a transaction"
    LOG_START = "DeleteRecords"
    FILES = "log files"
    PERMISSION = "a permission"


@frozen
class Unlaid:
    """A layout that could not be laid on the broker, which continues without it; or a batch of
    what is asked about it that can't be made.

    Attributes:
        layout: the layout.
        step: what failed.
        why: what was expected of that, and what was found.
        hopeless: it was not tried, since the step had failed for several layouts alone.
    """

    layout: Layout
    step: LayingStep
    why: str
    hopeless: bool = False
