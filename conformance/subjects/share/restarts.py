"""Histories of share groups in the midst of which the broker restarts: played side by side over one restart that serves them all."""

from __future__ import annotations

import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from conformance.placement.problem import PlacementFailed
from conformance.subjects.share.player import finished, play

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from conformance.cluster import Cluster
    from conformance.placement.site import Placed
    from spec.observation import Observation
    from spec.scenario import Scenario
    from spec.share.releases import ShareSemantics


class SharedRestart:
    """One restart of the broker that some histories wait for together: it happens once the last of them has come to it, or ended.

    Args:
        histories: how many.
        restart: restarts the broker as it is and reaches it again.
    """

    def __init__(self, histories: int, restart: Callable[[], Cluster]) -> None:
        self._restart = restart
        self._met = threading.Barrier(histories, self._do)
        self._cluster: Cluster | None = None

    def _do(self) -> None:
        self._cluster = self._restart()

    def __call__(self) -> Cluster:
        """Wait for the others and for the restart; the broker after it.

        Raises:
            PlacementFailed: it could not be restarted.
        """
        with contextlib.suppress(threading.BrokenBarrierError):
            self._met.wait()
        if self._cluster is None:
            raise PlacementFailed("the broker could not be restarted for the histories that wait for it; see its log")
        return self._cluster


def play_over_restart(
    cluster: Cluster, plays: Sequence[tuple[Scenario, Placed]], semantics: ShareSemantics, restart: Callable[[], Cluster]
) -> Iterator[Observation]:
    """Play histories side by side, each of which restarts the broker once, over one restart that serves them all."""
    shared = SharedRestart(len(plays), restart)

    def whole(scenario: Scenario, placed: Placed) -> Observation:
        came = False

        def restarted() -> Cluster:
            nonlocal came
            came = True
            return shared()

        try:
            return play(cluster, scenario, placed, semantics, restarted)
        finally:
            if not came:  # it ended before, and the others wait for it
                shared()

    pool = ThreadPoolExecutor(max_workers=len(plays))
    return finished(pool, [pool.submit(whole, scenario, placed) for scenario, placed in plays])
