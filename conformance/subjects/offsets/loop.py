"""The loop over scenarios of offsets: on the broker as it is, and after a restart, by which
partitions have had an older leader epoch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.batch_loop import BatchLoop
from conformance.subjects.offsets.broker_player import OffsetBrokerPlayer
from generators.offsets.histories import offset_histories
from generators.offsets.relations import offset_relations
from spec.events import Event, Note

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypothesis.strategies import SearchStrategy

    from conformance.subjects.offsets.dry_run import OffsetDryRun
    from spec.scenario import Scenario

AFTER_THE_RESTART = 4
"""One scenario in so many is played after the restart."""


class OffsetLoop(BatchLoop):
    """One run on offsets; see `Loop`."""

    subject = "offsets"
    batch = 16
    player: OffsetBrokerPlayer | OffsetDryRun

    def _play_drawn(self) -> Iterator[Event]:
        player = self.player
        if isinstance(player, OffsetBrokerPlayer) and self._restarts(player):
            yield from self._batches(self.plan.scenarios - self.plan.scenarios // AFTER_THE_RESTART)
            player.restart(player.config)
            yield Note("restarted, so that partitions have had an older leader epoch")
        yield from super()._play_drawn()

    def _restarts(self, player: OffsetBrokerPlayer) -> bool:
        return self.plan.restart and player.restartable and self.plan.seconds is None

    def _strategy(self, number: int) -> SearchStrategy[Scenario]:
        del number
        player = self.player
        return offset_histories(player.semantics, older_epochs=player.has_older_epochs)

    def _relations(self, scenario: Scenario) -> tuple[str, ...]:
        return offset_relations(scenario)
