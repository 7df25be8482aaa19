"""A broker that already runs, named as Kafka's own tools name it: `--bootstrap-server` and
`--command-config`.
"""

from __future__ import annotations

import ssl
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.lifetime import StartsAndStops
from conformance.misuse import BadConfiguration
from conformance.systems import properties
from conformance.systems.base import NotSupported, Unreachable
from conformance.systems.probe import await_broker

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_PATIENCE_S = 10.0
_PROTOCOLS = ("PLAINTEXT", "SSL")
_SASL = ("SASL_PLAINTEXT", "SASL_SSL")
_STORES = ("JKS", "PKCS12", "PEM")
_READABLE_STORE = "PEM"
_PEM_MEND = "convert it to PEM (openssl pkcs12, keytool -exportcert -rfc) and set {kind}.type=PEM"


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


def tls(settings: Mapping[str, str]) -> ssl.SSLContext | None:
    """How to speak with a broker, by the settings of a Kafka client; None for plain text. Only PEM
    stores can be read.

    Raises:
        NotSupported: the settings ask for SASL or a keystore in Java's own format.
        BadConfiguration: a setting or a file can't be understood.
    """
    protocol = settings.get("security.protocol", "PLAINTEXT").strip().upper()
    if protocol in _SASL:
        raise NotSupported(
            f"expected security.protocol PLAINTEXT or SSL, found {protocol}: SASL is not supported "
            "yet; "
            "test over a listener without SASL, for example one that only this machine can reach"
        )
    if protocol not in _PROTOCOLS:
        raise BadConfiguration(
            "expected security.protocol PLAINTEXT or SSL, found another value; correct it in the "
            "command config"
        )
    if protocol == "PLAINTEXT":
        return None
    _only_pem("ssl.truststore", settings)
    _only_pem("ssl.keystore", settings)
    try:
        context = ssl.create_default_context(
            cafile=settings.get("ssl.truststore.location") or None,
            cadata=settings.get("ssl.truststore.certificates") or None,
        )
        if not settings.get("ssl.endpoint.identification.algorithm", "https").strip():
            context.check_hostname = False
        _load_identity(context, settings)
    except (OSError, ValueError) as failed:
        raise BadConfiguration(
            "expected PEM certificates and keys in the settings ssl.truststore.* and "
            "ssl.keystore.*, found: "
            f"{getattr(failed, 'strerror', None) or type(failed).__name__}; check their paths, "
            "contents and ssl.key.password"
        ) from failed
    return context


def _only_pem(kind: str, settings: Mapping[str, str]) -> None:
    store = settings.get(f"{kind}.type", "JKS").strip().upper()
    given = f"{kind}.location" in settings
    if given and store != _READABLE_STORE:
        found = store if store in _STORES else "another value"
        raise NotSupported(
            f"expected {kind}.type=PEM, found {found}; {_PEM_MEND.format(kind=kind)}"
        )


def _load_identity(context: ssl.SSLContext, settings: Mapping[str, str]) -> None:
    password = settings.get("ssl.key.password") or ""
    location = settings.get("ssl.keystore.location")
    if location:
        context.load_cert_chain(location, password=password)
    elif "ssl.keystore.key" in settings:
        with tempfile.TemporaryDirectory() as folder:
            pair = Path(folder) / "identity.pem"
            pair.touch(mode=0o600)
            pair.write_text(
                f"{settings['ssl.keystore.key']}\n"
                f"{settings.get('ssl.keystore.certificate.chain', '')}\n"
            )
            context.load_cert_chain(pair, password=password)


class External(StartsAndStops):
    """A cluster that someone else runs. Starting it means finding it; stopping it leaves it alone.

    Attributes:
        patience_s: seconds that it is looked for, over all its addresses; None for ten.

    Args:
        bootstrap_servers: `host:port`, several with commas; the first that answers is used.
        command_config: a properties file with a client's settings, as Kafka's tools take it.
            Nothing of it is ever shown.
        say: called with what is waited for, where that takes a while.
    """

    name = "external"
    patience_s: float | None = None

    def __init__(
        self,
        bootstrap_servers: str,
        command_config: Path | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._servers = addresses(bootstrap_servers)
        self._say = say
        settings = properties.read(command_config) if command_config else {}
        self.ssl_context: ssl.SSLContext | None = tls(settings)
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
            Unreachable: none does; with the reason of each.
        """
        failures = []
        patience_s = _PATIENCE_S if self.patience_s is None else self.patience_s
        for server in self._servers:
            try:
                await_broker(
                    server,
                    context=self.ssl_context,
                    timeout=patience_s / len(self._servers),
                    say=self._say,
                )
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
        return {
            "system": self.name,
            "security.protocol": "SSL" if self.ssl_context else "PLAINTEXT",
        }

    def stop(self) -> None:
        """Forgets it."""
        self._address = None
