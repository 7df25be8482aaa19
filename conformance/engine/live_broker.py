"""The broker that a player plays on: how it is reached, how it is restarted, and the event loop
that plays on it.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from conformance.placement.problem import PlacementFailed
from conformance.play.background import Background
from conformance.play.pulse import Pulse

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from conformance.cluster import Cluster
    from conformance.engine.restarts import Restarts
    from conformance.systems.base import Files


class LiveBroker:
    """One broker while a run works on it.

    Attributes:
        cluster: where it is reached; another one after each restart.
        background: plays histories on it.
        pulse: says whether it stood still.
    """

    def __init__(self, cluster: Cluster, restarts: Restarts | None) -> None:
        """`restarts` is how it is restarted; None where it can't be."""
        self.cluster = cluster
        self.background = Background()
        self.pulse = Pulse(lambda: self.cluster)
        self._restarts = restarts

    @property
    def restartable(self) -> bool:
        """Whether it can be restarted."""
        return self._restarts is not None

    @property
    def places_files(self) -> bool:
        """Whether it can be restarted with files put into its data folder."""
        return self._restarts is not None and self._restarts.places_files

    @property
    def data(self) -> Path | None:
        """The folder with its partitions' folders; None where it can't be read here."""
        return None if self._restarts is None else self._restarts.data

    @property
    def stops_brokers(self) -> bool:
        """Whether single brokers of it can be stopped."""
        return self._restarts is not None and self._restarts.brokers is not None

    def stop_broker(self, node: int) -> None:
        """Stop one of the brokers, see `Restarts`."""
        assert self._restarts is not None
        self._restarts.stop_broker(node)

    def kill_broker(self, node: int) -> None:
        """Kill one of the brokers, see `Restarts`."""
        assert self._restarts is not None
        self._restarts.kill_broker(node)

    def start_broker(self, node: int) -> None:
        """Start a stopped broker, see `Restarts`."""
        assert self._restarts is not None
        self._restarts.start_broker(node)

    def start_watching(self) -> float:
        """Watch from now on, unless it does already, whether the broker stands still; this moment
        of the monotonic clock.
        """
        self.pulse.start()
        return monotonic()

    def restart(self, config: Mapping[str, str], files: Files, *, otherwise: str) -> Cluster:
        """Restart it with other settings; where it is reached then.

        Raises:
            PlacementFailed: it can't be restarted, for which `otherwise` is the text, or the run is
            over.
        """
        if self._restarts is None:
            raise PlacementFailed(otherwise)
        self.cluster = self._restarts.restart(config, files)
        return self.cluster

    def close(self) -> None:
        """End all that is played on it. There is no restart any more."""
        self.pulse.close()
        self.background.close()
        if self._restarts is not None:
            self._restarts.end()
