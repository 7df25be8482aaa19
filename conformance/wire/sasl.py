"""What a client says in each SASL mechanism that Kafka has, without any I/O.

An exchange is a generator: it gives what the client sends, and is sent what the broker answers.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from dataclasses import field
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

SCRAM_HASHES = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}
"""The hash of each SCRAM mechanism."""
LEAST_ITERATIONS = 4096
"""Fewer must not be accepted (RFC 7677, section 4); Kafka's client refuses them too."""
MOST_ITERATIONS = 1 << 24
"""More would keep a client busy for many seconds, at a word of whoever answers."""
_HIDDEN = "***"


class SaslError(Exception):
    """The broker's part of an exchange is wrong, or says that it refuses: its text says how, and
    holds no secret.
    """


class Sasl(Protocol):
    """A mechanism with a client's credentials."""

    @property
    def mechanism(self) -> str:
        """Its name, as SaslHandshake has it."""
        ...

    def exchange(self) -> Generator[bytes, bytes, None]:
        """Begin an exchange. May block for a moment, where a token has to be fetched.

        Raises:
            SaslError: no credentials can be had, or, from the generator, the broker's part is
                wrong.
        """
        ...

    def redact(self, text: str) -> str:
        """A text without the secrets of the credentials."""
        ...


def without(text: str, *hidden: str) -> str:
    """A text in which secrets are replaced."""
    for secret in hidden:
        if secret:
            text = text.replace(secret, _HIDDEN)
    return text


@frozen
class Plain:
    """A user and a password, sent as they are (RFC 4616)."""

    username: str = field(repr=False)
    password: str = field(repr=False)

    mechanism = "PLAIN"

    def exchange(self) -> Generator[bytes, bytes, None]:
        """Send both; the broker's answer says nothing."""
        yield f"\0{self.username}\0{self.password}".encode()

    def redact(self, text: str) -> str:
        """A text without the password."""
        return without(text, self.password)


@frozen
class Scram:
    """A user and a password that is never sent (RFC 5802, RFC 7677).

    Attributes:
        mechanism: one of `SCRAM_HASHES`.
        username, password: the credentials.
        delegation_token: whether they are the id and the HMAC of a delegation token (KIP-48).
        nonce: makes the client's part of the nonce.
    """

    mechanism: str
    username: str = field(repr=False)
    password: str = field(repr=False)
    delegation_token: bool = False
    nonce: Callable[[], str] = field(default=lambda: secrets.token_hex(16), repr=False)

    def exchange(self) -> Generator[bytes, bytes, None]:
        """Prove that the password is known, and have the broker prove that it knows it too."""
        escaped = self.username.replace("=", "=3D").replace(",", "=2C")
        nonce = self.nonce()
        extension = ",tokenauth=true" if self.delegation_token else ""
        first_bare = f"n={escaped},r={nonce}{extension}"
        challenge = (yield f"n,,{first_bare}".encode()).decode("utf-8", "replace")
        salt, iterations, joined = self._challenge(challenge, nonce)
        hash_name = SCRAM_HASHES[self.mechanism]
        salted = _salt_password(hash_name, self.password, salt, iterations)
        final_bare = f"c=biws,r={joined}"
        signed = f"{first_bare},{challenge},{final_bare}".encode()
        client_key = hmac.digest(salted, b"Client Key", hash_name)
        stored_key = hashlib.new(hash_name, client_key).digest()
        signature = hmac.digest(stored_key, signed, hash_name)
        proof = bytes(a ^ b for a, b in zip(client_key, signature, strict=True))
        verdict = yield f"{final_bare},p={base64.b64encode(proof).decode()}".encode()
        expected = hmac.digest(hmac.digest(salted, b"Server Key", hash_name), signed, hash_name)
        self._check(verdict.decode("utf-8", "replace"), expected)

    def _challenge(self, text: str, nonce: str) -> tuple[bytes, int, str]:
        """The salt, the iterations and the whole nonce of the server's first message."""
        said = _attributes(text)
        if "e" in said:
            raise SaslError(f"the broker's first message refuses: {self.redact(said['e'])}")
        joined = said.get("r", "")
        if "m" in said or not joined.startswith(nonce) or len(joined) == len(nonce):
            raise SaslError("the broker's first message does not continue the client's nonce")
        try:
            salt = base64.b64decode(said["s"], validate=True)
            iterations = int(said["i"])
        except (KeyError, ValueError) as failed:
            raise SaslError(
                "the broker's first message lacks a salt or a number of iterations"
            ) from failed
        if not LEAST_ITERATIONS <= iterations <= MOST_ITERATIONS:
            raise SaslError(
                f"the broker asks for {iterations} iterations, expected {LEAST_ITERATIONS} to "
                f"{MOST_ITERATIONS}"
            )
        return salt, iterations, joined

    def _check(self, text: str, expected: bytes) -> None:
        said = _attributes(text)
        if "e" in said:
            raise SaslError(f"the broker says: {self.redact(said['e'])}")
        try:
            found = base64.b64decode(said.get("v", ""), validate=True)
        except ValueError:
            found = b""
        if not hmac.compare_digest(found, expected):
            raise SaslError(
                "the broker's signature is not that of someone who knows the password: this is "
                "another server, or its credentials are others"
            )

    def redact(self, text: str) -> str:
        """A text without the password."""
        return without(text, self.password)


def _attributes(text: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in text.split(",") if "=" in part)


@lru_cache(maxsize=16)
def _salt_password(hash_name: str, password: str, salt: bytes, iterations: int) -> bytes:
    """The salted password, which takes milliseconds and is the same for each connection."""
    return hashlib.pbkdf2_hmac(hash_name, password.encode(), salt, iterations)


@frozen
class OAuthBearer:
    """A bearer token (RFC 7628).

    Attributes:
        token: gives one that is valid now; may block, may raise `SaslError`.
        extensions: SASL extensions by name (KIP-342).
    """

    token: Callable[[], str] = field(repr=False)
    extensions: Mapping[str, str] = field(default_factory=dict, repr=False)

    mechanism = "OAUTHBEARER"

    def exchange(self) -> Generator[bytes, bytes, None]:
        """Begin to send a token, which is fetched here, where the caller can wait for it."""
        return self._exchange(self.token())

    def _exchange(self, token: str) -> Generator[bytes, bytes, None]:
        extensions = "".join(f"{name}={value}\x01" for name, value in self.extensions.items())
        refusal = yield f"n,,\x01auth=Bearer {token}\x01{extensions}\x01".encode()
        if refusal:
            yield b"\x01"  # the broker waits for it before it ends the exchange (section 3.2.3)
            raise SaslError(f"the broker says: {without(_reason(refusal), token)}")

    def redact(self, text: str) -> str:
        """The text: a token is never in the broker's own words but for its refusal."""
        return text


def _reason(refusal: bytes) -> str:
    text = refusal.decode("utf-8", "replace")
    try:
        said = json.loads(text)
    except ValueError:
        return text
    return str(said.get("status", text)) if isinstance(said, dict) else text
