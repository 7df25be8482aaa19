"""The options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from conformance.cli.errors import wrong

if TYPE_CHECKING:
    from collections.abc import Callable

DEFAULT_KAFKA = "4.3.1"
DEFAULT_SYSTEM = "embedded"
NAMING = (
    *("system", "kafka", "brokers", "bootstrap_server", "command_config"),
    *("image", "image_settings", "fault"),
)
"""The options that say which broker is meant."""

MOST_BROKERS = 5
"""How many brokers are started here at most: each takes some 600 MB."""

F = TypeVar("F", bound="Callable[..., Any]")


def not_empty(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Refuse an empty text for an option that says which broker is meant, such as an unset variable
    gives.

    Raises:
        ClickException: it is empty or blank.
    """
    if value is not None and not value.strip():
        raise wrong(
            f"{parameter.opts[0]}: expected {parameter.make_metavar(context)}, found an empty "
            "text; leave the option out or name one"
        )
    return value


command_config_option = click.option(
    "--command-config",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Client properties for --bootstrap-server, as Kafka's own tools take them.",
)


kafka_option = click.option(
    "--kafka",
    default=DEFAULT_KAFKA,
    show_default=True,
    metavar="VERSION",
    help="Apache Kafka release to start here.",
)
RELEASES = "fencepost.releases"


def _first_release(context: click.Context, _: click.Parameter, value: tuple[str, ...]) -> str:
    """The first release that is named; all of them are kept in the context's `meta`."""
    context.meta[RELEASES] = tuple(dict.fromkeys(value))
    return value[0]


several_kafka_option = click.option(
    "--kafka",
    multiple=True,
    default=(DEFAULT_KAFKA,),
    show_default=True,
    metavar="VERSION",
    callback=_first_release,
    help="Apache Kafka release to start here; repeatable, one run for each.",
)


def system_options(command: F) -> F:
    """The options that say which broker is meant."""
    return kafka_option(other_system_options(command))


def other_system_options(command: F) -> F:
    """The options that say which broker is meant, but the release of Kafka."""
    for option in reversed(
        (
            click.option(
                "--brokers",
                type=click.IntRange(1, MOST_BROKERS),
                default=1,
                show_default=True,
                help="How many brokers of Apache Kafka to start here as one cluster.",
            ),
            click.option(
                "--bootstrap-server",
                metavar="HOST:PORT",
                callback=not_empty,
                help="A broker that runs already, instead of one started here.",
            ),
            command_config_option,
            click.option(
                "--image",
                metavar="IMAGE",
                callback=not_empty,
                help="Start this container image, such as apache/kafka:4.3.1, instead.",
            ),
            click.option(
                "--image-settings",
                metavar="FILE",
                callback=not_empty,
                help="How a container image of another layout is started; a file, or a shipped "
                "one's name, redpanda for one.",
            ),
            click.option(
                "--fault",
                metavar="NAME",
                callback=not_empty,
                help="Plant this fault in the served model; see `serve --list-faults`.",
            ),
        )
    ):
        command = option(command)
    return command


def draft_options(command: F) -> F:
    """The options that give a served model a draft KIP."""
    for option in (
        click.option(
            "--profile",
            metavar="NAME=VALUE,...",
            help="How the draft is read; `fencepost readings` lists the questions.",
        ),
        click.option(
            "--draft",
            metavar="NAME",
            help="Know this draft KIP too, max-records for one; `fencepost readings` names them.",
        ),
    ):
        command = option(command)
    return command
