"""`fencepost systems`: what can be tested from here."""

from __future__ import annotations

import click

from conformance.cli.errors import report_errors
from conformance.clients.registry import CLIENTS
from conformance.systems.registry import systems as registered


@click.command()
@report_errors
def systems() -> None:
    """List the kinds of broker and the clients that can be tested, and what is missing for each."""
    for one in registered():
        _show(one.name, one.description, None if one.available else one.reason)
    click.echo("\nclients:")
    for client in CLIENTS:
        _show(client.name, client.description, client.problem())


def _show(name: str, description: str, problem: str | None) -> None:
    state = "ready" if problem is None else f"not available: {problem}"
    click.echo(f"{name:<16} {description}\n{'':<16} {state}")
