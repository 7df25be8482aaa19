"""Programs in Go: built by the Go toolchain the first time, and kept in the cache folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

from filelock import FileLock

from conformance.cache import cache_dir
from conformance.systems.base import NotAvailable

if TYPE_CHECKING:
    from pathlib import Path

BUILD_S = 900.0
"""How long a build may take, seconds: the modules are downloaded and compiled."""


def no_go() -> str | None:
    """Why nothing can be built here; None if it can."""
    if shutil.which("go") is not None:
        return None
    return "expected the Go toolchain, found no `go` on the PATH; install it"


def built(folder: Path, kept: str = "clients") -> Path:
    """The program that is built from a folder with `go.mod` and `go.sum`, whose modules are checked
    against them; it is kept in the folder `kept` of the cache.

    Raises:
        NotAvailable: there is no Go, or the build fails.
    """
    if (missing := no_go()) is not None:
        raise NotAvailable(missing)
    sources = [*sorted(folder.glob("*.go")), folder / "go.mod", folder / "go.sum"]
    digest = hashlib.sha256(b"\0".join([one.read_bytes() for one in sources])).hexdigest()
    program = cache_dir() / kept / f"{folder.name}-{digest[:16]}"
    if program.is_file():
        return program
    program.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(program.with_name(f".{program.name}.lock")):
        if not program.is_file():
            _build(folder, program)
    return program


def _build(folder: Path, program: Path) -> None:
    part = program.with_name(f".{program.name}.part")
    command = ["go", "build", "-mod=readonly", "-trimpath", "-o", str(part), "."]
    try:
        done = subprocess.run(  # noqa: S603 - our own sources
            command,
            cwd=folder,
            env={**os.environ, "GOTOOLCHAIN": "local"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=BUILD_S,
        )
    except (OSError, subprocess.TimeoutExpired) as failed:
        raise NotAvailable(
            f"expected `go build` to build {folder.name}, found: {failed}; see whether Go and its "
            "module proxy work"
        ) from failed
    if done.returncode or not part.is_file():
        last = next(
            (line for line in reversed(done.stderr.splitlines()) if line.strip()),
            "it made no program",
        )
        raise NotAvailable(
            f"expected `go build` to build {folder.name}, found: {last}; see whether Go is recent "
            "enough and its module proxy can be reached"
        )
    part.replace(program)
