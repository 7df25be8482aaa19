"""Continuing a run that was cut off: as it began, by what its own log says of it."""

from __future__ import annotations

import shlex
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from click.core import ParameterSource

from conformance.cli.errors import wrong
from conformance.cli.options import DEFAULT_SYSTEM
from conformance.cli.run_header import options_to_repeat
from results.reproduce import command_of, reproduction
from spec.events import Judged, RunFinished
from spec.frozen import replace
from spec.requirements import requirement_sets

if TYPE_CHECKING:
    from collections.abc import Mapping

    import click

    from conformance.engine.plan import Plan
    from conformance.facts import Facts
    from results.log import LogReading
    from results.summary import Summary
    from spec.events import Event, RunStarted

WHAT_IS_TESTED = (
    *("system", "kafka", "brokers", "image", "image-settings", "fault"),
    *("client", "client_command", "client_fault"),
    *("client_option", "subject", "clause", "seed", "portion"),
)
"""Options that a run is resumed with as it began; its other options, a broker's address above
all, may have changed since.
"""
WHAT_IS_JUDGED = ("release", "implementation", "kafka.version", "fetch.versions")
"""Facts of a broker that a run is resumed with as it began, beside its limits."""
CURSORS_SINCE = 2
"""The format of event logs since which they say where a run stands."""
INSTEAD = (
    ("scenarios", "duration"),
    ("corpus", "no_corpus"),
    ("bootstrap_server", "image", "image_settings"),
)
"""Options that stand for each other: where one is given, the run's own word on the other doesn't
count.
"""


def resumed_options(context: click.Context, started: RunStarted) -> dict[str, Any]:
    """The options of a command that resumes a run: those that were given, and the run's own for all
    others.

    Raises:
        ClickException: the run is none of this command's, or what it names is no more there.
    """
    if command_of(started) != "run":
        raise wrong(
            f"--resume: expected a run of `fencepost run`, found subject {started.subject}; begin "
            f"again: `{reproduction(started)}`"
        )
    given = {
        name
        for name in context.params
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    for names in INSTEAD:
        if given & set(names):
            given |= set(names)
    kept = {
        name: value
        for name, value in started.options.items()
        if _parameter(context.command, name) not in given
    }
    words = shlex.split(reproduction(replace(started, options=kept)))[2:]
    before = context.command.make_context(context.info_name, words).params
    return {
        name: context.params[name] if name in given else before[name] for name in context.params
    } | {"resume": context.params["resume"]}


def _parameter(command: click.Command, option: str) -> str | None:
    """The parameter that an option of a log's header sets, `clauses` for `clause`."""
    names = {option, "--" + option.replace("_", "-")}
    return next(
        (one.name for one in command.params if names & {*one.opts, *one.secondary_opts}), None
    )


def must_be_the_same(started: RunStarted, options: Mapping[str, Any], plan: Plan) -> None:
    """Raise wrong use where a resumed run would continue with something other than it began
    with, in one log.
    """
    before = _tested_options(started.options, started.subject, started.seed)
    now = _tested_options(options_to_repeat(options, plan), options["subject"], options["seed"])
    if "portion" in now and "portion" not in before:
        raise wrong(
            "--resume: expected a run in one process, as it began, found --spark-master too; leave "
            "that out"
        )
    for name in WHAT_IS_TESTED:
        if before.get(name) != now.get(name):
            expected, found = [of.get(name, "none").replace("\n", ", ") for of in (before, now)]
            raise wrong(
                f"--resume: expected {name} {expected}, as the run began, found {found}; leave it "
                "out, the run's log says it"
            )


def must_be_resumable(started: RunStarted) -> None:
    """Raise wrong use where the log was written in a way that does not say exactly where the run
    stands, or by another Fencepost.
    """
    instead = f"begin again: `{reproduction(started)}`"
    if started.format < CURSORS_SINCE:
        raise wrong(
            f"--resume: expected a log with cursors (format {CURSORS_SINCE} or newer), which say "
            "exactly where a run stands, "
            f"found format {started.format}; {instead}"
        )
    if started.fencepost != version("fencepost"):
        raise wrong(
            f"--resume: expected a run of this Fencepost, {version('fencepost')}, found one of "
            f"{started.fencepost}, which may draw and "
            f"judge otherwise; {instead}"
        )
    if started.requirement_set not in {one.name for one in requirement_sets()}:
        raise wrong(
            "--resume: expected a run judged by a requirement set of this Fencepost, found one by "
            f"{started.requirement_set}, which has other clauses; {instead}"
        )
    if started.hypothesis not in {"", version("hypothesis")}:
        raise wrong(
            f"--resume: expected a run drawn by this Hypothesis, {version('hypothesis')}, found "
            f"one by {started.hypothesis}, "
            f"which draws other cases for the same seed; {instead}"
        )


def must_be_the_same_broker(started: RunStarted, facts: Facts) -> None:
    """Raise wrong use where another broker is reached than the run began with: one log holds the
    verdicts on one.

    Its release, who wrote it and its limits must be the same.
    """
    for name, now in sorted(facts.shown.items()):
        before = started.facts.get(name)
        if before not in {None, now} and (name in WHAT_IS_JUDGED or name.startswith("config.")):
            raise wrong(
                f"--resume: expected a broker with {name} {before}, as the run began, found {now}; "
                "name the same one, or begin another run"
            )


def _tested_options(options: Mapping[str, str], subject: str, seed: int) -> dict[str, str]:
    named = (
        {}
        if {"bootstrap-server", "image", "image-settings"} & options.keys()
        else {"system": DEFAULT_SYSTEM}
    )
    return {**named, **options, "subject": subject, "seed": str(seed)}


def events_to_continue(resumed: LogReading) -> list[Event]:
    """The events of a run that is continued: an earlier end no longer counts."""
    return [event for event in resumed.events if not isinstance(event, RunFinished)]


def was_complete(resumed: LogReading, summary: Summary) -> bool:
    """Whether a run came to its end before it was resumed, and nothing was judged since."""
    ended = any(
        isinstance(event, RunFinished) and event.reason == "done" for event in resumed.events
    )
    judged = sum(isinstance(event, Judged) for event in resumed.events)
    return ended and summary.scenarios == judged
