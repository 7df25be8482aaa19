"""Mutants of a module: each is its source with one small change, and has a stable id."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.subjects.registry import CLIENT_RUNNERS
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SPEC = Path(__file__).parent.parent / "spec"
_MODULES = ("model/*.py", "model.py", "machine.py")
"""The modules of a reference machine, in its subject's folder."""
_BESIDE = {
    "spec/offsets": ("spec/offsets/timeline.py",),
    "spec/produce": ("spec/replica.py",),
}
"""Further modules of some machines; each counts for one subject only."""
SOURCES = {
    subject: (
        *[f"spec/{subject}/{module}" for module in _MODULES],
        *_BESIDE.get(f"spec/{subject}", ()),
    )
    for subject in sorted(
        {found.parent.name for found in (*_SPEC.glob("*/model"), *_SPEC.glob("*/model.py"))}
    )
    if subject not in CLIENT_RUNNERS
}
"""The modules of the reference machines, by subject; of a client's nothing is served."""
_OTHER: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
"""Each comparison, and the one that differs from it at the boundary; for equality, its opposite."""
_LEFT_OUT = (ast.Assert, ast.JoinedStr, ast.AnnAssign)
"""Invariants and texts decide nothing that a peer sees; of an annotated field its value alone
counts.
"""


@frozen
class Mutant:
    """One small change of one module.

    Attributes:
        path: of the module, relative to the root of the repository.
        line, column: of what is changed, from 1.
        kind: of change.
        function: the qualified name of what encloses it; empty at the top of the module.
        text: what is changed, as it was.
        changed: the same as it is in the mutant.
        source: the mutant's whole source.
    """

    path: str
    line: int
    column: int
    kind: str
    function: str
    text: str
    changed: str
    source: str

    @property
    def id(self) -> str:
        """The id, which stands as long as the lines above and the line itself do."""
        return f"{self.path}:{self.line}:{self.column}:{self.kind}"

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What the list of equivalent mutants names it by, which outlives moves of lines."""
        return self.path, self.function, self.kind, self.text

    @property
    def module(self) -> str:
        """The dotted name of the module."""
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@frozen
class Change:
    """A change that can be done and undone in a syntax tree.

    `node` is the expression in which it lies, `shown` the node to show, which may be larger.
    """

    kind: str
    line: int
    column: int
    node: ast.AST
    shown: ast.AST
    do: Callable[[], None]
    undo: Callable[[], None]


def mutants_of(subject: str, root: Path) -> tuple[Mutant, ...]:
    """All mutants of a subject's reference machine, by path and place."""
    paths = sorted(path for pattern in SOURCES[subject] for path in root.glob(pattern))
    return tuple(
        mutant
        for path in paths
        for mutant in mutants_in(path.read_text("utf-8"), path.relative_to(root).as_posix())
    )


def mutants_in(source: str, path: str) -> tuple[Mutant, ...]:
    """All mutants of one module's source, by place."""
    tree = ast.parse(source)
    found, sources = [], {ast.unparse(tree)}
    for function, change in _walk(tree, None, ""):
        before = ast.unparse(change.shown)
        change.do()
        changed, mutated = ast.unparse(change.shown), ast.unparse(tree)
        change.undo()
        if mutated not in sources:
            sources.add(mutated)
            found.append(
                Mutant(
                    *(path, change.line, change.column, change.kind),
                    *(function, before, changed, mutated + "\n"),
                )
            )
    return tuple(sorted(found, key=lambda mutant: (mutant.line, mutant.column, mutant.kind)))


def changes_in(tree: ast.Module) -> Iterator[Change]:
    """The changes of all mutants of a module, each to be done and undone before the next."""
    return (change for _, change in _walk(tree, None, ""))


def _walk(node: ast.AST, parent: ast.AST | None, function: str) -> Iterator[tuple[str, Change]]:
    """All changes in a tree, each with the qualified name of what encloses it."""
    for change in _changes(node, parent):
        yield function, change
    inner = function
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        inner = f"{function}.{node.name}" if function else node.name
    for child in _children(node):
        yield from _walk(child, node, inner)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """What of a node can be changed: no annotations, assertions or texts."""
    if isinstance(node, ast.AnnAssign):
        if node.value is not None:
            yield node.value
        return
    if isinstance(node, _LEFT_OUT) or _imports_for_types(node):
        return
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child


def _imports_for_types(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
    )


def _changes(node: ast.AST, parent: ast.AST | None) -> Iterator[Change]:
    """The changes of one node itself."""
    match node:
        case ast.Compare():
            yield from _comparisons(node)
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            for kind, other in (("plus-one", number + 1), ("minus-one", number - 1)):
                yield _set(kind, node, _around(node, parent), (node, "value", other))
        case ast.BoolOp():
            yield _exchanged(node)
        case ast.If() | ast.IfExp() if not _imports_for_types(node):
            # The negation is shown around the test alone: a branch may hold many lines.
            yield _negated(node.test, node, "test", None)
        case ast.comprehension():
            yield from (_negated(test, node, "ifs", i) for i, test in enumerate(node.ifs))
        case ast.Call(func=ast.Name(id="replace")):
            yield from (_dropped(node, word) for word in node.keywords)


def _exchanged(node: ast.BoolOp) -> Change:
    """And for or, or the other way round."""
    if isinstance(node.op, ast.And):
        return _set("and-to-or", node, node, (node, "op", ast.Or()))
    return _set("or-to-and", node, node, (node, "op", ast.And()))


def _comparisons(node: ast.Compare) -> Iterator[Change]:
    for index, operator in enumerate(node.ops):
        other = _OTHER.get(type(operator))
        if other is None:
            continue
        ops = [*node.ops[:index], other(), *node.ops[index + 1 :]]
        kind = "comparison" if index == 0 else f"comparison-{index + 1}"
        yield _set(kind, node, node, (node, "ops", ops))


def _negated(test: ast.expr, owner: ast.AST, field: str, index: int | None) -> Change:
    """The negation of a test that stands in a field of its owner."""
    before = getattr(owner, field)
    negated = ast.UnaryOp(ast.Not(), test)
    after: object = negated
    if index is not None:
        after = [*before[:index], negated, *before[index + 1 :]]
    holder = ast.Expr(test)

    def put(value: object, shown: ast.expr) -> Callable[[], None]:
        def act() -> None:
            setattr(owner, field, value)
            holder.value = shown

        return act

    return Change(
        *("negated", test.lineno, test.col_offset + 1, test, holder),
        *(put(after, negated), put(before, test)),
    )


def _dropped(call: ast.Call, word: ast.keyword) -> Change:
    """An update of one field left out of a `replace`."""
    before = call.keywords
    after = [other for other in before if other is not word]
    kind = f"dropped-{word.arg or 'all'}"
    return _set(kind, word, call, (call, "keywords", after))


def _around(node: ast.expr, parent: ast.AST | None) -> ast.AST:
    """What shows where a number stands: the expression or simple statement around it."""
    shows = isinstance(parent, ast.expr | ast.keyword | ast.Assign | ast.Return)
    return parent if shows and parent is not None else node


def _set(
    kind: str, place: ast.expr | ast.keyword, shown: ast.AST, change: tuple[ast.AST, str, object]
) -> Change:
    """One field of one node set to another value."""
    node, field, after = change
    before = getattr(node, field)
    return Change(
        *(kind, place.lineno, place.col_offset + 1, node, shown),
        *(lambda: setattr(node, field, after), lambda: setattr(node, field, before)),
    )
