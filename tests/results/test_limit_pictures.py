"""Pictures of limits: numbers among their bounds, pages of partitions, connections."""

from xml.etree.ElementTree import fromstring

import pytest

from results.geometry import panels
from results.picture import draw
from results.picture_text import sketch
from spec.catalogue import examples
from spec.kafka import Error
from spec.limits.dry_run import answer_all
from spec.limits.examples import close_listener, history, open_listener, set_listener_limit
from spec.limits.outcomes import (
    OF_TOPIC,
    ConfigsAltered,
    ConfigsDescribed,
    ConnectionsHeld,
    Described,
    ListenerConnections,
    PartitionPage,
    TopicEntry,
    TopicsAnswer,
)
from spec.limits.steps import (
    ALL_BROKERS,
    AlterConfigs,
    Change,
    CloseConnection,
    CreatePartitions,
    CreateTopics,
    DescribeConfigs,
    DescribeTopics,
    Growth,
    LimitConnections,
    ListPartitions,
    Name,
    NewTopic,
    OpenConnection,
    OpenOnListener,
    Resource,
)
from spec.observation import Exchange, Observation
from spec.outcomes import Closed, Outcome
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.steps import Step
from tests.results.synthetic import HOSTILE

SVG = "{http://www.w3.org/2000/svg}"
A = Name("a")
LONG = CreateTopics((NewTopic(Name("a", 250)),), validate_only=True)


def answers(case: Scenario, release: str = "4.3") -> Observation:
    return answer_all(case, semantics_for(release))


def seen(*outcomes: Outcome) -> Observation:
    return Observation(tuple([Exchange(place, one) for place, one in enumerate(outcomes)]))


def taken(partitions: int = 1) -> TopicsAnswer:
    return TopicsAnswer((TopicEntry(0, 0, partitions),))


def test_a_name_that_is_too_long_lies_beyond_the_fence() -> None:
    assert sketch(history(LONG), seen(taken())).splitlines() == [
        "step 0: CreateTopics v7, only validated",
        "  topic 'a' of 250 characters: 1 partition",
        "  answered 1 partition",
        "  characters of the name",
        "   > 250  asked, not allowed: taken",
        "  -------",
        "  |  249  the greatest allowed",
        "  |    1  the least allowed",
    ]


def test_a_config_stands_among_the_numbers_that_it_takes() -> None:
    step = AlterConfigs(Resource.TOPIC, A, (Change("retention.ms", str(2**63)),))
    drawn = sketch(history(step), seen(ConfigsAltered(Error.INVALID_CONFIG)), 100)
    assert f"> {2**63}  asked, not allowed: refused, INVALID_CONFIG" in drawn
    assert f"|  {2**63 - 1}  the greatest allowed" in drawn
    assert "answered refused, INVALID_CONFIG" in drawn


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("segment.bytes", "20"),
        ("cleanup.policy", "delete"),
        ("no.such.config", "1"),
        ("retention.ms", "soon"),
        (HOSTILE, HOSTILE),
    ],
)
def test_what_releases_bound_differently_or_not_by_numbers_has_words_alone(
    name: str, value: str
) -> None:
    step = AlterConfigs(Resource.TOPIC, A, (Change(name, value),), validate_only=True)
    (panel,) = panels(history(step), seen(ConfigsAltered()))
    assert panel.ladders == ()
    assert value in panel.title


def test_a_number_of_partitions_stands_above_the_present_one() -> None:
    steps = (CreateTopics((NewTopic(A, 3),)), CreatePartitions((Growth(A, 3),)))
    drawn = sketch(history(*steps), seen(taken(3), TopicsAnswer((TopicEntry(0),))))
    assert drawn.splitlines()[-4:] == [
        "  partitions of topic 'a'",
        "  |  4  the least allowed",
        "  -----",
        "   > 3  asked, not allowed: taken",
    ]


def test_partitions_that_are_only_validated_are_not_there() -> None:
    steps = (
        CreateTopics((NewTopic(A, 3),), validate_only=True),
        CreatePartitions((Growth(A, 3),)),
    )
    _, panel = panels(history(*steps), seen(taken(3), TopicsAnswer((TopicEntry(0),))))
    assert panel.ladders == ()


@pytest.mark.parametrize(
    ("counts", "errors", "words"),
    [
        ((5000, 5000), (Error.INVALID_TOPIC_EXCEPTION, 0), "asked: taken"),
        ((5000, 5001), (0, 0), "asked, not allowed: taken"),
        ((5001, 5000), (Error.POLICY_VIOLATION,) * 2, "not allowed: refused, POLICY_VIOLATION"),
        ((5000, 5000), (), "asked: no answer"),
    ],
)
def test_the_partitions_of_a_request_stand_beside_their_bound(
    counts: tuple[int, int], errors: tuple[int, ...], words: str
) -> None:
    topics = tuple([NewTopic(Name(f"t{place}"), one) for place, one in enumerate(counts)])
    entries = tuple([TopicEntry(place, error) for place, error in enumerate(errors)])
    case = history(CreateTopics(topics, validate_only=True))
    (panel,) = panels(case, seen(TopicsAnswer(entries)))
    (total,) = panel.ladders
    assert total.title == "partitions of the request"
    (asked,) = [rung for rung in total.rungs if rung.asked]
    assert asked.number == str(sum(counts))
    assert words in asked.words


def test_a_total_past_32_bits_has_no_bound_that_all_releases_share() -> None:
    topics = (NewTopic(A, 2**31 - 1, -2), NewTopic(Name("b"), 1))
    (panel,) = panels(history(CreateTopics(topics, validate_only=True)), None)
    assert [one.title for one in panel.ladders] == ["replication factor"]


def test_a_page_is_drawn_over_the_partitions_of_its_topic() -> None:
    steps = (CreateTopics((NewTopic(A, 4),)), ListPartitions(A, limit=2, start=1))
    case = history(*steps)
    assert sketch(case, answers(case), 60).splitlines()[3:] == [
        "step 1: DescribeTopicPartitions v0 of topic 'a', from",
        "    partition 1 on",
        "  its partitions, by number",
        "  [======================================================]",
        "   4            >",
        "                                            | limit=2",
        "                ############################",
        "  answered partitions 1, 2, a cursor to 3",
    ]


def test_wild_partition_numbers_leave_the_topic_in_sight() -> None:
    steps = (CreateTopics((NewTopic(A, 4),)), ListPartitions(A))
    drawn = sketch(history(*steps), seen(taken(4), PartitionPage(0, (-1, 2**40, 2))))
    assert "[====" in drawn
    assert f"answered partitions -1, {2**40}, 2" in drawn


def test_connections_stand_beside_the_limit_of_their_address() -> None:
    case = history(LimitConnections(1), OpenConnection(), OpenConnection(), CloseConnection())
    drawn = sketch(case, answers(case), 80)
    assert "address 0 may have 1 connection\n" in drawn
    assert "its limit of 1" in drawn
    assert "answered 1 of those before it, the new one was closed" in drawn
    other = history(OpenConnection(address=1))
    assert "max.connections.per.ip=2" in sketch(other, answers(other))


def test_connections_of_a_listener_stand_beside_its_limit() -> None:
    case = history(*open_listener(3), close_listener(), set_listener_limit(3))
    drawn = sketch(case, answers(case), 80)
    assert "one more connection to the listener is opened\n" in drawn
    assert "max.connections=2" in drawn
    assert "answered 2 are served, 1 wait" in drawn
    assert "the listener may have 3 connections\n" in drawn
    assert "max.connections=3" in drawn


@pytest.mark.parametrize(
    ("step", "outcome", "words"),
    [
        (DescribeTopics((A,)), TopicsAnswer((TopicEntry(0, 3),)), "UNKNOWN_TOPIC_OR_PARTITION"),
        (DescribeTopics((A,)), TopicsAnswer(), "answered without an entry for it"),
        (CreatePartitions((Growth(A, 1),)), TopicsAnswer((TopicEntry(0),)), "without an error"),
        (LONG, Closed("reset"), "closed without an answer: reset"),
        (
            AlterConfigs(Resource.BROKERS, ALL_BROKERS, (Change("num.io.threads"),), True),
            ConfigsAltered(),
            "of all brokers, only validated: num.io.threads is taken away",
        ),
        (DescribeConfigs(A), ConfigsDescribed(3), "answered UNKNOWN_TOPIC_OR_PARTITION"),
        (DescribeConfigs(A), ConfigsDescribed(), "answered no configs"),
        (
            DescribeConfigs(A, ("retention.ms",)),
            ConfigsDescribed(0, (Described("retention.ms", "5"),)),
            "answered retention.ms=5 by default",
        ),
        (
            DescribeConfigs(A),
            ConfigsDescribed(0, (Described("a", "5", OF_TOPIC), Described("b", "6"))),
            "answered a=5, 1 others",
        ),
        (ListPartitions(A), PartitionPage(3), "answered UNKNOWN_TOPIC_OR_PARTITION"),
        (OpenConnection(), ConnectionsHeld(0, served=True), "the new one was served"),
        (OpenOnListener(), ListenerConnections(1, 0, 1), "1 were closed by the broker"),
    ],
)
def test_whatever_is_asked_and_came_back_is_said(step: Step, outcome: Outcome, words: str) -> None:
    drawn = sketch(history(step), seen(outcome), 120)
    assert words in drawn
    assert "{" not in drawn


@pytest.mark.parametrize("width", [340, 760])
def test_every_worked_example_is_drawn(width: int) -> None:
    drawn = 0
    for clause, cases in examples().items():
        for example in cases if clause.startswith("LIM-") else ():
            for release in ("4.0", "4.4"):
                case = example.scenario
                found = fromstring(draw(case, answers(case, release), width))
                assert all(text.text != "" for text in found.iter(f"{SVG}text"))
                assert "{" not in sketch(case, answers(case, release))
                drawn += 1
    assert drawn > 50


def test_hostile_names_are_only_text() -> None:
    topic = NewTopic(Name(HOSTILE, own=False), configs=((HOSTILE, HOSTILE),))
    case = history(CreateTopics((topic,), validate_only=True))
    svg = draw(case, seen(taken()))
    fromstring(svg)
    assert "<script" not in svg
    assert "\x1b" not in svg
    assert "\x1b" not in sketch(case, seen(taken()))
