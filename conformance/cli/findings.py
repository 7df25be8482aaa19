"""`fencepost findings`: the known breaks that come with Fencepost."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

import click
from rich.console import Console

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
@click.argument("names", nargs=-1, metavar="[SYSTEM|CLAUSE]...")
@click.option("--markdown", is_flag=True, help="Print a page in Markdown instead of a list.")
@report_errors
def findings(names: tuple[str, ...], *, markdown: bool) -> None:
    """List the known breaks that come with Fencepost, of each SYSTEM or CLAUSE or of all.

    SYSTEM is who wrote the broker or the client, as a finding names it, or the name of a file of
    findings: apache-kafka, clients, kfake, tansu. CLAUSE is a clause such as FET-071.
    """
    files = {path.stem: read_findings(path) for path in SHIPPED_FINDINGS}
    every = [finding for some in files.values() for finding in some]
    systems = sorted({*files, *[finding.system for finding in every]})
    known = {*systems, *[finding.clause for finding in every]}
    if unknown := [name for name in names if name not in known]:
        raise BadConfiguration(
            f"expected a system that findings ship for ({', '.join(systems)}) or a clause that one "
            f"breaks, found {unknown[0]!r}; `fencepost findings` lists all"
        )
    chosen = [
        finding
        for name, some in files.items()
        for finding in some
        if not names or {name, finding.system, finding.clause} & set(names)
    ]
    click.echo(_page(chosen) if markdown else _list(chosen, Console().width), nl=not markdown)


def _list(found: Iterable[Finding], width: int) -> str:
    """The findings as text for a terminal of so many columns."""
    return "\n\n".join(
        [
            f"{one.clause}  {plain(one.signature)}  ({plain(one.system)}{_releases(one)})\n"
            f"{_wrap(plain(' '.join(one.reason.split()), 2000), width)}"
            for one in found
        ]
    )


def _wrap(text: str, width: int) -> str:
    return fill(
        text,
        max(width, 20),
        initial_indent="  ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
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
