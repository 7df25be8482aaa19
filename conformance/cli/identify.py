"""`fencepost identify`: which reading of the draft MaxRecords a broker follows."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.common import (
    DEFAULT_SYSTEM,
    NAMING,
    draft_options,
    drafted_profile,
    end_in_order,
    facts_of,
    given_facts,
    make_codec,
    make_system,
    reached,
    system_options,
    told,
)
from conformance.cli.output import make_console
from conformance.cli.record import Record, exit_code
from conformance.cli.run_folder import make_folder, new_run_id, write_outcome, write_report
from conformance.cli.run_header import Judging, header, naming_again

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import Console

    from conformance.draft.candidates import ProfileClass
    from conformance.draft.telling import Telling
    from conformance.systems.base import BrokerSystem
    from spec.events import Event
    from spec.semantics import Semantics

SUBJECT = "max_records"


@click.command()
@click.argument("system", default=DEFAULT_SYSTEM, metavar="[SYSTEM]")
@system_options
@draft_options
@click.option("--facts", type=click.Path(path_type=Path), metavar="FILE", help="Release and limits of the broker, where it does not tell.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="What the choice among questions starts from.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("fencepost-runs"), show_default=True, help="Where run folders go.")
@click.option("--report/--no-report", default=True, help="Make the HTML report at the end.")
@told
def identify(system: str, **options: Any) -> None:
    """Name the class of profiles of the draft MaxRecords (KAFKA-19554) that a broker follows.

    Small layouts are placed and asked about until the profiles that are left can't be told apart. What holds under every reading is judged
    by the way. A broker that does not know the field, as every release, is `unsupported`: that is no pass, and the exit code is 3.
    SYSTEM is as for `run`; `model --draft max-records --profile ...` serves one to try. A run folder is left as by `run`.
    """
    end_in_order()
    sys.exit(_Identify({**options, "system": system}).go())


class _Identify:
    """One run that tells readings apart, from options to exit code."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.console: Console = make_console()

    def go(self) -> int:
        """Do it; the exit code."""
        from conformance.facts import semantics_of  # noqa: PLC0415 - keeps --help quick

        o = self.options
        system = make_system(**{name: o[name] for name in NAMING}, draft=drafted_profile(o["draft"], o["profile"]))
        given = given_facts(o["facts"])
        run_id = new_run_id()
        folder = o["out"] / run_id
        try:
            system.start()
            facts = facts_of(reached(system, make_codec()), given, system)
            code = self._record(system, semantics_of(facts), Judging(run_id, facts, (), datetime.now(UTC).date()), folder)
        finally:
            with suppress(KeyboardInterrupt):
                system.stop()
        if o["report"]:
            write_report(folder, self.console)
        return code

    def _record(self, system: BrokerSystem, semantics: Semantics, judging: Judging, folder: Path) -> int:
        from conformance.draft.telling import Telling  # noqa: PLC0415 - keeps --help quick
        from conformance.engine.corpus import Keeper  # noqa: PLC0415
        from results.log import EventWriter  # noqa: PLC0415
        from spec.events import RunFinished  # noqa: PLC0415

        began = time.monotonic()
        make_folder(folder)
        telling = Telling()
        with EventWriter(folder / "events.jsonl") as writer:
            record = Record(writer, judging, Keeper(None, frozenset()), SUBJECT)
            record.tell(header(system, judging, SUBJECT, self.options["seed"], _to_do_it_again(self.options)))
            again = "identify it again when it is well"
            reason, code = record.follow(_events(system, semantics, telling, self.options["seed"]), lambda: again)
            code = exit_code(record.summary, strict=True, problems=telling.left.empty, so_far=code)
            record.tell(RunFinished(reason, code, telling.layouts, telling.scenarios, round(time.monotonic() - began, 3)))
        write_outcome(folder, record.summary, self.console, strict=True)
        _show(telling.left, self.console, exercised=bool(record.summary.exercised))
        return code


def _events(system: BrokerSystem, semantics: Semantics, telling: Telling, seed: int) -> Iterator[Event]:
    """Ask the started system; all events between the header and the footer."""
    from conformance.draft.asking import Unknown, carrier_of, player  # noqa: PLC0415 - keeps --help quick
    from conformance.draft.identifying import identify as ask_all  # noqa: PLC0415
    from conformance.engine.loop import Lost  # noqa: PLC0415
    from conformance.placement.problem import PlacementFailed  # noqa: PLC0415
    from conformance.wire.outcomes import NoAnswer, NotConnected  # noqa: PLC0415

    try:
        found = carrier_of(system, semantics, make_codec)
        if isinstance(found, Unknown):
            yield from telling.unsupported(found)
            return
        with player(system, found, semantics, make_codec) as play:
            yield from telling.asked(ask_all(play, found.encoding, semantics, crafted=False, seed=seed), found.encoding)
    except (PlacementFailed, NoAnswer, NotConnected) as failed:
        raise Lost(str(failed)) from failed


def _show(left: ProfileClass, console: Console, *, exercised: bool) -> None:
    """The readings that fit, question by question."""
    from spec.max_records.axes import AXES  # noqa: PLC0415 - keeps --help quick

    if not exercised:
        console.print("UNSUPPORTED  no profile is named")
        return
    for axis in AXES if not left.empty else ():
        console.print(f"  {axis.name:<11} {' | '.join(left.readings(axis.name)) or 'does not arise'}", markup=False, highlight=False)
    console.print("NO PROFILE  fits" if left.empty else f"PROFILE  {left.named}", markup=False, highlight=False, soft_wrap=True)


def _to_do_it_again(options: Mapping[str, Any]) -> dict[str, str]:
    """The options that matter for doing the run again."""
    others = ("draft", "profile", "command_config", "facts")
    return {**naming_again(options), **{name: str(options[name]) for name in others if options[name]}}
