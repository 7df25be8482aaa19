"""What the detection tests of all subjects share: under which seeds a planted fault is tried, the
batches that a run draws, and what is expected of a fault, of a legal variant and of their names.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime

import pytest
from hypothesis.strategies import SearchStrategy

from conformance.engine.batch_loop import BatchLoop
from conformance.engine.detecting import Detection, F, detect_planted, severest
from conformance.engine.plan import Plan
from conformance.engine.runner import Runner
from conformance.faults.planted import Expected, PlantedFault
from generators.drawing import collect
from spec.catalogue import clause
from spec.observation import Observation
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.verdict import Outcome, Strength, Verdict
from tests.judged import judge_once

TODAY = datetime.now(UTC).date()
FIRST = 1
"""The seed under which the quick tier tries each fault and each legal variant."""
SEEDS = (FIRST, pytest.param(2, marks=pytest.mark.campaign))


class Batches:
    """The batches that the runs of a subject draw; each is drawn once for all faults.

    Args:
        strategies: what the batches are drawn from, in turn.
        loop: the loop that plays them.
        scenarios: how many a run asks for.
    """

    def __init__(
        self, strategies: Sequence[SearchStrategy[Scenario]], loop: type[BatchLoop], scenarios: int
    ) -> None:
        self._strategies = strategies
        self._size = loop.batch
        self._scenarios = scenarios
        self._drawn: dict[tuple[int, int], tuple[Scenario, ...]] = {}

    def batch(self, seed: int, number: int) -> tuple[Scenario, ...]:
        """The scenarios of one batch."""
        found = self._drawn.get((seed, number))
        if found is None:
            strategy = self._strategies[number % len(self._strategies)]
            drawn_by = Plan(seed, self._scenarios).seed_of(number)
            found = self._drawn[seed, number] = tuple(collect(strategy, drawn_by, self._size))
        return found

    def breaks(
        self,
        fault: PlantedFault,
        answer: Callable[[Scenario], Observation],
        semantics: Semantics,
        seed: int,
        scenarios: int | None = None,
    ) -> dict[str, Outcome]:
        """What the clauses say of a model with a fault, to the end of the batch in which its own
        one says something.

        Args:
            fault: the fault.
            answer: the model with it.
            semantics: what it is judged by.
            seed: of the run.
            scenarios: within how many; None for as many as a run asks for.
        """
        found: dict[str, Outcome] = {}
        for number in range((scenarios or self._scenarios) // self._size):
            for scenario in self.batch(seed, number):
                add_severest(found, judge_once(scenario, answer(scenario), semantics).breaks)
            if fault.clause in found:
                break
        return found


def add_severest(found: dict[str, Outcome], breaks: Iterable[Verdict]) -> None:
    """Add what some verdicts say to the severest outcome of each clause."""
    for verdict in breaks:
        before = found.get(verdict.clause, Outcome.CONFORMS)
        found[verdict.clause] = severest([before, verdict.outcome])


def expect_caught(
    runner: Runner[F],
    fault: F,
    seed: int,
    scenarios: int | None = None,
    *,
    shrink: bool | None = False,
) -> Detection:
    """Expect that the fault's clause says what is expected of it, and none anything worse; or that
    nothing is said against a legal variant. The arguments are those of `detect_planted`.
    """
    found = detect_planted(runner, fault, seed, TODAY, scenarios, shrink=shrink)
    assert found.as_expected, (
        f"seed {seed}: expected {fault.clause or 'every clause'} to say {fault.expected}, "
        f"found {dict(found.breaks)}"
    )
    return found


def expect_fitting_strengths(faults: Iterable[PlantedFault]) -> None:
    """Expect that a fault of a `must` clause violates, and one of another clause deviates."""
    for fault in faults:
        must = clause(fault.clause).strength is Strength.MUST
        assert fault.expected is (Expected.VIOLATES if must else Expected.DEVIATES), fault.name
