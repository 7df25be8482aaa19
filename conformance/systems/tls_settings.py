"""How TLS is spoken, by the settings of a Kafka client: Java's keys and librdkafka's."""

from __future__ import annotations

import ssl
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.systems.key_stores import StoreError, StoreKind, read_store

if TYPE_CHECKING:
    from conformance.systems.client_settings import ClientSettings
    from conformance.systems.key_stores import Store

_VERSIONS = {"TLSv1.2": ssl.TLSVersion.TLSv1_2, "TLSv1.3": ssl.TLSVersion.TLSv1_3}
_CHECKS = ("https", "none")
_SYSTEMS_OWN = "probe"
"""librdkafka's word for the certificates of the system."""


def tls_context(settings: ClientSettings) -> ssl.SSLContext:
    """How TLS is spoken by these settings.

    Raises:
        BadConfiguration: a setting or a file can't be used.
        NotSupported: a store needs a library that is not installed.
    """
    context = _trusting(settings)
    # As Java's and librdkafka's clients: a certificate that is trusted need not be a root's, and
    # one of keytool's making lacks extensions that only Python asks for.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    _identify(context, settings)
    _set_versions(context, settings)
    algorithm = settings.get("ssl.endpoint.identification.algorithm")
    if algorithm is not None and algorithm.lower() not in (*_CHECKS, ""):
        raise settings.wrong(
            "ssl.endpoint.identification.algorithm",
            "https, or nothing to check no host names",
            "another value",
        )
    context.check_hostname = algorithm is None or algorithm.lower() == "https"
    if not settings.flag("enable.ssl.certificate.verification", default=True):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _set_versions(context: ssl.SSLContext, settings: ClientSettings) -> None:
    named = settings.get("ssl.enabled.protocols")
    settings.get("ssl.protocol")  # what a Java client begins with, within the enabled ones
    if not named:
        return
    found = [_VERSIONS.get(one.strip()) for one in named.split(",")]
    versions = sorted({one for one in found if one is not None})
    if not versions or None in found:
        raise settings.wrong(
            "ssl.enabled.protocols", f"some of {', '.join(_VERSIONS)}", "another value"
        )
    context.minimum_version, context.maximum_version = versions[0], versions[-1]


def _trusting(settings: ClientSettings) -> ssl.SSLContext:
    """A context that trusts the certificates that the settings name, otherwise the system's."""
    pem_keys = ("ssl.truststore.certificates", "ssl.ca.pem")
    file_keys = ("ssl.truststore.location", "ssl.ca.location")
    password = settings.secret("ssl.truststore.password")
    stated = settings.choice("ssl.truststore.type", StoreKind, "") or None
    inline, location = settings.get(*pem_keys), settings.get(*file_keys)
    key = settings.key_of(*pem_keys) if inline else settings.key_of(*file_keys)
    try:
        if inline:
            return ssl.create_default_context(cadata=inline)
        if not location or location == _SYSTEMS_OWN:
            return ssl.create_default_context()
        if Path(location).is_dir():
            return ssl.create_default_context(capath=location)
        store = _read(settings, key, stated, "ssl.truststore.password", password)
        return ssl.create_default_context(cadata=store.certificates)
    except (ssl.SSLError, ValueError) as failed:
        raise settings.wrong(
            key, "certificates to trust", "none that can be read", "check its content"
        ) from failed


def _identify(context: ssl.SSLContext, settings: ClientSettings) -> None:
    """Have the client show its own certificate, where the settings name one."""
    key_password = settings.secret("ssl.key.password") or ""
    store_password = settings.secret("ssl.keystore.password")
    stated = settings.choice("ssl.keystore.type", StoreKind, "") or None
    keys = ("ssl.keystore.key", "ssl.key.pem")
    chains = ("ssl.keystore.certificate.chain", "ssl.certificate.pem")
    store_key = "ssl.keystore.location"
    key, chain = settings.get(*keys), settings.get(*chains)
    key_file, chain_file = (
        settings.get("ssl.key.location"),
        settings.get("ssl.certificate.location"),
    )
    if key is not None:
        named = settings.key_of(*keys)
        pem = f"{key}\n{chain or ''}\n"
    elif key_file:
        named = "ssl.key.location"
        pem = _text(settings, named) + "\n"
        pem += _text(settings, "ssl.certificate.location") if chain_file else chain or ""
    elif settings.get(store_key):
        named = store_key
        store = _read(
            settings,
            named,
            stated,
            "ssl.keystore.password",
            store_password if store_password is not None else key_password,
            key_password=key_password,
        )
        pem, key_password = f"{store.key}\n{store.certificates}", store.key_password(key_password)
    else:
        return
    _load(context, settings, named, pem, key_password)


def _load(
    context: ssl.SSLContext, settings: ClientSettings, named: str, pem: str, password: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pair = Path(folder) / "identity.pem"
        pair.touch(mode=0o600)
        pair.write_text(pem)
        try:
            context.load_cert_chain(pair, password=password)
        except (ssl.SSLError, OSError, ValueError) as failed:
            raise settings.wrong(
                named,
                "a private key and its certificate",
                "none that can be read together",
                "check both, and ssl.key.password",
            ) from failed


def _text(settings: ClientSettings, key: str) -> str:
    return _bytes(settings, key).decode("utf-8", "replace")


def _bytes(settings: ClientSettings, key: str) -> bytes:
    path = Path(settings.get(key) or "")
    try:
        return path.read_bytes()
    except (OSError, ValueError) as failed:
        reason = getattr(failed, "strerror", None) or "no path"
        raise settings.wrong(key, "a file that can be read", reason, "check the path") from failed


def _read(
    settings: ClientSettings,
    key: str,
    stated: str | None,
    password_key: str,
    password: str | None,
    key_password: str = "",
) -> Store:
    """Read a store of any kind; the kind that its content shows counts before the one stated, as
    Java reads PKCS12 where JKS is stated.
    """
    data = _bytes(settings, key)
    try:
        return read_store(data, StoreKind(stated) if stated else None, password, key_password)
    except StoreError as failed:
        raise settings.wrong(
            key,
            "a store of certificates (PEM, PKCS12 or JKS)",
            str(failed),
            f"check the file and {password_key}",
        ) from failed
