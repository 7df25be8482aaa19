"""A served model with one module replaced by a mutant of it, as a child process.

The arguments are the module's name, a file with the mutant's source, and what `conformance.serve`
takes. Only this process imports the mutant.
"""

from __future__ import annotations

import os
import runpy
import sys
import threading
import time
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType


class _Mutated(SourceFileLoader):
    """A module whose code is another source's."""

    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self._mutant = source

    def get_code(self, fullname: str) -> CodeType:
        """The mutant's code, never a cached one."""
        return compile(self._mutant, self.get_filename(fullname), "exec", dont_inherit=True)


class _Replacing(MetaPathFinder):
    """Finds one module, with a mutant's source in its place."""

    def __init__(self, name: str, source: str) -> None:
        self._name, self._source = name, source

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of the module to replace; None for all others."""
        spec = PathFinder.find_spec(fullname, path, target) if fullname == self._name else None
        if spec is not None and spec.origin is not None:
            spec.loader = _Mutated(fullname, spec.origin, self._source)
        return spec


def _end_with(parent: int) -> None:
    """End when the parent does: a mutant that never returns does not read that its input ended."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def main() -> None:
    """Serve it."""
    module, file, given = sys.argv[1:]
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    sys.meta_path.insert(0, _Replacing(module, Path(file).read_text("utf-8")))
    sys.argv = ["conformance.serve", given]
    runpy.run_module("conformance.serve", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
