"""Adapters in Rust: built by cargo the first time, and kept in the cache folder."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from conformance.systems.base import NotAvailable
from conformance.systems.toolchain import kept_program, run_build

BUILD_S = 1800.0
"""How long a build may take, seconds: some 150 crates are downloaded and compiled."""


def no_cargo() -> str | None:
    """Why nothing can be built here; None if it can."""
    if shutil.which("cargo") is not None:
        return None
    return "expected the Rust toolchain, found no `cargo` on the PATH; install it"


def build_program(folder: Path) -> Path:
    """The program that is built from a folder with `Cargo.toml` and `Cargo.lock`, whose crates are
    checked against the lock; its program is named `adapter`.

    Raises:
        NotAvailable: there is no cargo, or the build fails.
    """
    if (missing := no_cargo()) is not None:
        raise NotAvailable(missing)
    sources = [*sorted(folder.glob("src/*.rs")), folder / "Cargo.toml", folder / "Cargo.lock"]
    return kept_program(folder, sources, "clients", _build)


def _build(folder: Path, program: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="fencepost-cargo-", dir=program.parent) as target:
        command = ["cargo", "build", "--release", "--locked", "--quiet", "--target-dir", target]
        mend = "see whether cargo and its registry work"
        done = run_build(command, folder, os.environ, BUILD_S, mend)
        made = Path(target) / "release" / "adapter"
        if done.returncode or not made.is_file():
            said = [line for line in done.stderr.splitlines() if line.startswith("error")]
            raise NotAvailable(
                f"expected `cargo build` to build {folder.name}, found: "
                f"{said[0] if said else 'it made no program'}; see whether Rust is recent enough "
                "and its registry can be reached"
            )
        made.replace(program)
