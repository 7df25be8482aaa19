"""The support of a run for a subject: one record each, so that nothing else has to name a
subject.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

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
            cluster: whom to ask.
            semantics: what is judged by.
            name: a fresh name for what is made on the broker.
            restarts: how the system is restarted; None where it can't be.
            config: the settings that the broker was started with for the scenarios.
        """
        ...


@dataclass(frozen=True, slots=True)
class Need:
    """A power that a system must have for a subject to be tested on it.

    Attributes:
        power: one of the optional powers in `conformance.systems.base`.
        why: what it takes, and why, as it is said to who names a system without it.
    """

    power: type
    why: str


@dataclass(frozen=True, slots=True)
class Trial:
    """How it is tried out whether a subject's planted faults are found, by drawing alone.

    Attributes:
        release: whose model the faults are planted in.
        scenarios: within how many a fault must be caught.
        restart: whether the model is restarted on the way.
        shrink: whether a fault's case is made small unless the caller says otherwise.
    """

    release: str
    scenarios: int
    restart: bool = True
    shrink: bool = True


@dataclass(frozen=True, slots=True)
class Runner(Generic[F]):
    """How a subject is run.

    Attributes:
        subject: its name in `spec`.
        loop: the plan of a run.
        player: makes what plays its scenarios on a broker.
        dry_run: makes what plays them without one, on the model or on the model with a planted
            fault.
        faults: its planted faults, and its legal variants.
        served_faults: whether the served model can be given them.
        trial: how it is tried out whether they are found.
        relations: every relation of limits that its scenarios can stand for.
        needs: powers that a system must have.
        sets_config: its player restarts the broker into the settings of each scenario; otherwise a
            replayed scenario's settings must be the broker's.
        explained: lines that say what decided the model's answer to a scenario.
    """

    subject: str
    loop: type[Loop]
    player: MakeBrokerPlayer
    dry_run: Callable[[Semantics, F | None], Player]
    faults: tuple[F, ...]
    trial: Trial
    relations: Callable[[], frozenset[str]]
    served_faults: bool = True
    needs: tuple[Need, ...] = ()
    sets_config: bool = False
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
        return next((need.why for need in self.needs if not isinstance(system, need.power)), None)
