"""Drawn histories meet both sides of a lock's end, for each way that begins, prolongs or ends it: a
broker whose timers are wrong in one way breaks a promise in them.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest

from generators.drawing import collect
from generators.share.histories import expiring_histories
from spec.judge import judge
from spec.releases import semantics_for
from spec.share.dry_run import answer_all
from spec.share.model import acknowledge, records
from spec.share.model.records import Lock, Record, RecordState
from spec.share.model.seams import REFERENCE
from spec.share.model.settings import Settings
from spec.verdict import Outcome

KAFKA = semantics_for("4.2")
SEEDS = (1, 2, 3)
HISTORIES = 96
"""As many as a run draws."""


@contextmanager
def renewing_prolongs_nothing() -> Iterator[None]:
    real = acknowledge._acknowledge_record

    def changed(record: Record, kind: int, lock: Lock, settings: Settings) -> Record | None:
        after = real(record, kind, lock, settings)
        return record if after is not None and after.state is RecordState.ACQUIRED else after

    with patch.object(acknowledge, "_acknowledge_record", changed):
        yield


@contextmanager
def the_first_lock_ends_the_second() -> Iterator[None]:
    """A record that was given back keeps its lock, which then bounds that of the next member."""
    release, acquire = Record.release, Record.acquire

    def released(self: Record, limit: int, *, busy: bool = False) -> Record:
        return replace(release(self, limit, busy=busy), lock=self.lock)

    def acquired(self: Record, lock: Lock) -> Record:
        old = self.lock
        kept = lock if old is None else Lock(lock.member, old.from_ms, old.to_ms)
        return acquire(self, kept)

    with patch.object(Record, "release", released), patch.object(Record, "acquire", acquired):
        yield


@contextmanager
def locks_end_early() -> Iterator[None]:
    """A lock is over after a fifth of its time."""
    real = Record.acquire

    def acquired(self: Record, lock: Lock) -> Record:
        early = lock.to_ms - 800
        return real(self, Lock(lock.member, early, early))

    with patch.object(records.Record, "acquire", acquired):
        yield


def violations(planted: Callable[[], AbstractContextManager[Any]], seed: int) -> set[str]:
    found = set()
    for scenario in collect(expiring_histories(KAFKA), seed, HISTORIES):
        with planted():
            played = answer_all(scenario, KAFKA, REFERENCE)
        found |= {
            verdict.clause
            for verdict in judge(scenario, played, KAFKA).breaks
            if verdict.outcome is Outcome.VIOLATES
        }
    return found


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "planted", [renewing_prolongs_nothing, the_first_lock_ends_the_second, locks_end_early]
)
def test_a_wrong_timer_breaks_a_promise(
    planted: Callable[[], AbstractContextManager[Any]], seed: int
) -> None:
    assert violations(planted, seed) & {"SHR-100", "SHR-309", "SHR-316"}


@pytest.mark.parametrize("seed", SEEDS)
def test_the_reference_keeps_its_promises_around_the_ends_of_locks(seed: int) -> None:
    for scenario in collect(expiring_histories(KAFKA), seed, HISTORIES):
        assert judge(scenario, answer_all(scenario, KAFKA, REFERENCE), KAFKA).breaks == ()
