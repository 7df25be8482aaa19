"""Where jars come from, and how one is fetched: HTTPS with the user's proxy and certificates."""

from __future__ import annotations

import base64
import os
import re
import ssl
import urllib.error
import urllib.parse
import urllib.request
import xml.etree.ElementTree as ET
from pathlib import Path

from conformance.misuse import BadConfiguration
from conformance.systems.base import NotAvailable

URL_SETTING = "FENCEPOST_MAVEN_URL"
ALTERNATIVES = (
    f"set {URL_SETTING} to a Maven repository that this machine can reach, "
    "or test a broker that already runs with --bootstrap-server HOST:PORT"
)
_CERTIFICATE_SETTINGS = ("SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
_TIMEOUT_S = 60


def repository_url() -> str:
    """The Maven repository to take jars from, without a trailing slash.

    $FENCEPOST_MAVEN_URL; otherwise a mirror of `central` in ~/.m2/settings.xml or the default of
    jgo, the resolver library.

    Raises:
        NotAvailable: none of the three gives an address.
        BadConfiguration: the address is no http(s) URL.
    """
    url = (
        os.environ.get(URL_SETTING)
        or _mirror(Path.home() / ".m2" / "settings.xml")
        or _library_default()
    )
    try:
        scheme = urllib.parse.urlsplit(url).scheme
    except ValueError:
        scheme = ""
    if scheme not in {"http", "https"}:
        raise BadConfiguration(
            "expected https://HOST/... or http://HOST/... as the address of the Maven repository, "
            f"found {redacted_address(url)!r}; "
            f"correct {URL_SETTING} (or the mirror in ~/.m2/settings.xml)"
        )
    return url.rstrip("/")


def redacted_address(url: str) -> str:
    """The address as it may be shown, whatever its form: no user, no password, no value of a
    query.
    """
    address, query, _ = re.sub(r"[?#]", "?", url).partition("?")
    scheme = re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", address)
    begin = scheme[0] if scheme else ""
    return begin + address.removeprefix(begin).rpartition("@")[2] + (f"{query}..." if query else "")


def _mirror(settings: Path) -> str | None:
    try:
        root = ET.fromstring(settings.read_bytes())  # noqa: S314  the user's own file
    except (OSError, ET.ParseError):
        return None
    for mirror in root.iterfind("{*}mirrors/{*}mirror"):
        mirrored = {name.strip() for name in (mirror.findtext("{*}mirrorOf") or "").split(",")}
        if mirrored & {"*", "central", "external:*"} and "!central" not in mirrored:
            return (mirror.findtext("{*}url") or "").strip() or None
    return None


def _library_default() -> str:
    try:
        from jgo.constants import MAVEN_CENTRAL_URL  # noqa: PLC0415  0.8 s, needed only for a download
    except ImportError as missing:
        raise NotAvailable(
            "expected the address of a Maven repository to take the broker's jars from, found "
            "neither "
            f"{URL_SETTING} nor a mirror in ~/.m2/settings.xml nor the package jgo, which has a "
            "default; "
            f"pip install 'fencepost[java]', or {ALTERNATIVES}"
        ) from missing
    return str(MAVEN_CENTRAL_URL)


def _certificates() -> ssl.SSLContext:
    context = ssl.create_default_context()
    for bundle in sorted({os.environ.get(name, "") for name in _CERTIFICATE_SETTINGS}):
        if bundle and Path(bundle).is_file():
            context.load_verify_locations(cafile=bundle)
    return context


class Fetcher:
    """Fetches files of one Maven repository; may be used by many threads."""

    def __init__(self, url: str) -> None:
        self._url = url
        parts = urllib.parse.urlsplit(url)
        credentials, _, host = parts.netloc.rpartition("@")
        self._base = parts._replace(netloc=host).geturl()
        token = base64.b64encode(urllib.parse.unquote(credentials).encode()).decode()
        self._authorization = f"Basic {token}" if credentials else None
        secure = (
            [urllib.request.HTTPSHandler(context=_certificates())]
            if parts.scheme == "https"
            else []
        )
        self._opener = urllib.request.build_opener(*secure)

    def fetch(self, path: str, limit: int) -> bytes:
        """The bytes at `path` below the repository's address, at most `limit` + 1 of them.

        Raises:
            NotAvailable: the repository can't be reached or has no such file.
        """
        base = urllib.parse.urlsplit(self._base)
        address = base._replace(path=f"{base.path.rstrip('/')}/{path}").geturl()
        request = urllib.request.Request(address, headers={"User-Agent": "fencepost"})  # noqa: S310  scheme checked by repository_url
        if self._authorization is not None:
            request.add_unredirected_header(
                "Authorization", self._authorization
            )  # another host must not see it
        try:
            with self._opener.open(request, timeout=_TIMEOUT_S) as answer:
                return bytes(answer.read(limit + 1))
        except urllib.error.HTTPError as refused:
            found = f"HTTP status {refused.code}"
        except (urllib.error.URLError, OSError) as failed:
            found = str(getattr(failed, "reason", failed))
        raise NotAvailable(
            f"expected the jar {redacted_address(address)}, found: {found}; {ALTERNATIVES}"
        )
