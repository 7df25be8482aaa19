"""Runs one command that must not outlive another process.

`python guard.py PARENT_PID PID_FILE REMOVE_DIR COMMAND...` starts the command, writes its process
id to PID_FILE, passes SIGTERM on and exits with the command's exit code. When the parent is gone,
however it went, the command is killed and, if REMOVE_DIR is not empty, that folder removed. If the
guard itself is killed, Linux kills the command.

It is a process of its own because Linux ties "kill me when my parent dies" to the *thread* that
started the child, and a broker may well be started from a worker thread that ends long before the
run does.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_POLL_MS = 250


def _die_with_guard(guard: int) -> None:
    if sys.platform != "linux":
        return
    import ctypes  # noqa: PLC0415  only Linux has prctl

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != guard:
        os.kill(os.getpid(), signal.SIGKILL)


def _watch(process: int) -> int | None:
    """A descriptor that becomes readable when the process ends; None where the system has no such
    thing.
    """
    try:
        return os.pidfd_open(process)
    except (AttributeError, OSError):
        return None


def run(parent: int, pid_file: Path, remove: str, command: list[str]) -> int:
    """Runs the command until it ends or the parent is gone; the exit code is the command's, 128 + n
    after signal n.
    """
    guard = os.getpid()
    watched = [_watch(parent)]
    child = subprocess.Popen(command, preexec_fn=lambda: _die_with_guard(guard))  # noqa: S603, PLW1509  one thread here
    watched.append(_watch(child.pid))
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    part = pid_file.with_name(pid_file.name + ".part")
    part.write_text(str(child.pid))
    part.replace(pid_file)
    waiter = select.poll()
    for descriptor in watched:
        if descriptor is not None:
            waiter.register(descriptor, select.POLLIN)
    pause = None if None not in watched else _POLL_MS
    while child.poll() is None:
        if os.getppid() != parent:
            child.kill()
            child.wait()
            if remove:
                shutil.rmtree(remove, ignore_errors=True)
            return 128 + signal.SIGKILL
        waiter.poll(pause)
    code = child.returncode
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(run(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4:]))
