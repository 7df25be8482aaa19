"""Laying layouts of which some can't be laid: those are left out, the others lie."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from conformance.cluster import MissingApiError
from conformance.placement.problem import LayingStep, LeaderAway, PlacementFailed, Unlaid
from conformance.wire.outcomes import NoAnswer
from conformance.wire.sizing import NoSuchBatchError
from spec.layout import Marker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.placement.deployment import Deployment
    from conformance.placement.placed_partition import Placed
    from spec.layout import Layout

ALONE_S = 10.0
"""How long an answer may take where a layout is laid alone after it failed beside others, seconds.
"""
GIVEN_UP_AFTER = 3
"""Layouts running that failed at a step alone, after which those that need it are not tried."""

OPTIONAL = frozenset({LayingStep.TRANSACTION, LayingStep.LOG_START})
"""Steps that many layouts do without."""
LEADER_TRIES = 3
"""How often a layout is placed alone while a leader is away."""


class Laying:
    """Lays layouts on one deployment, and remembers at which steps they fail."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self._failures: Counter[LayingStep] = Counter()
        self._why: dict[LayingStep, str] = {}

    def lay(self, layouts: Sequence[Layout]) -> list[Placed | Unlaid]:
        """Lay layouts side by side; where that fails, each alone. In the order given.

        Raises:
            LeaderAway: see `Deployment.place`.
            NotConnected, NoAnswer: the broker is gone.
        """
        known = [self._hopeless(layout) for layout in layouts]
        possible = [layout for layout, failed in zip(layouts, known, strict=True) if failed is None]
        laid = iter(self._lay(possible))
        return [next(laid) if failed is None else failed for failed in known]

    def forget(self) -> None:
        """Forget at which steps layouts failed: what failed then says nothing of them."""
        self._failures.clear()

    def release(self, placed: Sequence[Placed]) -> None:
        """Take layouts off; one that can't be taken off has its partitions given up.

        Raises:
            NotConnected, NoAnswer: the broker is gone.
        """
        failed = False
        for one in placed:
            try:
                self._deployment.release(one)
            except (PlacementFailed, NoAnswer) as problem:
                failed = True
                if LayingStep.TRANSACTION in steps_of(one.layout):
                    self._note_failure(LayingStep.TRANSACTION, str(problem))
                self._deployment.abandon(one)
                self._deployment.recover(ALONE_S)
        if failed:
            self._deployment.recover()

    def _lay(self, layouts: Sequence[Layout]) -> Sequence[Placed | Unlaid]:
        if not layouts:
            return []
        try:
            placed = self._deployment.place(layouts)
        except LeaderAway:
            raise
        except (PlacementFailed, NoAnswer, NoSuchBatchError, MissingApiError) as failed:
            self._raise_hopeless(failed)
            self._deployment.recover(ALONE_S)
            found = [self._alone(layout) for layout in layouts]
            self._deployment.recover()
            return found
        self._note_success(layouts)
        return placed

    def _alone(self, layout: Layout) -> Placed | Unlaid:
        if (known := self._hopeless(layout)) is not None:
            return known
        try:
            placed = self._place_led(layout)
        except NoSuchBatchError as unmade:
            return Unlaid(layout, LayingStep.BATCH, str(unmade))
        except (PlacementFailed, NoAnswer, MissingApiError) as failed:
            self._raise_hopeless(failed)
            step = self._deployment.step
            if not isinstance(failed, LeaderAway):  # which says nothing of the step
                self._note_failure(step, str(failed))
            self._deployment.recover(ALONE_S)
            return Unlaid(layout, step, str(failed))
        self._note_success([layout])
        return placed

    def _raise_hopeless(self, failed: Exception) -> None:
        """Raise the error where no layout can do without the API that the broker lacks."""
        if isinstance(failed, MissingApiError) and self._deployment.step not in OPTIONAL:
            raise failed

    def _place_led(self, layout: Layout) -> Placed:
        """Place one layout; again, once Metadata names leaders, where one was away.

        Raises:
            LeaderAway: one was away each time.
            PlacementFailed, NoAnswer, NoSuchBatchError: it can't be placed.
        """
        for _ in range(LEADER_TRIES - 1):
            try:
                (placed,) = self._deployment.place([layout])
            except LeaderAway:
                self._deployment.reconnect()
            else:
                return placed
        (placed,) = self._deployment.place([layout])
        return placed

    def _note_success(self, layouts: Sequence[Layout]) -> None:
        for step in {step for layout in layouts for step in steps_of(layout)}:
            self._failures[step] = 0

    def _note_failure(self, step: LayingStep, why: str) -> None:
        self._failures[step] += 1
        self._why[step] = why

    def _hopeless(self, layout: Layout) -> Unlaid | None:
        """The layout, where it needs what failed too often."""
        for step in steps_of(layout):
            if self._failures[step] >= GIVEN_UP_AFTER:
                why = f"{self._why[step]}; not tried any more after {GIVEN_UP_AFTER} layouts"
                return Unlaid(layout, step, why, hopeless=True)
        return None


def steps_of(layout: Layout) -> tuple[LayingStep, ...]:
    """What a layout needs of the broker whatever is in its batches."""
    steps = [LayingStep.TOPIC]
    if any(
        isinstance(entry, Marker) or entry.txn is not None
        for partition in layout.partitions
        for entry in partition.entries()
    ):
        steps.append(LayingStep.TRANSACTION)
    if any(partition.log_start for partition in layout.partitions):
        steps.append(LayingStep.LOG_START)
    return tuple(steps)
