"""`fencepost proxy`: stand between a client and a broker, slow its answers down or spoil some."""

from __future__ import annotations

import re
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from conformance.cli.common import end_in_order, make_codec
from conformance.cli.errors import report_errors, wrong
from conformance.faults import wire
from conformance.faults.proxy import Proxy
from conformance.faults.wire import Planted
from conformance.serve.peers import ORDINARY, PEERS
from conformance.systems.external import addresses

if TYPE_CHECKING:
    from conformance.faults.wire import Fault

KINDS = ("cut", "truncate", "drop", "repeat", "reset")


@click.command()
@click.option(
    "--to",
    required=True,
    metavar="HOST:PORT",
    help="The broker that stands behind; plain text, one broker.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    show_default="any free one",
    help="Where to listen on 127.0.0.1.",
)
@click.option(
    "--delay",
    type=click.IntRange(0),
    default=0,
    metavar="MS",
    help="Hold each answer back for so many milliseconds.",
)
@click.option(
    "--fault",
    metavar="FAULT",
    help=f"{', '.join(KINDS)}, or FIELD+N, FIELD-N, FIELD=N, FIELD~N (invert byte N).",
)
@click.option("--api", default="Fetch", show_default=True, help="Whose answers the fault strikes.")
@click.option(
    "--after",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Let so many of them pass first.",
)
@click.option(
    "--times",
    type=click.IntRange(1),
    metavar="N",
    help="Strike so many of them; by default all that follow.",
)
@click.option(
    "--peer",
    type=click.Choice([name for name, peer in PEERS.items() if not peer.numbers_topics]),
    help="Have the broker look like this odd but correct one.",
)
@report_errors
def proxy(
    to: str,
    port: int,
    delay: int,
    fault: str | None,
    api: str,
    after: int,
    times: int | None,
    peer: str | None,
) -> None:
    """Stand between clients and a broker until Ctrl-C.

    \b
    fencepost proxy --to localhost:9092 --delay 200
    fencepost proxy --to localhost:9092 --fault high_watermark+1 --times 1
    fencepost proxy --to localhost:9092 --fault records~-1 --after 100
    fencepost proxy --to localhost:9092 --peer oldest-versions
    """  # noqa: D301 - click wants the character itself
    end_in_order()
    codec = make_codec()
    if api not in codec.api_names.values():
        raise wrong(
            "--api: expected the name of one of Kafka's APIs, such as Fetch or Produce, found "
            f"{api!r}"
        )
    planted = (Planted(fault_named(fault), api, after, times),) if fault else ()
    odd = PEERS[peer] if peer else ORDINARY
    with Proxy(
        addresses(to)[0], codec, planted, delay=delay / 1000, port=port, peer=odd
    ) as running:
        host, found = running.address
        click.echo(f"listening on {host}:{found}; Ctrl-C ends it")
        with suppress(KeyboardInterrupt):
            threading.Event().wait()
        click.echo(f"answers struck: {sum(running.struck)}")


def fault_named(text: str) -> Fault:
    """The fault that a text stands for: a kind, or a field and what becomes of it
    (`high_watermark+1`).
    """
    kinds: dict[str, Fault] = {
        "cut": wire.Cut(),
        "truncate": wire.Truncate(),
        "drop": wire.Drop(),
        "repeat": wire.Repeat(),
        "reset": wire.Reset(),
    }
    if text in kinds:
        return kinds[text]
    found = re.fullmatch(r"([a-z_.]+)([+=~-])(-?\d{1,19})", text)
    if found is None:
        raise wrong(
            f"--fault: expected one of {', '.join(KINDS)} or a changed field such as "
            f"high_watermark+1, found {text!r:.60}"
        )
    number = int(found[3])
    changes: dict[str, wire.Change] = {
        "+": wire.Add(number),
        "-": wire.Add(-number),
        "=": wire.Put(number),
        "~": wire.FlipByte(number),
    }
    return wire.Alter(found[1], changes[found[2]])
