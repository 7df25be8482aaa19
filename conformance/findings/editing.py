"""Findings files that a run writes: breaks are added, what does not happen any more is taken out,
and everything else of the file stays as it is, its comments too.
"""

from __future__ import annotations

import re
import tomllib
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import tomlkit

from conformance.findings.file import FindingsError
from conformance.findings.finding import TO_BE_WRITTEN
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

_HEADER = re.compile(r"\[\[\s*finding\s*\]\]")
_HEAD = "# Known breaks. Those that a run adds have no reason yet.\n"

Key = tuple[str, str]
"""A clause and a signature."""


@frozen
class Entry:
    """A break as it is listed.

    Attributes:
        clause, signature: what broke.
        evidence: where it was seen.
        system: who wrote the broker; empty where that is not known.
        release: the release that it was judged as, `4.3`.
    """

    clause: str
    signature: str
    evidence: str
    system: str
    release: str

    @property
    def key(self) -> Key:
        """The key by which a verdict is matched."""
        return self.clause, self.signature


def with_entries(text: str, entries: Sequence[Entry]) -> tuple[str, tuple[Entry, ...]]:
    """A findings file with more entries, and those of them that are new in it.

    A break that is listed for the same system and another release gets the release; one that is
    listed for the release already, as an expired one, is left as it is.

    Args:
        text: the file, which can be read as findings; empty for a new one.
        entries: each clause and signature once.
    """
    document = tomlkit.parse(text or _HEAD)
    listed = _finding_tables(document)
    new: list[Entry] = []
    blocks: list[str] = []
    for entry in entries:
        same = [one for one in listed if (one["clause"], one["signature"]) == entry.key]
        of_system = [one for one in same if _covers(one, entry.system)]
        if any(_holds(one, entry.release) for one in of_system):
            continue
        new.append(entry)
        if of_system:
            of_system[0]["releases"].append(entry.release)
        else:
            blocks.append(_block(entry))
    if blocks and not listed:
        document.pop("finding", None)
    parts = [tomlkit.dumps(document).rstrip("\n"), *[block.rstrip("\n") for block in blocks]]
    return "\n\n".join([part for part in parts if part]) + "\n", tuple(new)


def without_entries(text: str, gone: Collection[int]) -> str:
    """A findings file without some of its entries, by their numbers from 0.

    The comment that stands directly before an entry goes with it.

    Raises:
        FindingsError: the file is written in a way in which the entries can't be found by their
            lines.
    """
    lines = text.splitlines(keepends=True)
    starts = _starts(lines)
    before = tomllib.loads(text).get("finding", [])
    left = [one for number, one in enumerate(before) if number not in gone]
    if len(starts) == len(before):
        cut = {
            line
            for number, (start, end) in enumerate(pairwise([*starts, len(lines)]))
            if number in gone
            for line in range(_with_comment(lines, start), _last(lines, start, end))
        }
        result = "".join([line for number, line in enumerate(lines) if number not in cut])
        if tomllib.loads(result).get("finding", []) == left:
            return result if left else _empty(result)
    raise FindingsError(
        "expected each entry of the findings file to begin with a line [[finding]], found another "
        "form; take the stale entries out by hand"
    )


def _finding_tables(document: Any) -> list[Any]:
    found = document.get("finding")
    return list(found) if found is not None else []


def _covers(entry: Mapping[str, Any], system: str) -> bool:
    return not entry.get("system") or not system or entry["system"] == system


def _holds(entry: Mapping[str, Any], release: str) -> bool:
    return not entry.get("releases") or release in entry["releases"]


def _block(entry: Entry) -> str:
    """An entry as it stands in a file."""
    table = tomlkit.table()
    table["clause"] = entry.clause
    table["signature"] = entry.signature
    if entry.system:
        table["system"] = entry.system
    table["releases"] = [entry.release]
    table["reason"] = TO_BE_WRITTEN
    table["evidence"] = entry.evidence
    some = tomlkit.aot()
    some.append(table)
    return tomlkit.dumps({"finding": some})


def _starts(lines: Sequence[str]) -> list[int]:
    """The numbers of the lines that begin an entry, outside of texts of several lines."""
    found, inside = [], ""
    for number, line in enumerate(lines):
        if not inside and _HEADER.match(line.strip()):
            found.append(number)
        for quotes in re.findall(r'"""|\'\'\'', line):
            inside = "" if inside == quotes else inside or quotes
    return found


def _with_comment(lines: Sequence[str], start: int) -> int:
    """The line in which an entry begins, with the comment that stands directly before it."""
    while start and lines[start - 1].lstrip().startswith("#"):
        start -= 1
    return start


def _last(lines: Sequence[str], start: int, end: int) -> int:
    """The line after an entry, one empty line included: what follows it without one is its own."""
    own = [
        number
        for number in range(start, end)
        if lines[number].strip() and not lines[number].lstrip().startswith("#")
    ]
    last = own[-1] + 1
    while last < end and lines[last].strip():
        last += 1
    return min(last + 1, end)


def _empty(text: str) -> str:
    """A file without entries is a list that is empty."""
    return text.rstrip("\n") + ("\n\n" if text.strip() else "") + "finding = []\n"
