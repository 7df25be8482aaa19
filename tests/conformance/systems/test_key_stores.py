"""Stores that keytool wrote: one certificate, once trusted and once with its key.

The key's password is `keysecret` in JKS, where it may differ, and the stores' is `changeit`.
"""

import ssl
from pathlib import Path

import pytest

from conformance.misuse import BadConfiguration
from conformance.systems.client_config import client_config
from conformance.systems.key_stores import StoreError, read_store

STORES = Path(__file__).with_name("stores")
CERTIFICATE = (STORES / "client.pem").read_text()
PASSWORD = "changeit"
KEY_PASSWORD = "keysecret"


def der(pem: str) -> bytes:
    return ssl.PEM_cert_to_DER_cert(pem.strip())


@pytest.mark.parametrize("name", ["trust.jks", "trust.p12"])
@pytest.mark.parametrize("stated", ["JKS", "PKCS12", None])
def test_a_trust_store_is_read_whatever_kind_is_stated(name: str, stated: str | None) -> None:
    values = {
        "security.protocol": "SSL",
        "ssl.truststore.location": str(STORES / name),
        "ssl.truststore.password": PASSWORD,
        **({} if stated is None else {"ssl.truststore.type": stated}),
    }
    context = client_config(values, "f").security.ssl_context
    assert context is not None
    assert context.cert_store_stats()["x509"] == 1
    found = read_store((STORES / name).read_bytes(), None, PASSWORD, "")
    assert der(found.certificates) == der(CERTIFICATE)


@pytest.mark.parametrize("name", ["identity.jks", "identity.p12"])
def test_a_key_store_gives_a_key_and_its_certificate(name: str) -> None:
    key_password = KEY_PASSWORD if name.endswith("jks") else PASSWORD
    found = read_store((STORES / name).read_bytes(), None, PASSWORD, key_password)
    assert der(found.certificates) == der(CERTIFICATE)
    values = {
        "security.protocol": "SSL",
        "ssl.keystore.location": str(STORES / name),
        "ssl.keystore.password": PASSWORD,
        "ssl.key.password": key_password,
    }
    assert client_config(values, "f").security.protocol == "SSL"


@pytest.mark.parametrize("name", ["trust.jks", "trust.p12", "identity.jks", "identity.p12"])
def test_a_wrong_password_is_said_without_it(name: str) -> None:
    for password in ("s3cret-other", ""):
        with pytest.raises(StoreError, match="password does not open"):
            read_store((STORES / name).read_bytes(), None, password, "")
    kind = "truststore" if name.startswith("trust") else "keystore"
    values = {
        "security.protocol": "SSL",
        f"ssl.{kind}.location": str(STORES / name),
        f"ssl.{kind}.password": "s3cret-other",
    }
    with pytest.raises(
        BadConfiguration, match=rf"ssl\.{kind}\.location.*ssl\.{kind}\.password"
    ) as bad:
        client_config(values, "f")
    assert "s3cret" not in str(bad.value)


def test_a_wrong_password_of_a_key_alone_is_said() -> None:
    with pytest.raises(StoreError, match="whose key the password does not open"):
        read_store((STORES / "identity.jks").read_bytes(), None, PASSWORD, "other")


@pytest.mark.parametrize("kept", [3, 8, 20, 60, 200])
def test_a_store_that_is_cut_off_is_refused(kept: int) -> None:
    for name in ("trust.jks", "identity.jks"):
        with pytest.raises(StoreError):
            read_store((STORES / name).read_bytes()[:kept], None, None, KEY_PASSWORD)


def test_what_is_no_store_is_refused_with_its_kinds(tmp_path: Path) -> None:
    (tmp_path / "store").write_bytes(b"neither")
    values = {"security.protocol": "SSL", "ssl.truststore.location": str(tmp_path / "store")}
    with pytest.raises(BadConfiguration, match="PEM, PKCS12 or JKS"):
        client_config(values, "f")
