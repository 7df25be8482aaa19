"""Adapters in Rust: built by cargo the first time, and kept in the cache folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from filelock import FileLock

from conformance.cache import cache_dir
from conformance.systems.base import NotAvailable

BUILD_S = 1800.0
"""How long a build may take, seconds: some 150 crates are downloaded and compiled."""


def no_cargo() -> str | None:
    """Why nothing can be built here; None if it can."""
    if shutil.which("cargo") is not None:
        return None
    return "expected the Rust toolchain, found no `cargo` on the PATH; install it"


def built(folder: Path) -> Path:
    """The program that is built from a folder with `Cargo.toml` and `Cargo.lock`, whose crates are
    checked against the lock; its program is named `adapter`.

    Raises:
        NotAvailable: there is no cargo, or the build fails.
    """
    if (missing := no_cargo()) is not None:
        raise NotAvailable(missing)
    sources = [*sorted(folder.glob("src/*.rs")), folder / "Cargo.toml", folder / "Cargo.lock"]
    digest = hashlib.sha256(b"\0".join([one.read_bytes() for one in sources])).hexdigest()
    program = cache_dir() / "clients" / f"{folder.name}-{digest[:16]}"
    if program.is_file():
        return program
    program.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(program.with_name(f".{program.name}.lock")):
        if not program.is_file():
            _build(folder, program)
    return program


def _build(folder: Path, program: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="fencepost-cargo-", dir=program.parent) as target:
        command = ["cargo", "build", "--release", "--locked", "--quiet", "--target-dir", target]
        try:
            done = subprocess.run(  # noqa: S603 - our own sources
                command,
                cwd=folder,
                env=os.environ,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                timeout=BUILD_S,
            )
        except (OSError, subprocess.TimeoutExpired) as failed:
            raise NotAvailable(
                f"expected `cargo build` to build {folder.name}, found: {failed}; see whether "
                "cargo and its registry work"
            ) from failed
        made = Path(target) / "release" / "adapter"
        if done.returncode or not made.is_file():
            said = [line for line in done.stderr.splitlines() if line.startswith("error")]
            raise NotAvailable(
                f"expected `cargo build` to build {folder.name}, found: "
                f"{said[0] if said else 'it made no program'}; see whether Rust is recent enough "
                "and its registry can be reached"
            )
        made.replace(program)
