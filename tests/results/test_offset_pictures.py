"""Pictures of lookups: where in its partition an answer lies."""

from xml.etree.ElementTree import fromstring

import pytest

from results.picture import draw
from results.picture_text import sketch
from spec.catalogue import examples
from spec.kafka import Error
from spec.layout import Codec
from spec.observation import Exchange, Observation
from spec.offsets.dry_run import answer_all
from spec.offsets.outcomes import (
    Committed,
    EpochEndAnswer,
    Found,
    ListOffsetsAnswer,
    OffsetCommitAnswer,
    OffsetFetchAnswer,
)
from spec.offsets.steps import (
    EARLIEST,
    AppendTimed,
    Commit,
    ListOffsets,
    Lookup,
    OffsetCommit,
    OffsetFetch,
    OffsetForLeaderEpoch,
    OffsetStep,
)
from spec.outcomes import Closed, Garbled, Outcome
from spec.scenario import Scenario
from spec.worked import semantics_of
from tests.results.synthetic import HOSTILE, layout

SVG = "{http://www.w3.org/2000/svg}"


def seen(*outcomes: Outcome) -> Observation:
    return Observation(tuple([Exchange(place, one) for place, one in enumerate(outcomes)]))


def one_step(step: OffsetStep, outcome: Outcome, width: int = 120) -> str:
    return sketch(Scenario(layout((100, 100)), (step,)), seen(outcome), width)


def test_a_found_offset_lies_in_the_log_as_far_as_it_was_appended() -> None:
    steps = (AppendTimed(0, (5, 9)), ListOffsets((Lookup(0, 6, relative=True),)))
    case = Scenario(layout((100, 100)), steps)
    observation = answer_all(case, semantics_of(case, "4.3"))
    lines = sketch(case, observation, 80).splitlines()
    assert lines[:4] == [
        "step 0: append 2 records to partition 0, times 5, 9",
        "  answered offset 2",
        "step 1: ListOffsets v10 read_uncommitted",
        "  partition 0, by offsets: the first offset from the time 6 on",
    ]
    log, _, bar, answer = lines[4:]
    assert answer == "  answered offset 3, time 9"
    assert log.count("[") == 3
    assert bar.index("#") == pytest.approx(2 + 3 / 4 * 76, abs=1)
    assert len(bar) == pytest.approx(2 + 76, abs=1)


def test_the_end_of_the_log_is_drawn_behind_it_and_what_is_deleted_is_pale() -> None:
    place = layout((100, 100))
    case = Scenario(place, (ListOffsets((Lookup(0), Lookup(0, EARLIEST))),))
    found = ListOffsetsAnswer((Found(0, 0, 2), Found(0, 0, 0)))
    svg = fromstring(draw(case, seen(found)))
    bars = [one for one in svg.iter(f"{SVG}rect") if one.attrib["height"] == "7"]
    boxes = [one for one in svg.iter(f"{SVG}rect") if one.find(f"{SVG}title") is not None]
    ends = [float(one.attrib["x"]) + float(one.attrib["width"]) for one in boxes[:2]]
    assert float(bars[0].attrib["x"]) >= max(ends)
    assert float(bars[1].attrib["x"]) == float(boxes[0].attrib["x"])


@pytest.mark.parametrize("offset", [-7, 2**62])
def test_a_wild_offset_leaves_the_log_in_sight(offset: int) -> None:
    drawn = one_step(ListOffsets((Lookup(0),)), ListOffsetsAnswer((Found(0, 0, offset),)))
    assert "[====" in drawn
    assert "#" not in drawn
    assert f"answered offset {offset}" in drawn


@pytest.mark.parametrize(
    ("step", "outcome", "words"),
    [
        (AppendTimed(0, (1,), Codec.LZ4), Closed("x"), "append 1 record to partition 0, lz4, time"),
        (ListOffsets((Lookup(7),)), ListOffsetsAnswer(), "partition 7, which does not exist: the"),
        (
            ListOffsets((Lookup(0, leader_epoch=-1),), isolation=1, version=5),
            ListOffsetsAnswer((Found(0, Error.FENCED_LEADER_EPOCH),)),
            "sent as current: the current epoch -1",
        ),
        (ListOffsets((Lookup(0),)), ListOffsetsAnswer((Found(0),)), "answered no offset"),
        (ListOffsets((Lookup(0, 0),)), ListOffsetsAnswer(), "timestamp 0"),
        (
            OffsetForLeaderEpoch(0, -1),
            EpochEndAnswer(0, -1, 2),
            "answered the current epoch -1, end offset 2",
        ),
        (OffsetForLeaderEpoch(0), EpochEndAnswer(Error.UNKNOWN_LEADER_EPOCH), "no offset"),
        (
            OffsetCommit((Commit(0, 5, 9),)),
            OffsetCommitAnswer(((0, Error.OFFSET_METADATA_TOO_LARGE),)),
            "partition 0: offset 5, 9 bytes of metadata",
        ),
        (OffsetCommit((Commit(0, 5),)), OffsetCommitAnswer(), "answered without an entry for it"),
        (OffsetCommit((Commit(0, 5),)), OffsetCommitAnswer(((0, 0),)), "without an error"),
        (
            OffsetFetch((0,), require_stable=True),
            OffsetFetchAnswer((Committed(0, 0, 5, 9),)),
            "answered offset 5, 9 characters of metadata",
        ),
        (OffsetFetch((0,)), OffsetFetchAnswer((), 16), "answered NOT_COORDINATOR"),
        (OffsetFetch((0,)), OffsetFetchAnswer(), "answered without an entry for it"),
        (OffsetFetch((0,)), Closed("reset"), "closed without an answer: reset"),
    ],
)
def test_whatever_is_asked_and_came_back_is_said(
    step: OffsetStep, outcome: Outcome, words: str
) -> None:
    drawn = one_step(step, outcome)
    assert words in drawn
    assert "{" not in drawn


@pytest.mark.parametrize("width", [340, 760])
def test_every_worked_example_is_drawn(width: int) -> None:
    drawn = 0
    for clause, cases in examples().items():
        for example in cases if clause.startswith("OFF-") else ():
            case = example.scenario
            observation = answer_all(case, semantics_of(case, "4.3"))
            fromstring(draw(case, observation, width))
            assert "{" not in sketch(case, observation)
            drawn += 1
    assert drawn > 30


def test_hostile_text_is_only_text() -> None:
    case = Scenario(layout((100,)), (ListOffsets((Lookup(0),)),))
    svg = draw(case, seen(Garbled(HOSTILE)))
    fromstring(svg)
    assert "<script" not in svg
    assert "\x1b" not in svg
