"""The timeline of a group: who is a member when, its size beside its limits, and its picture."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from results.group_timeline import LETTERS, Limit, Timeline, timelines
from results.picture import draw
from results.timeline_picture import draw_timeline, legend
from spec.catalogue import clauses_of, examples
from spec.clause import Example
from spec.groups.outcomes import JoinGroupAnswer, MemberHeartbeatAnswer, Passed
from spec.groups.steps import ConsumerGroupHeartbeat, JoinGroup, LeaveGroup, MemberStep, RestartWith
from spec.kafka import Error
from spec.layout import Layout
from spec.model import answer_all
from spec.observation import Exchange, Observation
from spec.outcomes import Outcome
from spec.scenario import Scenario
from spec.steps import Step
from spec.worked import semantics_of

WORKED = [
    pytest.param(example, id=f"{clause}-{number}")
    for clause in clauses_of("groups")
    for number, example in enumerate(examples().get(clause, ()))
    if any(isinstance(step, MemberStep) for step in example.scenario.steps)
]
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>&'\u202e"


def timeline(*played: tuple[Step, Outcome], config: tuple[tuple[str, str], ...] = ()) -> Timeline:
    """The one group of these steps with their answers, each answered before the next is sent."""
    scenario = Scenario(Layout(()), tuple([step for step, _ in played]), config)
    exchanges = [
        Exchange(number, outcome, number + 1.0, number + 1.5)
        for number, (_, outcome) in enumerate(played)
    ]
    (found,) = timelines(scenario, Observation(tuple(exchanges)))
    return found


@pytest.mark.parametrize("example", WORKED)
def test_the_size_is_what_a_description_of_a_worked_example_counts(example: Example) -> None:
    """Of a classic group: of another one nothing is described."""
    observation = answer_all(example.scenario, semantics_of(example.scenario, "4.3"))
    for found in timelines(example.scenario, observation):
        for mark in [mark for lane in found.lanes for mark in lane.marks if mark.members]:
            assert mark.members == found.sizes[mark.step], mark


@pytest.mark.parametrize("example", WORKED)
def test_every_step_has_one_mark_and_every_picture_is_sound(example: Example) -> None:
    scenario = example.scenario
    observation = answer_all(scenario, semantics_of(scenario, "4.3"))
    every = timelines(scenario, observation)
    seen = {mark.step for found in every for lane in found.lanes for mark in lane.marks}
    assert seen == {*range(len(scenario.steps))}
    titles = [f"step {number}" for number in range(len(scenario.steps))]
    for found in every:
        marks = [mark for lane in found.lanes for mark in lane.marks]
        steps = sorted([mark.step for mark in marks])
        assert len(steps) == len({*steps})
        assert {mark.letter for mark in marks} <= LETTERS.keys()
        for width in (320, 640):
            root = ET.fromstring(draw_timeline(found, titles, width))
            shown = [one.text or "" for one in root.iter(f"{SVG}title")]
            assert sorted(shown) == sorted([titles[step] for step in steps])
            for box in root.iter(f"{SVG}rect"):
                assert 0 <= float(box.attrib["x"]) <= width - float(box.attrib["width"])


def test_a_refused_join_is_no_member_and_a_line_is_at_the_limit() -> None:
    found = timeline(
        (JoinGroup(0), JoinGroupAnswer(generation=1, leader=True, members=1)),
        (JoinGroup(1), JoinGroupAnswer(error=Error.GROUP_MAX_SIZE_REACHED)),
        config=(("group.max.size", "1"),),
    )
    assert found.sizes == (1, 1)
    assert [lane.member for lane in found.lanes] == [(0, 1), ()]
    assert [lane.marks[0].refused for lane in found.lanes] == [False, True]
    assert found.limits == (Limit("group.max.size", (1, 1)),)


def test_a_member_that_leaves_is_gone_and_one_that_leaves_for_a_while_is_not() -> None:
    joins = ConsumerGroupHeartbeat(0, instance="i0"), MemberHeartbeatAnswer(epoch=1)
    for epoch, size in ((-1, 0), (-2, 1)):
        leaves = replace(joins[0], epoch=epoch), MemberHeartbeatAnswer(epoch=epoch)
        assert timeline(joins, leaves).sizes == (1, size)


def test_a_static_member_that_comes_again_takes_its_own_place() -> None:
    answer = JoinGroupAnswer(generation=1)
    found = timeline(
        (JoinGroup(0, "new", "i0"), answer),
        (JoinGroup(1, "new", "i0"), answer),
        (JoinGroup(2, "new", "i2"), answer),
        (LeaveGroup(5, "new", "i2"), MemberHeartbeatAnswer()),
    )
    assert found.sizes == (1, 1, 2, 2)
    assert [lane.member for lane in found.lanes[:2]] == [(0,), (1, 2, 3)]


def test_who_did_not_join_the_new_generation_is_no_member_of_it() -> None:
    found = timeline(
        (JoinGroup(0), JoinGroupAnswer(generation=1)),
        (JoinGroup(1), JoinGroupAnswer(generation=2, leader=True, members=1)),
    )
    assert found.sizes == (1, 1)
    assert found.lanes[0].member == (0,)


def test_an_answer_is_by_the_step_before_which_it_came() -> None:
    scenario = Scenario(Layout(()), (JoinGroup(0, parked=True), JoinGroup(1), JoinGroup(2)))
    waits = JoinGroupAnswer(generation=1)
    exchanges = (Exchange(0, waits, 1, 2.7), Exchange(1, waits, 2, 2.5), Exchange(2, waits, 3, 3.5))
    (found,) = timelines(scenario, Observation(exchanges))
    assert [mark.answered for lane in found.lanes for mark in lane.marks] == [1, 1, 2]


def test_a_restart_changes_the_limits() -> None:
    found = timeline(
        (JoinGroup(0), JoinGroupAnswer()),
        (RestartWith((("group.max.size", "1"),), 7), Passed()),
        config=(("group.max.size", "2"),),
    )
    assert found.limits == (Limit("group.max.size", (2, 1)),)
    assert "group.max.size: 2, then 1" in draw_timeline(found, ["", ""], 640)


def test_many_steps_continue_underneath_and_a_high_limit_makes_no_tower() -> None:
    played = [(JoinGroup(number), JoinGroupAnswer(generation=1)) for number in range(60)]
    found = timeline(*played, config=(("group.max.size", "1000000000"),))
    root = ET.fromstring(draw_timeline(found, [""] * 60, 320))
    assert float(root.attrib["height"]) < 60 * 25 * 60
    assert all(float(one.attrib["height"]) < 200 for one in root.iter(f"{SVG}rect"))


def test_text_from_outside_is_escaped_and_the_legend_names_the_letters_that_are_used() -> None:
    found = timeline((JoinGroup(0), JoinGroupAnswer()))
    picture = draw_timeline(found, [HOSTILE], 320)
    assert "<script" not in picture
    assert "&lt;script&gt;&amp;" in picture
    assert "J joins" in legend(found)
    assert "heartbeats" not in legend(found)


def test_a_report_draws_the_timeline_above_the_steps() -> None:
    (example, *_) = examples()["GRP-001"]
    observation = answer_all(example.scenario, semantics_of(example.scenario, "4.3"))
    assert "group.max.size: 2" in draw(example.scenario, observation)
    assert "group.max.size: 2" not in draw(example.scenario)
    (fetched, *_) = examples()["FET-004"]
    answered = answer_all(fetched.scenario, semantics_of(fetched.scenario, "4.3"))
    assert timelines(fetched.scenario, answered) == ()
