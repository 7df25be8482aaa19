"""`fencepost limits --probe`: ask a broker around its limits."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.cli.common import make_codec, make_system
from conformance.cli.options import DEFAULT_SYSTEM
from conformance.cli.run_folder import make_folder, new_run_id
from conformance.engine.cleaning import Cleaning, left_behind
from conformance.engine.start import reach_cluster
from conformance.exit_codes import FOUND, OK
from conformance.ledger import LEDGER_NAME, NO_LEDGER, FileLedger
from conformance.limits.admin import Admin
from conformance.limits.boundaries import EVERY
from conformance.limits.own_broker import OWN_CONFIG, OWN_PROBES
from conformance.limits.probes import PROBES
from conformance.systems.embedded import Embedded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from conformance.ledger import Ledger
    from conformance.limits.probes import ProbeAnswer
    from conformance.systems.base import BrokerSystem

    Probe = Callable[[Admin], Iterator[ProbeAnswer]]

RUNS = Path("fencepost-runs")
"""Where the ledger's folder is made, as those of runs are."""


def probe(kafka: str, bootstrap_server: str | None, command_config: Path | None) -> int:
    """Probe a broker against the limits of a release, and print the answers; give the exit code.

    A broker that is started for it is also asked what takes settings of its own. On one that runs
    already, what is made is in a ledger, in a folder under `fencepost-runs`;
    what could not be removed is named.
    """
    system: BrokerSystem
    if bootstrap_server is None:
        system = Embedded(kafka, config=OWN_CONFIG)
    else:
        system = make_system(
            DEFAULT_SYSTEM,  # names none: the address does
            kafka=kafka,
            bootstrap_server=bootstrap_server,
            command_config=command_config,
            image=None,
        )
    folder = RUNS / new_run_id() if bootstrap_server else None
    if folder is not None:
        make_folder(folder)
    with ExitStack() as stack:
        ledger: Ledger = NO_LEDGER
        if folder is not None:
            ledger = stack.enter_context(FileLedger(folder / LEDGER_NAME))
        stack.enter_context(system)
        cluster = reach_cluster(system, make_codec(), ledger)
        try:
            with cluster.connect() as connection:
                probes = PROBES if bootstrap_server else {**PROBES, **OWN_PROBES}
                departures = _ask_all(Admin(cluster, connection, kafka), probes)
        finally:
            for line in left_behind(Cleaning(cluster, ledger).remove_all(), f"`{_clean(folder)}`"):
                click.echo(line)
    return FOUND if departures else OK


def _clean(folder: Path | None) -> str:
    return f"fencepost clean {folder} --bootstrap-server HOST:PORT"


def _ask_all(admin: Admin, probes: Mapping[str, Probe]) -> int:
    """Ask all probes and boundary values, and print the answers; give how many of them are wrong.

    A boundary value that is refused within its range is printed and not counted: a broker may have
    more checks than its definitions state.
    """
    departures = 0
    for name, ask in probes.items():
        for checked in ask(admin):
            departures += not checked.ok
            found = "as expected" if checked.ok else f"expected {checked.expected}"
            click.echo(f"{name}: {checked.asked}: {checked.observed}, {found}")
    for plane, try_all in EVERY.items():
        tried = list(try_all(admin))
        differing = [one for one in tried if one.differs]
        for one in differing:
            departures += one.accepted
            click.echo(f"{one.differs}: {one}")
        click.echo(
            f"{plane}: {len(tried)} boundary values, {len(differing)} otherwise than "
            f"Kafka {admin.version} defines"
        )
    return departures
