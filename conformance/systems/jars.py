"""The broker's jars: what a lock names, downloaded once, checked by SHA-256, kept in the user's
cache folder.

The cache holds each jar once, under its hash; a version's folder holds hard links to its jars. The
links keep one fixed time stamp, since Java's class data archives are bound to the jars' names,
sizes and times.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

from filelock import FileLock

from conformance.cache import SETTING, cache_dir
from conformance.misuse import BadConfiguration
from conformance.systems.base import NotAvailable, UnknownVersion
from conformance.systems.maven import ALTERNATIVES, Fetcher, redacted_address, repository_url
from spec.frozen import frozen

Progress = Callable[[int, int], None]
"""Called with (bytes so far, bytes in all) from the downloading threads, first with 0 bytes so far.
"""

THREADS = 6
_TIME_STAMP = 946_684_800  # 2000-01-01T00:00:00Z
VERSION = re.compile(r"[0-9]+(\.[0-9]+)*")
_LOCKS = files("conformance.systems") / "locks"


@frozen(slots=False)
class Jar:
    """A locked jar: its path in a Maven repository, its SHA-256 in hexadecimal and its size in
    bytes.
    """

    path: str
    sha256: str
    size: int

    @property
    def name(self) -> str:
        """The file's name."""
        return self.path.rpartition("/")[2]


def available_versions() -> tuple[str, ...]:
    """The Kafka versions that have a lock, oldest first."""
    names = (entry.name for entry in _LOCKS.iterdir())
    versions = [name[len("kafka-") : -len(".json")] for name in names if name.startswith("kafka-")]
    return tuple(
        sorted(versions, key=lambda version: tuple(int(part) for part in version.split(".")))
    )


def user_lock(version: str) -> Path:
    """Where the user's own lock of a version is, which has none that ships."""
    return cache_dir() / "locks" / f"kafka-{version}.json"


def keep(jar: Jar, content: bytes) -> None:
    """Keep a jar that was downloaded, under its hash."""
    _write(_cached_path(jar), content)


def _cached_path(jar: Jar) -> Path:
    return cache_dir() / "jars" / "by-hash" / jar.sha256[:2] / jar.sha256


def lock(version: str) -> tuple[Jar, ...]:
    """The jars of one Kafka version, sorted by name: those of the lock that ships, otherwise of the
    user's own.

    Raises:
        UnknownVersion: there is no lock for it.
        BadConfiguration: the user's own can't be read.
    """
    if version not in available_versions():
        if VERSION.fullmatch(version) and user_lock(version).is_file():
            return _read_user_lock(version)
        raise UnknownVersion(
            f"expected one of the locked Kafka versions {', '.join(available_versions())}, found "
            f"{version!r}; "
            "choose one of them, or test a running broker of any version with --bootstrap-server "
            "HOST:PORT"
        )
    return _locked_jars(f"kafka-{version}.json")


def _read_user_lock(version: str) -> tuple[Jar, ...]:
    place = user_lock(version)
    try:
        found = [Jar(**one) for one in json.loads(place.read_text(encoding="utf-8"))]
        if not all(_is_well_formed(jar) for jar in found):
            raise ValueError("a jar's path, sha256 or size has another form")
    except (OSError, ValueError, TypeError) as bad:
        raise BadConfiguration(
            f"expected a lock of jars at {place}, found one that can't be read: {bad}; remove it, "
            "and it is made again"
        ) from bad
    return tuple(sorted(found, key=lambda jar: jar.name))


def _is_well_formed(jar: Jar) -> bool:
    return (
        re.fullmatch(r"[A-Za-z0-9._/-]+\.jar", jar.path) is not None
        and ".." not in jar.path
        and re.fullmatch(r"[0-9a-f]{64}", jar.sha256) is not None
        and isinstance(jar.size, int)
    )


def _locked_jars(name: str) -> tuple[Jar, ...]:
    jars = (Jar(**found) for found in json.loads((_LOCKS / name).read_text(encoding="utf-8")))
    return tuple(sorted(jars, key=lambda jar: jar.name))


def class_path(version: str, progress: Progress | None = None) -> tuple[Path, ...]:
    """The jars of one Kafka version on disk, sorted by name, each checked; downloads what is
    missing.

    Raises:
        UnknownVersion: there is no lock for it.
        NotAvailable: a jar can't be had, or what the repository gave isn't what the lock names.
    """
    return provide(f"kafka-{version}", lock(version), progress)


def tools_class_path(version: str, progress: Progress | None = None) -> tuple[Path, ...]:
    """The jars that Kafka's console tools of one version need, on disk, each checked; downloads
    what is missing.

    Raises:
        UnknownVersion: there is no lock for it.
        NotAvailable: a jar can't be had, or what the repository gave isn't what the lock names.
    """
    wanted = (*lock(version), *_locked_jars(f"tools-{version}.json"))
    return provide(f"kafka-{version}", wanted, progress)


def clients_jar(version: str, progress: Progress | None = None) -> Path:
    """The kafka-clients jar of one Kafka version, which holds Kafka's message definitions;
    downloaded alone if missing.

    Raises:
        UnknownVersion: there is no lock for it.
        NotAvailable: it can't be had, or what the repository gave isn't what the lock names.
    """
    wanted = tuple(jar for jar in lock(version) if jar.name == f"kafka-clients-{version}.jar")
    return provide(f"kafka-{version}", wanted, progress)[0]


def provide(name: str, jars: tuple[Jar, ...], progress: Progress | None = None) -> tuple[Path, ...]:
    """Locked jars on disk, in a folder of this name in the cache, each checked; downloads what is
    missing.

    Raises:
        NotAvailable: a jar can't be had, or what the repository gave isn't what the lock names.
    """
    folder = cache_dir() / "jars" / name
    targets = tuple(folder / jar.name for jar in jars)
    if all(_is(target, jar) for target, jar in zip(targets, jars, strict=True)):
        return targets
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.parent / "lock"):
            store = {jar: _cached_path(jar) for jar in jars}
            _download([(jar, kept) for jar, kept in store.items() if not _is(kept, jar)], progress)
            for target, jar in zip(targets, jars, strict=True):
                if not _is(target, jar):
                    _link(store[jar], target)
    except OSError as failed:
        raise NotAvailable(
            f"expected to keep jars in {folder}, found: {failed}; "
            f"mend that folder, or set {SETTING} to one that can be written"
        ) from failed
    return targets


def _is(file: Path, jar: Jar) -> bool:
    try:
        if file.stat().st_size != jar.size:
            return False
        with file.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest() == jar.sha256
    except OSError:
        return False


def _download(missing: list[tuple[Jar, Path]], progress: Progress | None) -> None:
    if not missing:
        return
    url = repository_url()
    fetcher = Fetcher(url)
    total = sum(jar.size for jar, _ in missing)
    report = progress or (lambda _done, _all: None)
    report(0, total)
    done = 0

    def fetched(item: tuple[Jar, Path]) -> int:
        jar, target = item
        _write(target, _check_digest(jar, fetcher.fetch(jar.path, jar.size), url))
        return jar.size

    largest_first = sorted(missing, key=lambda item: -item[0].size)
    with ThreadPoolExecutor(THREADS) as pool:
        try:
            for size in pool.map(fetched, largest_first):
                done += size
                report(done, total)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _check_digest(jar: Jar, content: bytes, url: str) -> bytes:
    found = hashlib.sha256(content).hexdigest()
    if len(content) == jar.size and found == jar.sha256:
        return content
    size = f"{len(content)} bytes" if len(content) <= jar.size else f"more than {jar.size} bytes"
    raise NotAvailable(
        f"the jar {jar.name} is not the one that the lock names: expected {jar.size} bytes with "
        f"SHA-256 {jar.sha256}, "
        f"found {size} with SHA-256 {found} at {redacted_address(url)}/{jar.path}. "
        "It was thrown away. "
        f"Ask whoever keeps that repository or proxy why it serves something else; {ALTERNATIVES}"
    )


def _write(target: Path, content: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as part:
        part.write(content)
    try:
        os.utime(part.name, (_TIME_STAMP, _TIME_STAMP))
        Path(part.name).replace(target)
    except BaseException:
        Path(part.name).unlink(missing_ok=True)
        raise


def _link(kept: Path, target: Path) -> None:
    part = target.with_name(f".{target.name}.{os.getpid()}")
    part.unlink(missing_ok=True)
    try:
        part.hardlink_to(kept)
    except OSError:
        shutil.copy2(kept, part)
    part.replace(target)
