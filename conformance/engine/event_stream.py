"""A run from its start to its footer, as a stream of events: `for event in run(asked): ...`.

The system is started or reached, its facts are read, and the subject's plan is played and judged;
doubtful breaks are played again, the heaviest kinds of break are made small, and all is cleaned up.
What becomes of the events is the concern of whoever follows them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import field
from datetime import UTC, date, datetime
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Protocol

from conformance.claims.features import ANYTHING, Claims
from conformance.engine.cleaning import INTERRUPTED_S, Cleaning, left_behind
from conformance.engine.crowding import crowded_note
from conformance.engine.loop import Lost
from conformance.engine.outcome import RunOutcome
from conformance.engine.permissions import Granted
from conformance.engine.start import Started, start_and_stop
from conformance.exit_codes import INTERRUPTED, OK, UNREACHABLE
from conformance.facts import (
    NOTHING_GIVEN,
    UNKNOWN_IMPLEMENTATION,
    Given,
    require_limits,
    semantics_of,
)
from conformance.findings import (
    SHIPPED_FINDINGS,
    Finding,
    Sightings,
    load_findings,
    unexpired_reasons,
    without_reason,
)
from conformance.ledger import NO_LEDGER, BadLedger
from conformance.misuse import BadConfiguration
from conformance.systems.base import CanBeKilled, ReportsItsEnd
from spec.catalogue import catalogue
from spec.events import Event, Judged, LeftOut, Note, RunFinished, RunStarted
from spec.flaky import FLAKY_ALLOWED, FLAKY_ONE_IN
from spec.frozen import frozen, replace
from spec.known import known_to_facts
from spec.requirements import requirement_set

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence
    from pathlib import Path

    from conformance.engine.cleaning import NotRemoved
    from conformance.engine.loop import Loop
    from conformance.engine.plan import Plan
    from conformance.engine.runner import Runner
    from conformance.facts import Facts
    from conformance.ledger import Ledger
    from conformance.systems.base import BrokerSystem
    from conformance.wire.codec import Codec
    from spec.requirement_set import RequirementSet
    from spec.verdict import Verdict


class Play(Protocol):
    """The part of a run between its header and its footer."""

    @property
    def layouts(self) -> int:
        """How many layouts were placed."""
        ...

    @property
    def judged(self) -> int:
        """How many scenarios were judged."""
        ...

    @property
    def failed(self) -> bool:
        """Whether the run fails whatever its verdicts are."""
        ...

    def events(self) -> Iterator[Event]:
        """All events. Raises `Lost` where the broker is gone."""
        ...


Begin = Callable[[Started, frozenset[tuple[str, str]]], AbstractContextManager[Play]]
"""Makes a play on a started system, by the (clause, signature) of its findings, and ends what it
needs in the end.
"""


@frozen
class Run:
    """The parameters of a run.

    Attributes:
        subject: whose clauses count.
        system: the broker, not started yet.
        codec: what it is asked with.
        begin: makes what is played; `plan_start` makes a subject's plan.
        seed: what the drawing starts from.
        id: the run's id, in its header.
        given: facts from a file, which count before what the broker says.
        findings: files of known breaks, beside those that ship.
        shipped: whether the findings that ship count.
        strict: whether a deviation fails the run.
        clauses: ids of those that are asked about; empty for all of the requirement set.
        whole: whether a finding that does not show any more is stale: not where only some clauses
            are asked about.
        is_portion: whether it is a part of a larger run, which says itself what it lacks.
        options: those that do the run again, for the header.
        earlier: the events of the run that is resumed, without its footer; empty for a new run.
        today: the day that findings expire by.
        agree: raises where the broker that was reached may not be the one of the run that is
            resumed.
        after_loss: what to do about a broker that was lost, given how it ended.
        ledger: takes note of what is made on the cluster, all of which is removed in the end.
        clean: what removes later what could not be removed then.
        claims: what the broker is said to have.
    """

    subject: str
    system: BrokerSystem
    codec: Codec
    begin: Begin
    seed: int
    id: str
    given: Given = NOTHING_GIVEN
    findings: tuple[Path, ...] = ()
    shipped: bool = True
    strict: bool = False
    clauses: frozenset[str] = frozenset()
    whole: bool = True
    is_portion: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    earlier: Sequence[Event] = ()
    today: date = field(default_factory=lambda: datetime.now(UTC).date())
    agree: Callable[[Facts], None] = lambda _: None
    after_loss: Callable[[str | None], str] = lambda end: end or "see whether the broker runs"
    ledger: Ledger = NO_LEDGER
    clean: str = "remove it by hand"
    claims: Claims = ANYTHING


def plan_start(
    runner: Runner[Any],
    plan: Plan,
    name: str,
    suspect: Callable[[Verdict], None] = lambda _: None,
) -> Begin:
    """A subject's plan, on a player of its own that is closed in the end; what is made on the
    broker has the fresh `name` in its own. `suspect` is called with each break that is played again
    before it counts.

    It raises BadConfiguration where the cluster that was reached can't be tested so.
    """

    @contextmanager
    def begin(broker: Started, findings: frozenset[tuple[str, str]]) -> Iterator[Loop]:
        require_limits(runner.limits, broker.facts)
        semantics, restarts = semantics_of(broker.facts), broker.restarts
        if why := runner.unfit(semantics, broker.facts.brokers, restarts=restarts is not None):
            raise BadConfiguration(f"--subject {runner.subject}: {why}")
        player = runner.player(broker.cluster, semantics, name, restarts)
        try:
            granted = Granted(broker.cluster).has
            yield runner.loop(player, replace(plan, granted=granted, suspect=suspect), findings)
        finally:
            with suppress(Exception):
                player.close()

    return begin


def run(asked: Run) -> Generator[Event, None, None]:
    """All events of a run: its header, then what is played and judged, then its footer.

    A run that is resumed has a header again: that of the part that begins. An interrupt, thrown in
    where a consumer meets it, ends the run with a footer like one that is met here.

    Raises:
        SystemProblem, NotConnected, NoAnswer, MissingApiError, BadConfiguration: the broker can't
        be started, reached or judged, as
            `conformance.engine.start.start_and_stop` says; once the header is out, a broker that is
            lost ends the run with a footer.
    """
    with start_and_stop(asked.system, asked.codec, asked.given, asked.ledger) as broker:
        asked.agree(broker.facts)
        counted = counted_clauses(
            requirement_set(asked.subject, broker.facts.release), asked.clauses
        )
        listed = load_findings(
            (*(SHIPPED_FINDINGS if asked.shipped else ()), *asked.findings),
            broker.facts.release,
            broker.facts.implementation,
            broker.facts.kafka_version or "",
        )
        reasons = dict(unexpired_reasons(listed, asked.today))
        footer: RunFinished | None = None
        try:
            with asked.begin(broker, frozenset(reasons)) as play:
                footer = yield from _events(asked, broker, listed, reasons, counted, play)
        except KeyboardInterrupt:
            if footer is None:
                raise
        finally:
            if footer is None:
                with suppress(Exception):
                    _clean(broker, hurried=True)
            if (footer is None or footer.reason == "interrupted") and isinstance(
                asked.system, CanBeKilled
            ):
                asked.system.kill()
        if footer.reason == "broken" and (crowded := crowded_note(broker.cluster)):
            yield Note(crowded)
        yield from _cleaned_up(asked, broker, hurried=footer.reason != "done")
        yield footer


def _clean(broker: Started, *, hurried: bool) -> tuple[NotRemoved, ...]:
    """Remove what the ledger lists; what could not be removed."""
    if hurried:
        within = {"answer_s": INTERRUPTED_S, "all_s": INTERRUPTED_S}
        return Cleaning(broker.cluster, broker.cluster.ledger, **within).remove_all()
    return Cleaning(broker.cluster, broker.cluster.ledger).remove_all()


def _cleaned_up(asked: Run, broker: Started, *, hurried: bool) -> Iterator[Note]:
    """Remove what the ledger lists, and name what could not be removed, which stays in it.

    An interrupt ends it. A ledger that can't be read or written takes nothing from the verdict.
    """
    try:
        for line in left_behind(_clean(broker, hurried=hurried), asked.clean):
            yield Note(line)
    except KeyboardInterrupt:
        yield Note(f"interrupted while things were removed from the cluster; {asked.clean}")
    except (BadLedger, OSError) as failed:
        yield Note(f"not all was removed from the cluster: {failed}")


def _events(
    asked: Run,
    broker: Started,
    listed: tuple[Finding, ...],
    reasons: Mapping[tuple[str, str], str],
    counted: tuple[str, ...],
    play: Play,
) -> Generator[Event, None, RunFinished]:
    """All events but the footer, which it returns."""
    sightings, outcome = Sightings(), RunOutcome(reasons, asked.strict)

    def notice(event: Event) -> Event:
        outcome.see(event)
        if isinstance(event, Judged):
            sightings.see(event.verdicts)
        return event

    for event in asked.earlier:
        notice(event)
    reason, code, began = "done", OK, time.monotonic()
    try:
        yield _header(asked, broker, reasons, counted)
        for note in _notes(broker, listed):
            yield Note(note)
        for left_out in _held_against(asked.claims, broker, counted):
            yield notice(left_out)
        began = time.monotonic()
        for event in play.events():
            yield notice(event)
    except KeyboardInterrupt:
        reason, code = "interrupted", INTERRUPTED
    except Lost as lost:
        reason, code = "broken", UNREACHABLE
        end = asked.system.end_reason() if isinstance(asked.system, ReportsItsEnd) else None
        yield Note(f"the run ended early: {lost}; {asked.after_loss(end)}")
    seconds = round(time.monotonic() - began, 3)
    problems = sightings.problems(listed, asked.today) if reason == "done" and asked.whole else ()
    for problem in (*problems, *(() if asked.is_portion else shortcomings(outcome))):
        yield Note(problem)
    code = outcome.exit_code(code, problems=bool(problems) or play.failed)
    return RunFinished(reason, code, play.layouts, play.judged, seconds)


def _notes(broker: Started, listed: tuple[Finding, ...]) -> Iterator[str]:
    """What the reader should know before anything is played."""
    yield from broker.facts.notes
    if unwritten := without_reason(listed):
        named = ", ".join([f"{one.clause} '{one.signature}' ({one.file})" for one in unwritten])
        yield f"the reasons of findings are still to be written: {named}"


def _held_against(claims: Claims, broker: Started, counted: tuple[str, ...]) -> Iterator[LeftOut]:
    """What is claimed and lacking, and the clauses that are not claimed."""
    cluster = broker.cluster
    offered = partial(cluster.versions.advertised, cluster.codec)
    for lack in claims.lacks(broker.facts.release, counted, cluster.offers, offered):
        yield LeftOut(lack.reason, tuple(sorted(lack.clauses)), lack.api)
    if unclaimed := [one for one in counted if not claims.is_claimed(one)]:
        yield LeftOut(claims.unclaimed, tuple(unclaimed))


def shortcomings(outcome: RunOutcome) -> Iterator[str]:
    """Sentences on what was left out, and on what a strict run does not accept."""
    if outcome.not_laid:
        strict = "; a strict run is incomplete without them (exit code 3)" if outcome.strict else ""
        yield (
            f"{outcome.not_laid} scenarios were left out, since their layouts could not be "
            f"laid{strict}"
        )
    if outcome.strict and outcome.too_flaky:
        yield (
            f"{len(outcome.flaky)} of {outcome.judged} scenarios have a break that was not "
            f"reproduced: expected {FLAKY_ALLOWED}, or at most one in {FLAKY_ONE_IN:,}; the run "
            "fails under --strict, see the flaky breaks"
        )


def counted_clauses(found: RequirementSet, asked: frozenset[str]) -> tuple[str, ...]:
    """Ids of the clauses that count: all of a set, or those of it that are asked about.

    Raises:
        BadConfiguration: one that is asked about is not in the set.
    """
    if strange := sorted(asked - {*found.clauses}):
        why = [
            f"{name} (it can't be tested)"
            if name in found.excluded
            else f"{name} (since Kafka {catalogue()[name].since})"
            for name in strange
        ]
        raise BadConfiguration(
            f"--clause: expected clauses that count for Kafka {found.release} ({found.name}), "
            f"found {', '.join(why)}; leave them out, or test a broker of another release"
        )
    return tuple([name for name in found.clauses if not asked or name in asked])


def _header(
    asked: Run,
    broker: Started,
    reasons: Mapping[tuple[str, str], str],
    counted: tuple[str, ...],
) -> RunStarted:
    """The header of a run that starts now; `reasons` are those of the findings that hold, by clause
    and signature, and `counted` the clauses that count.
    """
    facts = broker.facts
    shown = {**broker.system.facts(), **facts.shown, **known_to_facts(reasons)}
    return RunStarted(
        run=asked.id,
        started=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        fencepost=version("fencepost"),
        seed=asked.seed,
        subject=asked.subject,
        system=_name_of(broker),
        release=facts.release,
        requirement_set=requirement_set(asked.subject, facts.release).name,
        facts={name: str(value) for name, value in shown.items()},
        options=dict(asked.options),
        hypothesis=version("hypothesis"),
        clauses=counted if asked.whole or asked.clauses else (),
    )


def _name_of(broker: Started) -> str:
    """The name of the system in logs and reports: by who wrote it, where a facts file alone says
    that.
    """
    said = (
        "implementation" not in broker.system.facts()
        and broker.facts.implementation != UNKNOWN_IMPLEMENTATION
    )
    return broker.facts.implementation if said else str(getattr(broker.system, "name", "external"))
