"""The packages of drafts, found by walking, so that nothing has to name one.

Each sub-package of the package `drafts` is one, and so is each package that another distribution
names by an entry point in the group `fencepost.drafts`.
"""

from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules

PACKAGE = "drafts"
GROUP = "fencepost.drafts"


def draft_packages() -> tuple[str, ...]:
    """The full name of each draft's package, those of the package `drafts` first; nothing of them
    is loaded yet.
    """
    return tuple(dict.fromkeys(_names()))


def _names() -> Iterator[str]:
    try:
        package = import_module(PACKAGE)
    except ModuleNotFoundError:
        pass
    else:
        yield from sorted(
            f"{PACKAGE}.{module.name}" for module in iter_modules(package.__path__) if module.ispkg
        )
    yield from sorted(point.value for point in entry_points(group=GROUP))
