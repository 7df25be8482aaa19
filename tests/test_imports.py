"""Imports point one way: generators and results to spec, conformance to spec and generators; spec to nothing."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("spec", "generators", "conformance", "results")
ALLOWED = {
    "spec": {"spec"},
    "generators": {"generators", "spec"},
    "results": {"results", "spec"},
    "conformance": {"conformance", "generators", "spec"},
    "conformance/cli": {"conformance", "generators", "spec", "results"},
}
EFFECTS = frozenset(
    {"asyncio", "datetime", "glob", "http", "io", "multiprocessing", "os", "pathlib", "random", "secrets", "shutil", "signal"}
    | {"socket", "ssl", "subprocess", "tempfile", "threading", "time", "urllib", "uuid"}
)
"""Modules of the standard library with which a model could do I/O, read a clock or draw a random number."""
SPARK = frozenset({"pyspark", "py4j", "pyarrow", "pandas", "altair", "vl_convert"})


def modules() -> list[Path]:
    """Every module that ships, relative to the root."""
    return sorted(path.relative_to(ROOT) for room in ROOMS for path in (ROOT / room).rglob("*.py"))


def imported(source: str) -> Iterator[str]:
    """The top-level package of every import, wherever in the module it stands; a relative import is `.`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." if node.level else (node.module or "").partition(".")[0]


def faults(module: Path, source: str) -> set[str]:
    """The packages that a module imports and must not."""
    room = module.parts[0]
    rule = "conformance/cli" if module.parts[:2] in {("conformance", "cli"), ("conformance", "cli.py")} else room
    found = set(imported(source))
    wrong = (found & {*ROOMS, "tests", "tools", "benchmarks", "."}) - ALLOWED[rule]
    if room == "spec":
        wrong |= {name for name in found - {"spec"} if name not in sys.stdlib_module_names or name in EFFECTS}
    if room != "results":
        wrong |= found & SPARK
    return wrong


@pytest.mark.parametrize("module", modules(), ids=str)
def test_imports_point_one_way(module: Path) -> None:
    assert not faults(module, (ROOT / module).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("module", "source", "expected"),
    [
        ("spec/log.py", "import conformance.wire", {"conformance"}),
        ("spec/log.py", "import msgspec", {"msgspec"}),
        ("spec/log.py", "from time import monotonic", {"time"}),
        ("spec/log.py", "from .layout import Batch", {"."}),
        ("spec/log.py", "import json\nfrom spec.layout import Batch", set()),
        ("generators/layouts.py", "def f():\n    from conformance import wire", {"conformance"}),
        ("generators/layouts.py", "import hypothesis\nimport spec", set()),
        ("results/log.py", "import generators", {"generators"}),
        ("conformance/engine/loop.py", "if TYPE_CHECKING:\n    from results.log import EventWriter", {"results"}),
        ("conformance/engine/loop.py", "import pyspark", {"pyspark"}),
        ("conformance/cli/run.py", "from results.log import EventWriter", set()),
        ("conformance/cli/run.py", "import tests.results.synthetic", {"tests"}),
    ],
)
def test_the_walk_finds_an_import_that_points_back(module: str, source: str, expected: set[str]) -> None:
    assert faults(Path(module), source) == expected


def test_every_room_was_walked() -> None:
    assert {module.parts[0] for module in modules()} == set(ROOMS)
