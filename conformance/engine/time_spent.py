"""The time that a run has spent on something."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class TimeSpent:
    """Adds up the time of what is done within `spending`.

    Attributes:
        spent: seconds.
    """

    def __init__(self) -> None:
        self.spent = 0.0

    @contextmanager
    def spending(self) -> Iterator[None]:
        """Count the time of what is done within."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.spent += time.monotonic() - began
