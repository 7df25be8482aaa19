"""The options that name a client under test."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from conformance.cli.errors import wrong
from conformance.cli.options import not_empty
from conformance.cli.subject_options import default_subject
from conformance.clients.planted import fault_named, planted_command
from conformance.clients.registry import CLIENTS, client_command
from conformance.clients.system import ClientUnderTest
from conformance.subjects.fairness.application import SET_BY_SCENARIOS
from conformance.subjects.registry import CLIENT_RUNNERS, runner_of
from spec.groups.releases import INITIAL_DELAY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.engine.runner import Runner
    from conformance.systems.base import BrokerSystem

F = TypeVar("F", bound="Callable[..., Any]")
READ_FROM = "model"
"""The system that a client reads from where none is named."""
BROKER_CONFIG = {INITIAL_DELAY: "0"}
"""Settings of a broker that is started for a client: a group of one member waits for no other."""


CLIENTS_NAMED = "fencepost.clients"
"""The key of a context's `meta` under which all clients stand that a run names."""
CLIENTS_LEFT_OUT = "fencepost.clients_left_out"
"""Likewise, those that can't be used here where all are asked for."""
ALL = "all"
"""In place of a client's name: each that can be used here."""
_HELP = "Test a client, which reads from SYSTEM (here by default the model); `fencepost systems` "


def _first_client(
    context: click.Context, parameter: click.Parameter, value: tuple[str, ...]
) -> str | None:
    """The first client that is named; all of them are kept in the context's `meta`."""
    for name in value:
        not_empty(context, parameter, name)
    named = list(dict.fromkeys(value))
    if ALL in named:
        named = [one.name for one in CLIENTS if one.problem() is None]
        context.meta[CLIENTS_LEFT_OUT] = [one for one in CLIENTS if one.name not in named]
    context.meta[CLIENTS_NAMED] = tuple(named)
    return named[0] if named else None


client_option = click.option(
    "--client", metavar="NAME", callback=not_empty, help=f"{_HELP}lists them."
)
several_clients_option = click.option(
    "--client",
    multiple=True,
    metavar="NAME",
    callback=_first_client,
    help=f"{_HELP}lists them. Repeatable, one run for each; `all` for each that can be used here.",
)


def left_out_clients(context: click.Context) -> list[str]:
    """The clients that `all` leaves out, each with the reason."""
    left_out = context.meta.get(CLIENTS_LEFT_OUT, ())
    return [f"{one.name} is left out: {one.problem()}" for one in left_out]


def client_options(command: F) -> F:
    """The options that say more of a client under test."""
    for option in (
        click.option(
            "--client-fault",
            metavar="NAME",
            callback=not_empty,
            help="Wrap the client, so that it is wrong or unusual in this way.",
        ),
        click.option(
            "--client-option",
            "client_options",
            metavar="NAME=VALUE",
            multiple=True,
            help="Give the client this option too, `group.protocol=consumer` for one; repeatable.",
        ),
        click.option(
            "--client-command",
            metavar="COMMAND",
            callback=not_empty,
            help="Test the client that this command starts, by the protocol of clients.",
        ),
    ):
        command = option(command)
    return command


def is_client_named(o: Mapping[str, Any]) -> bool:
    """Whether the options name a client under test."""
    return bool(o["client"] or o["client_command"])


def with_client_options(context: click.Context, o: dict[str, Any]) -> dict[str, Any]:
    """The options of a run with what a client under test implies: the system that it reads from,
    and the subject.

    Raises:
        ClickException: they name two clients, or a subject that tests none.
    """
    if not is_client_named(o):
        if o["client_fault"]:
            raise wrong("--client-fault wraps a client under test; name one by --client too")
        if o["client_options"]:
            raise wrong("--client-option is for a client under test; name one by --client too")
        return o
    _client_options(o)
    if o["client"] and o["client_command"]:
        raise wrong("expected --client or --client-command, found both; leave one out")
    elsewhere = o["bootstrap_server"] or o["image"] or o["image_settings"]
    source = context.get_parameter_source("system")
    if not elsewhere and source is not ParameterSource.COMMANDLINE:
        o = {**o, "system": READ_FROM}
    if o.get("subject") == default_subject():
        o = {**o, "subject": next(iter(CLIENT_RUNNERS))}
    return o


def runner_and_system(
    o: Mapping[str, Any], subject: str, broker: BrokerSystem
) -> tuple[Runner[Any], BrokerSystem]:
    """How a subject is run, and what is tested: the client that the options name, or the broker.

    Raises:
        ClickException: a client is named and the subject tests none.
        NotAvailable: the client can't be used here.
    """
    if not is_client_named(o):
        return runner_of(subject), broker
    if subject not in CLIENT_RUNNERS:
        raise wrong(
            f"--client: expected a subject that tests clients, {', '.join(CLIENT_RUNNERS)}, found "
            f"{subject}; leave one of them out"
        )
    command = (
        shlex.split(o["client_command"]) if o["client_command"] else client_command(o["client"])
    )
    if o["client_fault"]:
        command = planted_command(fault_named(o["client_fault"]).name, command)
    client = ClientUnderTest(broker, command, _client_options(o))
    return CLIENT_RUNNERS[subject](client), client


def _client_options(o: Mapping[str, Any]) -> dict[str, str]:
    """The options that a client is given in every scenario.

    Raises:
        ClickException: one is none, or one that scenarios set.
    """
    found: dict[str, str] = {}
    for given in o["client_options"]:
        name, equals, value = given.partition("=")
        if not (name and equals):
            raise wrong(f"--client-option: expected NAME=VALUE, found {given!r}")
        if name in found:
            raise wrong(f"--client-option: expected {name} once, found it twice; leave one out")
        if name in SET_BY_SCENARIOS:
            raise wrong(
                f"--client-option: expected an option that no scenario sets, found {name}; leave "
                "it out, since scenarios draw it"
            )
        found[name] = value
    return found


def broker_config(o: Mapping[str, Any]) -> dict[str, str]:
    """The settings of a broker that is started for what the options name."""
    started = not o["bootstrap_server"] and not o["image"] and not o["image_settings"]
    return dict(BROKER_CONFIG) if is_client_named(o) and started else {}
