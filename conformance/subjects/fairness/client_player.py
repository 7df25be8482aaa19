"""The player of histories with a real client, on a stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.clients.topics import ClientTopics
from conformance.engine.player import Player
from conformance.misuse import BadConfiguration
from conformance.placement.problem import LayingStep, PlacementFailed, Unlaid
from conformance.subjects.fairness.application import Application
from conformance.subjects.fairness.scripted_proxy import ScriptedProxy
from conformance.wire.outcomes import NoAnswer, NotConnected
from conformance.wire.security import PLAINTEXT
from spec.fairness.steps import ClientKind, MoveLeader, TruncateLog
from spec.observation import Observation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.clients.system import ClientUnderTest
    from conformance.cluster import Cluster
    from conformance.engine.play_result import Played
    from spec.scenario import Scenario
    from spec.semantics import Semantics


class ClientPlayer(Player):
    """Plays scenarios with one real client, one after the other, and judges them.

    Args:
        cluster: the broker that the client reads from, by way of a stage.
        semantics: what is judged by.
        name: what the names of topics and groups are made from.
        system: the client.
    """

    def __init__(
        self, cluster: Cluster, semantics: Semantics, name: str, system: ClientUnderTest
    ) -> None:
        super().__init__(semantics)
        if cluster.security != PLAINTEXT:
            raise BadConfiguration(
                "expected a broker that speaks plain text without SASL, since a client under test "
                "reads from it by way of a proxy, found a listener with "
                f"{cluster.security.protocol}; name another one, or `model`"
            )
        self._cluster, self._name, self._system = cluster, name, system
        self._played = 0
        self._stage = ScriptedProxy((cluster.host, cluster.port), cluster.codec)
        self._stage.start()
        self._topics = ClientTopics(cluster, name)
        self._connection = cluster.connect()

    @property
    def kind(self) -> ClientKind:
        """What kind of client it plays with.

        Raises:
            StartFailed: the client can't be started.
        """
        return ClientKind(self._system.running().greeting.kind)

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played | Unlaid]]:
        """Play scenarios, each on a topic of its own.

        Raises:
            StartFailed: the client can't be started.
        """
        for number, scenario in enumerate(scenarios):
            client = self._system.running()
            try:
                placed = self._topics.place(scenario.layout)
            except PlacementFailed as failed:
                yield number, Unlaid(scenario.layout, LayingStep.TOPIC, str(failed))
                continue
            self._played += 1
            moves = any(isinstance(step, MoveLeader | TruncateLog) for step in scenario.steps)
            self._stage.begin(placed, moves=moves)
            application = Application(
                scenario,
                placed,
                client,
                self._stage,
                self._cluster,
                self._connection,
                f"{self._name}-{self._played}",
                self._system.options,
            )
            try:
                observation = application.play()
                self._topics.release(placed)
            except (NoAnswer, NotConnected, PlacementFailed) as lost:
                observation = Observation((), broken=str(lost))
            yield number, self._judge(scenario, observation)

    def close(self) -> None:
        """End the stage, and delete the topics."""
        self._stage.stop()
        self._connection.close()
        self._topics.close()
