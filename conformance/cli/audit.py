"""`fencepost audit`: read a broker's data folder, and hold its files against the rules."""

from __future__ import annotations

import json
import sys
import textwrap
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.audit.folder import Audit, audit_folder
from conformance.cli.errors import report_errors, wrong
from conformance.exit_codes import FOUND, OK
from spec.disk.breaks import Break
from spec.disk.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.audit.segment import Seen


@click.command()
@click.argument(
    "folder", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON, a line for each.")
@click.option("--rules", is_flag=True, help="List the rules instead.")
@report_errors
def audit(folder: Path | None, *, as_json: bool, rules: bool) -> None:
    """Read a broker's data folder (log.dirs), or the folder of one partition, and name each file
    and position that breaks a rule. Nothing is written.

    The broker may run, or have stopped in good order or not: what the tail of a running or killed
    broker may look like is a note, not a finding. Exit code 1 where a rule is broken.
    """
    if rules:
        _list_rules(as_json=as_json)
        return
    if folder is None:
        raise wrong("expected the data folder of a broker, found none; name it, or give --rules")
    sys.exit(_audit(folder, as_json=as_json))


def _audit(folder: Path, *, as_json: bool) -> int:
    """Print what is wrong with a folder; the exit code."""
    began = time.monotonic()
    broken = 0
    for one in audit_folder(folder):
        if isinstance(one, Audit):
            _summarise(one, broken, time.monotonic() - began, as_json=as_json)
            continue
        is_break = isinstance(one, Break)
        broken += is_break
        _show({"kind": "break" if is_break else "note", **asdict(one)}, one, as_json=as_json)
    return FOUND if broken else OK


def _show(form: Mapping[str, Any], one: Seen, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(form))
    elif form["kind"] == "break":
        click.echo(f"{form['rule']}  {one.file}:{form['position']}  {one.what}")
    else:
        click.echo(f"note     {one.file}  {one.what}")


def _summarise(found: Audit, broken: int, seconds: float, *, as_json: bool) -> None:
    if as_json:
        form = {
            "kind": "summary",
            "clean_stop": found.clean,
            "partitions": found.partitions,
            "batches": found.batches,
            "bytes": found.size,
            "breaks": broken,
        }
        click.echo(json.dumps(form))
        return
    state = "stopped in good order" if found.clean else "running, or stopped uncleanly"
    click.echo(
        f"{found.partitions} partitions, {found.batches:,} batches, {found.size:,} bytes in "
        f"{seconds:.1f} s; {state}: " + (f"{broken} breaks" if broken else "no rule is broken")
    )


def _list_rules(*, as_json: bool) -> None:
    for rule in RULES.values():
        if as_json:
            form = asdict(rule) | {"sources": [str(source) for source in rule.sources]}
            click.echo(json.dumps(form))
            continue
        click.echo(f"{rule.id}  {rule.strength}, {rule.limit_class}  ({rule.slug})")
        click.echo(textwrap.indent(textwrap.fill(rule.statement, 96), "    "))
        for source in rule.sources:
            click.echo(f"    source: {source}")
