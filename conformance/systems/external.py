"""A broker that runs already, reached as Kafka's own tools reach it: an address and client properties."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, Self

from conformance.systems.base import BadConfiguration, NotSupported
from conformance.systems.probe import probe

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import TracebackType

PLAINTEXT = "PLAINTEXT"


def read_properties(path: Path) -> dict[str, str]:
    """A Java properties file of single lines, `key=value`; `#` and `!` start a comment.

    Raises:
        BadConfiguration: unreadable, or a line that is neither.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as failed:
        raise BadConfiguration(f"expected client properties at {path}, found: {failed}") from failed
    found = {}
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text[0] in "#!":
            continue
        key, separator, value = text.partition("=")
        if not separator:
            raise BadConfiguration(f"{path}, line {number}: expected key=value; a comment starts with #")
        found[key.strip()] = value.strip()
    return found


class External:
    """A broker that is not ours to start or stop.

    Args:
        bootstrap_servers: `host:port`, or several with commas, of which the first that answers is taken.
        command_config: client properties; `security.protocol` PLAINTEXT and SSL can be used. Secrets stay in the file.
    """

    name = "external"

    def __init__(self, bootstrap_servers: str, command_config: Path | None = None) -> None:
        self._servers = [_address(server) for server in bootstrap_servers.split(",")]
        self._properties = read_properties(command_config) if command_config else {}
        self.ssl_context = _context(self._properties)
        self._address = self._servers[0]

    def __repr__(self) -> str:
        return "External()"

    @property
    def address(self) -> tuple[str, int]:
        """(host, port) of the server that answered."""
        return self._address

    def start(self) -> None:
        """Look whether a Kafka broker answers. Raises Unreachable."""
        for server in self._servers[:-1]:
            try:
                probe(server, self.ssl_context)
            except Exception:  # noqa: BLE001, S112 - the next one is tried; the last one's failure is raised
                continue
            self._address = server
            return
        self._address = self._servers[-1]
        probe(self._address, self.ssl_context)

    def facts(self) -> Mapping[str, str]:
        """How it is reached; neither an address nor a secret."""
        return {"system": self.name, "security.protocol": self._properties.get("security.protocol", PLAINTEXT)}

    def stop(self) -> None:
        """Nothing to do: it is not ours."""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()


def _address(server: str) -> tuple[str, int]:
    host, separator, port = server.strip().rpartition(":")
    if not separator or not host or not port.isdigit() or not 0 < int(port) < 65536:
        raise BadConfiguration(f"expected --bootstrap-server as host:port, found {server!r}")
    return host.strip("[]"), int(port)


def _context(properties: Mapping[str, str]) -> ssl.SSLContext | None:
    protocol = properties.get("security.protocol", PLAINTEXT).upper()
    if protocol == PLAINTEXT:
        return None
    if protocol != "SSL":
        raise NotSupported(f"security.protocol={protocol} is not supported yet; PLAINTEXT and SSL are")
    context = ssl.create_default_context(cafile=properties.get("ssl.truststore.location") or None)
    if properties.get("ssl.endpoint.identification.algorithm", "https") == "":
        context.check_hostname = False
    return context
