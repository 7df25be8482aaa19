"""`fencepost limits --probe`: a broker is asked around its limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from conformance.cli.common import make_codec, make_system
from conformance.cli.options import DEFAULT_SYSTEM
from conformance.cluster import reach
from conformance.exit_codes import FOUND, OK
from conformance.limits.admin import Admin
from conformance.limits.boundaries import EVERY
from conformance.limits.probes import PROBES

if TYPE_CHECKING:
    from pathlib import Path


def probe(kafka: str, bootstrap_server: str | None, command_config: Path | None) -> int:
    """Probe a broker as one of a release, and print what came back; the exit code."""
    system = make_system(
        DEFAULT_SYSTEM,
        kafka=kafka,
        bootstrap_server=bootstrap_server,
        command_config=command_config,
        image=None,
    )
    otherwise = 0
    with system:
        cluster = reach(*system.address, make_codec(), system.ssl_context)
        with cluster.connect() as connection:
            admin = Admin(cluster, connection, kafka)
            for name, ask in PROBES.items():
                for checked in ask(admin):
                    otherwise += not checked.ok
                    found = "as expected" if checked.ok else f"expected {checked.expected}"
                    click.echo(f"{name}: {checked.asked}: {checked.observed}, {found}")
            for plane, try_all in EVERY.items():
                tried = list(try_all(admin))
                differing = [one for one in tried if one.differs]
                for one in differing:
                    otherwise += one.accepted
                    click.echo(f"{one.differs}: {one}")
                click.echo(
                    f"{plane}: {len(tried)} boundary values, {len(differing)} otherwise than "
                    f"Kafka {kafka} defines"
                )
    return FOUND if otherwise else OK
