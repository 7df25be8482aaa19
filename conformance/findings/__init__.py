"""Findings: known violations and deviations of a named system, shown but not failing a run."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spec.catalogue import UnknownClauseError, clause

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SHIPPED = Path(__file__).parent / "apache-kafka.toml"


class FindingsError(Exception):
    """A findings file that can't be used: the message names file, entry and mend."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One known break.

    Attributes:
        clause, signature: what breaks, as a verdict names it.
        releases: the Kafka releases that it holds for; empty for any.
        reason: why it is so.
        evidence: where it was seen.
        link: where it is tracked.
        expires: the day from which it counts as a failure again.
        file: the file that it stands in.
    """

    clause: str
    signature: str
    releases: tuple[str, ...]
    reason: str
    evidence: str
    link: str = ""
    expires: date | None = None
    file: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What it is matched by."""
        return self.clause, self.signature


_FIELDS = {"clause", "signature", "releases", "reason", "evidence", "link", "expires"}


def load_findings(paths: Iterable[Path], release: str) -> tuple[Finding, ...]:
    """The findings of some files that hold for a release.

    Raises:
        FindingsError: unreadable, no TOML, an unknown field or clause, a duplicate.
    """
    found: dict[tuple[str, str], Finding] = {}
    for path in paths:
        try:
            text = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as failed:
            raise FindingsError(f"expected a findings file in TOML at {path}, found: {failed}") from failed
        for number, entry in enumerate(text.get("finding", ()), 1):
            finding = _finding(path, number, entry)
            if finding.releases and release not in finding.releases:
                continue
            if finding.key in found:
                raise FindingsError(f"{path}, finding {number}: {finding.clause} '{finding.signature}' is listed twice; leave one out")
            found[finding.key] = finding
    return tuple(found.values())


def _finding(path: Path, number: int, entry: Mapping[str, Any]) -> Finding:
    where = f"{path}, finding {number}"
    if strange := set(entry) - _FIELDS:
        raise FindingsError(f"{where}: expected fields of {', '.join(sorted(_FIELDS))}, found {', '.join(sorted(strange))}")
    for name in ("clause", "signature", "reason", "evidence"):
        if not isinstance(entry.get(name), str) or not entry[name]:
            raise FindingsError(f"{where}: expected a text in {name!r}, found {entry.get(name)!r}")
    try:
        clause(entry["clause"])
    except UnknownClauseError as unknown:
        raise FindingsError(f"{where}: {unknown}") from unknown
    expires = entry.get("expires")
    if expires is not None and type(expires) is not date:
        raise FindingsError(f"{where}: expected a date like 2027-01-31 in 'expires', found {expires!r}")
    return Finding(
        entry["clause"],
        entry["signature"],
        tuple(entry.get("releases", ())),
        entry["reason"],
        entry["evidence"],
        entry.get("link", ""),
        expires,
        path.name,
    )


def expired(findings: Iterable[Finding], today: date) -> tuple[Finding, ...]:
    """Those whose day has come."""
    return tuple([finding for finding in findings if finding.expires is not None and finding.expires <= today])


def stale(
    findings: Iterable[Finding], happened: set[tuple[str, str]], exercised: Mapping[str, int], enough: int = 200
) -> tuple[Finding, ...]:
    """Those that no longer happen: their clause arose at least `enough` times, and never broke so."""
    return tuple([f for f in findings if f.key not in happened and exercised.get(f.clause, 0) >= enough])
