"""What is known of mutants: which no peer can observe, and which a strict run detects.

Mutants are named by path, function, kind and text, which outlives moves of lines; an entry whose
code is gone stands for nothing.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mutants import Mutant

Key = tuple[str, str, str, str]
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.toml")
KILLED = Path(__file__).with_name("killed_mutants.tsv")


@frozen
class Excluded:
    """What `equivalent_mutants.toml` says that no peer can observe.

    Attributes:
        keys: of single mutants, each with its number among those of the same key.
        functions: paths, each with a qualified name, that the served model does not run.
    """

    keys: frozenset[tuple[Key, int]]
    functions: frozenset[tuple[str, str]]

    def without(self, mutants: Iterable[Mutant]) -> tuple[Mutant, ...]:
        """Those of a machine's mutants, in order, that some peer may observe."""
        times: Counter[Key] = Counter()
        found = []
        for mutant in mutants:
            times[mutant.key] += 1
            if not self._unserved(mutant) and (mutant.key, times[mutant.key]) not in self.keys:
                found.append(mutant)
        return tuple(found)

    def _unserved(self, mutant: Mutant) -> bool:
        names = mutant.function.split(".")
        enclosing = {(mutant.path, ".".join(names[:end])) for end in range(1, len(names) + 1)}
        return bool(enclosing & self.functions)


def excluded() -> Excluded:
    """What the list excludes."""
    listed = tomllib.loads(EQUIVALENT.read_text("utf-8"))
    return Excluded(
        frozenset(
            [
                ((one["path"], one["function"], one["kind"], one["text"]), one.get("number", 1))
                for one in listed.get("equivalent", ())
            ]
        ),
        frozenset([(one["path"], one["function"]) for one in listed.get("unserved", ())]),
    )


def stale(mutants: Iterable[Mutant]) -> tuple[str, ...]:
    """The entries of `equivalent_mutants.toml` that stand for none of all machines' mutants, as
    path and function: their code has changed or is gone, and they are to be looked at again.
    """
    listed = tomllib.loads(EQUIVALENT.read_text("utf-8"))
    every = tuple(mutants)
    keys = {mutant.key for mutant in every}
    within = [f"{mutant.path} {mutant.function}." for mutant in every]
    singles = [*listed.get("equivalent", ()), *listed.get("open", ())]
    gone = [one for one in singles if (*_place(one), one["kind"], one["text"]) not in keys]
    gone += [
        one
        for one in listed.get("unserved", ())
        if not any(name.startswith(" ".join(_place(one)) + ".") for name in within)
    ]
    return tuple([" ".join(_place(one)) for one in gone])


def _place(entry: dict[str, str]) -> tuple[str, str]:
    return entry["path"], entry["function"]


def killed() -> frozenset[Key]:
    """The mutants that a run of few scenarios is known to detect."""
    found = set()
    for line in KILLED.read_text("utf-8").splitlines():
        path, function, kind, text = line.split("\t")
        found.add((path, function, kind, text))
    return frozenset(found)


def keep_killed(keys: Iterable[Key]) -> None:
    """Add mutants to those that are known to be detected, in order.

    Texts of several lines are left out: the list has one line for each mutant.
    """
    several = {key for key in keys if not any(sign in part for part in key for sign in "\t\n")}
    lines = ["\t".join(key) for key in sorted(killed() | several)]
    KILLED.write_text("".join([f"{line}\n" for line in lines]), "utf-8")
