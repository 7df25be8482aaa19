"""The list of a site's pages, kept beside them: so that pages of clauses that were withdrawn are
removed when the site is written again, and no other file is.
"""

import re
from collections.abc import Collection
from pathlib import Path

from results.files import ReportError, write_whole

NAME = "pages.txt"
"""The file of the list: one page a line, relative to the folder."""
_PAGE = re.compile(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*\.html")


def remove_withdrawn(folder: Path, pages: Collection[str]) -> int:
    """Remove the pages that the folder's list names and that are no longer among these; then the
    list names these.

    A line that is not the name of a page inside the folder is left alone, and so is a folder
    without a list.

    Returns:
        How many pages were removed.

    Raises:
        ReportError: a page can't be removed, or the list can't be read or written.
    """
    withdrawn = sorted(_listed_pages(folder / NAME) - set(pages))
    for page in withdrawn:
        _remove(folder, page)
    write_whole(folder / NAME, "".join([f"{page}\n" for page in sorted(pages)]))
    return len(withdrawn)


def _listed_pages(path: Path) -> set[str]:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return set()
    except OSError as error:
        raise ReportError(
            f"expected the list of pages at {path}, found: {error.strerror or error}; choose "
            "another folder"
        ) from error
    return {line for line in lines if _PAGE.fullmatch(line)}


def _remove(folder: Path, page: str) -> None:
    """Remove a page, and the folders that are empty then."""
    path = folder / page
    if not path.parent.resolve().is_relative_to(folder.resolve()):
        return
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise ReportError(
            f"expected to remove {path}, the page of a clause that was withdrawn, found: "
            f"{error.strerror or error}; remove it yourself or choose another folder"
        ) from error
    for parent in path.relative_to(folder).parents:
        if parent == Path() or any((folder / parent).iterdir()):
            return
        (folder / parent).rmdir()
