"""What the engine needs to run a subject: one `Runner` for each, so that nothing else has to name a
subject.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from conformance.systems.base import HasBrokers
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.cluster import Cluster
    from conformance.engine.loop import Loop
    from conformance.engine.plan import Plan
    from conformance.engine.player import Config, Player
    from conformance.engine.restarts import Restarts
    from conformance.faults.planted import PlantedFault
    from conformance.systems.base import BrokerSystem
    from spec.scenario import Scenario
    from spec.semantics import Semantics

F = TypeVar("F", bound="PlantedFault")


class MakeBrokerPlayer(Protocol):
    """Makes what plays a subject's scenarios on a broker."""

    def __call__(
        self,
        cluster: Cluster,
        semantics: Semantics,
        name: str,
        restarts: Restarts | None,
        config: Config = (),
    ) -> Player:
        """Make one.

        Args:
            cluster: the broker or brokers to play on.
            semantics: of the release that the answers are judged by.
            name: unused so far on the broker; the names of topics and groups are made from it.
            restarts: how the system is restarted; None where it can't be.
            config: the settings that the broker was started with for the scenarios.
        """
        ...


@frozen
class Trial:
    """How the suite is tested by a subject's planted faults: each is put into the model, and drawn
    scenarios alone must find it.

    Attributes:
        release: the release whose model gets the fault, `4.3`.
        scenarios: within how many scenarios the fault must be found.
        restart: whether the run also restarts the model.
        shrink: whether a found case is shrunk, unless the caller decides.
    """

    release: str
    scenarios: int
    restart: bool = True
    shrink: bool = True


@frozen
class Runner(Generic[F]):
    """All that the engine needs to run a subject.

    Attributes:
        subject: its name in `spec`.
        loop: draws, plays and judges the scenarios of a run, part by part.
        player: makes the player on a broker.
        dry_run: makes the player without a broker, on the model, which has the planted fault if one
            is given.
        faults: its planted faults, and its legal variants.
        trial: how the planted faults are tried.
        relations: makes the set of all relations between limits that its scenarios can cover.
        dry_faults: planted faults that the dry run alone can have.
        served_faults: whether the model can have these faults when it is served over the network.
        limits: those that its broker must report, or its user give.
        brokers: how many brokers it must have at least.
        sets_config: whether the player restarts the broker with the settings of each scenario; if
            not, a scenario is replayed only on a broker that has its settings already.
        without_restart: why it can't be tested on a broker that can't be started with other
            settings, judged by these decisions; empty where it can.
        explained: the lines of `fencepost explain` on what decided the model's answers to a
            scenario.
    """

    subject: str
    loop: type[Loop]
    player: MakeBrokerPlayer
    dry_run: Callable[[Semantics, F | None], Player]
    faults: tuple[F, ...]
    trial: Trial
    relations: Callable[[], frozenset[str]]
    dry_faults: tuple[F, ...] = ()
    served_faults: bool = True
    limits: tuple[str, ...] = ()
    brokers: int = 1
    sets_config: bool = False
    without_restart: Callable[[Semantics], str] = lambda _: ""
    explained: Callable[[Scenario, Semantics], Iterator[str]] = lambda _scenario, _semantics: iter(
        ()
    )

    def dry_run_loop(
        self,
        semantics: Semantics,
        plan: Plan,
        fault: F | None = None,
        known: frozenset[tuple[str, str]] = frozenset(),
    ) -> Loop:
        """A run without a broker, on the model or on the model with a planted fault; `known` are
        its findings.
        """
        return self.loop(self.dry_run(semantics, fault), plan, known)

    def missing(self, system: BrokerSystem) -> str | None:
        """Why the subject can't be tested on this kind of system; None where it can."""
        there = system.brokers if isinstance(system, HasBrokers) else 1
        return None if there is None else self.too_few(there)

    def unfit(self, semantics: Semantics, brokers: int, *, restarts: bool) -> str:
        """Why the subject can't be tested on a cluster that was reached; empty where it can.

        Args:
            semantics: what it is judged by.
            brokers: how many it has.
            restarts: whether it can be started with other settings.
        """
        return self.too_few(brokers) or ("" if restarts else self.without_restart(semantics))

    def too_few(self, brokers: int) -> str | None:
        """Why the subject can't be tested on so many brokers; None where it can."""
        if brokers >= self.brokers:
            return None
        return (
            f"needs a cluster of at least {self.brokers} brokers, as --brokers {self.brokers} "
            f"starts one, found {brokers}"
        )
