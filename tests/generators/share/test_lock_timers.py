"""Drawn histories meet both sides of the end of a lock, for each way that begins, prolongs or ends
it, and each cached group config on both sides of its change: every planted fault of these is found.
"""

from collections.abc import Iterator

import pytest

from conformance.faults.planted import Expected
from conformance.subjects.share.faults import configs, locks, waiting
from conformance.subjects.share.faults.fault import ShareFault
from generators.drawing import collect_evenly
from generators.share.histories import (
    LOCK_DURATION,
    LONGEST_LOCK_MS,
    changing_histories,
    expiring_histories,
    long_lock_histories,
)
from spec.catalogue import clause
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.share.dry_run import answer_all
from spec.share.releases import GroupConfigBounds, ShareSemantics
from spec.verdict import Outcome, Strength
from tests.judged import judge_once

KAFKA = semantics_for("4.2")
WITH_LIMITS = semantics_for("4.3")
"""The first release in which a group has limits of its own (KIP-1240)."""
SEEDS = (1, 2, 3)
HISTORIES = 96
"""As many as a run of 1,536 scenarios draws."""
FINDINGS = {"SHR-013", "SHR-322"}
"""What the reference itself breaks in them."""


LONG_HISTORIES = 48
"""As many as such a run draws where the broker can't be restarted."""


@pytest.fixture(scope="module", params=["short locks", "long locks"])
def drawn(request: pytest.FixtureRequest) -> dict[int, list[Scenario]]:
    long = request.param == "long locks"
    strategies = long_lock_histories(KAFKA) if long else expiring_histories(KAFKA)
    count = LONG_HISTORIES if long else HISTORIES
    return {seed: collect_evenly(strategies, seed, count) for seed in SEEDS}


def broken(
    fault: ShareFault, scenarios: list[Scenario], semantics: Semantics = KAFKA
) -> Iterator[tuple[str, Outcome]]:
    for scenario in scenarios:
        played = answer_all(scenario, semantics, fault.sharing, patient=True)
        for verdict in judge_once(scenario, played, semantics).breaks:
            yield verdict.clause, verdict.outcome


@pytest.mark.parametrize("fault", locks.FAULTS, ids=lambda fault: fault.name)
def test_a_wrong_timer_breaks_a_promise(
    fault: ShareFault, drawn: dict[int, list[Scenario]]
) -> None:
    expected = fault.clause, Outcome(fault.expected)
    assert any(expected in broken(fault, scenarios) for scenarios in drawn.values())


@pytest.mark.parametrize(("low", "known"), [(LONGEST_LOCK_MS + 1, True), (LONGEST_LOCK_MS, False)])
def test_no_lock_is_waited_for_that_is_too_long_or_that_a_broker_may_refuse(
    low: int, known: bool
) -> None:
    bounds = GroupConfigBounds(LOCK_DURATION, low, 60_000, knows_low=known)
    other = KAFKA.with_decisions(ShareSemantics, group_configs=(bounds,))
    assert long_lock_histories(KAFKA)
    assert not long_lock_histories(other)


@pytest.mark.parametrize(
    "fault", [*locks.VARIANTS, *waiting.VARIANTS], ids=lambda fault: fault.name
)
def test_a_legal_timer_passes(fault: ShareFault, drawn: dict[int, list[Scenario]]) -> None:
    for scenarios in drawn.values():
        assert {one for one, _ in broken(fault, scenarios)} <= FINDINGS


@pytest.fixture(scope="module")
def changing() -> list[Scenario]:
    return collect_evenly(changing_histories(WITH_LIMITS), SEEDS[0], HISTORIES)


@pytest.mark.parametrize("fault", configs.FAULTS, ids=lambda fault: fault.name)
def test_a_config_that_is_not_taken_breaks_a_promise(
    fault: ShareFault, changing: list[Scenario]
) -> None:
    assert (fault.clause, Outcome(fault.expected)) in broken(fault, changing, WITH_LIMITS)


def test_a_change_of_a_config_breaks_nothing_by_itself(changing: list[Scenario]) -> None:
    reference = ShareFault("as-the-reference", "", Expected.CONFORMS, "Nothing is different.")
    assert {one for one, _ in broken(reference, changing, WITH_LIMITS)} <= FINDINGS


def test_what_is_expected_of_a_fault_fits_the_strength_of_its_clause() -> None:
    for fault in (*locks.FAULTS, *configs.FAULTS):
        must = clause(fault.clause).strength is Strength.MUST
        assert fault.expected is (Expected.VIOLATES if must else Expected.DEVIATES), fault.name
