"""Stores of keys and certificates as Java's clients have them, read to PEM: PEM itself, PKCS12, and
JKS, Java's own format before release 9.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import struct
import textwrap
from dataclasses import field
from enum import StrEnum

from conformance.systems.base import NotAvailable
from spec.frozen import frozen


class StoreKind(StrEnum):
    """What `ssl.truststore.type` and `ssl.keystore.type` name."""

    JKS = "JKS"
    PKCS12 = "PKCS12"
    PEM = "PEM"


class StoreError(Exception):
    """A store that can't be read; the text says what was found, and holds no secret."""


@frozen
class Store:
    """What a store holds, as PEM.

    Attributes:
        certificates: those that are trusted, or the chain of the key, the key's own first.
        key: the private key; empty in a store without one.
        key_is_open: whether the key was decrypted already.
    """

    certificates: str = field(repr=False)
    key: str = field(default="", repr=False)
    key_is_open: bool = True

    def key_password(self, given: str) -> str:
        """The password that the key still needs."""
        return "" if self.key_is_open else given


def kind_of(data: bytes) -> StoreKind | None:
    """The kind that a store's content shows; None for no store that is known."""
    if data[:4] in (_JKS_MAGIC, _JCEKS_MAGIC):
        return StoreKind.JKS
    if data[:1] == b"\x30":
        return StoreKind.PKCS12
    return StoreKind.PEM if b"-----BEGIN" in data else None


def read_store(
    data: bytes, stated: StoreKind | None, password: str | None, key_password: str
) -> Store:
    """Read a store; its content decides its kind.

    Args:
        data: the file's content.
        stated: the kind that the settings name; None where they name none.
        password: the store's.
        key_password: the private key's; empty for the store's.

    Raises:
        StoreError: it can't be read.
        NotAvailable: the library that reads PKCS12 is not installed.
    """
    kind = kind_of(data)
    if kind is None:
        raise StoreError(f"no {stated or 'store that is known'}")
    if kind is StoreKind.PEM:
        text = data.decode("utf-8", "replace")
        return Store(text, text if "PRIVATE KEY-----" in text else "", key_is_open=False)
    if kind is StoreKind.PKCS12:
        return _read_pkcs12(data, password)
    return _read_jks(data, password, key_password or password or "")


def _read_pkcs12(data: bytes, password: str | None) -> Store:
    try:
        # Only a command config that names such a store needs it.
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415
        from cryptography.hazmat.primitives.serialization import pkcs12  # noqa: PLC0415
    except ImportError as missing:
        raise NotAvailable(
            "expected the package cryptography, which reads PKCS12 stores, found it not installed; "
            "install it by pip install 'fencepost[stores]', or convert the store to PEM (openssl "
            "pkcs12 -in STORE -nodes)"
        ) from missing
    try:
        found = pkcs12.load_pkcs12(data, None if password is None else password.encode())
    except (ValueError, TypeError) as failed:
        raise StoreError("a PKCS12 store that the password does not open") from failed
    ours = [found.cert] if found.cert is not None else []
    pem = serialization.Encoding.PEM
    certificates = [
        one.certificate.public_bytes(pem).decode() for one in (*ours, *found.additional_certs)
    ]
    key = ""
    if found.key is not None:
        key = found.key.private_bytes(
            pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ).decode()
    return Store("".join(certificates), key)


_JKS_MAGIC, _JCEKS_MAGIC = b"\xfe\xed\xfe\xed", b"\xce\xce\xce\xce"
_KEY_ENTRY, _TRUSTED_ENTRY = 1, 2
_WHITENING = b"Mighty Aphrodite"
"""What Java adds to the password in the digest at the end of a store."""
_KEY_PROTECTOR = bytes.fromhex("060a2b060104012a02110101")
"""The object identifier (1.3.6.1.4.1.42.2.17.1.1) of the encryption of a JKS store's keys."""
_DIGEST = 20
_KEYTOOL = "keytool -importkeystore -srckeystore STORE -destkeystore NEW -deststoretype PKCS12"


class _Jks:
    """Reads the fields of a JKS store, as `java.io.DataOutput` writes them."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def take(self, size: int) -> bytes:
        end = self._at + size
        if size < 0 or end > len(self._data):
            raise StoreError("a JKS store that is cut off")
        taken, self._at = self._data[self._at : end], end
        return taken

    def number(self, shape: str) -> int:
        return int(struct.unpack(shape, self.take(struct.calcsize(shape)))[0])

    def text(self) -> str:
        return self.take(self.number(">H")).decode("utf-8", "replace")

    def block(self) -> bytes:
        return self.take(self.number(">i"))

    def certificate(self, version: int) -> bytes:
        if version == 2:
            self.text()
        return self.block()


def _read_jks(data: bytes, password: str | None, key_password: str) -> Store:
    if data[:4] == _JCEKS_MAGIC:
        raise StoreError(f"a JCEKS store, which only Java reads; convert it by {_KEYTOOL}")
    body, digest = data[:-_DIGEST], data[-_DIGEST:]
    if password is not None:
        found = hashlib.sha1(password.encode("utf-16-be") + _WHITENING + body).digest()  # noqa: S324
        if not hmac.compare_digest(found, digest):
            raise StoreError("a JKS store that the password does not open")
    reader = _Jks(body)
    reader.take(4)
    version, count = reader.number(">i"), reader.number(">i")
    if version not in (1, 2):
        raise StoreError(f"a JKS store of version {version}")
    trusted, chain, key = [], [], b""
    for _ in range(count):
        tag = reader.number(">i")
        reader.text()
        reader.number(">q")
        if tag == _TRUSTED_ENTRY:
            trusted.append(reader.certificate(version))
        elif tag == _KEY_ENTRY:
            key = _decrypt(reader.block(), key_password)
            chain = [reader.certificate(version) for _ in range(reader.number(">i"))]
        else:
            raise StoreError(f"a JKS store with an entry of kind {tag}")
    return Store(
        "".join(_pem("CERTIFICATE", one) for one in (*chain, *trusted)),
        _pem("PRIVATE KEY", key) if key else "",
    )


def _decrypt(protected: bytes, password: str) -> bytes:
    """A private key of a JKS store: PKCS8 under a chain of SHA-1, with its salt before it and a
    digest behind it.
    """
    place = protected.find(_KEY_PROTECTOR)
    if place < 0:
        raise StoreError("a JKS store whose key is encrypted in another way than Java's own")
    # Behind the identifier: NULL, then the header of an octet string.
    octets = _octets(protected, place + len(_KEY_PROTECTOR) + 2)
    if len(octets) < 2 * _DIGEST:
        raise StoreError("a JKS store whose key is cut off")
    salt, hidden, digest = octets[:_DIGEST], octets[_DIGEST:-_DIGEST], octets[-_DIGEST:]
    secret = password.encode("utf-16-be")
    stream, block = b"", salt
    while len(stream) < len(hidden):
        block = hashlib.sha1(secret + block).digest()  # noqa: S324
        stream += block
    plain = bytes(a ^ b for a, b in zip(hidden, stream, strict=False))
    if hashlib.sha1(secret + plain).digest() != digest:  # noqa: S324
        raise StoreError("a JKS store whose key the password does not open")
    return plain


def _octets(data: bytes, at: int) -> bytes:
    """The content of the DER octet string at a place."""
    if data[at : at + 1] != b"\x04":
        raise StoreError("a JKS store whose key can't be read")
    size = data[at + 1]
    at += 2
    if size > 0x7F:
        wide = size & 0x7F
        size = int.from_bytes(data[at : at + wide], "big")
        at += wide
    return data[at : at + size]


def _pem(kind: str, der: bytes) -> str:
    body = "\n".join(textwrap.wrap(base64.b64encode(der).decode(), 64))
    return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\n"
