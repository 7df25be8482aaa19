"""A client under test together with the broker that it reads from, as one system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.clients.process import ClientProcess
from conformance.lifetime import StartsAndStops
from conformance.misuse import BadConfiguration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conformance.systems.base import BrokerSystem
    from conformance.wire.security import Security


class ClientUnderTest(StartsAndStops):
    """A client and a broker, which are started and stopped together.

    The client's process serves many scenarios, and is replaced where it failed.

    Args:
        broker: what it reads from, not started yet.
        command: starts the client.
        options: options that the client is given in every scenario, beside the scenario's own.
    """

    def __init__(
        self,
        broker: BrokerSystem,
        command: Sequence[str],
        options: Mapping[str, str] | None = None,
    ) -> None:
        self.broker = broker
        self.options = dict(options or {})
        self._process = ClientProcess(command)

    @property
    def name(self) -> str:
        """The client's name."""
        return self._process.greeting.client

    @property
    def address(self) -> tuple[str, int]:
        """Where the broker listens."""
        return self.broker.address

    @property
    def security(self) -> Security:
        """Whether the broker speaks TLS, and how connections are authenticated."""
        return self.broker.security

    def running(self) -> ClientProcess:
        """The client, started again where its process has ended.

        Raises:
            StartFailed: it can't be started.
        """
        if not self._process.running:
            self._process.stop()
            self._process.start()
        return self._process

    def start(self) -> None:
        """Start the client, to know what it is, and the broker.

        Raises:
            SystemProblem: one of them can't be started.
            BadConfiguration: the client does not have an option that it is to be given.
        """
        greeting = self.running().greeting
        if missing := sorted(self.options.keys() - greeting.options):
            self._process.stop()
            raise BadConfiguration(
                f"expected options that {greeting.client} {greeting.version} has, found "
                f"{', '.join(missing)}; it has {', '.join(sorted(greeting.options))}"
            )
        self.broker.start()

    def facts(self) -> Mapping[str, str]:
        """What the client is, and what the broker says of itself; the findings that apply are those
        of the client.
        """
        greeting = self._process.greeting
        given = [f"{name}={value}" for name, value in sorted(self.options.items())]
        found = {name: value for name, value in self.broker.facts().items() if name != "system"}
        return {
            **found,
            "broker": getattr(self.broker, "name", "external"),
            "system": greeting.client,
            "implementation": greeting.client,
            "client.version": greeting.version,
            "client.tested": ", ".join([greeting.version, *given]),
            **{f"client.option.{name}": value for name, value in self.options.items()},
        }

    def stop(self) -> None:
        """End both."""
        try:
            self._process.stop()
        finally:
            self.broker.stop()
