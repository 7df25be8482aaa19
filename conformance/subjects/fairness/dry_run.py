"""The player of clients' histories without a client: on the model of Kafka's consumer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.player import Player
from spec.fairness.dry_run import KAFKA, Client, answer_all

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.engine.play_result import Played
    from conformance.subjects.fairness.client_fault import ClientFault
    from spec.scenario import Scenario
    from spec.semantics import Change, Semantics


class ClientDryRun(Player):
    """Plays histories on the model, or on one with a planted fault.

    Args:
        semantics: what it is judged by.
        client: what decides.
        change: what the client decides otherwise by a reading.
    """

    def __init__(
        self, semantics: Semantics, client: Client = KAFKA, change: Change | None = None
    ) -> None:
        super().__init__(semantics)
        self.client = client
        self.answers_by = semantics if change is None else change(semantics)

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
        """Play histories."""
        for number, scenario in enumerate(scenarios):
            observation = answer_all(scenario, self.answers_by, self.client)
            yield number, self._judge(scenario, observation)


def dry_run_of(semantics: Semantics, fault: ClientFault | None) -> ClientDryRun:
    """The player on the model, with a planted fault where one is given."""
    if fault is None:
        return ClientDryRun(semantics)
    return ClientDryRun(semantics, fault.client, fault.change)
