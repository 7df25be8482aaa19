"""`fencepost identify`: which readings a broker follows, of the clauses of a subject or of a draft."""

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
    default_subject,
    draft_options,
    drafted_by,
    end_in_order,
    facts_of,
    given_facts,
    make_codec,
    make_system,
    reached,
    restarts_of,
    system_options,
    told,
    wrong,
)
from conformance.cli.output import make_console
from conformance.cli.record import Record, exit_code
from conformance.cli.run_folder import make_folder, new_run_id, write_outcome, write_report
from conformance.cli.run_header import Judging, header, naming_again
from conformance.engine.corpus import Keeper
from conformance.engine.loop import Lost
from conformance.facts import semantics_of
from conformance.findings import SHIPPED, load_findings
from conformance.identify.found import identified_of
from conformance.placement.problem import PlacementFailed
from conformance.wire.outcomes import NoAnswer, NotConnected
from results.log import EventWriter
from spec.drafts import drafts
from spec.events import RunFinished
from spec.subjects import SUBJECTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from conformance.facts import Facts
    from conformance.identify.found import Identified
    from conformance.systems.base import BrokerSystem
    from spec.events import Event
    from spec.semantics import Semantics


@click.command()
@click.argument("system", default=DEFAULT_SYSTEM, metavar="[SYSTEM]")
@system_options
@draft_options
@click.option(
    "--subject", metavar="NAME", help="Whose readings: a subject, or a draft by its name. [default: fetch, or the draft of --draft]"
)
@click.option("--facts", type=click.Path(path_type=Path), metavar="FILE", help="Release and limits of the broker, where it does not tell.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="What the choice among questions starts from.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("fencepost-runs"), show_default=True, help="Where run folders go.")
@click.option("--report/--no-report", default=True, help="Make the HTML report at the end.")
@told
def identify(system: str, **options: Any) -> None:
    """Find which readings a broker follows where a text can be understood in several ways.

    Of a subject such as fetch or share: for each clause with readings (`fencepost readings`) the ones that fit all that was seen, with the
    scenario that ruled out each other. Of a draft such as max-records: the class of profiles that fit. Small layouts are placed and asked
    about until what is left can't be told apart; clauses are judged by the way. A broker that does not know the draft, as every release,
    is `unsupported`: that is no pass, and the exit code is 3. SYSTEM is as for `run`; `model --draft max-records --profile ...` serves a
    draft to try. A run folder is left as by `run`.
    """
    end_in_order()
    sys.exit(_Identify({**options, "system": system}).go())


class _Identify:
    """One run that tells readings apart, from options to exit code."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.console: Console = make_console()
        self.drafted = drafted_by(options["draft"], options["profile"])
        self.subject = self._subject()

    def _subject(self) -> str:
        """The name of the subject that is asked about."""
        given = self.options["subject"]
        if given is None:
            return default_subject() if self.drafted is None else self.drafted.draft.subject.name
        names = {draft.name: draft.subject.name for draft in drafts()}
        subject = next((one for one in SUBJECTS if one.name == names.get(given, given)), None)
        askable = [one.name for one in SUBJECTS if one.axes or one.name in names.values()]
        if subject is None or subject.name not in askable:
            raise wrong(f"--subject: expected one of {', '.join(askable)}, which have readings, found {given!r}")
        return subject.name

    def go(self) -> int:
        """Do it; the exit code."""
        o = self.options
        system = make_system(**{name: o[name] for name in NAMING}, drafted=self.drafted)
        given = given_facts(o["facts"])
        run_id = new_run_id()
        folder = o["out"] / run_id
        try:
            system.start()
            facts = facts_of(reached(system, make_codec()), given, system)
            findings = load_findings((SHIPPED,), facts.release, facts.implementation)
            judging = Judging(run_id, facts, findings, datetime.now(UTC).date())
            code = self._record(system, facts, judging, folder)
        finally:
            with suppress(KeyboardInterrupt):
                system.stop()
        if o["report"]:
            write_report(folder, self.console)
        return code

    def _record(self, system: BrokerSystem, facts: Facts, judging: Judging, folder: Path) -> int:

        began = time.monotonic()
        make_folder(folder)
        identified = identified_of(self.subject)
        with EventWriter(folder / "events.jsonl") as writer:
            record = Record(writer, judging, Keeper(None, frozenset()), self.subject)
            record.tell(header(system, judging, self.subject, self.options["seed"], self._to_do_it_again()))
            again = "identify it again when it is well"
            events = self._events(identified, system, semantics_of(facts))
            reason, code = record.follow(events, lambda: again)
            code = exit_code(record.summary, strict=identified.strict, problems=identified.empty, so_far=code)
            record.tell(RunFinished(reason, code, identified.layouts, identified.scenarios, round(time.monotonic() - began, 3)))
        write_outcome(folder, record.summary, self.console, strict=identified.strict)
        for line in identified.lines(exercised=bool(record.summary.exercised)):
            self.console.print(line, markup=False, highlight=False, soft_wrap=True)
        return code

    def _events(self, identified: Identified, system: BrokerSystem, semantics: Semantics) -> Iterator[Event]:
        """Ask the started system; all events between the header and the footer."""
        try:
            yield from identified.events(system, semantics, make_codec, lambda: restarts_of(system, make_codec()), self.options["seed"])
        except (PlacementFailed, NoAnswer, NotConnected) as failed:
            raise Lost(str(failed)) from failed

    def _to_do_it_again(self) -> dict[str, str]:
        """The options that matter for doing the run again."""
        others = ("draft", "profile", "subject", "command_config", "facts")
        named = {name: str(self.options[name]) for name in others if self.options[name]}
        return {"command": "identify", **naming_again(self.options), **named}
