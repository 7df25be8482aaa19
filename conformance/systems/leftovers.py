"""Temporary folders of brokers whose run was killed: they are removed when the next broker is
started.
"""

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
"""The file in such a folder that names the process to which it belongs, as `owner_of` does."""
KEPT_S = 86_400.0
"""Seconds for which a broker's log stays, for whoever wants to know why it ended."""

_REMOVER = "import shutil, sys; shutil.rmtree(sys.argv[1], ignore_errors=True)"


def owner_of(pid: int) -> str:
    """Name a process as no other is ever named: by its host, its pid, which may be given to
    another later, and its start time.
    """
    try:
        began = (
            Path(f"/proc/{pid}/stat")
            .read_text(encoding="ascii", errors="replace")
            .rpartition(")")[2]
            .split()[19]
        )
    except OSError:
        began = ""
    return f"{socket.gethostname()}/{pid}/{began}"


def is_gone(owner: str) -> bool:
    """Whether an owner is a process of this host that does not run any more."""
    host, _, rest = owner.partition("/")
    pid = rest.partition("/")[0]
    return host == socket.gethostname() and pid.isdigit() and owner_of(int(pid)) != owner


def make_folder(pid: int) -> Path:
    """Make a temporary folder that belongs to a process."""
    made = Path(tempfile.mkdtemp(prefix=PREFIX))
    (made / OWNER).write_text(owner_of(pid), encoding="utf-8")
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
