"""That a run asks for every side of every fence, seen by the model's own answers: no broker has to
be up for that.
"""

import random
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis.strategies import SearchStrategy

from conformance.engine import plan
from generators.compaction import crafted_layouts
from generators.fetch.fences import choose, sample
from generators.fetch.histories import session_histories, waiting_histories
from generators.layouts import collect, large_layouts, layouts
from spec.catalogue import clauses_of
from spec.fetch.releases import FetchSemantics
from spec.judge import judge
from spec.layout import Layout
from spec.model import answer_all
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.verdict import Side

SEED = 7
CHUNKS = 32
"""About 2,200 scenarios, fewer than half of the 5,000 in which each side is to come up 20 times."""
RESTARTED_CHUNKS = 4
FLOOR = 4
SIDES = (Side.BELOW, Side.AT, Side.ABOVE)
TESTABLE = [clause for clause in clauses_of("fetch").values() if not clause.excluded]


def questions_about(
    strategy: SearchStrategy[Layout],
    seed: int,
    count: int,
    semantics: Semantics,
    seen: Counter[str],
    rng: random.Random,
    *,
    restarted: bool,
) -> Iterator[Scenario]:
    for layout in collect(strategy, seed, count):
        each = plan.CRAFTED_QUESTIONS if layout.is_crafted else plan.QUESTIONS
        for question in choose(
            sample(layout, semantics, seed, older_epochs=restarted), seen, each, rng
        ):
            yield Scenario(layout, (question.fetch,))


def scenarios_of_a_run(usual: Semantics) -> Iterator[tuple[Scenario, Semantics]]:
    """What the run loop asks, in its order and by its shares: first as the broker is, then
    restarted with small limits.
    """
    small = usual.with_decisions(FetchSemantics, fetch_max_bytes=plan.SMALL_FETCH_MAX_BYTES)
    seen: Counter[str] = Counter()
    rng = random.Random(SEED)
    for chunk in range(CHUNKS):
        restarted = chunk >= CHUNKS - RESTARTED_CHUNKS
        semantics = small if restarted else usual
        seed = plan.Plan(SEED, 0).seed_of(chunk)
        if chunk == CHUNKS - RESTARTED_CHUNKS:
            for scenario in questions_about(
                crafted_layouts(), seed, plan.CRAFTED, small, seen, rng, restarted=False
            ):
                yield scenario, small
        strategy = (
            large_layouts(plan.SMALL_FETCH_MAX_BYTES) if restarted and chunk % 2 else layouts()
        )
        for scenario in questions_about(
            strategy, seed, plan.CHUNK, semantics, seen, rng, restarted=restarted
        ):
            yield scenario, semantics
        if chunk % plan.HISTORIES_EVERY == 0:
            for history in [
                *collect(session_histories(semantics), seed, plan.SESSIONS),
                *collect(waiting_histories(semantics), seed, plan.WAITING),
            ]:
                yield history, semantics


@cache
def seen(release: str) -> tuple[Counter[str], Counter[tuple[str, Side]]]:
    """How often each clause was exercised, and how often each side of its fence was met."""
    clauses: Counter[str] = Counter()
    sides: Counter[tuple[str, Side]] = Counter()
    for scenario, semantics in scenarios_of_a_run(semantics_for(release)):
        for verdict in judge(scenario, answer_all(scenario, semantics), semantics).verdicts:
            clauses[verdict.clause] += 1
            sides.update([(verdict.clause, side) for side in SIDES if side & verdict.sides])
    return clauses, sides


def exercised(release: str) -> Counter[str]:
    """How often each clause was exercised."""
    return seen(release)[0]


def side_counts(release: str) -> Counter[tuple[str, Side]]:
    """How often each clause met each side of its fence."""
    return seen(release)[1]


@pytest.mark.parametrize("release", [pytest.param("4.0", marks=pytest.mark.campaign), "4.4"])
def test_a_run_meets_each_clause_below_at_and_above_its_fence(release: str) -> None:
    found = side_counts(release)
    short = {
        f"{clause.id} {side.name}": found[clause.id, side]
        for clause in TESTABLE
        for side in SIDES
        if side & clause.sides and found[clause.id, side] < FLOOR
    }
    assert not short, (
        f"expected each side at least {FLOOR} times; ask for these in generators/: {short}"
    )


def test_a_side_that_is_never_met_is_not_met_and_has_its_reason() -> None:
    for clause in TESTABLE:
        if clause.fence is not None:
            never = clause.fence.never
            assert bool(never.sides) == bool(never.reason)
        assert not any(
            side_counts("4.4")[clause.id, side] for side in SIDES if not side & clause.sides
        )


@pytest.mark.parametrize("release", [pytest.param("4.0", marks=pytest.mark.campaign), "4.4"])
def test_a_run_exercises_each_clause_without_a_fence(release: str) -> None:
    short = {
        clause.id: exercised(release)[clause.id]
        for clause in TESTABLE
        if clause.fence is None and exercised(release)[clause.id] < FLOOR
    }
    assert not short, f"expected each at least {FLOOR} times; ask for these in generators/: {short}"
