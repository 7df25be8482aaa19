"""`fencepost clean`: remove what a run left on a cluster."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from conformance.cli.common import end_in_order, make_codec, make_system
from conformance.cli.errors import report_errors
from conformance.cli.options import DEFAULT_SYSTEM, command_config_option, not_empty
from conformance.cli.run_folder import lock_folder
from conformance.engine.cleaning import Cleaning, left_behind
from conformance.engine.start import reach_cluster
from conformance.exit_codes import OK, UNREACHABLE
from conformance.ledger import LEDGER_NAME, FileLedger, read_ledger


@click.command()
@click.argument("run", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--bootstrap-server",
    required=True,
    metavar="HOST:PORT",
    callback=not_empty,
    help="The cluster that the run was done on.",
)
@command_config_option
@report_errors
def clean(run: Path, bootstrap_server: str, command_config: Path | None) -> None:
    """Remove from a cluster what a run that was cut off left on it.

    RUN is the folder of a run with --bootstrap-server. Its ledger lists the groups, group configs,
    quotas and topics that it made; these are removed and nothing else. What is gone already is
    fine. Exit code 3 where something could not be removed.
    """
    end_in_order()
    sys.exit(_remove_all(run, bootstrap_server, command_config))


def _remove_all(run: Path, bootstrap_server: str, command_config: Path | None) -> int:
    """Remove all that the run's ledger lists and that is still there; give the exit code."""
    remaining = read_ledger(run / LEDGER_NAME)
    if not remaining:
        click.echo("nothing is left to remove: all that the run's ledger lists was removed before")
        return OK
    system = make_system(
        DEFAULT_SYSTEM,  # names none: the address does
        kafka="",
        bootstrap_server=bootstrap_server,
        command_config=command_config,
        image=None,
    )
    with lock_folder(run), FileLedger(run / LEDGER_NAME) as ledger:
        try:
            system.start()
            left = Cleaning(reach_cluster(system, make_codec()), ledger).remove_all()
        finally:
            system.stop()
    click.echo(f"removed {len(remaining) - len(left)} of {len(remaining)}")
    for line in left_behind(left, "try again later"):
        click.echo(line)
    return UNREACHABLE if left else OK
