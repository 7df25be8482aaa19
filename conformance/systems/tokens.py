"""Bearer tokens for OAUTHBEARER: from a token endpoint (client credentials), from a file, or
unsecured ones as Kafka's own client makes them for tests.
"""

from __future__ import annotations

import base64
import json
import math
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import field
from threading import Lock
from typing import TYPE_CHECKING, Any

from conformance.wire.sasl import SaslError, without
from spec.frozen import frozen

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Mapping
    from pathlib import Path

ENDPOINT_S = 10.0
"""How long a token endpoint may take, seconds."""
LARGEST_ANSWER = 1 << 20
USED = 0.8
"""The share of a token's lifetime after which another one is fetched."""


@frozen
class ClientCredentials:
    """A client that gets its tokens by the grant of client credentials (RFC 6749, section 4.4).

    Attributes:
        endpoint: the token endpoint, http or https.
        client_id, client_secret: sent in the Authorization header.
        scope: what is asked for; empty for nothing in particular.
        ssl_context: for https; None for the system's certificates.
    """

    endpoint: str = field(repr=False)
    client_id: str = field(repr=False)
    client_secret: str = field(repr=False)
    scope: str = ""
    ssl_context: ssl.SSLContext | None = field(default=None, repr=False)

    def fetch(self) -> tuple[str, float]:
        """Fetch a token; with it, how many seconds it is valid.

        Raises:
            SaslError: the endpoint can't be reached or refuses, with what it said.
        """
        form = {"grant_type": "client_credentials", **({"scope": self.scope} if self.scope else {})}
        pair = f"{self.client_id}:{self.client_secret}".encode()
        request = urllib.request.Request(  # noqa: S310  the settings were checked for http(s)
            self.endpoint,
            urllib.parse.urlencode(form).encode(),
            {
                "Authorization": "Basic " + base64.b64encode(pair).decode(),
                "Accept": "application/json",
                "Content-Type": "application/x-www-form-urlencoded",
            },
        )
        try:
            with urllib.request.urlopen(  # noqa: S310
                request, timeout=ENDPOINT_S, context=self.ssl_context
            ) as answer:
                said = answer.read(LARGEST_ANSWER)
        except urllib.error.HTTPError as refused:
            reason = self._refusal(refused.read(LARGEST_ANSWER))
            raise SaslError(f"the token endpoint answers {refused.code}{reason}") from refused
        except (OSError, ValueError) as failed:
            shown = getattr(failed, "reason", None) or failed
            raise SaslError(f"the token endpoint can't be reached: {shown}") from failed
        values = _json_object(said)
        token = values.get("access_token")
        if not isinstance(token, str) or not token:
            raise SaslError("the token endpoint's answer has no access_token")
        lasts = values.get("expires_in")
        return token, float(lasts) if isinstance(lasts, int | float) else _lifetime_of(token)

    def _refusal(self, said: bytes) -> str:
        values = _json_object(said)
        words = [str(values[name]) for name in ("error", "error_description") if name in values]
        return f": {without(': '.join(words), self.client_secret)}" if words else ""


class CachedToken:
    """A token that is fetched once and again when most of its lifetime is over. May be asked by
    several threads.
    """

    def __init__(self, fetch: Callable[[], tuple[str, float]]) -> None:
        """`fetch` gives a token and how many seconds it is valid."""
        self._fetch = fetch
        self._lock = Lock()
        self._token, self._until = "", -math.inf

    def __call__(self) -> str:
        """Return a token that is valid now. Raises `SaslError`."""
        with self._lock:
            if time.monotonic() >= self._until:
                token, lasts_s = self._fetch()
                self._token, self._until = token, time.monotonic() + lasts_s * USED
            return self._token


@frozen
class TokenFile:
    """A token that lies in a file, read again for each connection since others replace it."""

    path: Path = field(repr=False)

    def __call__(self) -> str:
        """Return the token. Raises `SaslError`."""
        try:
            token = self.path.read_text("utf-8").strip()
        except (OSError, ValueError) as failed:
            reason = getattr(failed, "strerror", None) or "no text"
            raise SaslError(f"the token's file can't be read: {reason}") from failed
        if not token:
            raise SaslError("the token's file is empty")
        return token


def unsecured_token(claims: Mapping[str, object], lasts_s: float) -> tuple[str, float]:
    """A token without a signature, as Kafka's client makes it where no token endpoint is set: for
    brokers that are not in production.
    """
    now = time.time()
    body = {"iat": now, "exp": now + lasts_s, **claims}
    parts = [json.dumps(one).encode() for one in ({"alg": "none"}, body)]
    return ".".join([_base64url(part) for part in parts]) + ".", lasts_s


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _json_object(data: bytes) -> dict[str, Any]:
    try:
        values = json.loads(data)
    except ValueError:
        return {}
    return values if isinstance(values, dict) else {}


def _lifetime_of(token: str) -> float:
    """How many seconds a token is valid by its own claims; none where it has none."""
    parts = token.split(".")
    if len(parts) != 3:
        return 0.0
    try:
        claims = _json_object(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return 0.0
    expires = claims.get("exp")
    return max(0.0, expires - time.time()) if isinstance(expires, int | float) else 0.0
