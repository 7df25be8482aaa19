"""Writing Python source that remembers which field each line is about."""

from __future__ import annotations

import linecache
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

INDENT = "    "


class Source:
    """Lines of one generated function, its namespace, and the field behind each line (for error
    messages).
    """

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.namespace = dict(namespace)
        self.labels: list[str] = []
        self._lines: list[str] = []
        self._depth = 0
        self._names = 0

    def name(self, prefix: str) -> str:
        """A name that no other part of this source uses."""
        self._names += 1
        return f"{prefix}{self._names}"

    def constant(self, prefix: str, value: Any) -> str:
        """Put a value into the namespace and give its name."""
        for name, known in self.namespace.items():
            if known is value:
                return name
        name = self.name(prefix)
        self.namespace[name] = value
        return name

    def line(self, text: str, label: str = "") -> None:
        """Add one line at the present indentation."""
        self._lines.append(INDENT * self._depth + text)
        self.labels.append(label)

    @contextmanager
    def block(self, head: str, label: str = "") -> Iterator[None]:
        """Add a line that opens a block; what is added inside is indented."""
        self.line(head, label)
        self._depth += 1
        length = len(self._lines)
        yield
        if len(self._lines) == length:
            self.line("pass")
        self._depth -= 1

    def label_of(self, traceback: TracebackType | None) -> str:
        """The field behind the line where an exception left the generated function."""
        return self.labels[traceback.tb_lineno - 1] if traceback is not None else ""

    def compile(self, function: str, title: str) -> Callable[..., Any]:
        """Run the source and give the named function; tracebacks and debuggers can show its
        lines.
        """
        text = "\n".join(self._lines) + "\n"
        filename = f"<{title}>"
        linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
        exec(compile(text, filename, "exec"), self.namespace)  # noqa: S102 - the source is made from trusted definitions
        made: Callable[..., Any] = self.namespace[function]
        return made
