"""What released clients do, and no clause may call a break: seen of librdkafka and kafka-python."""

from dataclasses import replace

import pytest

from spec.fairness.dry_run import answer_all
from spec.fairness.examples import at_most, batches_of_ten, history, polls
from spec.fairness.outcomes import (
    AskedPart,
    ClientError,
    Delivered,
    FetchedBatch,
    FetchedPart,
    PollReturned,
    PositionReturned,
    ServedFetch,
    StepDone,
)
from spec.fairness.steps import (
    AskPosition,
    CloseClient,
    PausePartitions,
    Poll,
    ResumePartitions,
    SeekTo,
    TruncateLog,
)
from spec.judge import judge
from spec.layout import Batch
from spec.observation import Exchange, Observation
from spec.outcomes import AppendAnswer, Outcome
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.steps import Append
from spec.verdict import Outcome as Word

KAFKA = semantics_for("4.3")
TEN = FetchedBatch(0, 9, size=1151)
FIRST = ServedFetch(
    (AskedPart(0, 0), AskedPart(1, 0)),
    (FetchedPart(0, batches=(TEN,)), FetchedPart(1, batches=(TEN,))),
    asked_ms=24,
    answered_ms=30,
)


def judged(scenario: Scenario, *outcomes: Outcome) -> tuple[set[str], dict[str, bool]]:
    """What is broken, and which readings fit, where each step takes 20 ms."""
    exchanges = [
        Exchange(number, outcome, 20.0 * number, 20.0 * number + 19)
        for number, outcome in enumerate(outcomes)
    ]
    found = judge(scenario, Observation(tuple(exchanges)), KAFKA)
    breaks = {verdict.clause for verdict in found.breaks}
    return breaks, {name: fits for _, name, fits in found.readings}


def records(partition: int, first: int) -> PollReturned:
    """Five records."""
    return PollReturned(tuple([Delivered(partition, first + number) for number in range(5)]))


@pytest.mark.parametrize("offset", [-1001, -1])
def test_a_client_may_have_no_position_before_it_has_delivered(offset: int) -> None:
    scenario = history((batches_of_ten(1),), AskPosition(0))
    assert judged(scenario, StepDone(), StepDone(), PositionReturned(offset)) == (set(), {})


@pytest.mark.parametrize(("asked_ms", "early"), [(85.0, False), (145.0, True)])
def test_a_request_that_was_sent_during_a_pause_is_not_early(asked_ms: float, early: bool) -> None:
    """What is asked for while one partition is paused says nothing of when it is resumed."""
    steps = (Poll(), PausePartitions((0,)), Poll(), Poll(), ResumePartitions((0,)), Poll())
    scenario = history((batches_of_ten(1), batches_of_ten(1)), *steps, start=at_most(5))
    request = ServedFetch((AskedPart(1, 10),), asked_ms=asked_ms, answered_ms=150)
    breaks, _ = judged(
        scenario,
        StepDone(),
        StepDone(),
        replace(records(0, 0), fetches=(FIRST,)),
        StepDone(),
        records(1, 0),
        records(1, 5),
        StepDone(),
        PollReturned(fetches=(request,)),
    )
    assert breaks == ({"FAI-044"} if early else set())


def test_what_is_fetched_again_after_a_pause_is_not_kept_as_well() -> None:
    steps = (Poll(), PausePartitions((0,)), ResumePartitions((0,)), Poll(), Poll())
    scenario = history((batches_of_ten(1), batches_of_ten(1)), *steps, start=at_most(5))
    again = ServedFetch(
        (AskedPart(0, 5),), (FetchedPart(0, batches=(TEN,)),), asked_ms=101, answered_ms=105
    )
    _, readings = judged(
        scenario,
        StepDone(),
        StepDone(),
        replace(records(0, 0), fetches=(FIRST,)),
        StepDone(),
        StepDone(),
        PollReturned(fetches=(again,)),
        records(0, 5),
    )
    assert (readings["kept"], readings["dropped"]) == (False, True)


def test_a_request_that_ends_the_session_is_not_early() -> None:
    """Kafka's consumer with group.protocol=consumer closes the session with records buffered."""
    scenario = history(
        (batches_of_ten(1), batches_of_ten(1)), Poll(), CloseClient(), start=at_most(5)
    )
    ends = ServedFetch(epoch=-1, asked_ms=70, answered_ms=75)
    asks = replace(ends, asked=(AskedPart(1, 10),))
    for closing, early in ((ends, set()), (asks, {"FAI-044"})):
        breaks, _ = judged(
            scenario,
            StepDone(),
            StepDone(),
            replace(records(0, 0), fetches=(FIRST,)),
            StepDone(fetches=(closing,)),
        )
        assert breaks == early


def test_a_client_that_fetches_ahead_follows_a_reading_of_its_own() -> None:
    """librdkafka asks for more of a partition while it holds records of it."""
    scenario = history((batches_of_ten(2), batches_of_ten(1)), Poll(), Poll(), start=at_most(5))
    ahead = ServedFetch((AskedPart(0, 10),), asked_ms=58, answered_ms=75)
    breaks, readings = judged(
        scenario,
        StepDone(),
        StepDone(),
        replace(records(0, 0), fetches=(FIRST, ahead)),
        records(0, 5),
    )
    assert breaks == {"FAI-044"}
    assert {name for name in ("broker", "partition", "ahead") if readings[name]} == {"ahead"}


def test_what_was_asked_for_before_a_seek_is_not_waited_for() -> None:
    """The request reaches the server after the seek has returned, and its response is dropped."""
    scenario = history((batches_of_ten(2),), Poll(), SeekTo(0, 0), Poll(), Poll())
    alone = replace(FIRST, asked=FIRST.asked[:1], parts=FIRST.parts[:1])
    late = ServedFetch(
        (AskedPart(0, 10),),
        (FetchedPart(0, batches=(FetchedBatch(10, 19, size=1151),)),),
        asked_ms=80,
        answered_ms=85,
    )
    again = replace(alone, asked_ms=102, answered_ms=104)
    breaks, _ = judged(
        scenario,
        StepDone(),
        StepDone(),
        replace(records(0, 0), fetches=(alone,)),
        StepDone(),
        PollReturned(fetches=(late,)),
        replace(records(0, 0), fetches=(again,)),
    )
    assert breaks == set()


def test_the_models_own_history_is_sound() -> None:
    scenario = history(
        (batches_of_ten(2), batches_of_ten(1)), *polls(5), AskPosition(0), start=at_most(4)
    )
    found = judge(scenario, answer_all(scenario, KAFKA), KAFKA).verdicts
    assert {verdict.outcome for verdict in found} == {Word.CONFORMS}


def test_what_is_kept_over_a_seek_to_where_it_is_overtakes_nobody() -> None:
    """A client that seeks to its own position delivers what it has fetched there."""
    scenario = history(
        (batches_of_ten(1), batches_of_ten(1), batches_of_ten(1)),
        Poll(),
        SeekTo(1, 0),
        Poll(),
        PausePartitions((0,)),
        *polls(2),
        ResumePartitions((0,)),
        *polls(8),
        start=at_most(3),
    )
    observation = answer_all(scenario, KAFKA)
    assert [verdict.clause for verdict in judge(scenario, observation, KAFKA).breaks] == []


TRUNCATED = history(
    (batches_of_ten(1), batches_of_ten(1)),
    Poll(),
    TruncateLog(0, 0),
    Append(0, Batch(1151, 10)),
    *polls(3),
    start=at_most(5),
)
NAMED = replace(FIRST, asked=(AskedPart(0, 0, leader_epoch=0), AskedPart(1, 0, leader_epoch=0)))


LOST = PollReturned(tuple([Delivered(0, offset, lost=True) for offset in range(5, 10)]))
REPORTED = PollReturned(errors=(ClientError("ErrDataLoss"),))
BOTH = {"FAI-018", "FAI-019"}


@pytest.mark.parametrize(
    ("first", "found", "broken"),
    [
        (NAMED, (records(0, 0),), set()),
        (NAMED, (records(0, 5),), BOTH),
        (NAMED, (LOST, records(0, 0)), set()),
        (NAMED, (LOST, records(0, 5)), BOTH),
        (NAMED, (REPORTED, records(0, 0)), set()),
        (NAMED, (REPORTED, records(0, 5)), {"FAI-019"}),
        (FIRST, (records(0, 5),), {"FAI-019"}),
    ],
)
def test_a_client_may_deliver_what_it_holds_and_report_a_truncation(
    first: ServedFetch, found: tuple[PollReturned, ...], broken: set[str]
) -> None:
    """franz-go and kafka-python deliver what is lost before they learn of it; franz-go reports."""
    sent = (StepDone(), StepDone(), replace(records(0, 0), fetches=(first,)), StepDone())
    breaks, _ = judged(TRUNCATED, *sent, AppendAnswer(0, 0), *found)
    assert breaks & (BOTH | {"FAI-020", "FAI-021"}) == broken
