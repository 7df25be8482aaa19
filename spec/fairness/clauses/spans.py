"""What a consumer delivers of one partition, from where it begins to read."""

from itertools import pairwise

from spec.clause import Chapter, Doc, Held, fails, holds
from spec.fairness.examples import ABORTED, at_most, batches_of_ten, history, polls
from spec.fairness.steps import SeekTo, StartClient
from spec.fairness.turn import DeliveredSpan, Turn
from spec.kafka import READ_COMMITTED
from spec.layout import Batch, Partition
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength

ORDERED = Doc("introduction of the documentation: events of a partition are read in order")
CONSUMED = Doc("Javadoc of KafkaConsumer, offsets and consumer position")

chapter: Chapter[Turn] = Chapter()
spans = chapter.under(lambda turn: turn.span is not None and bool(turn.part.delivered))


def _missing(turn: Turn) -> list[int]:
    """The records that were left out between the first and the last that were delivered."""
    span = turn.part
    log = turn.logs[span.partition]
    first = min(span.delivered) if span.start is None else span.start
    least, last, delivered = max(first, log.start), max(span.delivered), {*span.delivered}
    return [
        offset
        for offset in turn.visible(span.partition).certain
        if least <= offset < last and offset not in delivered and offset not in span.excused
    ]


def _first_repeated(span: DeliveredSpan) -> int | None:
    seen: set[int] = set()
    for offset in span.delivered:
        if offset in seen:
            return offset
        seen.add(offset)
    return None


@spans.clause(
    "FAI-020",
    Strength.MUST,
    LimitClass.HARD,
    CONSUMED,
    slug="fairness/partition/lost",
)
def no_record_is_lost(turn: Turn) -> Held | None:
    """Of a partition, a consumer delivers every record that its isolation level lets it see, from
    the position at which it began to the last record that it delivered.

    Left out may be what lies before the log start, and the records of a batch that can't be parsed,
    once the client has reported an error.
    """
    missing = _missing(turn)
    if not missing:
        return holds()
    why = (
        f"expected every record of partition {turn.part.partition} up to offset "
        f"{max(turn.part.delivered)}, found {len(missing)} left out, the first {missing[0]}"
    )
    if turn.part.at_error.issuperset(missing):
        return fails(f"{why}, which it had been sent when a poll failed", "lost at an error")
    return fails(why, "lost")


@no_record_is_lost.example("three polls over two batches")
def _three_polls() -> Scenario:
    return history((batches_of_ten(2),), *polls(3), start=at_most(8))


@no_record_is_lost.example("an aborted transaction between two records")
def _aborted_between() -> Scenario:
    partition = Partition(((Batch(100), *ABORTED.segments[0], Batch(100)),))
    return history((partition,), *polls(3), start=StartClient(isolation=READ_COMMITTED))


@spans.clause(
    "FAI-021",
    Strength.MUST,
    LimitClass.HARD,
    CONSUMED,
    slug="fairness/partition/repeated",
)
def no_record_is_repeated(turn: Turn) -> Held | None:
    """A consumer delivers nothing of a partition before the position at which it began, and each
    record once, unless its position is moved back: by the application, a rebalance, or a reset.
    """
    span = turn.part
    least = min(span.delivered) if span.start is None else span.start
    early = [offset for offset in span.delivered if offset < least]
    repeated = _first_repeated(span)
    if early:
        return fails(
            f"expected nothing of partition {span.partition} before offset {least}, found "
            f"{early[0]}",
            "before the position",
        )
    if repeated is not None:
        return fails(
            f"expected each record of partition {span.partition} once, found offset {repeated} "
            "again",
            "repeated",
        )
    return holds()


@no_record_is_repeated.example("a seek into the middle of a batch")
def _middle() -> Scenario:
    return history((batches_of_ten(1),), SeekTo(0, 5), *polls(6), start=at_most(1))


@spans.clause(
    "FAI-022",
    Strength.MUST,
    LimitClass.HARD,
    ORDERED,
    slug="fairness/partition/order",
)
def records_are_in_order(turn: Turn) -> Held | None:
    """A consumer delivers the records of a partition in the order of their offsets."""
    delivered = tuple(dict.fromkeys(turn.part.delivered))
    for one, other in pairwise(delivered):
        if other < one:
            return fails(
                f"expected the records of partition {turn.part.partition} in order, found offset "
                f"{other} after {one}",
                "order",
            )
    return holds()


@records_are_in_order.example("two partitions, in turns")
def _two() -> Scenario:
    return history((batches_of_ten(2), batches_of_ten(1)), *polls(4), start=at_most(9))
