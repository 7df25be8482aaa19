"""The run folders that a command reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cli.errors import wrong
from results.log import LOG_NAME

if TYPE_CHECKING:
    from pathlib import Path


def require_run_folder(folder: Path) -> None:
    """Refuse what is no run folder.

    Raises:
        ClickException: it has no event log.
    """
    if not (folder / LOG_NAME).exists():
        raise wrong(
            f"expected a run folder with {LOG_NAME} at {folder}, found none; name a folder that "
            "`fencepost run` made"
        )
