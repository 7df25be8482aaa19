"""Starting a module of our own in a child process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The folder that this process imported its packages from."""


def own_command(module: str, *arguments: str) -> list[str]:
    """The command that runs one of our modules.

    It never imports from the current folder, where a file of the user may bear the name of a
    module.
    """
    return [sys.executable, "-P", "-m", module, *arguments]


def own_environment() -> dict[str, str]:
    """The environment for `own_command`, in which the child finds the same packages as this
    process.
    """
    paths = [str(ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
