"""`fencepost systems`: what can be tested from here."""

from __future__ import annotations

import click

from conformance.cli.common import report_errors
from conformance.systems.registry import systems as registered


@click.command()
@report_errors
def systems() -> None:
    """List the kinds of broker that can be tested, and what is missing for each."""
    for one in registered():
        state = "ready" if one.available else f"not available: {one.reason}"
        click.echo(f"{one.name:<12} {one.description}\n{'':<12} {state}")
