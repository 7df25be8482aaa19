"""One portion of a run that is spread over a cluster: played by the process of an executor, written
to the run folder, which all of them share.
"""

from __future__ import annotations

import secrets
import shutil
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from conformance.cli.clients import broker_config, is_client_named
from conformance.cli.common import given_facts, make_codec
from conformance.cli.options import DEFAULT_SYSTEM
from conformance.cli.run import asked_claims, asked_runner_and_system
from conformance.engine.event_stream import Run, plan_start
from conformance.engine.event_stream import run as engine_run
from conformance.engine.handlers import follow
from conformance.engine.resume_point import BEGINNING
from conformance.ledger import LEDGER_NAME, NO_LEDGER, FileLedger
from conformance.systems.base import Unreachable
from conformance.systems.reused_broker import ReusedBroker
from results.log import LOG_NAME, EventWriter, scan
from spec.events import RunFinished
from spec.frozen import frozen, replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from conformance.engine.plan import Plan
    from conformance.systems.base import BrokerSystem
    from spec.events import Event

_kept: dict[tuple[str, frozenset[tuple[str, str]]], ReusedBroker] = {}
"""The brokers of this process, by release and settings."""


@frozen
class Portion:
    """A part of a run that one executor plays.

    Attributes:
        number: its place in the run, from 0.
        plan: what is asked in it.
        clauses: ids of those that are asked about.
        options: those of the command.
        run: id of the whole run.
        place: the folder that all portions are written to.
    """

    number: int
    plan: Plan
    clauses: frozenset[str]
    options: Mapping[str, Any]
    run: str
    place: Path

    @property
    def folder(self) -> Path:
        """Where it lies once it is whole."""
        return self.place / f"{self.number:05}"

    @property
    def is_whole(self) -> bool:
        """Whether some executor has played it to its end."""
        return (self.folder / LOG_NAME).exists()


def play_portion(portion: Portion) -> None:
    """Play a portion that is not whole yet, and put it in place in one step: of two executors that
    play the same one, the first to end counts, and nothing of the other.

    Raises:
        Unreachable: the broker was lost; another executor may have more luck.
    """
    if portion.is_whole:
        return
    name = f"{portion.number:05}-{secrets.token_hex(4)}"
    attempt = portion.place / f".{name}"
    attempt.mkdir(parents=True)
    footer = _play(portion, f"{portion.run}-{name}", attempt)
    if footer is None or footer.reason != "done":
        raise Unreachable(
            f"expected portion {portion.number} to be played to its end, found it "
            f"{footer.reason if footer else 'without an end'}; see {attempt / LOG_NAME}"
        )
    try:
        attempt.rename(portion.folder)
    except OSError:
        if not (portion.folder / LOG_NAME).exists():
            raise
        shutil.rmtree(attempt, ignore_errors=True)


def _play(portion: Portion, name: str, attempt: Path) -> RunFinished | None:
    """Play it, writing to a folder of this attempt's own; its footer."""
    options = portion.options
    runner, named = asked_runner_and_system(options)
    system = _system(options, named)
    ledger = FileLedger(attempt / LEDGER_NAME) if options["bootstrap_server"] else None
    asked = Run(
        subject=runner.subject,
        system=system,
        codec=make_codec(),
        begin=plan_start(runner, portion.plan, name),
        seed=portion.plan.seed,
        id=name,
        given=given_facts(options["facts"]),
        findings=tuple(options["findings"]),
        shipped=not options["no_shipped_findings"],
        clauses=portion.clauses,
        whole=False,
        is_portion=True,
        ledger=ledger or NO_LEDGER,
        claims=asked_claims(options),
    )
    footers: list[RunFinished] = []
    with ledger or nullcontext(), EventWriter(attempt / LOG_NAME) as log:

        def write(event: Event) -> Iterable[Event]:
            log.write(event)
            if isinstance(event, RunFinished):
                footers.append(event)
            return ()

        follow(engine_run(asked), (write,))
    return footers[-1] if footers else None


def _system(options: Mapping[str, Any], named: BrokerSystem) -> BrokerSystem:
    """The system that the options name; a broker that is started is this process's own, and kept
    for its next portions.
    """
    elsewhere = options["bootstrap_server"] or options["image"] or is_client_named(options)
    if elsewhere or options["system"] != DEFAULT_SYSTEM:
        return named
    config = broker_config(options)
    key = options["kafka"], frozenset(config.items())
    return _kept.setdefault(key, ReusedBroker(options["kafka"], config=config))


@frozen
class Division:
    """How a run is divided into portions: the same for any number of workers.

    Portion 0 draws from the run's seed, which any portion's differs from by a multiple of 2^31; it
    alone has the worked examples.

    Attributes:
        plan: of the whole run.
        size: scenarios in a portion.
        clauses, options, run, place: as in `Portion`.
    """

    plan: Plan
    size: int
    clauses: frozenset[str]
    options: Mapping[str, Any]
    run: str
    place: Path

    @property
    def count(self) -> int | None:
        """How many portions there are; None where the run has a time instead."""
        return None if self.plan.seconds is not None else -(-self.plan.scenarios // self.size)

    def portion(self, number: int) -> Portion:
        """The portion of this number."""
        plan = self.plan
        left = plan.scenarios - number * self.size if plan.seconds is None else self.size
        part = replace(
            plan,
            seed=plan.seed + number * SEEDS_APART,
            scenarios=min(self.size, left),
            seconds=None,
            examples=plan.examples and number == 0,
            before=BEGINNING,
        )
        return Portion(number, part, self.clauses, self.options, self.run, self.place)

    def seconds_played(self) -> float:
        """The seconds in which all portions that are whole were played, one after the other."""
        logs = sorted(self.place.glob(f"[0-9]*/{LOG_NAME}"))
        ends = [event for log in logs for event in scan(log) if isinstance(event, RunFinished)]
        return sum([end.seconds for end in ends])


SEEDS_APART = 2**31
"""Between the seeds of two portions: no seed that is chosen for a run reaches that far."""
