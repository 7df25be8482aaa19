"""Connections from addresses of a play's own, through a door that counts them by address."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from conformance.play.background import Background
from conformance.subjects.limits.connections import ConnectionLimits
from conformance.subjects.limits.history import LimitHistory
from spec.judge import judge
from spec.limits.connections import PER_ADDRESS
from spec.limits.examples import connect, disconnect, history, limit_connections
from spec.outcomes import NotSent
from spec.releases import semantics_for
from spec.verdict import Outcome
from tests.conformance.subjects.limits.doors import (
    LOCAL,
    TRIES,
    Tries,
    door_opened,
    outcome_elsewhere,
    pipe,
)

if TYPE_CHECKING:
    from conformance.cluster import Cluster
    from spec.scenario import Scenario

KAFKA = semantics_for("4.3")


@dataclass
class AddressDoor(ConnectionLimits):
    """A door before a served model, which counts connections by the address that they come from.

    Attributes:
        beyond: how many more than its limit an address may have.
        late: after how many refusals it notices that a connection was closed.
        closes_excess: whether a lower limit closes what is open.
    """

    beyond: int = 0
    late: int = 0
    closes_excess: bool = False
    target: tuple[str, int] = (LOCAL, 0)
    counted: Counter[str] = field(default_factory=Counter)
    unnoticed: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    open: dict[str, list[asyncio.StreamWriter]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__()

    async def begin(self, cluster: Cluster) -> None:
        """Every address has its limit from the start."""

    async def limit(self, cluster: Cluster, address: str, limit: int) -> None:
        """Give an address a limit of its own."""
        del cluster
        self._own[address] = limit
        if self.closes_excess:
            for writer in self.open.get(address, [])[limit:]:
                writer.close()

    async def enter(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Let a connection in, or close it."""
        address = writer.get_extra_info("peername")[0]
        most = self._own.get(address, PER_ADDRESS) + self.beyond
        if address != LOCAL and self.counted[address] >= most:
            self.refused += 1
            if self.refused > self.late:
                self.counted[address] -= self.unnoticed.pop(address, 0)
            writer.close()
            return
        self.counted[address] += 1
        self.open.setdefault(address, []).append(writer)
        inner_reader, inner_writer = await asyncio.open_connection(*self.target)
        try:
            await asyncio.gather(pipe(reader, inner_writer), pipe(inner_reader, writer))
        finally:
            inner_writer.close()
        self.open[address].remove(writer)
        if self.late:
            self.unnoticed[address] += 1
        else:
            self.counted[address] -= 1


def broken_clauses(door: AddressDoor, scenario: Scenario) -> set[tuple[str, Outcome]]:
    """What is broken where a scenario is played through a door."""
    with door_opened(door) as cluster:
        background = Background()
        try:
            played = LimitHistory(cluster, scenario, patience=Tries(), limits=door)
            [observation] = background.play([played])
        finally:
            background.close()
    judged = judge(scenario, observation, KAFKA)
    assert judged.verdicts
    return {(verdict.clause, verdict.outcome) for verdict in judged.breaks}


ALL = history(
    *connect(3),
    limit_connections(3),
    *connect(2),
    disconnect(),
    *connect(2),
    limit_connections(1),
    *connect(1),
    *connect(3, address=1),
)


@pytest.mark.parametrize("late", [0, 1, TRIES - 1])
def test_a_door_that_notices_late_that_a_connection_was_closed_breaks_nothing(late: int) -> None:
    assert (
        broken_clauses(AddressDoor(late=late), history(*connect(2), disconnect(), *connect(1)))
        == set()
    )


def test_a_door_that_counts_as_kafka_does_breaks_nothing() -> None:
    assert broken_clauses(AddressDoor(), ALL) == set()


def test_one_connection_too_many_is_seen() -> None:
    assert broken_clauses(AddressDoor(beyond=1), history(*connect(3))) == {
        ("LIM-080", Outcome.VIOLATES)
    }


def test_one_connection_too_few_is_seen() -> None:
    found = broken_clauses(AddressDoor(beyond=-1), history(limit_connections(3), *connect(3)))
    assert found == {("LIM-081", Outcome.VIOLATES)}


def test_a_connection_that_is_closed_for_a_lower_limit_does_not_count_any_more() -> None:
    scenario = history(*connect(2), limit_connections(1), disconnect(), *connect(1))
    assert broken_clauses(AddressDoor(closes_excess=True), scenario) == {
        ("LIM-084", Outcome.DEVIATES)
    }


def test_a_broker_that_is_not_ours_keeps_its_limits() -> None:
    assert isinstance(outcome_elsewhere(history(*connect(1))), NotSent)
