"""In which order a consumer delivers what it has fetched of several partitions.

No promise was ever adopted: the clauses say what Kafka's consumer does, and their readings what its
proposals ask for.
"""

from collections.abc import Mapping
from itertools import takewhile

from spec.clause import KIP, Chapter, Code, Held, Reading, Report, breaks, fails, holds
from spec.fairness.examples import at_most, batches_of_ten, history, polls
from spec.fairness.outcomes import PollReturned
from spec.fairness.releases import (
    DeliveryOrder,
    FairnessSemantics,
    NextFetch,
    ParseError,
    PausedRecords,
)
from spec.fairness.steps import (
    DamageBatch,
    Idle,
    PausePartitions,
    Poll,
    ResumePartitions,
    StartClient,
)
from spec.fairness.turn import Chunk, Turn
from spec.fence import Fence, Unit, UnreachableSides
from spec.in_words import in_words
from spec.scenario import Scenario
from spec.semantics import decision_change
from spec.verdict import LimitClass, Side, Strength

chapter: Chapter[Turn] = Chapter()


def _delivers(turn: Turn) -> bool:
    return (
        turn.is_step
        and turn.is_consumer
        and isinstance(turn.outcome, PollReturned)
        and bool(turn.outcome.records)
    )


delivering = chapter.under(_delivers)
polled = chapter.under(
    lambda turn: turn.is_step and turn.is_consumer and isinstance(turn.outcome, PollReturned)
)
asking = chapter.under(lambda turn: turn.served is not None and turn.is_consumer)


def _unfinished_chunk(turn: Turn) -> Chunk | None:
    """What the last poll left unfinished; None where it left nothing, or several."""
    found = [one for one in turn.before if one.recent]
    return found[0] if len(found) == 1 else None


@delivering.clause(
    "FAI-040",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    KIP(41, "Ensuring Fair Consumption"),
    KIP(387),
    Code("FetchCollector.java", "91-147"),
    Report("KAFKA-3932"),
    slug="fairness/order/next-poll",
    aliases=("FAIR-001",),
    readings=(
        Reading(
            DeliveryOrder.GREEDY.value,
            "the next poll continues with the partition that the last poll left unfinished",
            decision_change(FairnessSemantics, delivery_order=DeliveryOrder.GREEDY),
        ),
        Reading(
            DeliveryOrder.ROUND_ROBIN.value,
            "the next poll starts with another partition that has records",
            decision_change(FairnessSemantics, delivery_order=DeliveryOrder.ROUND_ROBIN),
        ),
    ),
)
def the_next_poll_continues(turn: Turn) -> Held | None:
    """Where a poll leaves what it fetched of a partition unfinished, because it has reached
    `max.poll.records`, the next poll that delivers anything delivers the next record of that
    partition, unless the partition was paused, sought, or given up.

    So one partition with a large backlog is drained before others are seen (KAFKA-3932).
    """
    unfinished = _unfinished_chunk(turn)
    if unfinished is None:
        return None
    if unfinished.left[0] in turn.delivered_offsets(unfinished.partition):
        return holds()
    return fails(
        f"expected offset {unfinished.left[0]} of partition {unfinished.partition}, which the last "
        "poll left unfinished, found records of the partitions "
        f"{in_words(sorted({one.partition for one in turn.poll.records}))}",
        "another partition",
    )


@the_next_poll_continues.fits
def _order(turn: Turn) -> Mapping[str, bool]:
    unfinished = _unfinished_chunk(turn) if _delivers(turn) else None
    if unfinished is None:
        return {}
    others = sum(
        [
            len(one.left)
            for one in turn.before
            if one.partition != unfinished.partition and one.arrival[0] <= unfinished.arrival[0]
        ]
    )
    if others < len(turn.poll.records):
        return {}
    delivered = turn.delivered_offsets(unfinished.partition)
    return {
        DeliveryOrder.GREEDY.value: unfinished.left[0] in delivered,
        DeliveryOrder.ROUND_ROBIN.value: delivered.isdisjoint(unfinished.left),
    }


@the_next_poll_continues.example("two partitions of ten records, five a poll")
def _fives() -> Scenario:
    return history((batches_of_ten(1), batches_of_ten(1)), *polls(4), start=at_most(5))


@delivering.clause(
    "FAI-041",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("AbstractFetch.java", "handleFetchSuccess"),
    KIP(387),
    slug="fairness/order/arrival",
    aliases=("FAIR-002",),
)
def partitions_begin_in_the_order_of_arrival(turn: Turn) -> Held | None:
    """Of what was fetched of one node and not yet begun, a consumer begins with what arrived first:
    the earlier response, and in one response the partition that it names first. What was paused
    since, or whose leader moved, has lost its place.
    """
    waiting = [one for one in turn.before if not one.begun and not one.displaced]
    begun = [one for one in waiting if one.left[0] in turn.delivered_offsets(one.partition)]
    left = [one for one in waiting if one not in begun]
    if len(waiting) < 2 or not begun:
        return None
    skipped = [
        (one.partition, later.partition)
        for later in begun
        for one in left
        if one.node == later.node
        and one.arrival < later.arrival
        and one.partition != later.partition
    ]
    if skipped:
        return fails(
            f"expected partition {skipped[0][0]} before partition {skipped[0][1]}, which arrived "
            "later, found it after",
            "arrival",
        )
    return holds()


@partitions_begin_in_the_order_of_arrival.example("three partitions in one response")
def _three() -> Scenario:
    return history((batches_of_ten(1),) * 3, *polls(6), start=at_most(5))


def _blocked_chunks(turn: Turn) -> list[Chunk]:
    """What lies behind a partition whose next batch can't be parsed, and could be delivered."""
    spoiled = [
        place.spoiled
        for place in turn.places.values()
        if place.spoiled is not None
        and not place.paused
        and (place.due is None or place.due >= place.sent)
    ]
    if turn.moves:
        return []  # which of two nodes' responses came first is not known
    return [one for one in turn.before if spoiled and one.arrival > min(spoiled)]


@polled.clause(
    "FAI-042",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    KIP(387),
    Code("CompletedFetch.java", "271-300"),
    slug="fairness/order/parse-error",
    aliases=("FAIR-006",),
    readings=(
        Reading(
            ParseError.BLOCKS.value,
            "nothing that arrived behind it is delivered",
            decision_change(FairnessSemantics, parse_error=ParseError.BLOCKS),
        ),
        Reading(
            ParseError.MOVED_TO_END.value,
            "it goes to the end of the queue, and the others are delivered",
            decision_change(FairnessSemantics, parse_error=ParseError.MOVED_TO_END),
        ),
    ),
)
def a_parse_error_blocks(turn: Turn) -> Held | None:
    """Where a partition's next batch can't be parsed, nothing that arrived behind it is delivered
    until the application seeks past it, pauses the partition or gives it up.

    Kafka's consumer reports the error at every poll meanwhile; the clause applies to such polls, so
    healthy partitions starve behind a bad one. KIP-387 moves it to the end of the queue. Once a
    leader has moved nothing is said: which of two nodes' responses came first is not known.
    """
    fits = _parse_error(turn)
    if not fits:
        return None
    if fits[ParseError.BLOCKS.value]:
        return holds()
    return fails("expected the error alone, found records that arrived behind it", "not blocked")


@a_parse_error_blocks.fits
def _parse_error(turn: Turn) -> Mapping[str, bool]:
    blocked = (
        _blocked_chunks(turn) if isinstance(turn.outcome, PollReturned) and turn.is_step else []
    )
    if not blocked:
        return {}
    passed = any(turn.delivered_offsets(one.partition) & {*one.left} for one in blocked)
    if not passed and not (turn.poll.errors and not turn.poll.records):
        return {}
    return {ParseError.BLOCKS.value: not passed, ParseError.MOVED_TO_END.value: passed}


@a_parse_error_blocks.example("the first of two partitions can't be parsed")
def _first_spoiled() -> Scenario:
    return history(
        (batches_of_ten(1), batches_of_ten(1)), DamageBatch(0, 0), *polls(4), start=_CHECKING
    )


@a_parse_error_blocks.example("the middle one of three; a client may ask in the other order too")
def _middle_spoiled() -> Scenario:
    return history(
        (batches_of_ten(1), batches_of_ten(1), batches_of_ten(1)),
        DamageBatch(1, 0),
        *polls(4),
        start=_CHECKING,
    )


_CHECKING = StartClient(check_crcs=True)


def _kept_after_pause(turn: Turn) -> Mapping[str, bool]:
    """Whether what was fetched before a pause is delivered after it, or fetched again."""
    displaced = {one.partition: one for one in turn.before if one.displaced}
    if turn.served is not None:
        again = any(
            one.offset is not None and one.offset <= displaced[one.partition].left[0]
            for one in turn.served.asked
            if one.partition in displaced
        )
        return {PausedRecords.KEPT.value: False, PausedRecords.DROPPED.value: True} if again else {}
    if not _delivers(turn):
        return {}
    named = {one.partition for served in turn.poll.fetches for one in served.asked}
    kept = any(
        chunk.left[0] in turn.delivered_offsets(partition) and partition not in named
        for partition, chunk in displaced.items()
    )
    return {PausedRecords.KEPT.value: True, PausedRecords.DROPPED.value: False} if kept else {}


@chapter.under(lambda turn: turn.is_consumer).clause(
    "FAI-043",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Report("KAFKA-7548"),
    Code("FetchCollector.java", "125-130"),
    slug="fairness/order/paused",
    aliases=("FAIR-007",),
    readings=(
        Reading(
            PausedRecords.KEPT.value,
            "what was fetched is kept, and delivered after the pause",
            decision_change(FairnessSemantics, paused_records=PausedRecords.KEPT),
        ),
        Reading(
            PausedRecords.DROPPED.value,
            "what was fetched is discarded, and fetched again after the pause",
            decision_change(FairnessSemantics, paused_records=PausedRecords.DROPPED),
        ),
    ),
)
def what_is_paused_is_kept(turn: Turn) -> Held | None:
    """What was fetched of a partition before it was paused is delivered once it is resumed; it is
    not fetched again. Up to Kafka 2.3 it was discarded at the next poll.
    """
    fits = _kept_after_pause(turn)
    if not fits:
        return None
    if fits[PausedRecords.KEPT.value]:
        return holds()
    return fails("expected what was fetched before the pause, found it fetched again", "again")


what_is_paused_is_kept.fits(_kept_after_pause)


@what_is_paused_is_kept.example("half of a partition is delivered, then it is paused")
def _half() -> Scenario:
    return history(
        (batches_of_ten(1), batches_of_ten(1)),
        Poll(),
        PausePartitions((0,)),
        *polls(2),
        ResumePartitions((0,)),
        *polls(2),
        start=at_most(5),
    )


FINAL_EPOCH = -1
"""Session epoch of a request that ends the session; with partitions, of one without a session."""
LONG_QUIET = 2
"""Times `fetch.max.wait.ms`: how long a request may be under way and not be seen."""
QUIET_MS = 1000


def _gate(turn: Turn) -> Mapping[str, bool]:
    """Whether a request was sent though something of its broker was not delivered, and whether it
    asks for more of a partition of which something is left. One that asks for what is left once
    more is of no reading.
    """
    if turn.served is not None:
        if turn.served.epoch == FINAL_EPOCH and not turn.served.asked:
            return {}
        held = {
            one.partition: one.left[-1]
            for one in turn.after
            if one.node == turn.served.node
            and one.arrival[0] < turn.number
            and one.arrived_ms <= turn.served.asked_ms
            and one.partition not in turn.served.forgotten
        }
        if not held:
            return {}
        asked = {one.partition: one.offset for one in turn.served.asked if one.partition in held}
        if not asked:
            return {NextFetch.BROKER.value: False, NextFetch.PARTITION.value: True}
        if all(at is not None and at > held[partition] for partition, at in asked.items()):
            return {
                NextFetch.BROKER.value: False,
                NextFetch.PARTITION.value: False,
                NextFetch.AHEAD.value: True,
            }
        return {NextFetch.BROKER.value: False}
    if turn.quiet_ms > LONG_QUIET * turn.options.max_wait_ms + QUIET_MS:
        return {
            NextFetch.BROKER.value: True,
            NextFetch.PARTITION.value: False,
            NextFetch.AHEAD.value: False,
        }
    return {}


@chapter.under(lambda turn: turn.is_consumer and turn.step is not None).clause(
    "FAI-044",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("AbstractFetch.java", "441-466"),
    slug="fairness/order/gate",
    aliases=("FAIR-003",),
    readings=(
        Reading(
            NextFetch.BROKER.value,
            "no request to a broker while something that it sent is not delivered",
            decision_change(FairnessSemantics, next_fetch=NextFetch.BROKER),
        ),
        Reading(
            NextFetch.PARTITION.value,
            "a request for the partitions of which nothing is left, at any time",
            decision_change(FairnessSemantics, next_fetch=NextFetch.PARTITION),
        ),
        Reading(
            NextFetch.AHEAD.value,
            "a request for any partition, at any time, from behind what is left of it",
            decision_change(FairnessSemantics, next_fetch=NextFetch.AHEAD),
        ),
    ),
)
def a_broker_is_asked_once_all_is_delivered(turn: Turn) -> Held | None:
    """A consumer sends a broker no Fetch while records that this broker sent, of partitions that
    are not paused, are not yet delivered. Not counted are a request that only ends its session, and
    records of partitions that the request takes out of it.

    So consumption proceeds in rounds: one response, handed out, then the next. Up to Kafka 3.9 only
    the partitions themselves were left out of the next request. librdkafka fetches ahead: it asks
    for more of a partition while it holds records of it.
    """
    fits = _gate(turn)
    if not fits:
        return None
    if fits[NextFetch.BROKER.value]:
        return holds()
    return fails("expected no request before all was delivered, found one", "asked early")


a_broker_is_asked_once_all_is_delivered.fits(_gate)


@a_broker_is_asked_once_all_is_delivered.example(
    "one of two partitions is delivered, and time goes"
)
def _delivered_half() -> Scenario:
    return history(
        (batches_of_ten(1), batches_of_ten(2)),
        Poll(),
        Idle(2500),
        Poll(),
        Poll(),
        Poll(),
        start=at_most(10),
    )


@delivering.clause(
    "FAI-045",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("FetchCollector.java", "91-147"),
    KIP(387),
    slug="fairness/order/bound",
    fence=Fence(
        "records of others delivered before the partition's next one",
        Unit.RECORDS,
        "those that were waiting",
        never=UnreachableSides(
            Side.ABOVE, "a consumer that keeps the order delivers no more of them"
        ),
    ),
)
def no_partition_is_overtaken(turn: Turn) -> Held | None:
    """From the moment at which a partition has something to deliver, or has delivered something and
    has more, a consumer delivers no more records of others than were waiting then, before it
    delivers the partition's next one.
    """
    waiting = {one.partition for one in turn.before}
    if len(waiting) < 2:
        return None
    passed = {
        partition: (_others_before(turn, partition, waiting), max(turn.places[partition].ahead, 0))
        for partition in turn.places
        if partition in waiting
    }
    late = [
        partition
        for partition, (count, ahead) in passed.items()
        if count > ahead and not turn.delivered_offsets(partition)
    ]
    if late:
        count, ahead = passed[late[0]]
        return breaks(
            Side.ABOVE,
            f"expected partition {late[0]} after at most {ahead} records of others, found {count}",
            "overtaken",
        )
    sides = Side.NONE
    for count, ahead in passed.values():
        sides |= Side.BELOW if count < ahead else Side.AT
    return holds(sides)


def _others_before(turn: Turn, partition: int, waiting: set[int]) -> int:
    """How many records of others were delivered, up to the end of the poll, since the partition
    waits; up to its own first record where the poll returned some.
    """
    sent = {part.partition for served in turn.poll.fetches for part in served.parts if part.batches}
    others = waiting | sent
    before = takewhile(lambda record: record.partition != partition, turn.poll.records)
    return turn.places[partition].overtaken + sum(record.partition in others for record in before)


@no_partition_is_overtaken.example("a large backlog beside a small one")
def _skewed_example() -> Scenario:
    return history((batches_of_ten(3), batches_of_ten(1)), *polls(5), start=at_most(10))
