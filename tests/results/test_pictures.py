import re
from xml.etree.ElementTree import Element, fromstring

import pytest

from results.geometry import panels
from results.picture import draw
from results.picture_text import sketch
from spec.catalogue import examples
from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
from spec.fetch.steps import OWN, Fetch, FetchPartition
from spec.kafka import INT32_MAX
from spec.layout import Batch, Codec, Layout, Marker, Partition
from spec.model import answer_all as model_answers
from spec.observation import Exchange, Observation
from spec.outcomes import Closed, Garbled, NotSent, Outcome, Silent
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.seen_batch import SeenBatch
from spec.share.dry_run import answer_all
from spec.share.examples import FIVES, fetch, history, release
from spec.share.outcomes import Acquired, ShareAnswerPartition, ShareFetchAnswer
from spec.share.steps import (
    FINAL_EPOCH,
    RECORD_LIMIT,
    AlterGroupConfig,
    DeleteShareGroupOffsets,
    DropConnection,
    Pause,
    RestartBroker,
    ShareFetch,
)
from spec.steps import Append, DeleteRecords, Step
from spec.worked import semantics_of
from tests.plain_words import has_python
from tests.results.synthetic import HOSTILE, layout, observation

SVG = "{http://www.w3.org/2000/svg}"
OVERSIZE = Scenario(layout((5070,)), (Fetch((FetchPartition(0, 0, 1000),), max_bytes=1000),))


def scenario(place: Layout, *steps: Step) -> Scenario:
    return Scenario(place, steps)


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in fromstring(svg).iter(f"{SVG}text")]


def boxes(svg: str) -> list[Element]:
    return [
        element
        for element in fromstring(svg).iter(f"{SVG}rect")
        if element.find(f"{SVG}title") is not None
    ]


def test_a_sketch_shows_start_limits_and_answer_to_scale() -> None:
    assert sketch(OVERSIZE, observation(), width=60).splitlines() == [
        "step 0: Fetch v12 max_bytes=1000 min_bytes=0 max_wait_ms=0",
        "    read_uncommitted",
        "  partition 0, offset 0",
        "  [======================================================]",
        "  >5070",
        "             | partition_max_bytes=1000",
        "             | max_bytes: 1000 left",
        "  ########################################################",
        "  answered 5070 bytes, 1 whole batch, offsets 0 to 0",
    ]


def test_batches_are_drawn_to_scale() -> None:
    svg = draw(scenario(layout((1000, 3000)), Fetch((FetchPartition(0, 0),))))
    small, large = [float(box.attrib["width"]) for box in boxes(svg)]
    assert large / small == pytest.approx(3, rel=0.02)


def test_a_tiny_batch_beside_a_huge_one_is_still_seen() -> None:
    place = layout((61, 10_000_000))
    svg = draw(scenario(place, Fetch((FetchPartition(0, 0),))))
    assert min(float(box.attrib["width"]) for box in boxes(svg)) >= 1
    assert len(boxes(svg)) == 2


def test_a_fence_stands_at_its_byte() -> None:
    svg = draw(
        scenario(layout((1000, 1000)), Fetch((FetchPartition(0, 1, 500),), max_bytes=INT32_MAX))
    )
    (line,) = fromstring(svg).iter(f"{SVG}line")
    assert float(line.attrib["x1"]) == pytest.approx(1500 / 2000 * 758 + 1, abs=1)
    assert any("→" in text and f"max_bytes: {INT32_MAX} left" in text for text in texts(svg))


def test_what_earlier_partitions_answered_is_taken_off_the_requests_limit() -> None:
    place = layout((900,), (900,), (900,))
    step = Fetch(tuple([FetchPartition(number, 0) for number in range(3)]), max_bytes=1000)
    answers = tuple(
        [PartitionAnswer(number, batches=(SeenBatch(0, 0, 900, 1),)) for number in range(2)]
    )
    drawn = sketch(
        scenario(place, step), Observation((Exchange(0, FetchAnswer(partitions=answers)),))
    )
    assert re.findall(r"max_bytes: (-?\d+) left", drawn) == ["1000", "100", "0"]
    assert re.findall(r"max_bytes: (-?\d+) left", sketch(scenario(place, step))) == ["1000"]


def test_transactions_segments_and_codecs_are_distinguished() -> None:
    entries = (Batch(400, 3, Codec.ZSTD, txn=0), Marker(0, commit=False))
    place = Layout((Partition((entries, (Batch(300),)), log_start=1),))
    case = scenario(place, Fetch((FetchPartition(0, 0),)))
    drawn = sketch(case)
    assert "~" in drawn
    assert "a" in drawn.splitlines()[2]
    assert "‖" in drawn
    titles = [box.findtext(f"{SVG}title") for box in boxes(draw(case))]
    assert titles == [
        "offset 0: 400 bytes, 3 records, zstd, transaction 0",
        "offset 3: abort marker of transaction 0",
        "offset 4: 300 bytes, 1 record",
    ]


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Closed("reset"), "closed without an answer: reset"),
        (Closed(), "the connection was closed"),
        (Silent(5000, control_answered=True), "silent for 5000 ms, a control request was answered"),
        (Garbled("length -5"), "can't be decoded: length -5"),
        (NotSent("too old"), "not sent: too old"),
        (FetchAnswer(error=70), "answered FETCH_SESSION_ID_NOT_FOUND"),
        (FetchAnswer(partitions=(PartitionAnswer(0, error=1),)), "OFFSET_OUT_OF_RANGE, 0 bytes"),
        (FetchAnswer(partitions=(PartitionAnswer(0, garbled="crc"),)), "can't be read: crc"),
        (FetchAnswer(partitions=(PartitionAnswer(0, error=1234),)), "ERROR_1234"),
    ],
)
def test_whatever_came_back_is_said(outcome: Outcome, words: str) -> None:
    seen = Observation((Exchange(0, outcome),))
    assert words in sketch(OVERSIZE, seen)
    assert any(words in text for text in texts(draw(OVERSIZE, seen)))


@pytest.mark.parametrize(
    "asked",
    [
        FetchPartition(9, 0),
        FetchPartition(-1, 0),
        FetchPartition(0, 99),
        FetchPartition(0, -1, absolute=True),
        FetchPartition(0, -5, -7),
        FetchPartition(0, 2**63, 0),
        FetchPartition(0, 1, -(2**31)),
    ],
)
@pytest.mark.parametrize("place", [layout((500,)), layout(()), Layout((Partition(),))])
def test_odd_requests_can_be_drawn(asked: FetchPartition, place: Layout) -> None:
    case = scenario(
        place,
        Fetch(
            (asked, asked),
            max_bytes=-1,
            session="own",
            epoch=3,
            forgotten=(0,),
            replica_id=5,
            isolation=7,
        ),
    )
    for seen in (None, observation()):
        assert all(len(line) <= 76 for line in sketch(case, seen).splitlines())
        fromstring(draw(case, seen))


def test_steps_that_change_the_log_are_named() -> None:
    case = scenario(layout((500,)), Append(0, Batch(700, 2)), DeleteRecords(0, 1), Fetch())
    drawn = sketch(case)
    assert "step 0: append 700 bytes, 2 records to partition 0" in drawn
    assert "step 1: delete records of partition 0 before offset 1" in drawn


def test_a_long_history_is_cut_and_says_so() -> None:
    case = scenario(layout((500,)), *[Fetch((FetchPartition(0, 0),))] * 20)
    assert "… and 12 more steps" in sketch(case)
    assert "… and 4 more steps" in texts(draw(case))


def test_hostile_text_is_only_text() -> None:
    case = scenario(layout((500,)), Fetch((FetchPartition(0, 0),), session=HOSTILE))
    seen = Observation((Exchange(0, Garbled(HOSTILE)),), broken=HOSTILE)
    svg = draw(case, seen)
    fromstring(svg)
    assert "<script" not in svg
    assert "\x1b" not in sketch(case, seen)
    assert "\x1b" not in svg


def test_a_picture_needs_no_script_style_or_link() -> None:
    svg = draw(OVERSIZE, observation())
    for word in ("style=", "href", "<script", "onload", "url("):
        assert word not in svg


def test_a_share_fetch_is_drawn_over_offsets_with_what_was_acquired() -> None:
    """KIP-1206: six records in record_limit mode end inside the second batch, and are drawn so."""
    case = history((FIVES,), fetch(0, max_records=6, mode=RECORD_LIMIT), release(0, 1))
    assert sketch(case, answer_all(case, semantics_for("4.3")), width=60).splitlines() == [
        "step 0: start offsets 0 in partition 0",
        "step 1: member 0, ShareFetch v2 record_limit max_records=6",
        "    partition 0",
        "  partition 0, by offsets",
        "  [================][=================][=================]",
        "   5                 5                  5",
        "                        | max_records=6",
        "  ######################",
        "  answered 0 to 5 (delivery 1)",
        "step 2: member 0, ShareAcknowledge v2 partition 0 (0 to 1",
        "    release)",
    ]


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (Fetch(), "Fetch v12 max_bytes"),
        (Fetch(epoch=0), "Fetch v12 opens a session, max_bytes"),
        (Fetch(session=OWN, epoch=3), "Fetch v12 in its session, epoch 3, max_bytes"),
        (Fetch(session=OWN, epoch=-1), "Fetch v12 closes its session, max_bytes"),
        (Fetch(session=OWN, epoch=0), "Fetch v12 opens a session in place of its own, max_bytes"),
        (Fetch(session=77, epoch=2), "Fetch v12 session 77, epoch 2, max_bytes"),
        (
            Fetch(session=OWN, epoch=1, forgotten=(0, 2)),
            "Fetch v12 in its session, epoch 1, forgets partition 0, 2, max_bytes",
        ),
    ],
)
def test_what_a_fetch_does_in_a_session_is_said_first_and_never_cut(
    step: Fetch, words: str
) -> None:
    case = scenario(layout((5070,)), step)
    assert words in " ".join(sketch(case, width=60).split())
    assert words in " ".join(" ".join(texts(draw(case))).split())


def test_an_answer_in_another_session_says_so() -> None:
    case = scenario(layout((5070,)), Fetch(session=OWN, epoch=1))
    for session, said in ((0, ""), (1, ""), (2, "a session id not seen before")):
        text = sketch(case, Observation((Exchange(0, FetchAnswer(session=session)),)))
        assert ("not seen before" in text) == bool(said)


def test_each_acquired_range_has_a_bar_of_its_own() -> None:
    case = history((FIVES,), fetch(0))
    found = ShareFetchAnswer(
        partitions=(
            ShareAnswerPartition(
                0, acquired=(Acquired(0, 2, 2), Acquired(10, 10)), acknowledge_error=121
            ),
        )
    )
    seen = Observation((Exchange(1, found),))
    assert [line for line in sketch(case, seen).splitlines() if "#" in line] == [
        "  ##############                                  ####"
    ]
    assert (
        "answered INVALID_RECORD_STATE for the acknowledgements, 0 to 2 (delivery 2), 10 (delivery "
        "1)" in sketch(case, seen, width=120)
    )
    bars = [
        one
        for one in fromstring(draw(case, seen)).iter(f"{SVG}rect")
        if one.attrib["height"] == "7"
    ]
    assert len(bars) == 2


def test_a_wild_acquired_range_leaves_the_log_in_sight() -> None:
    case = history((FIVES,), fetch(0))
    found = ShareFetchAnswer(
        partitions=(
            ShareAnswerPartition(0, acquired=(Acquired(0, 2**62), Acquired(5, 3))),
            ShareAnswerPartition(7),
        )
    )
    drawn = sketch(case, Observation((Exchange(1, found),)))
    assert "[======" in drawn
    assert "#" not in drawn
    assert "partition 7: does not exist" in drawn


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (ShareFetch(epoch=FINAL_EPOCH, version=2), "closes"),
        (ShareFetch(epoch=5, version=2), "epoch=5"),
        (ShareFetch(skew=-1, version=2), "epoch-1"),
        (
            ShareFetch(max_wait_ms=600, parked=True, version=2, forgotten=(0,)),
            "max_wait_ms=600 (parked) without partition 0",
        ),
        (ShareFetch(max_records=3, version=0), "ShareFetch v0"),
        (DropConnection(1), "member 1 loses its connection"),
        (RestartBroker(), "the broker restarts"),
        (Pause(1500), "nothing for 1500 ms"),
        (
            AlterGroupConfig((("share.isolation.level", None),)),
            "share.isolation.level=(taken away)",
        ),
        (DeleteShareGroupOffsets(), "the group's offsets are deleted"),
    ],
)
def test_each_step_of_a_share_group_is_stated_in_words(step: Step, words: str) -> None:
    assert words in sketch(history((FIVES,), step), width=120)
    assert "{" not in sketch(history((FIVES,), step), width=120)


def test_worked_examples_are_drawn_without_brackets_and_braces() -> None:
    """What has no picture of its own is named field by field."""
    drawn = [
        text
        for found in examples().values()
        for panel in panels(
            found[0].scenario,
            model_answers(found[0].scenario, semantics_of(found[0].scenario, "4.3")),
        )
        for text in (panel.title, panel.outcome, *[row.answer for row in panel.rows])
    ]
    assert [text for text in drawn if has_python(text)] == []
    assert "answered replicas leader=1 epoch=1 in_sync=0, 1" in drawn
    assert any("runs=((base=0 last=0 size=100 time=0)" in text for text in drawn)
