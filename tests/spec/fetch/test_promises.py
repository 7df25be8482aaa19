"""Where a promise leaves room, another way than Apache Kafka's deviates and violates nothing;
without the room it violates.
"""

from dataclasses import replace

import pytest

from spec.catalogue import examples
from spec.fetch.examples import ask_of, batches, from_start, full, incremental
from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
from spec.fetch.steps import Fetch, FetchPartition
from spec.judge import judge
from spec.kafka import Error
from spec.model import answer_all
from spec.observation import Exchange, Observation
from spec.outcomes import Closed
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.seen_batch import SeenBatch
from spec.verdict import Outcome

KAFKA = semantics_for("4.3")
TWO = (batches(100), batches(100))
DATA = PartitionAnswer(0, 0, 1, 1, 0, batches=(SeenBatch(0, 0, 100, 1),))


def breaks(scenario: Scenario, *changed: FetchAnswer | Closed | None) -> dict[str, Outcome]:
    """The outcome of each clause that is broken where some answers are changed; None stands for the
    reference's answer.
    """
    reference = answer_all(scenario, KAFKA).exchanges
    exchanges = [
        one if new is None else replace(one, outcome=new)
        for one, new in zip(reference, (*changed, *[None] * len(reference)), strict=False)
    ]
    return {one.clause: one.outcome for one in judge(scenario, seen(*exchanges), KAFKA).breaks}


def seen(*exchanges: Exchange) -> Observation:
    return Observation(exchanges)


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (Closed(), {}),
        (FetchAnswer(Error.UNSUPPORTED_VERSION), {"FET-142": Outcome.DEVIATES}),
        (
            FetchAnswer(partitions=(PartitionAnswer(0, Error.UNSUPPORTED_VERSION),)),
            {"FET-142": Outcome.DEVIATES},
        ),
        (
            FetchAnswer(partitions=(DATA,)),
            {"FET-042": Outcome.VIOLATES, "FET-142": Outcome.DEVIATES},
        ),
        (
            FetchAnswer(Error.UNSUPPORTED_VERSION, partitions=(DATA,)),
            {"FET-042": Outcome.VIOLATES, "FET-142": Outcome.DEVIATES},
        ),
    ],
    ids=["closed", "refused", "each partition refused", "served", "refused and served"],
)
def test_an_unsupported_version_is_rejected_in_one_way_or_another(
    answer: FetchAnswer | Closed, found: dict[str, Outcome]
) -> None:
    scenario = ask_of((batches(100),), Fetch(from_start(0), version=19))
    broken = breaks(scenario, answer)
    assert {name: broken.get(name) for name in ("FET-042", "FET-142") if name in broken} == found
    if Outcome.VIOLATES not in found.values():
        assert Outcome.VIOLATES not in broken.values()


def test_an_emptied_session_may_stay_open() -> None:
    scenario = ask_of(
        TWO,
        full(*from_start(0)),
        incremental(1, forgotten=(0,)),
        incremental(2, FetchPartition(1, 0)),
    )
    named = replace(DATA, partition=1)
    kept_open = FetchAnswer(session=1)
    going_on = FetchAnswer(session=1, partitions=(named,))
    assert not breaks(scenario)
    assert breaks(scenario, None, kept_open, going_on) == {"FET-135": Outcome.DEVIATES}
    assert breaks(scenario, None, kept_open) == {
        "FET-135": Outcome.DEVIATES,
        "FET-138": Outcome.DEVIATES,
    }, "open, then closed"


def test_a_session_may_be_gone_and_then_is_not_found_again() -> None:
    """A broker may have needed its slot (KIP-227): requests for it meet none from then on."""
    scenario = ask_of(TWO, full(*from_start(0)), incremental(1), incremental(2), incremental(2))
    gone = FetchAnswer(Error.FETCH_SESSION_ID_NOT_FOUND)
    assert breaks(scenario, None, gone, gone, gone) == {"FET-138": Outcome.DEVIATES}
    wrong = FetchAnswer(Error.INVALID_FETCH_SESSION_EPOCH)
    assert breaks(scenario, None, gone, wrong, gone)["FET-137"] is Outcome.VIOLATES


def test_a_partition_named_and_forgotten_may_stay() -> None:
    both = incremental(1, FetchPartition(1, 0), forgotten=(1,))
    scenario = ask_of(TWO, full(*from_start(0, 1)), both, incremental(2))
    kept = FetchAnswer(session=1, partitions=(DATA, replace(DATA, partition=1)))
    assert not breaks(scenario)
    assert breaks(scenario, None, kept, kept) == {"FET-134": Outcome.DEVIATES}


def test_a_forgotten_partition_may_not_stay() -> None:
    scenario = ask_of(TWO, full(*from_start(0, 1)), incremental(1, forgotten=(1,)))
    kept = FetchAnswer(session=1, partitions=(DATA, replace(DATA, partition=1)))
    assert breaks(scenario, None, kept)["FET-034"] is Outcome.VIOLATES


def test_a_partition_named_twice_may_be_answered_twice_and_one_named_once_may_not() -> None:
    part, other = FetchPartition(0, 0), FetchPartition(1, 0)
    twice = FetchAnswer(partitions=(DATA, DATA, replace(DATA, partition=1)))
    named_twice = ask_of(TWO, Fetch((part, part, other)))
    assert breaks(named_twice, twice) == {"FET-009": Outcome.DEVIATES}
    named_once = ask_of(TWO, Fetch((part, other)))
    assert breaks(named_once, twice)["FET-073"] is Outcome.VIOLATES


def test_each_mention_of_a_partition_may_be_answered_by_its_own_limit() -> None:
    named_twice = Fetch((FetchPartition(0, 0), FetchPartition(0, 0, 1)))
    nothing = replace(DATA, batches=())
    answered = FetchAnswer(partitions=(DATA, nothing))
    assert set(breaks(ask_of(TWO, named_twice), answered).values()) == {Outcome.DEVIATES}
    answered = FetchAnswer(partitions=(nothing, nothing))
    assert breaks(ask_of(TWO, named_twice), answered)["FET-004"] is Outcome.VIOLATES


def test_an_offset_past_the_last_stable_one_is_in_range() -> None:
    scenario = examples()["FET-154"][0].scenario
    refused = FetchAnswer(partitions=(PartitionAnswer(0, Error.OFFSET_OUT_OF_RANGE),))
    assert not breaks(scenario)
    assert breaks(scenario, None, refused)["FET-154"] is Outcome.VIOLATES
