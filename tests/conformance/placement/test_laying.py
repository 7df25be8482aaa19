"""What is remembered of layouts that could not be laid."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from conformance.placement.laying import GIVEN_UP_AFTER, LEADER_TRIES, Laying
from conformance.placement.placed_partition import Placed
from conformance.placement.problem import LayingStep, LeaderAway, PlacementFailed, Unlaid
from spec.layout import Batch, Layout, Partition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.placement.deployment import Deployment

CUT = Layout((Partition(((Batch(100), Batch(100)),), log_start=1),))


class Refusing:
    """A deployment whose first attempts to lay something end by these errors.

    Attributes:
        attempts: how often something was to be laid.
        reconnected: how often leaders were waited for.
    """

    def __init__(self, *failures: PlacementFailed) -> None:
        self.step = LayingStep.LOG_START
        self.attempts = self.reconnected = 0
        self._failures = list(failures)

    def place(self, layouts: Sequence[Layout]) -> list[Placed]:
        """Lay them, once no error is left."""
        self.attempts += 1
        if self._failures:
            raise self._failures.pop(0)
        return [Placed(layout, ()) for layout in layouts]

    def recover(self, _: float | None = None) -> None:
        """Continue."""

    def reconnect(self) -> None:
        """Wait for leaders."""
        self.reconnected += 1


def laying_on(deployment: Refusing) -> Laying:
    return Laying(cast("Deployment", deployment))


def test_a_step_that_is_refused_again_and_again_is_not_tried_any_more() -> None:
    deployment = Refusing(*[PlacementFailed("refused")] * (1 + GIVEN_UP_AFTER))
    laying = laying_on(deployment)
    assert all(isinstance(one, Unlaid) for one in laying.lay([CUT] * GIVEN_UP_AFTER))
    attempts = deployment.attempts
    (found,) = laying.lay([CUT])
    assert isinstance(found, Unlaid)
    assert found.why == f"refused; not tried any more after {GIVEN_UP_AFTER} layouts"
    assert deployment.attempts == attempts


def test_a_step_that_is_given_up_names_what_failed_last() -> None:
    slow, refused = PlacementFailed("no answer in time"), PlacementFailed("refused")
    laying = laying_on(Refusing(slow, slow, *[refused] * (GIVEN_UP_AFTER + 1)))
    for _ in range(GIVEN_UP_AFTER):
        laying.lay([CUT])
    (found,) = laying.lay([CUT])
    assert isinstance(found, Unlaid)
    assert found.why.startswith("refused; not tried any more")


def test_a_layout_is_laid_alone_again_once_its_leader_is_back() -> None:
    away = [LeaderAway("no leader")] * (LEADER_TRIES - 1)
    deployment = Refusing(PlacementFailed("refused"), *away)
    laid = laying_on(deployment).lay([CUT] * 2)
    assert [type(one) for one in laid] == [Placed] * 2
    assert deployment.reconnected == LEADER_TRIES - 1


def test_leaders_that_stay_away_give_no_step_up() -> None:
    away = [LeaderAway("no leader")] * (LEADER_TRIES * GIVEN_UP_AFTER)
    laying = laying_on(Refusing(PlacementFailed("refused"), *away))
    assert [type(one) for one in laying.lay([CUT] * GIVEN_UP_AFTER)] == [Unlaid] * GIVEN_UP_AFTER
    (found,) = laying.lay([CUT])
    assert isinstance(found, Placed)
