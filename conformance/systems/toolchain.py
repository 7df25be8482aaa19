"""Programs that are built from their sources the first time, and kept in the cache folder."""

from __future__ import annotations

import hashlib
import subprocess
from typing import TYPE_CHECKING

from filelock import FileLock

from conformance.cache import cache_dir
from conformance.systems.base import NotAvailable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path


def kept_program(
    folder: Path, sources: Sequence[Path], kept: str, build: Callable[[Path, Path], None]
) -> Path:
    """The program of a folder, as these sources have it; built where the folder `kept` of the cache
    has none yet, once however many ask for it.

    Args:
        folder: it has the program's name.
        sources: the files that the program depends on.
        kept: the name of a folder of the cache.
        build: makes the program of the folder at a path, whose own folder is there.
    """
    digest = hashlib.sha256(b"\0".join([one.read_bytes() for one in sources])).hexdigest()
    program = cache_dir() / kept / f"{folder.name}-{digest[:16]}"
    if program.is_file():
        return program
    program.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(program.with_name(f".{program.name}.lock")):
        if not program.is_file():
            build(folder, program)
    return program


def run_build(
    command: Sequence[str], folder: Path, env: Mapping[str, str], within_s: float, mend: str
) -> subprocess.CompletedProcess[str]:
    """Run a toolchain's command in a folder; what it says is in the result.

    Raises:
        NotAvailable: it can't be run or takes longer; `mend` says what to look at.
    """
    try:
        return subprocess.run(  # noqa: S603 - our own sources
            command,
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=within_s,
        )
    except (OSError, subprocess.TimeoutExpired) as failed:
        raise NotAvailable(
            f"expected `{' '.join(command[:2])}` to build {folder.name}, found: {failed}; {mend}"
        ) from failed
