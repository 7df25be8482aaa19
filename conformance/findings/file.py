"""Findings files: TOML, one `[[finding]]` for each. Fencepost ships those of Apache Kafka's
releases, of clients, and of implementations of others.
"""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.findings.finding import Finding, Situation
from conformance.misuse import BadConfiguration
from conformance.systems.base import APACHE_KAFKA
from conformance.systems.resolving import OLDER_LINES, line_of
from conformance.toml_file import read_toml
from spec.catalogue import UnknownClauseError, clause
from spec.releases import RELEASES
from spec.verdict import Side

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SHIPPED = Path(__file__).parent / "apache-kafka.toml"
"""The findings of brokers that come with Fencepost."""
SHIPPED_OF_CLIENTS = Path(__file__).parent / "clients.toml"
"""The findings of clients that come with Fencepost."""
SHIPPED_FINDINGS = tuple(sorted(Path(__file__).parent.glob("*.toml")))
"""All files of findings that come with Fencepost: of brokers, of clients, and one for each
implementation of others.
"""
_REQUIRED = ("clause", "signature", "reason", "evidence")
_OPTIONAL = ("system", "releases", "link", "expires", "happens", "rare")
_OLD_RARE = "seldom"
"""An older name of `rare`, still read."""
_SIDES = {"below": Side.BELOW, "at": Side.AT, "above": Side.ABOVE}
_LONGEST = 2000
_LINES = (*OLDER_LINES, *RELEASES)


class FindingsError(BadConfiguration):
    """A findings file can't be understood: wrong use. The message names the file, the entry and the
    mend.
    """


def load_findings(
    paths: Iterable[Path], release: str, system: str = APACHE_KAFKA, version: str = ""
) -> tuple[Finding, ...]:
    """The findings of some files that hold for a system and a release.

    Args:
        paths: the files; `SHIPPED` is one.
        release: the release that the system is judged as, `4.3`.
        system: who wrote it.
        version: its own version, `3.9.1`, where that is known: of a line that is judged as a later
            release, the findings that name the line hold too, and those that name this version.

    Raises:
        FindingsError: a file can't be read or understood, or a break is listed twice for the same
        system and release.
    """
    found: dict[tuple[str, str], Finding] = {}
    for path in paths:
        for number, finding in enumerate(read_findings(path), 1):
            if not applies(finding, release, system, version):
                continue
            if finding.key in found:
                raise FindingsError(
                    f"{path}, finding {number} ({finding.clause}): the signature "
                    f"{finding.signature!r} for Kafka {release} is listed "
                    f"already in {found[finding.key].file}; take one of the two out"
                )
            found[finding.key] = finding
    return tuple(found.values())


def applies(finding: Finding, release: str, system: str, version: str = "") -> bool:
    """Whether a finding holds for a system and a release, the line of its version, or that version
    alone.
    """
    named = {release, version.rpartition(".")[0], version}
    return finding.system in {"", system} and (
        not finding.releases or not named.isdisjoint(finding.releases)
    )


def read_findings(path: Path) -> tuple[Finding, ...]:
    """All findings of one file, in its order.

    Raises:
        FindingsError: it can't be read or understood.
    """
    name = str(path)
    plain = read_toml(path, "findings file", FindingsError)
    entries = plain.pop("finding", None)
    if plain or not isinstance(entries, list):
        other = f"also {', '.join(sorted(plain))}" if plain else "none"
        raise FindingsError(
            f"{name}: expected entries [[finding]] and nothing else, found {other}; mend the file"
        )
    return tuple(
        _finding(path.name, f"{name}, finding {number}", entry)
        for number, entry in enumerate(entries, 1)
    )


def _finding(file: str, where: str, entry: Any) -> Finding:
    if not isinstance(entry, dict):
        raise FindingsError(f"{where}: expected a table [[finding]], found {entry!r:.60}")
    label = entry.get("clause")
    if isinstance(label, str):
        where += f" ({label:.20})"
    for key in entry:
        if key not in {*_REQUIRED, *_OPTIONAL, _OLD_RARE}:
            raise FindingsError(
                f"{where}: expected the keys {', '.join((*_REQUIRED, *_OPTIONAL))}, found "
                f"{key!r:.60}; take it out"
            )
    for key in _REQUIRED:
        if not entry.get(key):
            raise FindingsError(
                f"{where}: expected the key {key!r} with a value, found none; add it"
            )
    return Finding(
        clause=_clause(where, entry["clause"]),
        signature=_text(where, entry, "signature"),
        system=_text(where, entry, "system"),
        releases=_releases(where, entry.get("releases", [])),
        reason=_text(where, entry, "reason"),
        evidence=_text(where, entry, "evidence"),
        link=_text(where, entry, "link"),
        expires=_expires(where, entry.get("expires")),
        situations=_situations(where, entry.get("happens", {})),
        rare=_rare(where, entry.get("rare", entry.get(_OLD_RARE, False))),
        file=file,
    )


def _text(where: str, entry: Mapping[str, Any], key: str) -> str:
    value = entry.get(key, "")
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise FindingsError(
            f"{where}: expected text of at most {_LONGEST} characters for {key!r}, found "
            f"{value!r:.60}; mend it"
        )
    return " ".join(value.split())


def _clause(where: str, value: Any) -> str:
    if not isinstance(value, str):
        raise FindingsError(
            f"{where}: expected a clause's id like FET-071, found {value!r:.60}; mend it"
        )
    try:
        return clause(value).id
    except UnknownClauseError as error:
        raise FindingsError(f"{where}: {error}; mend the id") from error


def _releases(where: str, value: Any) -> tuple[str, ...]:
    if (
        isinstance(value, list)
        and all(isinstance(one, str) and (one in _LINES or line_of(one) in _LINES) for one in value)
        and len(set(value)) == len(value)
    ):
        return tuple(value)
    raise FindingsError(
        f"{where}: expected releases out of {list(_LINES)}, or versions of them like 4.2.0, each "
        f"once, found {value!r:.80}; mend it"
    )


def _expires(where: str, value: Any) -> date | None:
    if value is None or (isinstance(value, date) and not isinstance(value, datetime)):
        return value
    raise FindingsError(
        f"{where}: expected a date without quotes, as in expires = 2027-01-31, found "
        f"{value!r:.60}; mend it"
    )


def _rare(where: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise FindingsError(f"{where}: expected rare = true or false, found {value!r:.60}; mend it")


def _situations(where: str, value: Any) -> tuple[Situation, ...]:
    """`happens = { FET-010 = ["below"] }`: the clause, and the sides of its fence, whose exercise
    could show the break. Of a clause that has no fence, any exercise could.
    """
    if not isinstance(value, dict):
        raise FindingsError(
            f'{where}: expected happens = {{ FET-010 = ["below"] }}, found {value!r:.60}; mend it'
        )
    found = []
    for name, sides in value.items():
        if (
            not isinstance(sides, list)
            or not sides
            or any(not isinstance(side, str) or side not in _SIDES for side in sides)
        ):
            raise FindingsError(
                f"{where}: expected sides out of {list(_SIDES)} for {name} in happens, found "
                f"{sides!r:.60}; mend it"
            )
        all_sides = Side.NONE
        for side in sides:
            all_sides |= _SIDES[side]
        of = _clause(where, name)
        found.append(Situation(of, all_sides if clause(of).fence is not None else Side.NONE))
    return tuple(found)
