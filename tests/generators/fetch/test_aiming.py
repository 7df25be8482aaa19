import random

import pytest

from generators.fetch.aiming import MOST_TRIED, Aim
from generators.fetch.fences import sample
from generators.layouts import collect, layouts
from spec.fetch.steps import Fetch, FetchPartition
from spec.judge import judge
from spec.layout import Batch, Layout, Partition
from spec.model import answer_all
from spec.scenario import Scenario
from spec.semantics import Semantics

SEED = 7
SEMANTICS = Semantics()
ONE = Layout((Partition(((Batch(100),),)),))


@pytest.mark.parametrize("clause", ["FET-005", "FET-006"])
def test_what_is_chosen_exercises_the_clause_on_each_side_of_its_fence(clause: str) -> None:
    aim, rng = Aim(frozenset([clause])), random.Random(SEED)
    sides: set[str] = set()
    for layout in collect(layouts(), SEED, 30):
        for question in aim.choose(layout, sample(layout, SEMANTICS), SEMANTICS, 4, rng):
            scenario = Scenario(layout, (question.fetch,))
            verdicts = {
                v.clause: v
                for v in judge(scenario, answer_all(scenario, SEMANTICS), SEMANTICS).verdicts
            }
            sides.update(verdicts[clause].sides.names)
    assert sides == {"below", "at", "above"}


def test_nothing_is_chosen_where_nothing_can_exercise_the_clause() -> None:
    aim = Aim(frozenset(["FET-005"]))
    assert aim.choose(ONE, sample(ONE, SEMANTICS), SEMANTICS, 4, random.Random(SEED)) == []


def test_it_learns_which_relations_lead_to_the_clause() -> None:
    """Among layouts of two partitions, where each question that names one twice is found though not
    all questions are looked at.
    """
    pair = [layout for layout in collect(layouts(), SEED, 60) if len(layout.partitions) == 2]
    aim, rng = Aim(frozenset(["FET-009"])), random.Random(SEED)
    for layout in pair:
        aim.choose(layout, sample(layout, SEMANTICS), SEMANTICS, 1, rng)
    asked = sample(pair[0], SEMANTICS)
    assert len(asked) > MOST_TRIED
    twice = {question for question in asked if question.relations[0].startswith("duplicate=")}
    assert len(twice) > 2
    assert set(aim.choose(pair[0], asked, SEMANTICS, MOST_TRIED, rng)) == twice


def test_other_clauses_do_not_count() -> None:
    scenario = Scenario(ONE, (Fetch((FetchPartition(0, 0, 100),)),))
    assert Aim(frozenset(["FET-001"])).meets(scenario, SEMANTICS) == {("FET-001", "at")}
