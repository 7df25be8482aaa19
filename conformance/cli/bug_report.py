"""A replay's break as a bug report ready to send, with a program that shows it."""

from __future__ import annotations

import shlex
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.reproduction.expected import expectation_of
from conformance.reproduction.program import Heading, NoProgramError, standalone
from conformance.systems.model import Model
from results.bug_report import Program, bug_report
from results.files import write_whole
from results.geometry import panels

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    client_fault: str | None = None,
) -> None:
    """Write the report of what a replay broke, to a file and the program beside it, or to the
    terminal.

    Args:
        replayed: what was played.
        scenario: the scenario.
        transcript: what was sent; None where that is not known.
        codec: Kafka's messages.
        out: the file; `-` for the terminal.
        client_fault: what the client under test is wrapped with; None for nothing.
    """
    played = replayed.confirmation.counts
    breaks = tuple(sorted(played.judgement.breaks, key=lambda verdict: not verdict.primary))
    tested = _tested_facts(replayed, client_fault)
    source, why = _program(replayed, scenario, transcript, codec, breaks[0], tested)
    script = out.with_suffix(".py")
    usage = (
        f"`python {'show.py' if out == TO_TERMINAL else shlex.quote(script.name)} HOST:PORT` exits "
        "with 1 where the broker answers as above."
    )
    if out == TO_TERMINAL:
        usage = f"Save it as `show.py`; then {usage}"
    programs = (
        Program(PYTHON, "python", source, usage if source else f"None is written: {why}."),
        Program(JAVA, "java", "", NO_JAVA),
    )
    text = bug_report(scenario, played.observation, breaks, tested, programs)
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
    tested: Mapping[str, str],
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
    seen = [f"{name}: {value}" for name, value in tested.items()]
    heading = Heading(f"{main.clause}: {main.why}", ("Seen on", *seen, *needs), words)
    try:
        return standalone(transcript, scenario, codec, found, step, heading), ""
    except NoProgramError as none:
        return "", str(none)


def _tested_facts(replayed: Replayed, client_fault: str | None) -> dict[str, str]:
    """What was tested, by what it is called. The served model stands for a release of Kafka, but
    is none.
    """
    facts, system = replayed.facts.shown, replayed.system
    version_shown = facts.get("kafka.version", "not known")
    if system.get("system") == Model.name:
        named = {"system": _served_model(system), "stands for": f"Kafka {version_shown}"}
    else:
        named = {
            "implementation": facts.get("implementation", "not known"),
            "version": version_shown,
        }
    if client_fault:
        named["planted in the client"] = client_fault
    release = f"Kafka {replayed.semantics.release}"
    return {**named, "judged as": release, "Fencepost": version("fencepost")}


def _served_model(system: Mapping[str, str]) -> str:
    """The served model with what it was given, `Fencepost's served model with the planted fault
    no-progress`.
    """
    given = [
        f"the {word} {system[name]}"
        for name, word in (("fault", "planted fault"), ("draft", "draft"))
        if name in system
    ]
    return "Fencepost's served model" + (f" with {' and '.join(given)}" if given else "")
