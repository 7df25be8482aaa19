"""Programs in Go: built by the Go toolchain the first time, and kept in the cache folder."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from conformance.systems.base import NotAvailable
from conformance.systems.toolchain import kept_program, run_build

if TYPE_CHECKING:
    from pathlib import Path

BUILD_S = 900.0
"""How long a build may take, seconds: the modules are downloaded and compiled."""


def no_go() -> str | None:
    """Why nothing can be built here; None if it can."""
    if shutil.which("go") is not None:
        return None
    return "expected the Go toolchain, found no `go` on the PATH; install it"


def build_program(folder: Path, kept: str = "clients") -> Path:
    """The program that is built from a folder with `go.mod` and `go.sum`, whose modules are checked
    against them; it is kept in the folder `kept` of the cache.

    Raises:
        NotAvailable: there is no Go, or the build fails.
    """
    if (missing := no_go()) is not None:
        raise NotAvailable(missing)
    sources = [*sorted(folder.glob("*.go")), folder / "go.mod", folder / "go.sum"]
    return kept_program(folder, sources, kept, _build)


def _build(folder: Path, program: Path) -> None:
    part = program.with_name(f".{program.name}.part")
    command = ["go", "build", "-mod=readonly", "-trimpath", "-o", str(part), "."]
    env = {**os.environ, "GOTOOLCHAIN": "local"}
    mend = "see whether Go and its module proxy work"
    done = run_build(command, folder, env, BUILD_S, mend)
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
