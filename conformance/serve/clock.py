"""The clock of a served model's groups."""

from __future__ import annotations

import time


def now_ms() -> float:
    """Milliseconds since some moment in the past; it never goes back."""
    return time.monotonic() * 1000
