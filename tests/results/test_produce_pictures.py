"""Pictures of produce: batches beside the sizes that are taken, times, and what is read back."""

from xml.etree.ElementTree import Element, fromstring

import pytest

from results.geometry import panels
from results.picture import draw
from results.picture_text import sketch
from spec.catalogue import examples
from spec.frozen import replace
from spec.kafka import Error
from spec.layout import Codec
from spec.observation import Exchange, Observation
from spec.outcomes import Closed, Outcome
from spec.produce.dry_run import answer_all
from spec.produce.examples import LIMITED, alone, scenario
from spec.produce.outcomes import (
    BatchAnswer,
    EndOffsetsAnswer,
    NoAnswer,
    ProduceAnswer,
    ProducerGiven,
    ReadAnswer,
    ReadBatch,
    ReadPartition,
    TimeFound,
    Times,
)
from spec.produce.steps import (
    EMPTY_ID,
    CarriedProducer,
    ChangeTopic,
    EndOffsets,
    Flaw,
    InitProducer,
    LookUpTime,
    Outgoing,
    Produce,
    ProduceStep,
    ReadBack,
    UseTopic,
)
from spec.produce.topic import Compression, TimestampType, TopicSettings
from spec.releases import semantics_for
from spec.scenario import Scenario
from tests.results.synthetic import HOSTILE

SVG = "{http://www.w3.org/2000/svg}"
ACCEPTED, FENCE, REFUSED = "#2e7d4f", "#b3261e", "#b3261e"


def answers(case: Scenario) -> Observation:
    return answer_all(case, semantics_for("4.3"))


def svg_of(case: Scenario, seen: Observation | None, width: int = 760) -> Element:
    return fromstring(draw(case, seen, width))


def one_step(step: ProduceStep, outcome: Outcome) -> str:
    case = scenario(step)
    return sketch(case, Observation((Exchange(1, outcome),)), 120)


def test_a_batch_stands_to_scale_beside_the_size_that_its_topic_takes() -> None:
    case = scenario(alone(501))
    assert sketch(case, answers(case), 60).splitlines()[:6] == [
        "step 0: the topic has max.message.bytes=500",
        "step 1: Produce v9 acks=-1",
        "  to partition 0: 501 bytes, 1 record",
        "  [======================================================]",
        "   501",
        "                                   max.message.bytes=500 |",
    ]


@pytest.mark.parametrize(("size", "taken"), [(400, True), (500, True), (501, False), (900, False)])
def test_green_is_what_was_accepted_and_the_fence_at_the_limit(size: int, taken: bool) -> None:
    case = Scenario(scenario().layout, (LIMITED, alone(size)))
    found = svg_of(case, answers(case))
    (fence,) = found.iter(f"{SVG}line")
    assert float(fence.attrib["x1"]) == pytest.approx(500 / max(size, 500) * 758 + 1, abs=1)
    bars = [rect for rect in found.iter(f"{SVG}rect") if rect.attrib["fill"] == ACCEPTED]
    assert bool(bars) == taken
    (answer,) = [
        text for text in found.iter(f"{SVG}text") if (text.text or "").startswith("answered")
    ]
    assert ("MESSAGE_TOO_LARGE" in (answer.text or "")) != taken
    assert (answer.attrib["fill"] == REFUSED) != taken


def test_the_fence_moves_with_the_topics_configs() -> None:
    changes = (
        ChangeTopic(TopicSettings(max_message_bytes=300)),
        alone(400),
        ChangeTopic(TopicSettings(max_message_bytes=100), elsewhere=True),
        alone(400),
    )
    drawn = sketch(scenario(*changes), width=100)
    assert "the topic is altered to max.message.bytes=300" in drawn
    assert "another topic of the same configs is altered to max.message.bytes=100" in drawn
    fences = [line.split() for line in drawn.splitlines() if "|" in line]
    assert fences == [["|", "max.message.bytes=300"]] * 2


def test_the_times_of_records_stand_among_those_that_are_taken() -> None:
    topic = UseTopic(TopicSettings(before_max_ms=1000, after_max_ms=2000))
    batch = Outgoing(0, 300, 3, times=(0, -1001, 2000))
    case = Scenario(scenario().layout, (topic, Produce((batch,))))
    drawn = sketch(case, answers(case), 100).splitlines()
    start = drawn.index("  times for partition 0, ms from now")
    refused = error_of(answers(case))
    assert drawn[start + 1 :] == [
        f"  |>  2000  the greatest allowed; record 2: refused, {refused}",
        f"  |>     0  record 0: refused, {refused}",
        "  |  -1000  the least allowed",
        "  ---------",
        f"   > -1001  record 1, not allowed: refused, {refused}",
    ]


def error_of(seen: Observation) -> str:
    outcome = seen.exchanges[1].outcome
    assert isinstance(outcome, ProduceAnswer)
    return Error(outcome.partitions[0].error).name


def test_the_brokers_own_times_have_no_bounds() -> None:
    topic = UseTopic(TopicSettings(timestamp_type=TimestampType.APPEND, after_max_ms=10))
    case = Scenario(scenario().layout, (topic, Produce((Outgoing(0, 300, 1, times=(99,)),))))
    assert "ms from now" not in sketch(case)


def test_a_sequence_stands_beside_the_last_one_that_was_accepted() -> None:
    sent = [
        Produce((Outgoing(0, 200, 2, producer=0, sequence=sequence),)) for sequence in (0, 2, 9)
    ]
    case = scenario(*sent)
    drawn = sketch(case, answers(case), 120)
    assert "producer 0 epoch 0 sequence 0 to 1\n" in drawn
    assert "producer 0 epoch 0 sequence 2 to 3 after 1\n" in drawn
    assert "producer 0 epoch 0 sequence 9 to 10 after 3\n" in drawn
    assert "answered OUT_OF_ORDER_SEQUENCE_NUMBER" in drawn


def test_what_is_read_back_is_drawn_with_what_became_of_it() -> None:
    batches = (
        ReadBatch(0, 0, 200, 1, (1, 0)),
        ReadBatch(1, 2, 300, 2, (1, 1), identical=False, codec="gzip", altered=("codec",)),
        ReadBatch(3, 3, 100, 1, None, sound=False),
    )
    seen = Observation((Exchange(0, ReadAnswer((ReadPartition(0, 0, 4, batches),))),))
    case = Scenario(scenario().layout, (ReadBack(),))
    fills = [
        rect.attrib["fill"]
        for rect in svg_of(case, seen).iter(f"{SVG}rect")
        if rect.find(f"{SVG}title") is not None
    ]
    assert fills == ["#9dbfe0", "#e6c98f", "#c8645a"]
    drawn = " ".join(sketch(case, seen).split())
    assert "partition 0, up to offset 4" in drawn
    assert "200 bytes at offset 0, of step 1;" in drawn
    assert "300 bytes at offsets 1 to 2, of step 1, codec gzip, altered: codec;" in drawn
    assert "100 bytes at offset 3, sent by no step, a wrong checksum" in drawn


def test_the_codec_of_what_was_read_is_named_where_the_topic_has_one_of_its_own() -> None:
    read = ReadAnswer((ReadPartition(0, 0, 1, (ReadBatch(0, 0, 99, 1, None),)),))
    for compression, named in ((Compression.SNAPPY, True), (Compression.PRODUCER, False)):
        topic = UseTopic(TopicSettings(compression=compression))
        case = Scenario(scenario().layout, (topic, ReadBack()))
        drawn = sketch(case, Observation((Exchange(1, read),)))
        assert ("codec none" in drawn) == named


def test_the_producers_times_are_named_where_the_brokers_were_to_be_stored() -> None:
    topic = UseTopic(TopicSettings(timestamp_type=TimestampType.APPEND))
    case = Scenario(scenario().layout, (topic, ReadBack()))
    for times, words in (
        (Times.SENT, "the producer's times"),
        (Times.APPENDED, "the broker's times"),
    ):
        read = ReadAnswer((ReadPartition(0, 0, 1, (ReadBatch(0, 0, 99, 1, None, times=times),)),))
        assert words in sketch(case, Observation((Exchange(1, read),)))


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (alone(flaw=Flaw.COUNT_ABOVE), "flaw: count above"),
        (Produce((Outgoing(7, 200),)), "to partition 7, which does not exist: 200 bytes"),
        (Produce((Outgoing(0, 200),), acks=1, version=3, actor=2), "v3 acks=1, on connection 2"),
        (Produce((Outgoing(0, 200),), length=9000), "filled up to 9000 bytes"),
        (
            Produce((Outgoing(0, 200, codec=Codec.GZIP, unpacked=900),)),
            "gzip, 900 bytes unpacked",
        ),
        (
            Produce((Outgoing(0, 200, 2, keyed=True, keyless=(1,)),)),
            "with keys, but for record 1",
        ),
        (InitProducer(), "InitProducerId v5, no transactional id, timeout 60000 ms"),
        (InitProducer(EMPTY_ID), "an empty transactional id"),
        (InitProducer(3, claim=CarriedProducer.ID_ALONE), "carries the producer: id alone"),
        (LookUpTime(0, None), "the largest timestamp of partition 0"),
        (LookUpTime(1, -5), "-5 ms past the last log append time"),
        (UseTopic(TopicSettings(compression=Compression.LZ4)), "compression.type=lz4"),
        (UseTopic(TopicSettings(segment_bytes=2000)), "segment.bytes=2000"),
        (UseTopic(TopicSettings()), "the topic has its configs as they are"),
    ],
)
def test_each_step_is_stated_in_words(step: ProduceStep, words: str) -> None:
    drawn = sketch(scenario(step), width=120)
    assert words in drawn
    assert "{" not in drawn


@pytest.mark.parametrize(
    ("step", "outcome", "words"),
    [
        (alone(), ProduceAnswer(), "answered without a partition"),
        (alone(), ProduceAnswer((BatchAnswer(0),)), "answered without an error"),
        (
            alone(records=9),
            ProduceAnswer((BatchAnswer(0, Error.INVALID_RECORD, record_errors=(0, 3)),)),
            "answered INVALID_RECORD, records 0, 3 named as refused",
        ),
        (alone(), NoAnswer(), "not answered, and the next request was"),
        (alone(), Closed("reset"), "closed without an answer: reset"),
        (EndOffsets(), EndOffsetsAnswer((3, None)), "3 in partition 0, no offset in partition 1"),
        (InitProducer(), ProducerGiven(0, 1, 4), "answered producer 1, epoch 4"),
        (InitProducer(), ProducerGiven(Error.INVALID_REQUEST), "answered INVALID_REQUEST"),
        (LookUpTime(), TimeFound(10, 0, 3, 12), "answered offset 3, its time 12 ms"),
        (LookUpTime(), TimeFound(10), "answered no offset"),
        (LookUpTime(), TimeFound(10, Error.INVALID_REQUEST), "answered INVALID_REQUEST"),
    ],
)
def test_whatever_came_back_is_said(step: ProduceStep, outcome: Outcome, words: str) -> None:
    drawn = one_step(step, outcome)
    assert words in drawn
    assert "{" not in drawn


def test_of_several_batches_for_one_partition_each_has_its_own_answer() -> None:
    step = Produce((Outgoing(0, 200), Outgoing(0, 300)))
    outcome = ProduceAnswer((BatchAnswer(0, base=4), BatchAnswer(0, Error.INVALID_REQUEST)))
    panel = panels(scenario(step), Observation((Exchange(1, outcome),)))[1]
    assert [row.answer for row in panel.rows] == ["base offset 4", "INVALID_REQUEST"]
    assert [row.refused for row in panel.rows] == [False, True]


@pytest.mark.parametrize("width", [340, 760])
def test_every_worked_example_is_drawn_within_its_width(width: int) -> None:
    drawn = 0
    for clause, cases in examples().items():
        if not clause.startswith("PRO-"):
            continue
        for example in cases:
            case = example.scenario
            for seen in (answers(case), None):
                found = svg_of(case, seen, width)
                assert all(
                    float(rect.attrib["x"]) + float(rect.attrib["width"]) <= width + 1
                    for rect in found.iter(f"{SVG}rect")
                )
                drawn += 1
    assert drawn > 100


def test_hostile_text_is_only_text() -> None:
    step = replace(alone(), actor=1)
    read = ReadAnswer((ReadPartition(0, 0, 1, (ReadBatch(0, 0, 99, 1, None, codec=HOSTILE),)),))
    case = scenario(step, ReadBack())
    seen = Observation((Exchange(1, Closed(HOSTILE)), Exchange(2, read)))
    svg = draw(case, seen)
    fromstring(svg)
    assert "<script" not in svg
    assert "\x1b" not in svg
    assert "\x1b" not in sketch(case, seen)
