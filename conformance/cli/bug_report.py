"""A replay's break as a bug report ready to send, with a program that shows it."""

from __future__ import annotations

import shlex
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.reproduction.expected import expectation_of
from conformance.reproduction.program import Heading, NoProgramError, standalone
from results.bug_report import Program, bug_report
from results.files import write_whole
from results.geometry import panels

if TYPE_CHECKING:
    from conformance.engine.replay import Replayed
    from conformance.wire.codec import Codec
    from conformance.wire.transcript import Transcript
    from spec.scenario import Scenario
    from spec.verdict import Verdict

TO_TERMINAL = Path("-")
PYTHON = "A program without Fencepost"
JAVA = "With Kafka's Java client"
NO_JAVA = (
    "None is written: the client chooses versions, limits and the moment of its requests itself, "
    "so that a program with it would not send the requests above."
)


def write_bug_report(
    replayed: Replayed,
    scenario: Scenario,
    transcript: Transcript | None,
    codec: Codec,
    out: Path,
) -> None:
    """Write the report of what a replay broke, to a file and the program beside it, or to the
    terminal.

    Args:
        replayed: what was played.
        scenario: the scenario.
        transcript: what was sent; None where that is not known.
        codec: Kafka's messages.
        out: the file; `-` for the terminal.
    """
    played = replayed.confirmation.counts
    breaks = tuple(sorted(played.judgement.breaks, key=lambda verdict: not verdict.primary))
    source, why = _program(replayed, scenario, transcript, codec, breaks[0])
    script = out.with_suffix(".py")
    name = "show.py" if out == TO_TERMINAL else shlex.quote(script.name)
    usage = f"`python {name} HOST:PORT` exits with 1 where the broker answers as above."
    programs = (
        Program(PYTHON, "python", source, usage if source else f"None is written: {why}."),
        Program(JAVA, "java", "", NO_JAVA),
    )
    text = bug_report(scenario, played.observation, breaks, _tested_facts(replayed), programs)
    if out == TO_TERMINAL:
        click.echo(text, nl=False)
        return
    write_whole(out, text)
    click.echo(f"report  {out}")
    if source:
        write_whole(script, source)
        click.echo(f"program {script}")


def _program(
    replayed: Replayed,
    scenario: Scenario,
    transcript: Transcript | None,
    codec: Codec,
    main: Verdict,
) -> tuple[str, str]:
    """The program's source, or an empty one and why there is none."""
    if transcript is None:
        return "", "what was sent was not kept"
    played = replayed.confirmation.first
    if not played.broke(main.clause, main.signature):
        return "", "the first play did not show it"
    found = expectation_of(played, replayed.semantics)
    step = -1 if found is None else played.observation.exchanges[found.exchange].step
    words = tuple(
        [panel.title.partition(": ")[2] for panel in panels(scenario, played.observation)]
    )
    needs = tuple([f"The broker needs {name}={value}." for name, value in scenario.config])
    seen = [f"{name}: {value}" for name, value in _tested_facts(replayed).items()]
    heading = Heading(f"{main.clause}: {main.why}", ("Seen on", *seen, *needs), words)
    try:
        return standalone(transcript, scenario, codec, found, step, heading), ""
    except NoProgramError as none:
        return "", str(none)


def _tested_facts(replayed: Replayed) -> dict[str, str]:
    facts = replayed.facts.shown
    release = replayed.semantics.release
    named = {
        "implementation": facts.get("implementation", "not known"),
        "version": facts.get("kafka.version", "not known"),
        "judged as": f"Kafka {release}",
    }
    return {**named, "Fencepost": version("fencepost")}
