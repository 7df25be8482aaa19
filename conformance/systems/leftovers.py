"""Temporary folders of brokers whose run was killed: they are removed at the next start of one."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

PREFIX = "fencepost-"
OWNER = "owner"
"""The file in such a folder that names the process whose it is."""
KEPT_S = 86_400.0
"""Seconds for which a broker's log stays, for whoever wants to know what it ended of."""

_REMOVER = "import shutil, sys; shutil.rmtree(sys.argv[1], ignore_errors=True)"


def owner(process: int) -> str:
    """Name a process for good: its number may be given again, its number with its start time
    doesn't.
    """
    try:
        began = (
            Path(f"/proc/{process}/stat")
            .read_text(encoding="ascii", errors="replace")
            .rpartition(")")[2]
            .split()[19]
        )
    except OSError:
        began = ""
    return f"{socket.gethostname()}/{process}/{began}"


def is_gone(named: str) -> bool:
    """Whether an owner is a process of this host that does not run any more."""
    host, _, rest = named.partition("/")
    process = rest.partition("/")[0]
    return host == socket.gethostname() and process.isdigit() and owner(int(process)) != named


def make_folder(process: int) -> Path:
    """Make a temporary folder that is a process's own."""
    made = Path(tempfile.mkdtemp(prefix=PREFIX))
    (made / OWNER).write_text(owner(process), encoding="utf-8")
    return made


def remove_later(folder: Path) -> None:
    """Have a process of its own remove a folder: a broker has thousands of files, which would keep
    an interrupted run waiting for seconds.
    """
    subprocess.Popen(  # noqa: S603
        [sys.executable, "-I", "-S", "-c", _REMOVER, str(folder)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def remove_leftovers(place: Path | None = None, now: float | None = None) -> int:
    """Remove the data of brokers whose process is gone, and a day later everything else of them.

    Args:
        place: where temporary folders are; by default the system's place for them.
        now: seconds since the epoch, by default the clock's.

    Returns:
        How many folders were looked at whose process is gone. What can't be read or removed, which
        another user's can't, is left alone.
    """
    now = time.time() if now is None else now
    gone = 0
    for folder in (place or Path(tempfile.gettempdir())).glob(f"{PREFIX}*"):
        with suppress(OSError, UnicodeDecodeError):
            noted = folder / OWNER
            if folder.is_symlink() or not is_gone(noted.read_text(encoding="utf-8")):
                continue
            gone += 1
            last = max(file.stat().st_mtime for file in folder.iterdir() if file.is_file())
            shutil.rmtree(folder / "data", ignore_errors=True)
            if now - last > KEPT_S:
                shutil.rmtree(folder, ignore_errors=True)
    return gone
