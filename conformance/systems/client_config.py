"""How an external broker is spoken with, by the file of client properties that `--command-config`
names: Java's keys, as Kafka's own tools take them, and librdkafka's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.systems import properties
from conformance.systems.client_settings import ClientSettings
from conformance.systems.sasl_settings import sasl_of
from conformance.systems.tls_settings import tls_context
from conformance.wire.security import PLAINTEXT, Security
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")


@frozen
class ClientConfig:
    """What a file of client properties says.

    Attributes:
        security: how a broker is spoken with.
        notes: of keys without effect; they hold no values.
    """

    security: Security = PLAINTEXT
    notes: tuple[str, ...] = ()


def read_client_config(path: Path) -> ClientConfig:
    """Read a file of client properties.

    Raises:
        BadConfiguration: it can't be read, or a value in it can't be used; with the key, the file
            and what to do, and without the value.
        NotAvailable: it names a store that a library is missing for.
    """
    return client_config(properties.read(path), str(path))


def client_config(values: Mapping[str, str], file: str) -> ClientConfig:
    """The same of settings by key; `file` is what messages call their source."""
    settings = ClientSettings(values, file)
    protocol = settings.choice("security.protocol", PROTOCOLS, PROTOCOLS[0])
    security = Security(
        tls_context(settings) if protocol.endswith("SSL") else None,
        sasl_of(settings, file) if protocol.startswith("SASL") else None,
    )
    return ClientConfig(security, settings.without_effect())
