"""`fencepost smoke`: whether a broker can be tested, and how far, in a few seconds."""

from __future__ import annotations

import secrets
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from conformance.cli.common import end_in_order, given_facts, make_codec
from conformance.cli.errors import report_errors
from conformance.cli.lazy import BEGAN
from conformance.cli.options import command_config_option
from conformance.ledger import LEDGER_NAME, FileLedger
from conformance.smoke.check import IN_ALL_S, BrokerCheck
from conformance.subjects.registry import CLIENT_RUNNERS, RUNNERS, runner_of
from conformance.systems.external import External
from results.schema_files import as_text
from results.text import plain, without_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.ledger import Ledger
    from conformance.smoke.found import Api, Smoke, Subject

_LOOKED_FOR_S = 4.0
"""Seconds that the address is tried; the rest is for asking."""
_LEAST_S = 7.0
"""Seconds that the broker has in any case: on a busy machine Fencepost itself takes some to start.
"""
_MOST_NAMES = 6


@click.command(
    help=f"Say in at most {IN_ALL_S:.0f} seconds whether the broker at ADDRESS can be tested.\n\n"
    "Shown are the subjects and clauses that a run would try, the APIs, versions and configs that "
    "are missing, what each costs, and the release that it would be judged as. A topic is made, "
    "written, read and removed. Exit code 0: a run can begin. 2: wrong use, or a run would ask "
    "for a facts file. 3: nothing answers, or nothing can be tested."
)
@click.argument("address", metavar="ADDRESS")
@command_config_option
@click.option(
    "--facts",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Release and limits of the broker, where it does not report them.",
)
@click.option("--read-only", is_flag=True, help="Make no topic: ask what it advertises alone.")
@click.option("--json", "as_json", is_flag=True, help="Print it for programs.")
@report_errors
def smoke(
    address: str, command_config: Path | None, facts: Path | None, read_only: bool, as_json: bool
) -> None:
    """Look at a broker, and print what was found."""
    end_in_order()
    began = click.get_current_context().meta.get(BEGAN, time.monotonic())
    given = given_facts(facts)
    system = External(address, command_config)
    system.patience_s = _LOOKED_FOR_S
    codec = make_codec()  # before a second is spent on the broker
    folder = Path(tempfile.mkdtemp(prefix="fencepost-smoke-"))
    ledger: Ledger | None = None if read_only else FileLedger(folder / LEDGER_NAME)
    name = f"smoke-{secrets.token_hex(4)}"
    of_brokers = [one for one in RUNNERS if one.subject not in CLIENT_RUNNERS]
    found = BrokerCheck(
        address, system, codec, given, of_brokers, runner_of("fetch"), ledger, name
    ).look(max(_LEAST_S, IN_ALL_S - (time.monotonic() - began)))
    if isinstance(ledger, FileLedger):
        ledger.close()
    if not found.left:
        shutil.rmtree(folder, ignore_errors=True)
    if as_json:
        click.echo(as_text(without_surrogates(msgspec.to_builtins(found))), nl=False)
    else:
        for line in _lines(found):
            click.echo(plain(line))
        if found.left:
            click.echo(f"`fencepost clean {folder} --bootstrap-server {address}` removes it")
    sys.exit(found.exit_code)


def _lines(found: Smoke) -> Iterator[str]:
    """The result as text, the verdict last."""
    if found.release is not None:
        yield (
            f"judged as Kafka {found.release}, written by {found.implementation}, "
            f"{found.brokers} broker{'' if found.brokers == 1 else 's'}"
        )
        yield from [f"note: {note}" for note in found.notes]
        yield ""
        width = max([len(one.name) for one in found.subjects], default=0)
        yield from [_subject(one, width) for one in found.subjects]
        yield ""
    yield from [_missing(api) for api in found.apis if not api.usable]
    yield from [
        f"config {one.config} is not reported: {one.cost}" for one in found.limits if one.cost
    ]
    for trial in found.trials:
        broken = f"; breaks {', '.join(trial.breaks)} already" if trial.breaks else ""
        lost = f"; costs scenarios of {', '.join(trial.fewer)}" if trial.fewer else ""
        yield f"tried: {trial.name}: {'yes' + broken if trial.ok else f'no: {trial.why}{lost}'}"
    yield from found.left
    yield ""
    word = {0: "TESTABLE", 2: "NEEDS FACTS"}.get(found.exit_code, "NOT TESTABLE")
    yield f"{word}  {found.sentence} ({found.seconds:.1f} s)"


def _subject(one: Subject, width: int) -> str:
    """What a run would try of a subject, whose name takes so many columns."""
    what = f"{one.name:<{width}} {one.tried:>3} of {one.clauses:>3} clauses"
    if not one.runs:
        return f"{what}, not run: {one.why}"
    others = tuple([clause for clause in one.missing if clause not in one.in_files])
    left_out = [_some(others)] if others else []
    if one.in_files:
        left_out += [f"{_some(one.in_files)} (they need files in the broker's data folder)"]
    return f"{what}, not tried: {'; '.join(left_out)}" if left_out else what


def _missing(api: Api) -> str:
    low, high = api.known
    found = "is not advertised"
    if api.advertised is not None:
        found = (
            f"is advertised as v{api.advertised[0]} to v{api.advertised[1]}, of which none is "
            f"known here (v{low} to v{high})"
        )
    costs = [f"costs {_some(api.without)}"] if api.without else []
    costs += [f"costs scenarios of {_some(api.fewer)}"] if api.fewer else []
    return "; ".join([f"{api.name} {found} ({api.purpose})", *costs])


def _some(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more
