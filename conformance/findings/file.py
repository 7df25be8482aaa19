"""Findings files: TOML, one `[[finding]]` for each. Fencepost ships those of Apache Kafka's releases."""

from __future__ import annotations

import tomllib
from datetime import date, datetime
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from conformance.findings.finding import Finding, Situation
from conformance.systems.base import BadConfiguration
from spec.catalogue import UnknownClauseError, clause
from spec.semantics import RELEASES
from spec.verdict import Side

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from importlib.resources.abc import Traversable
    from pathlib import Path

SHIPPED = ("apache-kafka.toml",)
APACHE_KAFKA = "apache-kafka"
_REQUIRED = ("clause", "signature", "system", "releases", "reason", "evidence")
_OPTIONAL = ("link", "expires", "happens")
_SIDES = {"below": Side.BELOW, "at": Side.AT, "above": Side.ABOVE}
_LONGEST = 2000


class FindingsProblem(BadConfiguration):
    """A findings file can't be understood: wrong use. The message names the file, the entry and the mend."""


def load_findings(paths: Iterable[Path], release: str, system: str = APACHE_KAFKA, *, shipped: bool = True) -> tuple[Finding, ...]:
    """The findings that apply to a system and release: the shipped ones and those of the given files.

    Args:
        paths: the user's files.
        release: the release that the system is judged as, `4.3`.
        system: who wrote it.
        shipped: whether to take those that come with Fencepost.

    Raises:
        FindingsProblem: a file can't be read or understood, or two entries list the same break of the same release.
    """
    folder = files("conformance.findings")
    sources: list[Traversable | Path] = [folder / name for name in SHIPPED] if shipped else []
    found: dict[tuple[str, str, str, str], Finding] = {}
    for source in [*sources, *paths]:
        for finding in read_findings(source):
            for one in finding.releases:
                key = (*finding.key, finding.system, one)
                if key in found:
                    raise FindingsProblem(
                        f"{finding.source}: {finding.clause} with the signature {finding.signature!r} of {finding.system} {one} is "
                        f"listed already in {found[key].source}; take one of the two out"
                    )
                found[key] = finding
    return tuple(finding for (_, _, maker, one), finding in found.items() if maker == system and one == release)


def read_findings(source: Path | Traversable) -> tuple[Finding, ...]:
    """All findings of one file, in its order.

    Raises:
        FindingsProblem: it can't be read or understood.
    """
    name = str(source) if not str(source).endswith(SHIPPED) else f"{source.name} (shipped)"
    try:
        plain = tomllib.loads(source.read_text(encoding="utf-8"))
    except OSError as error:
        raise FindingsProblem(f"expected a findings file at {name}, found: {error.strerror or error}; check the path") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FindingsProblem(f"{name}: expected TOML, found something else: {error}; mend that line") from error
    entries = plain.pop("finding", None)
    if plain or not isinstance(entries, list):
        other = f"also {', '.join(sorted(plain))}" if plain else "none"
        raise FindingsProblem(f"{name}: expected entries [[finding]] and nothing else, found {other}; mend the file")
    return tuple(_finding(name, number, entry) for number, entry in enumerate(entries, 1))


def _finding(name: str, number: int, entry: Any) -> Finding:
    where = f"{name}, finding {number}"
    if not isinstance(entry, dict):
        raise FindingsProblem(f"{where}: expected a table [[finding]], found {entry!r:.60}")
    label = entry.get("clause")
    if isinstance(label, str):
        where += f" ({label:.20})"
    for key in entry:
        if key not in {*_REQUIRED, *_OPTIONAL}:
            raise FindingsProblem(f"{where}: expected the keys {', '.join((*_REQUIRED, *_OPTIONAL))}, found {key!r:.60}; take it out")
    for key in _REQUIRED:
        if not entry.get(key):
            raise FindingsProblem(f"{where}: expected the key {key!r} with a value, found none; add it")
    return Finding(
        clause=_clause(where, entry["clause"]),
        signature=_text(where, entry, "signature"),
        system=_text(where, entry, "system"),
        releases=_releases(where, entry["releases"]),
        reason=_text(where, entry, "reason"),
        evidence=_text(where, entry, "evidence"),
        link=_text(where, entry, "link"),
        expires=_expires(where, entry.get("expires")),
        situations=_situations(where, entry.get("happens", {})),
        source=name,
    )


def _text(where: str, entry: Mapping[str, Any], key: str) -> str:
    value = entry.get(key, "")
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise FindingsProblem(f"{where}: expected text of at most {_LONGEST} characters for {key!r}, found {value!r:.60}; mend it")
    return " ".join(value.split())


def _clause(where: str, value: Any) -> str:
    if not isinstance(value, str):
        raise FindingsProblem(f"{where}: expected a clause's id like FET-071, found {value!r:.60}; mend it")
    try:
        return clause(value).id
    except UnknownClauseError as error:
        raise FindingsProblem(f"{where}: {error}; mend the id") from error


def _releases(where: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(one, str) and one in RELEASES for one in value) and len(set(value)) == len(value):
        return tuple(value)
    raise FindingsProblem(f"{where}: expected releases out of {list(RELEASES)}, each once, found {value!r:.80}; mend it")


def _expires(where: str, value: Any) -> date | None:
    if value is None or (isinstance(value, date) and not isinstance(value, datetime)):
        return value
    raise FindingsProblem(f"{where}: expected a date without quotes, as in expires = 2027-01-31, found {value!r:.60}; mend it")


def _situations(where: str, value: Any) -> tuple[Situation, ...]:
    """`happens = { FET-010 = ["below"] }`: the clause, and the sides of its fence, whose exercise could show the break."""
    if not isinstance(value, dict):
        raise FindingsProblem(f'{where}: expected happens = {{ FET-010 = ["below"] }}, found {value!r:.60}; mend it')
    found = []
    for name, sides in value.items():
        if not isinstance(sides, list) or not sides or any(side not in _SIDES for side in sides):
            raise FindingsProblem(f"{where}: expected sides out of {list(_SIDES)} for {name} in happens, found {sides!r:.60}; mend it")
        all_sides = Side.NONE
        for side in sides:
            all_sides |= _SIDES[side]
        found.append(Situation(_clause(where, name), all_sides))
    return tuple(found)
