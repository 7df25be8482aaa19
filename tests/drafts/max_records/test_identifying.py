"""A run names the class of profiles that a served model follows, and planted faults are found by
what holds under every reading.
"""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings

from conformance.faults.planted import Expected
from conformance.identify.profiles import Asked, identify
from conformance.subjects.fetch.faults.fault import Fault
from drafts.max_records.axes import parse
from drafts.max_records.change import draft_change
from drafts.max_records.faults import FAULTS, NO_PROFILE, VARIANTS
from drafts.max_records.inquiry import INQUIRY, inseparable, shares
from drafts.max_records.profile import Profile
from drafts.max_records.space import CRAFTED, SPACE, representative
from generators.small_scope import Bounds
from spec.catalogue import clauses_of
from spec.fetch.dry_run import answer_all
from spec.fetch.model.machine import Answering
from spec.fetch.releases import FetchSemantics
from spec.fetch.steps import Fetch
from spec.judge import judge
from spec.judgement import Judgement
from spec.layout import Layout
from spec.observation import Observation
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.verdict import Outcome
from tests.drafts.max_records.strategies import profiles, questions

RELEASED = semantics_for("4.3")
FETCH = RELEASED.of(FetchSemantics)
SEEDS = range(20)
FURTHER = [pytest.param(seed, marks=pytest.mark.campaign) for seed in SEEDS[6:]]


def play_dry(
    profile: Profile, answering: Answering | None = None
) -> Callable[[Scenario], tuple[Observation, Judgement]]:
    """Plays scenarios on the model in this process."""
    semantics = draft_change(profile)(RELEASED)

    def play(scenario: Scenario) -> tuple[Observation, Judgement]:
        observation = answer_all(scenario, semantics, answering)
        return observation, judge(scenario, observation, semantics)

    return play


def run(
    profile: Profile, *, answering: Answering | None = None, crafted: bool = False, seed: int = 1
) -> list[Asked[Profile]]:
    return list(
        identify(
            INQUIRY, play_dry(profile, answering), profile, RELEASED, crafted=crafted, seed=seed
        )
    )


def breaks(asked: list[Asked[Profile]]) -> set[tuple[str, Outcome]]:
    return {(verdict.clause, verdict.outcome) for one in asked for verdict in one.judgement.breaks}


@pytest.mark.parametrize("seed", [*SEEDS[:6], *FURTHER])
def test_a_random_profile_is_in_the_class_that_is_named_and_its_members_can_not_be_distinguished(
    seed: int,
) -> None:
    profile = SPACE.draw(seed)
    asked = run(profile)
    left = asked[-1].left
    assert left.holds(profile)
    assert not breaks(asked)
    assert all(len(readings) == 1 for readings in left.apart.values())
    assert (
        len(left.counting) == 1
        or inseparable(left.counting, Bounds(2, crafted=False), RELEASED) is None
    )


def test_with_crafted_layouts_the_questions_of_compaction_are_settled_too() -> None:
    profile = parse("stop=before,empty=keeps")
    left = run(profile, crafted=True)[-1].left
    assert left.counting == (representative(profile),)
    assert [left.readings(name) for name in CRAFTED] == [("records",), ("keeps",)]
    assert [run(profile)[-1].left.readings(name) for name in CRAFTED] == [
        ("records", "offsets"),
        ("uses", "keeps"),
    ]


def test_few_questions_are_enough() -> None:
    asked = run(parse("default"))
    assert sum(one.ruled_out > 0 for one in asked) <= 14


def test_an_answer_that_is_slow_on_a_loaded_machine_is_not_taken_for_one_that_was_held_back() -> (
    None
):
    def slowly(scenario: Scenario) -> tuple[Observation, Judgement]:
        observation, judgement = play_dry(Profile())(scenario)
        return replace(
            observation,
            exchanges=tuple(
                [replace(one, answered_ms=one.answered_ms + 500) for one in observation.exchanges]
            ),
        ), judgement

    left = list(identify(INQUIRY, slowly, Profile(), RELEASED, crafted=False))[-1].left
    assert left.holds(Profile())
    assert left.readings("min_bytes") == ("answered",)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
@pytest.mark.parametrize("profile", ["default", "stop=before,scope=partition,compressed=one"])
def test_a_planted_fault_breaks_its_clause_under_any_profile(fault: Fault, profile: str) -> None:
    assert (fault.clause, Outcome.VIOLATES) in breaks(
        run(parse(profile), answering=fault.answering)
    )


@pytest.mark.parametrize("fault", NO_PROFILE, ids=lambda fault: fault.name)
def test_what_no_reading_says_fits_no_profile(fault: Fault) -> None:
    asked = run(parse("stop=before"), answering=fault.answering)
    assert asked[-1].left.empty


@pytest.mark.parametrize("fault", VARIANTS, ids=lambda fault: fault.name)
@pytest.mark.parametrize("profile", ["default", "stop=before,tail=free"])
def test_a_legal_variant_passes_and_its_profile_is_named(fault: Fault, profile: str) -> None:
    asked = run(parse(profile), answering=fault.answering)
    assert not breaks(asked)
    assert asked[-1].left.holds(parse(profile))


def test_each_clause_has_a_fault_that_it_finds() -> None:
    checked = {clause.id for clause in clauses_of("max_records").values() if not clause.excluded}
    assert {fault.clause for fault in FAULTS} == checked
    assert len(FAULTS) >= 8
    assert {fault.expected for fault in VARIANTS} == {Expected.CONFORMS}


@settings(max_examples=150, deadline=None)
@given(questions(), profiles())
def test_a_profile_is_answered_as_the_one_that_stands_for_it(
    question: tuple[Layout, Fetch], profile: Profile
) -> None:
    scenario = Scenario(question[0], (question[1],))
    assert shares(scenario, profile, FETCH) == shares(scenario, representative(profile), FETCH)


def test_a_profile_stands_for_those_that_answer_alike() -> None:
    assert representative(parse("scope=both,compressed=deep")) == Profile()
    everything = SPACE.everything(crafted=True)
    assert all(everything.holds(SPACE.draw(seed)) for seed in SEEDS)
