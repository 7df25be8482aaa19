"""The options of `fencepost run`."""

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import click

from conformance.cli.clients import client_options, several_clients_option
from conformance.cli.options import not_empty, other_system_options, several_kafka_option
from conformance.cli.run_output import output_options
from conformance.cli.subject_options import several_subjects_option

_CORPUS = (
    "Where scenarios that broke a clause are kept and tried first from then on; by default in the "
    "cache folder."
)

Command = Callable[..., Any]


def run_options(command: Command) -> Command:
    """Give a command all of them, in the order in which `--help` shows them."""
    return reduce(lambda found, option: option(found), reversed(_OPTIONS), command)


_OPTIONS: tuple[Callable[[Command], Command], ...] = (
    several_kafka_option,
    other_system_options,
    several_clients_option,
    client_options,
    click.option(
        "--seed",
        type=click.IntRange(0),
        help="What the drawing starts from; by default a new one, which is shown.",
    ),
    click.option(
        "--scenarios",
        type=click.IntRange(1),
        default=1500,
        show_default=True,
        help="How many scenarios to judge.",
    ),
    click.option(
        "--time", "duration", metavar="5m", help="Run for this long instead (90s, 5m, 1h)."
    ),
    click.option(
        "--shrink",
        metavar="5m",
        help="Spend at most this long in all on making breaks small (0s for none); by default a "
        "fifth of the run's other time, at least 10 s, at most 4 minutes.",
    ),
    several_subjects_option,
    click.option(
        "--clause",
        "clauses",
        multiple=True,
        metavar="ID",
        help="Count only this, ask only fetches that exercise it; repeatable.",
    ),
    click.option(
        "--strict", is_flag=True, help="Fail on deviations from Apache Kafka's own behaviour too."
    ),
    click.option(
        "--findings",
        type=click.Path(path_type=Path),
        multiple=True,
        metavar="FILE",
        help="Your own known findings, in TOML.",
    ),
    click.option(
        "--no-shipped-findings",
        is_flag=True,
        help="Count none of the findings that come with Fencepost.",
    ),
    click.option(
        "--update-findings",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Add what breaks to this file of your findings, which counts as --findings too.",
    ),
    click.option(
        "--prune-findings",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Take what does not happen any more out of this file, which counts as --findings too.",
    ),
    click.option(
        "--facts",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Release and limits of the broker, where it does not report them.",
    ),
    click.option(
        "--features",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="What the broker claims to have, in TOML: what it lacks of that is a break.",
    ),
    click.option(
        "--resume",
        type=click.Path(path_type=Path),
        metavar="RUN",
        help="Continue a run folder that was cut off, as it began.",
    ),
    click.option(
        "--out",
        type=click.Path(path_type=Path),
        default=Path("fencepost-runs"),
        show_default=True,
        help="Where run folders go.",
    ),
    click.option(
        "--corpus", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help=_CORPUS
    ),
    click.option(
        "--no-corpus", is_flag=True, help="Try no scenarios of the corpus first, and keep none."
    ),
    click.option(
        "--restart/--no-restart",
        default=True,
        help="Restart a broker started here with small limits for the last part.",
    ),
    click.option(
        "--verbose",
        is_flag=True,
        help="Show at the end all kinds of break, reasons and clauses that were not exercised.",
    ),
    output_options,
    click.option(
        "--sarif",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Write the breaks there as SARIF 2.1.0 too.",
    ),
    click.option(
        "--badge",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Write a badge of the verdict there, as shields.io's endpoints take it.",
    ),
    click.option("--report/--no-report", default=True, help="Make the HTML report at the end."),
    click.option(
        "--spark-master",
        metavar="URL",
        callback=not_empty,
        help="Spread the run over this Spark cluster; its machines share the folder of --out.",
    ),
    click.option(
        "--workers",
        type=click.IntRange(1),
        default=2,
        show_default=True,
        help="With --spark-master: executors that play at once, each on a broker of its own.",
    ),
    click.option(
        "--portion",
        type=click.IntRange(1),
        default=200,
        show_default=True,
        help="With --spark-master: scenarios that an executor plays at a time.",
    ),
)
