"""Imports point one way, between the rooms and between the parts of `conformance`, and never in a
circle.
"""

import ast
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("spec", "generators", "conformance", "results", "drafts")
PLUGIN = "fencepost_pytest"
"""The plugin ships too; it imports no room, and none imports it: tests/test_pytest_plugin.py."""
ALLOWED = {
    "spec": {"spec"},
    "generators": {"generators", "spec"},
    "results": {"results", "spec"},
    "conformance": {"conformance", "generators", "spec"},
    "conformance/cli": {"conformance", "generators", "spec", "results"},
    "drafts": {"drafts", "conformance", "generators", "spec"},
}
EFFECTS = frozenset(
    {
        "asyncio",
        "datetime",
        "glob",
        "http",
        "io",
        "multiprocessing",
        "os",
        "pathlib",
        "random",
        "secrets",
        "shutil",
        "signal",
    }
    | {"socket", "ssl", "subprocess", "tempfile", "threading", "time", "urllib", "uuid"}
)
"""Modules of the standard library with which a model could do I/O, read a clock or draw a random
number.
"""
SUBJECT = "subjects/<subject>"
LEAVES = frozenset(
    {"cache", "exit_codes", "ledger", "lifetime", "misuse", "own_process", "toml_file", "retries"}
)
_SYSTEMS = LEAVES | {"wire", "cluster"}
_PLACEMENT = _SYSTEMS | {"systems"}
_FACTS = _SYSTEMS | {"systems"}
_PLAY = _PLACEMENT | {"placement"}
_SERVE = _FACTS | {"facts", "drafts"}
_FAULTS = _SERVE | {"serve"}
_CLIENTS = _PLACEMENT | {"placement", "faults"}
_SUBJECT = _PLAY | _FAULTS | {"play", "engine", "faults", "clients", "audit"}
_REGISTRY = _SUBJECT | {SUBJECT}
_ENGINE = _PLAY | _FACTS | {"play", "facts", "findings", "faults", "subjects/registry", "claims"}
_REPRODUCTION = LEAVES | {"wire", "engine"}
_CLI = _REGISTRY | _ENGINE | {"identify", "limits", "audit", "claims", "smoke", "reproduction"}
PARTS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(LEAVES, LEAVES),
    "wire": LEAVES,
    "cluster": LEAVES | {"wire"},
    "systems": _SYSTEMS,
    "facts": _FACTS,
    "limits": _PLACEMENT | {"placement"},
    "audit": LEAVES | {"wire"},
    "findings": LEAVES | {"systems"},
    "placement": _PLACEMENT,
    "play": _PLAY,
    "serve": _SERVE,
    "faults": _FAULTS,
    SUBJECT: _SUBJECT,
    "subjects/registry": _REGISTRY,
    "claims": LEAVES,
    "engine": _ENGINE,
    "smoke": _ENGINE | {"engine", "claims"},
    "drafts": _REGISTRY,
    "identify": _REGISTRY | _ENGINE | {"drafts"},
    "clients": _CLIENTS,
    "reproduction": _REPRODUCTION,
    "cli": _CLI | {"drafts"},
    "serve/__main__": _REGISTRY | _ENGINE | {"drafts"},
}
"""What each part of `conformance` may import, besides itself. The engine sees subjects through the
registry alone, and a subject sees of the engine what it builds on; `serve/__main__` starts a
process, so it puts things together as the command line does."""
SPARK = frozenset({"pyspark", "py4j", "pyarrow", "pandas"})


def modules() -> list[Path]:
    """Every module that ships, relative to the root."""
    return sorted(path.relative_to(ROOT) for room in ROOMS for path in (ROOT / room).rglob("*.py"))


@cache
def import_statements(source: str) -> tuple[tuple[ast.Import | ast.ImportFrom, bool], ...]:
    """Every import, wherever in the module it stands, and whether it is for types alone."""
    found: list[tuple[ast.Import | ast.ImportFrom, bool]] = []

    def visit(node: ast.AST, *, for_types: bool) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append((node, for_types))
        elif isinstance(node, ast.If):
            checks = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
            for statement in node.body:
                visit(statement, for_types=for_types or checks)
            for statement in node.orelse:
                visit(statement, for_types=for_types)
        elif not isinstance(node, ast.expr):  # no expression holds an import
            for one in ast.iter_child_nodes(node):
                visit(one, for_types=for_types)

    visit(ast.parse(source), for_types=False)
    return tuple(found)


def imported(source: str) -> Iterator[str]:
    """The top-level package of every import, wherever in the module it stands; a relative import is
    `.`.
    """
    for node, _ in import_statements(source):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        else:
            yield "." if node.level else (node.module or "").partition(".")[0]


def faults(module: Path, source: str) -> set[str]:
    """The packages that a module imports and must not."""
    room = module.parts[0]
    rule = (
        "conformance/cli"
        if module.parts[:2] in {("conformance", "cli"), ("conformance", "cli.py")}
        else room
    )
    found = set(imported(source))
    wrong = (found & {*ROOMS, "tests", "tools", "benchmarks", "."}) - ALLOWED[rule]
    if room == "spec":
        wrong |= {
            name
            for name in found - {"spec"}
            if name not in sys.stdlib_module_names or name in EFFECTS
        }
    if room != "results":
        wrong |= found & SPARK
    return wrong


def imported_modules(source: str, known: Mapping[str, object], *, types: bool = True) -> set[str]:
    """The modules of ours that a source imports, wherever in it the import stands; `types`: also
    those for types alone.
    """
    found: set[str] = set()
    for node, for_types in import_statements(source):
        if for_types and not types:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name for name in inner if name in known} or {node.module}
    return found & known.keys()


def part_of(name: str) -> str:
    """The part of `conformance` that a module belongs to; empty for the package itself."""
    words = name.split(".")[1:]
    if words[:2] == ["serve", "__main__"]:
        return "serve/__main__"
    if words[:1] == ["subjects"] and len(words) > 1:
        return "subjects/registry" if words[1] == "registry" else SUBJECT
    return words[0] if words else ""


def named(module: Path) -> str:
    """A module's name, `conformance.wire.codec`."""
    parts = module.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def graph(*, types: bool = True) -> dict[str, set[str]]:
    """What each module of ours imports of ours, see `imported_modules`."""
    every = {named(module): module for module in modules()}
    return {
        name: imported_modules((ROOT / path).read_text(encoding="utf-8"), every, types=types)
        - {name}
        for name, path in every.items()
    }


def points_back(importer: str, target: str) -> tuple[str, str] | None:
    """The parts of `conformance` that an import joins, where it points back; None where it may
    stand.
    """
    here, there = part_of(importer), part_of(target)
    same = here == there and (here != SUBJECT or importer.split(".")[2] == target.split(".")[2])
    if not there or same or there in PARTS.get(here, frozenset()):
        return None
    return here, there


def circles(imports: Mapping[str, set[str]]) -> list[set[str]]:
    """The sets of modules that import each other, directly or not."""
    reached: dict[str, set[str]] = {}
    for name in imports:
        found: set[str] = set()
        todo = [name]
        while todo:
            for target in imports[todo.pop()] - found:
                found.add(target)
                todo.append(target)
        reached[name] = found
    rings = {
        frozenset({other for other in reached[name] if name in reached[other]})
        for name in imports
        if name in reached[name]
    }
    return [set(ring) for ring in rings]


def test_the_parts_of_conformance_point_one_way() -> None:
    inside = {name: targets for name, targets in graph().items() if name.startswith("conformance.")}
    back = {
        (name, target): found
        for name, targets in inside.items()
        for target in targets
        if target.startswith("conformance.") and (found := points_back(name, target))
    }
    assert not back


def test_every_part_of_conformance_has_its_place() -> None:
    assert {part_of(name) for name in graph() if name.startswith("conformance.")} - {
        "",
        "subjects",
    } <= PARTS.keys()


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Types may name each other: that takes no import when the program runs."""
    assert circles(graph(types=False)) == []


@pytest.mark.parametrize(
    ("importer", "target", "expected"),
    [
        ("conformance.wire.codec", "conformance.cluster", ("wire", "cluster")),
        ("conformance.placement.pool", "conformance.play.history", ("placement", "play")),
        ("conformance.systems.model", "conformance.faults.planted", ("systems", "faults")),
        ("conformance.engine.loop", "conformance.cli.run", ("engine", "cli")),
        ("conformance.engine.loop", "conformance.subjects.share.loop", ("engine", SUBJECT)),
        ("conformance.subjects.share.loop", "conformance.subjects.fetch.loop", (SUBJECT, SUBJECT)),
        (
            "conformance.subjects.share.loop",
            "conformance.subjects.registry",
            (SUBJECT, "subjects/registry"),
        ),
        ("conformance.engine.loop", "conformance.subjects.registry", None),
        ("conformance.subjects.share.loop", "conformance.subjects.share.admin", None),
        ("conformance.subjects.share.loop", "conformance.engine.loop", None),
        ("conformance.cli.run", "conformance.wire.codec", None),
    ],
)
def test_an_import_that_points_back_is_named_by_its_parts(
    importer: str, target: str, expected: tuple[str, str] | None
) -> None:
    assert points_back(importer, target) == expected


def test_a_circle_is_found_however_long_it_is() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": set()}) == [
        {"a", "b", "c"}
    ]
    assert imported_modules("def f():\n    from spec import log", {"spec.log": 0, "spec": 0}) == {
        "spec.log"
    }
    typed = "if TYPE_CHECKING:\n    import spec.log\nelse:\n    import spec"
    assert imported_modules(typed, {"spec.log": 0, "spec": 0}) == {"spec.log", "spec"}
    assert imported_modules(typed, {"spec.log": 0, "spec": 0}, types=False) == {"spec"}


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
        (
            "conformance/engine/loop.py",
            "if TYPE_CHECKING:\n    from results.log import EventWriter",
            {"results"},
        ),
        ("conformance/engine/loop.py", "import pyspark", {"pyspark"}),
        ("conformance/cli/run.py", "from results.log import EventWriter", set()),
        ("conformance/cli/run.py", "import tests.results.synthetic", {"tests"}),
    ],
)
def test_the_walk_finds_an_import_that_points_back(
    module: str, source: str, expected: set[str]
) -> None:
    assert faults(Path(module), source) == expected


def test_every_room_was_walked() -> None:
    assert {module.parts[0] for module in modules()} == set(ROOMS)


def test_every_room_ships_and_is_checked() -> None:
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    targets = tool["hatch"]["build"]["targets"]
    every = {*ROOMS, PLUGIN}
    assert set(targets["wheel"]["packages"]) == every
    assert {f"/{package}" for package in every} <= set(targets["sdist"]["include"])
    assert every <= set(tool["mypy"]["packages"])
