"""A served model with some modules replaced, as a child process.

The arguments are a file with an object of the replacing sources by the modules' dotted names, and
what `conformance.serve` takes. Only this process imports them.
"""

from __future__ import annotations

import json
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
    from collections.abc import Mapping, Sequence
    from types import CodeType, ModuleType


class _Mutated(SourceFileLoader):
    """A module whose code is another source's."""

    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self._mutant = source

    def get_code(self, fullname: str) -> CodeType:
        """The mutant's code, never a cached one."""
        return compile(self._mutant, self.get_filename(fullname), "exec", dont_inherit=True)


class Replacing(MetaPathFinder):
    """Finds some modules, each with another source in its place."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a module to replace; None for all others."""
        source = self._sources.get(fullname)
        spec = PathFinder.find_spec(fullname, path, target) if source is not None else None
        if spec is not None and spec.origin is not None and source is not None:
            spec.loader = _Mutated(fullname, spec.origin, source)
        return spec


def end_with_parent() -> None:
    """End when the parent does: a mutant that never returns does not read that its input ended."""
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def main() -> None:
    """Serve it."""
    file, given = sys.argv[1:]
    threading.Thread(target=end_with_parent, daemon=True).start()
    sys.meta_path.insert(0, Replacing(json.loads(Path(file).read_text("utf-8"))))
    sys.argv = ["conformance.serve", given]
    runpy.run_module("conformance.serve", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
