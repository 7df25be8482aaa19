"""`fencepost report`: tables and the HTML report, from event logs."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.cli.common import known_relations, told, wrong


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option("--out", type=click.Path(path_type=Path), help="Where to write; by default the (last) run's folder.")
@click.option("--spark-master", default="local[*]", show_default=True, help="Where Spark runs.")
@told
def report(runs: tuple[Path, ...], out: Path | None, spark_master: str) -> None:
    """Make Parquet tables and the HTML report of one or more run folders, by the Spark jobs.

    Everything is made from the event logs, so it can be made again at any time, also of a run that was cut off.
    """
    for run in runs:
        if not (run / "events.jsonl").exists():
            raise wrong(f"expected a run folder with events.jsonl at {run}, found none")
    from results.report import report as make_report  # noqa: PLC0415 - keeps --help quick

    made = make_report(list(runs), out, spark_master=spark_master, relations=known_relations(runs))
    for name, path in dict(made.paths).items():
        click.echo(f"{name}: {path}")
    click.echo(f"made in {made.seconds:.1f} s by Spark on Java {made.java}")
