"""The folder for everything that can be made again, and for what is kept from run to run."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

SETTING = "FENCEPOST_CACHE"


def cache_dir() -> Path:
    """The folder that $FENCEPOST_CACHE names; otherwise the user's cache folder."""
    chosen = os.environ.get(SETTING)
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("fencepost"))
