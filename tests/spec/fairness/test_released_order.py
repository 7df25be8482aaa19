"""The model delivers in the order in which Kafka's consumer was seen to deliver.

The sequences were recorded with the Java consumer 4.3.1 (`assign`) on a broker of 4.3.1: for each
poll the partitions and how many records of each, in order of consumption.
"""

from itertools import groupby

import pytest

from spec.fairness.dry_run import answer_all
from spec.fairness.examples import batches_of_ten
from spec.fairness.outcomes import PollReturned
from spec.fairness.releases import DeliveryOrder, FairnessSemantics, ParseError
from spec.fairness.steps import AssignPartitions, DamageBatch, Poll, SeekTo, StartClient
from spec.layout import Batch, Layout, Partition
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.steps import Step

SKEWED = (batches_of_ten(20), batches_of_ten(6), batches_of_ten(2), Partition(((Batch(1151, 5),),)))
BIG = (batches_of_ten(200), batches_of_ten(60), batches_of_ten(20), batches_of_ten(5))
EQUAL = (batches_of_ten(4), batches_of_ten(4), batches_of_ten(4))
HUNDREDS = (batches_of_ten(10), batches_of_ten(10), batches_of_ten(10))
KAFKA = semantics_for("4.3")
DRAFT = KAFKA.with_part(FairnessSemantics(DeliveryOrder.ROUND_ROBIN, ParseError.MOVED_TO_END))


def delivered(
    partitions: tuple[Partition, ...],
    start: StartClient,
    order: tuple[int, ...],
    *steps: Step,
    semantics: Semantics = KAFKA,
) -> str:
    """What each poll returns: `0x10+1x5`, or the errors that it reports."""
    scenario = Scenario(
        Layout(partitions), (start, AssignPartitions(order), *steps), subject="fairness"
    )
    exchanges = answer_all(scenario, semantics).exchanges
    returned = [one.outcome for one in exchanges if isinstance(one.outcome, PollReturned)]
    return " ".join([_words(one) for one in returned])


def _words(returned: PollReturned) -> str:
    runs = groupby([record.partition for record in returned.records])
    records = [f"{partition}x{len([*run])}" for partition, run in runs]
    return "+".join(records) or "/".join([error.name for error in returned.errors]) or "-"


@pytest.mark.parametrize(
    ("partitions", "start", "order", "expected"),
    [
        (
            SKEWED,
            StartClient(max_poll_records=30, partition_max_bytes=2500),
            (3, 2, 1, 0),
            "3x5+2x20+1x5 1x15+0x15 0x5 1x20+0x10 0x10 1x20+0x10 0x10 0x20 0x20",
        ),
        (
            BIG,
            StartClient(max_poll_records=10, fetch_max_bytes=1150, partition_max_bytes=1150),
            (0, 1, 2, 3),
            "0x10 0x10 1x10 2x10 3x10 0x10 1x10 2x10 3x10 0x10 1x10 2x10 3x10",
        ),
        (
            BIG,
            StartClient(max_poll_records=10, fetch_max_bytes=4700, partition_max_bytes=3500),
            (0, 1, 2, 3),
            (
                "0x10 0x10 0x10 1x10 0x10 0x10 0x10 1x10 2x10 2x10 2x10 3x10 "
                "0x10 0x10 0x10 1x10 2x10 2x10 2x10 3x10"
            ),
        ),
    ],
)
def test_limits_decide_the_rounds(
    partitions: tuple[Partition, ...], start: StartClient, order: tuple[int, ...], expected: str
) -> None:
    count = len(expected.split())
    assert delivered(partitions, start, order, *[Poll()] * count) == expected


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ((2, 0, 1), "2x10 " * 4 + "0x10 " * 4 + "1x10 1x10" + " CORRUPT_MESSAGE" * 6),
        ((0, 1, 2), "0x10 " * 4 + "1x10 1x10" + " CORRUPT_MESSAGE" * 6),
    ],
)
def test_a_batch_that_can_not_be_read_blocks_what_is_behind_it(
    order: tuple[int, ...], expected: str
) -> None:
    count = len(expected.split())
    start, damage = StartClient(max_poll_records=10), DamageBatch(1, 2)
    assert delivered(EQUAL, start, order, damage, *[Poll()] * count) == expected


def test_a_seek_past_the_batch_frees_the_others() -> None:
    steps = (DamageBatch(1, 2), *[Poll()] * 7, SeekTo(1, 30), *[Poll()] * 5)
    assert delivered(EQUAL, StartClient(max_poll_records=10), (0, 1, 2), *steps) == (
        "0x10 0x10 0x10 0x10 1x10 1x10 CORRUPT_MESSAGE 2x10 2x10 2x10 2x10 1x10"
    )


@pytest.mark.parametrize(
    ("semantics", "expected"),
    [(KAFKA, "0x50 0x50 1x50 1x50 2x50 2x50"), (DRAFT, "0x50 1x50 2x50 0x50 1x50 2x50")],
)
def test_the_draft_takes_turns_where_the_release_continues(
    semantics: Semantics, expected: str
) -> None:
    polls = [Poll()] * 6
    start = StartClient(max_poll_records=50)
    assert delivered(HUNDREDS, start, (0, 1, 2), *polls, semantics=semantics) == expected


def test_the_draft_delivers_the_others_before_it_reports() -> None:
    steps = (DamageBatch(1, 2), *[Poll()] * 11)
    start = StartClient(max_poll_records=10)
    assert delivered(EQUAL, start, (0, 1, 2), *steps, semantics=DRAFT) == (
        "0x10 1x10 2x10 0x10 1x10 2x10 0x10 2x10 0x10 2x10 CORRUPT_MESSAGE"
    )
