"""A look at a broker, in a few seconds: whether it can be tested, what a run would try, and what is
missing for the rest.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from conformance.cluster import MissingApiError
from conformance.engine.cleaning import Cleaning, left_behind
from conformance.engine.play_result import broken, undecided_reason, unsupported_reason
from conformance.engine.start import facts_of, reach_cluster
from conformance.exit_codes import MISUSE, OK, UNREACHABLE
from conformance.facts import FETCH_MAX_BYTES, FactsError, Given, semantics_of
from conformance.placement.problem import PlacementFailed
from conformance.smoke.deadline import OutOfTime, at_most
from conformance.smoke.found import FORMAT, Api, Smoke, Trial
from conformance.smoke.testability import (
    CAN_BE_LAID,
    apis_of,
    has_share_groups,
    limits_of,
    subjects_of,
)
from conformance.systems.base import SystemProblem
from conformance.wire.outcomes import NoAnswer, NotConnected
from conformance.wire.sizing import NoSuchBatchError
from spec.fetch.steps import Fetch, FetchPartition
from spec.frozen import replace
from spec.layout import Batch, Layout, Partition
from spec.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.cluster import Cluster
    from conformance.engine.player import Player
    from conformance.engine.runner import Runner
    from conformance.facts import Facts
    from conformance.ledger import Ledger
    from conformance.systems.base import BrokerSystem
    from conformance.wire.codec import Codec

IN_ALL_S = 10.0
"""Seconds that a look takes at most."""
FOR_CLEANING_S = 2.0
"""Seconds of them that are kept for removing what was made."""
ANSWER_S = 2.0
"""Seconds that a broker may take for one step of laying a layout."""
KAFKAS_FETCH_MAX_BYTES = 57671680
"""Taken for the trials alone where the broker does not report the limit."""

_PROBLEMS = (SystemProblem, NotConnected, NoAnswer, MissingApiError, PlacementFailed)


def _scenario(partition: Partition) -> Scenario:
    """One fetch of a partition from its log start."""
    return Scenario(
        Layout((partition,)), (Fetch((FetchPartition(0, partition.log_start),), max_wait_ms=500),)
    )


TRIALS: tuple[tuple[str, tuple[str, ...], Scenario], ...] = (
    (CAN_BE_LAID, (), _scenario(Partition(((Batch(100), Batch(200)),)))),
    (
        "a transaction is left open",
        ("fetch", "share", "offsets"),
        _scenario(Partition(((Batch(100), Batch(200, txn=1)),))),
    ),
    (
        "the log start is moved by DeleteRecords",
        ("fetch", "share", "offsets/delete"),
        _scenario(Partition(((Batch(100), Batch(200)),), log_start=1)),
    ),
)
"""What is tried, in order: the name, the subjects that lose scenarios where it fails, and what is
played.
"""


@dataclass(slots=True)
class BrokerCheck:
    """One look at a broker.

    Args:
        address: as it was given.
        system: the broker, not reached yet.
        codec: what it is asked with.
        given: facts from a file, which count before what it says.
        runners: of the subjects that could be run.
        player: the runner that plays the trials.
        ledger: takes note of what is made on it; None: nothing may be made.
        name: unused so far on the broker, for the names of what is made.
    """

    address: str
    system: BrokerSystem
    codec: Codec
    given: Given
    runners: Sequence[Runner[Any]]
    player: Runner[Any]
    ledger: Ledger | None
    name: str
    _cluster: Cluster | None = None
    _facts: Facts | None = None
    _needs: str = ""
    _apis: tuple[Api, ...] = ()
    _trials: tuple[Trial, ...] = ()
    _doing: str = "to answer at all"

    def look(self, within_s: float = IN_ALL_S) -> Smoke:
        """Look, within so many seconds; what was made is removed."""
        began = time.monotonic()
        problem = ""
        left: tuple[str, ...] = ()
        try:
            with at_most(within_s - FOR_CLEANING_S):
                self._ask()
        except OutOfTime:
            problem = (
                f"expected the broker {self._doing} within {within_s - FOR_CLEANING_S:.0f} s, "
                "found nothing; see whether it runs, and whether the address and the listener "
                "(plain text, TLS, SASL: --command-config) are right"
            )
        except _PROBLEMS as failed:
            problem = str(failed)
        finally:
            left = self._clean()
            with suppress(Exception):
                self.system.stop()
        return self._weigh(problem, left, round(time.monotonic() - began, 3))

    def _ask(self) -> None:
        self.system.start()
        self._doing = "to say what it advertises"
        cluster = reach_cluster(self.system, self.codec)
        if self.ledger is not None:
            cluster = replace(cluster, ledger=self.ledger)
        self._cluster = cluster = replace(cluster, timeout=ANSWER_S)
        self._apis = apis_of(cluster.versions, self.codec)
        self._doing = "to answer Metadata and DescribeConfigs"
        try:
            self._facts = facts_of(cluster, self.given, self.system)
        except FactsError as missing:
            self._needs = str(missing)
            limits = {**self.given.limits, FETCH_MAX_BYTES: KAFKAS_FETCH_MAX_BYTES}
            self._facts = facts_of(cluster, replace(self.given, limits=limits), self.system)
        if self.ledger is not None and cluster.offers("CreateTopics"):
            self._try(cluster, self._facts)

    def _try(self, cluster: Cluster, facts: Facts) -> None:
        """Play the trials; what is left of them once a topic can't be laid is not tried."""
        player = self.player.player(cluster, semantics_of(facts), self.name, None)
        try:
            for trial in self._play(player):
                self._trials += (trial,)
                if trial.name == CAN_BE_LAID and not trial.ok:
                    break
        finally:
            with suppress(Exception):
                player.close()

    def _play(self, player: Player) -> Iterator[Trial]:
        for name, fewer, scenario in TRIALS:
            self._doing = f"to show that {name}"
            try:
                played = player.play_one(scenario)
            except (*_PROBLEMS, NoSuchBatchError) as failed:
                yield Trial(name, ok=False, why=str(failed), fewer=fewer)
                continue
            why = broken(played) or unsupported_reason(played) or undecided_reason(played) or ""
            breaks = [one.clause for one in played.judgement.breaks]
            yield Trial(name, not why, why, tuple(breaks) if not why else (), fewer)

    def _clean(self) -> tuple[str, ...]:
        if self._cluster is None or self.ledger is None:
            return ()
        within = {"answer_s": FOR_CLEANING_S, "all_s": FOR_CLEANING_S}
        left = Cleaning(self._cluster, self.ledger, **within).remove_all()
        return tuple(left_behind(left, "remove it by hand"))

    def _weigh(self, problem: str, left: tuple[str, ...], seconds: float) -> Smoke:
        facts, cluster = self._facts, self._cluster
        if facts is None or cluster is None:
            return Smoke(
                FORMAT,
                self.address,
                testable=False,
                exit_code=UNREACHABLE,
                sentence=problem,
                seconds=seconds,
                apis=self._apis,
            )
        subjects = tuple(
            subjects_of(
                self.runners,
                self.system,
                semantics_of(facts),
                self._apis,
                self._trials,
                facts.brokers,
            )
        )
        reported = {
            name: value
            for name, value in facts.limits.items()
            if f"config.{name}" in facts.shown and not (self._needs and name == FETCH_MAX_BYTES)
        }
        run = [one.name for one in subjects if one.runs]
        if problem:
            code, sentence = UNREACHABLE, problem
        elif not run:
            why = subjects[0].why
            code, sentence = UNREACHABLE, f"nothing of it can be tested: {why}"
        elif self._needs:
            code, sentence = MISUSE, self._needs
        else:
            code, sentence = OK, f"{', '.join(run)} can be run on it"
        return Smoke(
            FORMAT,
            self.address,
            testable=code == OK,
            exit_code=code,
            sentence=sentence,
            seconds=seconds,
            release=facts.release,
            implementation=facts.implementation,
            brokers=facts.brokers,
            notes=facts.notes,
            subjects=subjects,
            apis=self._apis,
            limits=limits_of(reported, share_groups=has_share_groups(cluster.versions)),
            trials=self._trials,
            left=left,
        )
