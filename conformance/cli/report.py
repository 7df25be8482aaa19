"""`fencepost report`: tables and the HTML report, from event logs."""

from __future__ import annotations

from pathlib import Path

import click
from click.core import ParameterSource

from conformance.cli.common import known_relations
from conformance.cli.errors import report_errors, wrong
from conformance.cli.existing_run import require_run_folder
from conformance.cli.options import not_empty
from results.history import history
from results.log import LOG_NAME
from results.report import report as make_report
from results.report import take_in
from results.text import count_of


@click.command()
@click.argument("runs", nargs=-1, type=click.Path(path_type=Path), metavar="[RUN]...")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Where to write; by default the (last) run's folder.",
)
@click.option(
    "--spark", is_flag=True, help="Use Spark for a single run too, and write Parquet tables."
)
@click.option(
    "--spark-master",
    default="local[*]",
    show_default=True,
    help="Where Spark runs; implies --spark.",
)
@click.option(
    "--history",
    "history_of",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Make a page of all runs in DIR instead: pass rate, time, flakiness, coverage.",
)
@click.option(
    "--tables",
    metavar="URL",
    callback=not_empty,
    help="Take the runs into Parquet tables of many runs there instead, and compute the jobs.",
)
@report_errors
def report(
    runs: tuple[Path, ...],
    out: Path | None,
    spark_master: str,
    history_of: Path | None,
    tables: str | None,
    *,
    spark: bool,
) -> None:
    """Make the HTML report of one or more run folders.

    A single run takes a few seconds, and no Java. Several runs, or --spark, go through the Spark
    jobs, which write Parquet tables too. Everything is made from the event logs, so it can be made
    again at any time, also of a run that was cut off.
    """
    if bool(runs) == bool(history_of):
        raise wrong(
            f"expected run folders or --history DIR, found {'both' if runs else 'neither'}; name "
            "one of them"
        )
    if history_of is not None:
        _history(history_of, out)
        return
    for run in runs:
        require_run_folder(run)
    if tables is not None:
        place = take_in(list(runs), tables, spark_master=spark_master)
        click.echo(f"tables: {place}")
        return
    where = click.get_current_context().get_parameter_source("spark_master")
    spark = spark or where is ParameterSource.COMMANDLINE
    made = make_report(
        list(runs), out, spark=spark, spark_master=spark_master, relations=known_relations(runs)
    )
    for name, path in dict(made.paths).items():
        click.echo(f"{name}: {path}")
    click.echo(
        f"made in {made.seconds:.1f} s" + (f" by Spark on Java {made.java}" if made.java else "")
    )


def _history(place: Path, out: Path | None) -> None:
    """Write the page of all runs in a folder."""
    if not any(place.glob(f"*/{LOG_NAME}")):
        raise wrong(
            f"--history: expected a folder of run folders, found none with {LOG_NAME} in {place}; "
            "name the folder that --out of `fencepost run` named"
        )
    written, count = history(place, out)
    click.echo(f"history of {count_of(count, 'run')}: {written}")
