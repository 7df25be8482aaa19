"""Releases of Kafka that no shipped lock names: their jars are found in the Maven repository once,
and a lock of the user's own keeps what they were.

The first download is trusted; from then on each jar is held to the SHA-256 that the lock has.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock

from conformance.systems.base import NotAvailable, UnknownVersion
from conformance.systems.jars import THREADS, Jar, available_versions, keep, user_lock
from conformance.systems.maven import ALTERNATIVES, Fetcher, repository_url
from spec.releases import RELEASES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

NOT_LOADED_BY_A_BROKER = re.compile(
    r"commons-(beanutils|collections|digester|logging)|jackson-(dataformat-csv|datatype-.*)|jose4j"
    r"|jspecify|scala-reflect"
)
"""Artifacts that a broker never loads: tools, plug-ins, readers of formats that Kafka's server does
not use.
"""
OLDER_LINES = ("3.7", "3.8", "3.9")
"""Lines before the first that the catalogue speaks of, which start in the same way. What they
advertise says as which release they are judged.
"""
_VERSION = re.compile(r"(\d{1,3}\.\d{1,3})\.\d{1,3}")
_LARGEST_JAR = 256 * 2**20
RUNNING = "or test a running broker of any version with --bootstrap-server HOST:PORT"

Coordinates = tuple[str, str, str]
"""Group, artifact and version."""


def line_of(version: str) -> str:
    """The line of an exact version, `4.3` of `4.3.1`; empty for what is no such version."""
    found = _VERSION.fullmatch(version)
    return found[1] if found is not None else ""


def must_be_startable(version: str) -> None:
    """Refuse a version that can't be started here.

    Raises:
        UnknownVersion: it is none of a line whose behaviour is known.
    """
    if version in available_versions() or line_of(version) in {*RELEASES, *OLDER_LINES}:
        return
    lines = ", ".join([*OLDER_LINES, *RELEASES])
    raise UnknownVersion(
        f"expected a release of Kafka {lines}, such as {available_versions()[-1]}, found "
        f"{version!r}: what other lines promise is not in the catalogue; choose one of these, "
        f"{RUNNING}"
    )


def provide_lock(version: str, say: Callable[[str], object]) -> None:
    """Have a lock for a version: the shipped one, the user's, or a new one of the user's, which is
    said in one line.

    Raises:
        UnknownVersion: see `must_be_startable`; or the repository has no such release.
        NotAvailable: the repository can't be reached, or nothing here resolves what it has.
    """
    must_be_startable(version)
    place = user_lock(version)
    if version in available_versions() or place.is_file():
        return
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(place.with_suffix(".lock")):
            if place.is_file():
                return
            found = _fetch_jars(broker_artifacts(version))
            _write_lock(place, found)
    except OSError as failed:
        raise NotAvailable(
            f"expected to keep the lock of Kafka {version} at {place}, found: {failed}; mend that "
            "folder"
        ) from failed
    say(
        f"Kafka {version} has no shipped lock: its {len(found)} jars were resolved now, and their "
        f"SHA-256 are kept in {place}; later runs hold them to that"
    )


def broker_artifacts(version: str) -> tuple[Coordinates, ...]:
    """The artifacts that a broker of this version needs, with a small log binding: without one a
    broker that refuses its configuration exits silently.

    Raises:
        NotAvailable: the repository can't be reached, or has no such release.
    """
    found = [
        one
        for one in _resolve(f"org.apache.kafka:kafka_2.13:{version}")
        if not NOT_LOADED_BY_A_BROKER.fullmatch(one[1])
    ]
    slf4j = next((one[2] for one in found if one[1] == "slf4j-api"), None)
    if slf4j is None:
        raise NotAvailable(
            f"expected the dependencies of Kafka {version} in the Maven repository, found none; "
            f"is there such a release? {ALTERNATIVES}"
        )
    return (*found, ("org.slf4j", "slf4j-simple", slf4j))


def _resolve(endpoint: str) -> list[Coordinates]:
    """An artifact with all that it depends on.

    Raises:
        NotAvailable: that can't be found out.
    """
    try:
        import jgo  # noqa: PLC0415 - 0.8 s, needed only for a release without a lock
    except ImportError as missing:
        raise NotAvailable(
            "expected the package jgo, which finds the jars of a release without a lock, found "
            "none; pip install 'fencepost[java]', or choose one of "
            f"{', '.join(available_versions())}"
        ) from missing
    try:
        found: list[Any] = jgo.resolve(endpoint, repositories={"central": repository_url()})
    except Exception as failed:
        reason = str(failed).strip() or type(failed).__name__
        raise NotAvailable(
            f"expected {endpoint} in the Maven repository, found: {reason}; is there such a "
            f"release? {ALTERNATIVES}"
        ) from failed
    return [(one.groupId, one.artifactId, one.version) for one in found]


def _fetch_jars(artifacts: Iterable[Coordinates]) -> list[Jar]:
    fetcher = Fetcher(repository_url())

    def fetch_jar(one: Coordinates) -> Jar:
        group, name, version = one
        path = f"{group.replace('.', '/')}/{name}/{version}/{name}-{version}.jar"
        content = fetcher.fetch(path, _LARGEST_JAR)
        jar = Jar(path, hashlib.sha256(content).hexdigest(), len(content))
        keep(jar, content)
        return jar

    with ThreadPoolExecutor(THREADS) as pool:
        return sorted(pool.map(fetch_jar, artifacts), key=lambda jar: jar.path)


def _write_lock(place: Path, jars: list[Jar]) -> None:
    lines = ",\n".join([f"  {json.dumps(asdict(jar))}" for jar in jars])
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=place.parent, delete=False) as part:
        part.write(f"[\n{lines}\n]\n")
    Path(part.name).replace(place)
