"""The kinds of broker that can be tested, by name. A third party adds one through an entry point.

An entry point in the group `fencepost.systems` names a `System`.
"""

from __future__ import annotations

from functools import partial
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from conformance.misuse import BadConfiguration
from conformance.systems import container, embedded, external, implementation_sources, java, model
from conformance.systems.base import BrokerSystem, NotAvailable
from conformance.systems.go_build import no_go
from conformance.systems.implementation import implementation
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

GROUP = "fencepost.systems"


@frozen(slots=False)
class System:
    """A kind of broker under test.

    Attributes:
        name: how it is chosen.
        description: one line.
        create: makes one, not started; takes what the kind takes.
        problem: why it can't be used here, with what to do about it; None if it can.
        takes_config: whether `create` takes broker configs by the name `config`.
    """

    name: str
    description: str
    create: Callable[..., BrokerSystem]
    problem: Callable[[], str | None] = lambda: None
    takes_config: bool = False


@frozen(slots=False)
class Listed:
    """A kind of broker and whether it can be used here; the reason is empty if it can."""

    name: str
    description: str
    available: bool
    reason: str


def _no_java() -> str | None:
    try:
        java.find_java()
    except NotAvailable as missing:
        return str(missing)
    return None


_OURS = (
    System(
        "embedded",
        "the real Apache Kafka broker as a child process (the default; needs Java)",
        embedded.Embedded,
        _no_java,
    ),
    System(
        "container",
        "Apache Kafka in a container (--image, needs Docker)",
        container.Container,
        container.daemon_problem,
    ),
    System(
        "model",
        "the specification itself, served on the wire (--fault makes it wrong in one way)",
        model.Model,
    ),
    System("external", "a cluster that already runs (--bootstrap-server)", external.External),
    System(
        implementation_sources.KFAKE.name,
        "kfake of franz-go, built when it is first used (needs Go)",
        partial(implementation, implementation_sources.KFAKE),
        no_go,
        takes_config=True,
    ),
    System(
        implementation_sources.TANSU.name,
        "tansu with its data in memory, from a wheel or the PATH",
        partial(implementation, implementation_sources.TANSU),
        implementation_sources.no_tansu,
    ),
    System(
        implementation_sources.LIBRDKAFKA_MOCK.name,
        "the mock cluster of librdkafka (needs confluent-kafka)",
        partial(implementation, implementation_sources.LIBRDKAFKA_MOCK),
        implementation_sources.no_confluent_kafka,
    ),
)


def _all() -> dict[str, System | str]:
    """Each kind by name; a text instead, where an entry point can't be loaded, says why."""
    known: dict[str, System | str] = {system.name: system for system in _OURS}
    for point in entry_points(group=GROUP):
        if point.name in known:
            continue
        try:
            loaded = point.load()
        except Exception as failed:  # noqa: BLE001  another's code
            known[point.name] = (
                f"its entry point {point.value} can't be loaded: {type(failed).__name__}: {failed}"
            )
        else:
            wrong = (
                f"its entry point {point.value} must name a System, but is a "
                f"{type(loaded).__name__}"
            )
            known[point.name] = loaded if isinstance(loaded, System) else wrong
    return known


def systems() -> tuple[Listed, ...]:
    """The systems that can be tested here: ours, then others by name."""
    listed = []
    for name, system in _all().items():
        if isinstance(system, str):
            listed.append(
                Listed(name, "registered by another package", available=False, reason=system)
            )
        else:
            problem = system.problem()
            listed.append(
                Listed(name, system.description, available=problem is None, reason=problem or "")
            )
    return tuple(listed)


def find(name: str) -> System:
    """The kind of that name.

    Raises:
        BadConfiguration: there is none, or it can't be loaded.
    """
    known = _all()
    system = known.get(name)
    if isinstance(system, System):
        return system
    found = system or "no such name"
    raise BadConfiguration(
        f"expected one of the systems {', '.join(sorted(known))}, found {name!r}: {found}; "
        "`fencepost systems` says what each needs"
    )
