"""`fencepost findings`: the known breaks that come with Fencepost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from conformance.cli.errors import report_errors
from conformance.findings.file import SHIPPED_FINDINGS, read_findings
from conformance.misuse import BadConfiguration
from results.markdown import escape
from results.text import count_of, plain
from spec.catalogue import clause

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conformance.findings.finding import Finding

PAGE = """# What released software breaks

Each entry is a finding that comes with Fencepost: a clause of the catalogue that a released version
was seen to break, and why. `fencepost run --no-shipped-findings` shows them as breaks again, each
with its smallest case. This page is what `fencepost findings apache-kafka clients --markdown`
prints. Implementations of others have [pages of their own](implementations/kfake.md).
"""


@click.command()
@click.argument("systems", nargs=-1, metavar="[SYSTEM]...")
@click.option("--markdown", is_flag=True, help="Print a page in Markdown instead of a list.")
@report_errors
def findings(systems: tuple[str, ...], *, markdown: bool) -> None:
    """List the known breaks that come with Fencepost, of each SYSTEM or of all.

    SYSTEM is who wrote the broker or the client, as a finding names it, or the name of a file of
    findings: apache-kafka, clients, kfake, tansu.
    """
    files = {path.stem: read_findings(path) for path in SHIPPED_FINDINGS}
    every = [finding for some in files.values() for finding in some]
    names = sorted({*files, *[finding.system for finding in every]})
    if unknown := [name for name in systems if name not in names]:
        raise BadConfiguration(
            f"expected a system that findings ship for ({', '.join(names)}), found {unknown[0]!r}"
        )
    chosen = [
        finding
        for name, some in files.items()
        for finding in some
        if not systems or {name, finding.system} & set(systems)
    ]
    click.echo(_page(chosen) if markdown else _list(chosen), nl=not markdown)


def _list(found: Iterable[Finding]) -> str:
    return "\n\n".join(
        [
            f"{one.clause}  {plain(one.signature)}  ({plain(one.system)}{_releases(one)})\n"
            f"  {plain(' '.join(one.reason.split()), 2000)}"
            for one in found
        ]
    )


def _page(found: Iterable[Finding]) -> str:
    by_system: dict[str, list[Finding]] = {}
    for one in found:
        by_system.setdefault(one.system, []).append(one)
    parts = [PAGE]
    for system, some in by_system.items():
        parts.append(f"## {escape(system)}\n\n{count_of(len(some), 'finding')}.\n")
        parts.extend([_entry(one) for one in some])
    return "\n".join(parts)


def _entry(one: Finding) -> str:
    """One finding: what is broken, why, how it was seen, and the promise."""
    promise = clause(one.clause)
    lines = [
        f"### {one.clause}: {escape(one.signature)}\n",
        f"{_prose(one.reason)}\n",
        f"- Breaks `{promise.slug}` ({promise.strength.value}): {_prose(promise.statement)}",
        f"- Seen{_releases(one).replace(', ', ' on ', 1)}: {_prose(one.evidence)}",
    ]
    if one.link:
        lines.append(f"- See {one.link}")
    return "\n".join(lines) + "\n"


def _prose(text: str) -> str:
    return escape(" ".join(text.split()), 4000)


def _releases(one: Finding) -> str:
    return f", {', '.join(one.releases)}" if one.releases else ""
