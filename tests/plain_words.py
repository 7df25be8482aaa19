"""Texts in plain words: a form of Python is none of them, neither in the catalogue nor in what a
clause says of a break.
"""

import re
from typing import Any

from spec import judgement
from spec.clause import Clause, Held
from spec.verdict import Verdict

_PYTHON = re.compile(
    r"\w\(\w+=|\brange\(|\b(frozenset|Error\.\w+)\b|[\[\]{}]|<\w+[\w.]*: |\(\d+,\)"
    r"|(?<!^)(?<!\. )\b(None|True|False)\b"
)
"""A value as Python shows it; "None" begins a sentence of plain words too."""
_QUOTED = re.compile(r"'[^']*'")
"""What stands in quotes is somebody else's text."""


def has_python(text: str) -> bool:
    """Whether a text shows a value as Python does."""
    return _PYTHON.search(_QUOTED.sub("", text)) is not None


class BrokenTexts:
    """The texts of breaks that show a form of Python, whichever test judges."""

    def __init__(self) -> None:
        """None was seen yet."""
        self.found: list[str] = []

    def watch(self) -> None:
        """Look at the text of each break that is judged in this process from now on."""
        breaking = judgement._breaking

        def watched(clause: Clause[Any], held: Held) -> Verdict:
            if has_python(held.why):
                self.found.append(f"{clause.id}: {held.why}")
            return breaking(clause, held)

        judgement._breaking = watched


BROKEN_TEXTS = BrokenTexts()
