"""The header of a run's event log: what is tested, by what, and how to do it again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from conformance.cli.common import DEFAULT_SYSTEM, default_subject
from conformance.facts import UNKNOWN_IMPLEMENTATION
from conformance.findings import known
from results.clauses import known_to_facts
from spec.events import RunStarted
from spec.requirements import requirement_set

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from conformance.engine.plan import Plan
    from conformance.facts import Facts
    from conformance.findings import Finding
    from conformance.systems.base import BrokerSystem


@dataclass(frozen=True, slots=True)
class Judging:
    """What a run judges by.

    Attributes:
        run: the run's id.
        facts: the release and limits that the broker is judged as.
        findings: the known breaks of that release.
        today: the day that findings expire by.
    """

    run: str
    facts: Facts
    findings: tuple[Finding, ...]
    today: date

    @property
    def known(self) -> dict[tuple[str, str], str]:
        """The reason of each finding that holds today, by clause and signature."""
        return dict(known(self.findings, self.today))


def header(system: BrokerSystem, judging: Judging, subject: str, seed: int, options: dict[str, str]) -> RunStarted:
    """The header of a run that starts now; `options` are those that do it again."""
    facts = judging.facts
    shown = {**system.facts(), **facts.shown, **known_to_facts(judging.known)}
    return RunStarted(
        run=judging.run,
        started=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        fencepost=version("fencepost"),
        seed=seed,
        subject=subject,
        system=_name_of(system, facts),
        release=facts.release,
        requirement_set=requirement_set(subject, facts.release).name,
        facts={name: str(value) for name, value in shown.items()},
        options=options,
        hypothesis=version("hypothesis"),
    )


def _name_of(system: BrokerSystem, facts: Facts) -> str:
    """What the system is called in logs and reports: by who wrote it, where a facts file alone says that."""
    said = "implementation" not in system.facts() and facts.implementation != UNKNOWN_IMPLEMENTATION
    return facts.implementation if said else str(getattr(system, "name", "external"))


def naming_again(options: Mapping[str, Any]) -> dict[str, str]:
    """The options that name the system, for doing a run again."""
    if options["bootstrap_server"]:
        return {"bootstrap-server": options["bootstrap_server"]}
    if options["image"]:
        return {"image": options["image"]}
    named = {"system": options["system"]} if options["system"] != DEFAULT_SYSTEM else {}
    return {**{name: str(options[name]) for name in ("kafka", "fault") if options[name]}, **named}


def to_do_it_again(options: Mapping[str, Any], plan: Plan) -> dict[str, str]:
    """The options that matter for doing the run again."""
    kept = {"scenarios": str(plan.scenarios)} if plan.seconds is None else {"time": str(options["duration"])}
    kept |= naming_again(options)
    if options["subject"] != default_subject():
        kept["subject"] = options["subject"]
    several = {"clause": sorted(plan.clauses), "findings": [str(file) for file in options["findings"]]}
    kept |= {name: "\n".join(values) for name, values in several.items() if values}
    kept |= {name: str(options[name]) for name in ("command_config", "facts", "corpus") if options[name]}
    flags = {"no-restart": not options["restart"], "strict": options["strict"], "no-corpus": options["no_corpus"]}
    kept |= {name: "true" for name, given in flags.items() if given}
    return kept
