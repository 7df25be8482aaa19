"""A system's power to start again on the same data, as a run uses it: one restart at a time, and
none once the run is over.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from conformance.placement.problem import PlacementFailed
from spec.frozen import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from conformance.cluster import Cluster
    from conformance.systems.base import Files, StopsBrokers
    from conformance.wire.transcript import Transcript


class Restarts:
    """Restarts a system, from any thread.

    Args:
        restart: restarts it with settings and with files put into its data folder, and reaches it
            again.
        places_files: whether it can place files; where it can't, there may be none.
        data: the folder with its partitions' folders; None where it can't be read here.
        brokers: stops single brokers; None where that can't be done.
    """

    def __init__(
        self,
        restart: Callable[[Mapping[str, str], Files], Cluster],
        *,
        places_files: bool,
        data: Path | None = None,
        brokers: StopsBrokers | None = None,
    ) -> None:
        self.places_files = places_files
        self.data = data
        self.brokers = brokers
        self._restart = restart
        self._turn = threading.Lock()
        self._over = False

    def restart(self, config: Mapping[str, str], files: Files) -> Cluster:
        """Restart it; the broker after that.

        Raises:
            PlacementFailed: the run is over. A history may come to its restart after an interrupt:
            no broker may be started then.
        """
        with self._turn:
            if self._over:
                raise PlacementFailed("the run is over, so the broker is not restarted any more")
            return self._restart(config, files)

    def stop_broker(self, node: int) -> None:
        """Stop one of the brokers.

        Raises:
            PlacementFailed: the run is over, or single brokers can't be stopped.
        """
        with self._turn:
            self._stopping().stop_broker(node)

    def kill_broker(self, node: int) -> None:
        """Kill one of the brokers.

        Raises:
            PlacementFailed: the run is over, or single brokers can't be stopped.
        """
        with self._turn:
            self._stopping().crash(node)

    def start_broker(self, node: int) -> None:
        """Start a stopped broker.

        Raises:
            PlacementFailed: the run is over, or single brokers can't be stopped.
        """
        with self._turn:
            self._stopping().revive(node)

    def _stopping(self) -> StopsBrokers:
        if self._over or self.brokers is None:
            raise PlacementFailed(
                "the run is over, so no broker is stopped or started any more"
                if self._over
                else "this system can't stop a single broker"
            )
        return self.brokers

    def with_transcript(self, transcript: Transcript) -> Restarts:
        """The same restarts, after which a transcript takes note of what is sent."""

        def restart(config: Mapping[str, str], files: Files) -> Cluster:
            return replace(self._restart(config, files), transcript=transcript)

        return Restarts(
            restart, places_files=self.places_files, data=self.data, brokers=self.brokers
        )

    def end(self) -> None:
        """Wait for a restart that is under way; there is none afterwards, so that the system can be
        stopped.
        """
        self._over = True
        with self._turn:
            pass
