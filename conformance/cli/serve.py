"""`fencepost serve`: the specification as a broker that clients can talk to."""

from __future__ import annotations

import asyncio

import click

from conformance.cli.common import drafted_by
from conformance.cli.errors import report_errors, wrong
from conformance.cli.options import DEFAULT_KAFKA, draft_options
from conformance.drafts import plugs
from conformance.serve.assembly import listening
from conformance.serve.peers import PEERS
from conformance.serve.settings import Settings
from conformance.subjects.registry import find_fault, served_faults
from conformance.systems.jars import available_versions


@click.command()
@click.option(
    "--kafka",
    default=DEFAULT_KAFKA,
    show_default=True,
    metavar="VERSION",
    help="The Apache Kafka release to stand for.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on, which clients are given too.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=9092,
    show_default=True,
    help="The port; 0 takes a free one.",
)
@click.option(
    "--config",
    "configs",
    multiple=True,
    metavar="NAME=VALUE",
    help="A broker config; may be given more than once.",
)
@click.option("--fault", metavar="NAME", help="Be wrong in this way, or odd and correct.")
@draft_options
@click.option(
    "--list-faults", is_flag=True, help="Show the planted faults and legal variants, and end."
)
@report_errors
def serve(
    kafka: str,
    host: str,
    port: int,
    configs: tuple[str, ...],
    fault: str | None,
    draft: str | None,
    profile: str | None,
    *,
    list_faults: bool,
) -> None:
    """Serve the model behind Kafka's wire protocol, until Ctrl-C.

    Real clients can create topics, produce (all codecs, idempotent, transactional), fetch, list
    offsets, delete records, commit offsets, and join classic, consumer and share groups. All is
    kept in memory and gone at the end. Every decision about Kafka's limits is the specification's
    own.
    """
    if list_faults:
        _list()
        return

    if kafka not in available_versions():
        raise wrong(f"--kafka: expected one of {', '.join(available_versions())}, found {kafka!r}")
    given = {}
    for config in configs:
        name, equals, value = config.partition("=")
        if not equals:
            raise wrong(f"--config: expected NAME=VALUE, found {config!r}")
        given[name] = value
    asyncio.run(_serve(Settings(kafka, given, drafted_by(draft, profile)), host, port, fault))


async def _serve(settings: Settings, host: str, port: int, fault: str | None) -> None:
    planted = None if fault is None else find_fault(fault)[1]
    try:
        server = await listening(settings, host, port, planted)
    except OSError as failed:
        raise wrong(
            f"expected to listen on {host}:{port}, found: {failed.strerror or failed}; name "
            "another --host or --port"
        ) from failed
    what = f", with the fault {fault}" if fault else ""
    if settings.draft is not None:
        what += f", with the draft {settings.draft.draft.name} ({settings.draft.profile})"
    click.echo(
        f"the model of Kafka {settings.kafka} listens on "
        f"{server.state.host}:{server.state.port}{what}; Ctrl-C ends it"
    )
    try:
        await asyncio.Event().wait()
    finally:
        await server.stop()


def _list() -> None:
    released = [fault for _, fault in served_faults()]
    drafted = {plug.draft.name: plug.faults for plug in plugs() if plug.faults}
    width = max(len(fault.name) for faults in (released, *drafted.values()) for fault in faults)
    for heading, faults in (("", released), *drafted.items()):
        if heading:
            click.echo(f"\nOf the draft {heading}, with --draft {heading}:")
        for fault in faults:
            click.echo(
                f"{fault.name:<{width}}  {fault.expected:<9}  {fault.clause or '-':<8}  "
                f"{fault.summary}"
            )
    click.echo("\nPeers that are odd and correct, which every subject passes:")
    for peer in PEERS.values():
        click.echo(f"{peer.name:<{width}}  {peer.summary}")
