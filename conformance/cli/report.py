"""`fencepost report`: tables and the HTML report, from event logs."""

from __future__ import annotations

from pathlib import Path

import click
from click.core import ParameterSource

from conformance.cli.common import known_relations
from conformance.cli.errors import report_errors
from conformance.cli.existing_run import must_be_a_run
from results.report import report as make_report


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
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
@report_errors
def report(runs: tuple[Path, ...], out: Path | None, spark_master: str, *, spark: bool) -> None:
    """Make the HTML report of one or more run folders.

    A single run takes a few seconds, and no Java. Several runs, or --spark, go through the Spark
    jobs, which write Parquet tables too. Everything is made from the event logs, so it can be made
    again at any time, also of a run that was cut off.
    """
    for run in runs:
        must_be_a_run(run)
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
