"""Which mutants of a machine a run could detect at all: those whose change is seen by the machine.

All modules of a machine are served unchanged but for probes: wherever a mutant would differ, its
changed expression is evaluated beside the original, and the mutant is recorded at the first
evaluation whose value differs. One run thus finds all mutants that it can't detect, whatever it
looks at: those that are never reached, and those whose expression never has another value. The
machines are pure, so an expression can be evaluated twice.

Where a change has no expression of its own (a default, a pattern, a whole branch) reaching it
counts as a difference.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from mutants import changes_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from mutants import Mutant

_PROBE = """
_fencepost_seen = set()


def _fencepost_probe(value, *mutants):
    for number, other in mutants:
        if number in _fencepost_seen:
            continue
        try:
            if other is not None and other() == value:
                continue
        except Exception:
            pass
        _fencepost_seen.add(number)
        with open({record!r}, "a") as file:
            file.write(f"{{number}}\\n")
    return value
"""
"""What is put before a module's code; `other` is None where reaching it counts."""


@dataclass(slots=True)
class _Places:
    """The probed expressions of one tree: by node, each mutant with its changed expression."""

    tree: ast.Module
    probes: dict[int, list[tuple[int, ast.expr | None]]] = field(default_factory=dict)
    unprobed: set[int] = field(default_factory=set)


class _Probing(ast.NodeTransformer):
    """Puts each probed expression into a call of the probe."""

    def __init__(self, probes: Mapping[int, Sequence[tuple[int, ast.expr | None]]]) -> None:
        self._probes = probes

    def visit(self, node: ast.AST) -> ast.AST:
        mutants = self._probes.get(id(node))
        inner = self.generic_visit(node)
        if mutants is None or not isinstance(inner, ast.expr):
            return inner
        pairs = [
            ast.Tuple([ast.Constant(number), _evaluated(other)], ast.Load())
            for number, other in mutants
        ]
        return ast.Call(ast.Name("_fencepost_probe", ast.Load()), [inner, *pairs], [])


def _evaluated(other: ast.expr | None) -> ast.expr:
    """A function that evaluates the changed expression where the original stands."""
    if other is None:
        return ast.Constant(None)
    nothing = ast.arguments([], [], None, [], [], None, [])
    return ast.Lambda(nothing, other)


def probed(
    mutants: Sequence[Mutant], root: Path, record: Path
) -> tuple[dict[str, str], frozenset[int]]:
    """The probed sources of the modules of some mutants.

    Args:
        mutants: of one machine; each is known by its place among these.
        root: of the repository.
        record: the file to which the served model appends the number of each mutant that it sees.

    Returns:
        By the module's dotted name its probed source, and the mutants for which there is no probe.
    """
    by_path: dict[str, dict[str, int]] = {}
    for number, mutant in enumerate(mutants):
        by_path.setdefault(mutant.path, {})[mutant.id] = number
    sources, unprobed = {}, set[int]()
    for path, numbers in by_path.items():
        places = _places(path, (root / path).read_text("utf-8"), numbers)
        tree = _Probing(places.probes).visit(places.tree)
        head = ast.parse(_PROBE.format(record=str(record))).body
        place = _after_head(places.tree)
        places.tree.body[place:place] = head
        module = next(one.module for one in mutants if one.path == path)
        sources[module] = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        unprobed |= places.unprobed
    return sources, frozenset(unprobed)


def _places(path: str, source: str, numbers: Mapping[str, int]) -> _Places:
    tree = ast.parse(source)
    places = _Places(tree)
    functions = {
        id(inner)
        for outer in ast.walk(tree)
        if isinstance(outer, ast.FunctionDef)
        for statement in outer.body
        for inner in ast.walk(statement)
    }
    for change in changes_in(tree):
        number = numbers.get(f"{path}:{change.line}:{change.column}:{change.kind}")
        if number is None:
            continue
        node, other = change.node, None
        if _has_value(change.shown) and change.kind != "negated":
            node = change.shown
            change.do()
            other = cast("ast.expr", copy.deepcopy(node))
            change.undo()
        if id(node) in functions and _has_value(node):
            places.probes.setdefault(id(node), []).append((number, other))
        else:
            places.unprobed.add(number)
    return places


def _has_value(node: ast.AST) -> bool:
    return isinstance(node, ast.expr) and not isinstance(node, ast.Slice | ast.Starred)


def _after_head(tree: ast.Module) -> int:
    """The place in a module's body after its docstring and its imports of the future."""
    for place, statement in enumerate(tree.body):
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            continue
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        return place
    return len(tree.body)
