"""`fencepost identify`: which readings a broker follows, of the clauses of a subject or of a
draft.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.common import (
    drafted_by,
    end_in_order,
    given_facts,
    make_codec,
    make_system,
)
from conformance.cli.console import make_console
from conformance.cli.errors import report_errors, wrong
from conformance.cli.handlers import Count, Log
from conformance.cli.options import DEFAULT_SYSTEM, NAMING, draft_options, system_options
from conformance.cli.run_folder import new_run_id, write_outcome, write_report
from conformance.cli.run_header import system_options_to_repeat
from conformance.cli.subject_options import default_subject
from conformance.engine.event_stream import Run, run
from conformance.engine.handlers import follow
from conformance.engine.loop import Lost
from conformance.facts import semantics_of
from conformance.identify.found import identified_of
from conformance.placement.problem import PlacementFailed
from conformance.wire.outcomes import NoAnswer, NotConnected
from spec.draft_registry import drafts
from spec.subject_registry import SUBJECTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from conformance.engine.start import Started
    from conformance.identify.found import Identified
    from spec.draft import Drafted
    from spec.events import Event


@click.command()
@click.argument("system", default=DEFAULT_SYSTEM, metavar="[SYSTEM]")
@system_options
@draft_options
@click.option(
    "--subject",
    metavar="NAME",
    help=(
        "Whose readings: a subject, or a draft by its name. [default: fetch, or the draft of "
        "--draft]"
    ),
)
@click.option(
    "--facts",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Release and limits of the broker, where it does not report them.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    help="What the choice among questions starts from.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("fencepost-runs"),
    show_default=True,
    help="Where run folders go.",
)
@click.option("--report/--no-report", default=True, help="Make the HTML report at the end.")
@report_errors
def identify(system: str, **options: Any) -> None:
    """Find which readings a broker follows where a text can be understood in several ways.

    Of a subject such as fetch or share: for each clause with readings (`fencepost readings`) the
    ones that fit all that was seen, with the scenario that ruled out each other. Of a draft such as
    max-records: the class of profiles that fit. Small layouts are placed and asked about until what
    is left can't be distinguished; clauses are judged too. A broker that does not know the
    draft, as every release, is `unsupported`: that is no pass, and the exit code is 3. SYSTEM is as
    for `run`; `model --draft max-records --profile ...` serves a draft to try. A run folder is left
    as by `run`.
    """
    end_in_order()
    o = {**options, "system": system}
    drafted = drafted_by(o["draft"], o["profile"])
    subject = _subject(o["subject"], drafted)
    identified = identified_of(subject)
    run_id = new_run_id()
    folder = o["out"] / run_id
    asked = Run(
        subject=subject,
        system=make_system(**{name: o[name] for name in NAMING}, drafted=drafted),
        codec=make_codec(),
        begin=_Inquiry(identified, o["seed"]).begin,
        seed=o["seed"],
        id=run_id,
        given=given_facts(o["facts"]),
        strict=identified.strict,
        whole=False,
        options=_to_do_it_again(o),
        after_loss=lambda end: f"{end + '; ' if end else ''}identify it again when it is well",
    )
    console, count = make_console(), Count(subject)
    with Log(folder, resume=False) as log:
        follow(run(asked), (log, count))
    summary = count.summary
    assert summary.footer is not None
    write_outcome(folder, summary, console, strict=identified.strict)
    for line in identified.lines(exercised=bool(summary.exercised)):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    if o["report"]:
        write_report(folder, console)
    sys.exit(summary.footer.exit_code)


def _subject(given: str | None, drafted: Drafted | None) -> str:
    """The name of the subject that is asked about.

    Raises:
        ClickException: it has no readings, or there is none of that name.
    """
    if given is None:
        return default_subject() if drafted is None else drafted.draft.subject.name
    names = {draft.name: draft.subject.name for draft in drafts()}
    subject = next((one for one in SUBJECTS if one.name == names.get(given, given)), None)
    askable = [one.name for one in SUBJECTS if one.axes or one.name in names.values()]
    if subject is None or subject.name not in askable:
        raise wrong(
            f"--subject: expected one of {', '.join(askable)}, which have readings, found {given!r}"
        )
    return subject.name


@dataclass(slots=True)
class _Inquiry:
    """The play of a run that distinguishes readings.

    Attributes:
        identified: what is found.
        seed: what the choice among questions starts from.
        broker: who is asked; None before it was started.
    """

    identified: Identified
    seed: int
    broker: Started | None = None

    @contextmanager
    def begin(self, broker: Started, _: frozenset[tuple[str, str]]) -> Iterator[_Inquiry]:
        """The same, on a broker that was started."""
        self.broker = broker
        yield self

    @property
    def layouts(self) -> int:
        """How many were placed."""
        return self.identified.layouts

    @property
    def judged(self) -> int:
        """How many scenarios."""
        return self.identified.scenarios

    @property
    def failed(self) -> bool:
        """Whether no reading fits."""
        return self.identified.empty

    def events(self) -> Iterator[Event]:
        """All events between the header and the footer.

        Raises:
            Lost: the broker, or the way to it, is gone.
        """
        broker = self.broker
        assert broker is not None
        semantics = semantics_of(broker.facts)
        try:
            yield from self.identified.events(
                broker.system, semantics, make_codec, lambda: broker.restarts, self.seed
            )
        except (PlacementFailed, NoAnswer, NotConnected) as failed:
            raise Lost(str(failed)) from failed


def _to_do_it_again(o: Mapping[str, Any]) -> dict[str, str]:
    """The options that matter for doing the run again."""
    others = ("draft", "profile", "subject", "command_config", "facts")
    named = {name: str(o[name]) for name in others if o[name]}
    return {"command": "identify", **system_options_to_repeat(o), **named}
