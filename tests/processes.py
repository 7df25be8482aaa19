"""What tests of processes share: waiting for a condition, and whether a process has ended."""

import time
from collections.abc import Callable
from pathlib import Path


def awaited(condition: Callable[[], bool], seconds: float) -> bool:
    """Whether the condition came to hold within that time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def gone(pid: int) -> bool:
    """Whether no such process runs: it has ended, reaped or not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
