"""A broker that already runs, named as Kafka's own tools name it: `--bootstrap-server` and
`--command-config`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.lifetime import StartsAndStops
from conformance.misuse import BadConfiguration
from conformance.systems.base import Refused, Unreachable
from conformance.systems.client_config import ClientConfig, read_client_config
from conformance.systems.probe import await_broker

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_PATIENCE_S = 10.0


def addresses(bootstrap_servers: str) -> tuple[tuple[str, int], ...]:
    """The (host, port) pairs of a list `host:port,host:port`; an IPv6 address stands in brackets.

    Raises:
        BadConfiguration: one is no such pair.
    """
    found = []
    for server in bootstrap_servers.split(","):
        host, _, port = server.strip().rpartition(":")
        bracketed = host.startswith("[") and host.endswith("]")
        if (
            not host
            or (":" in host and not bracketed)
            or not (port.isascii() and port.isdigit() and 0 < int(port) < 65536)
        ):
            raise BadConfiguration(
                "expected HOST:PORT (several with commas, an IPv6 address in brackets) as the "
                "bootstrap server, "
                f"found {server.rpartition('@')[2].strip()!r}; for example localhost:9092"
            )
        found.append((host[1:-1] if bracketed else host, int(port)))
    return tuple(found)


class External(StartsAndStops):
    """A cluster that someone else runs. Starting it means finding it; stopping it leaves it alone.

    Attributes:
        patience_s: seconds that it is looked for, over all its addresses; None for ten.
        brokers: how many it has, which is not known before it is reached.

    Args:
        bootstrap_servers: `host:port`, several with commas; the first that answers is used.
        command_config: a properties file with a client's settings, as Kafka's tools take it.
            Nothing of it is ever shown.
        say: called with what is waited for, where that takes a while.
    """

    name = "external"
    patience_s: float | None = None
    brokers: int | None = None

    def __init__(
        self,
        bootstrap_servers: str,
        command_config: Path | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._servers = addresses(bootstrap_servers)
        self._say = say
        config = read_client_config(command_config) if command_config else ClientConfig()
        for note in config.notes:
            say(f"note: {note}")
        self.security = config.security
        self._address: tuple[str, int] | None = None

    def __repr__(self) -> str:
        return "External()"

    @property
    def address(self) -> tuple[str, int]:
        """The (host, port) of the first bootstrap server that answered.

        Raises:
            Unreachable: it wasn't looked for yet.
        """
        if self._address is None:
            raise Unreachable(
                "expected a broker that was found, found none yet; call start() first"
            )
        return self._address

    def start(self) -> None:
        """Finds the first bootstrap server that answers.

        Raises:
            Refused: one answers and does not take the credentials.
            Unreachable: none does; with the reason of each.
        """
        failures = []
        patience_s = _PATIENCE_S if self.patience_s is None else self.patience_s
        for server in self._servers:
            try:
                await_broker(
                    server,
                    security=self.security,
                    timeout=patience_s / len(self._servers),
                    say=self._say,
                )
            except Refused:
                raise
            except Unreachable as failed:
                failures.append(str(failed))
            else:
                self._address = server
                return
        raise Unreachable("\n".join(failures))

    def facts(self) -> Mapping[str, str]:
        """That it is external, and how it is spoken with; the rest can only be
        read over the wire.
        """
        sasl = self.security.sasl
        return {
            "system": self.name,
            "security.protocol": self.security.protocol,
            **({} if sasl is None else {"sasl.mechanism": sasl.mechanism}),
        }

    def stop(self) -> None:
        """Forgets it."""
        self._address = None
