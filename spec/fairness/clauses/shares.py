"""What a share consumer owes its group and its application: it delivers what was acquired for it,
once, and acknowledges exactly what its application does.
"""

from collections.abc import Mapping

from spec.clause import KIP, Chapter, Code, Doc, Held, Reading, breaks, fails, holds
from spec.fairness.examples import ABORTED, COMMITTED, batches_of_ten, share_example
from spec.fairness.outcomes import CommitReturned, PollReturned, StepDone
from spec.fairness.releases import ExcessRecords, FairnessSemantics
from spec.fairness.sharing import HeldRecord, Place, sent_in, undelivered_records
from spec.fairness.steps import (
    Acknowledgement,
    AcknowledgeRecords,
    AcquireMode,
    CommitPositions,
    EndLocks,
    Poll,
)
from spec.fairness.turn import Turn
from spec.fence import Fence, Unit
from spec.kafka import READ_UNCOMMITTED
from spec.layout import Batch, Partition
from spec.scenario import Scenario
from spec.semantics import decision_change
from spec.share.steps import FINAL_EPOCH, AcknowledgeType
from spec.verdict import LimitClass, Strength, side

ACQUISITION = KIP(932, "In-flight records")
JAVADOC = Doc("Javadoc of KafkaShareConsumer, record delivery and acknowledgement")
CONFIG = Doc("consumer config share.acquire.mode")
IDLE_POLLS = 3
"""Polls in a row that return nothing, after which a share consumer is taken not to deliver."""
LONG_ENOUGH_MS = 500
"""Milliseconds: a poll that waited less says nothing of what a client has to deliver."""
BATCH = Batch(700, 6)

chapter: Chapter[Turn] = Chapter()


def _is_poll(turn: Turn) -> bool:
    return turn.is_step and not turn.is_consumer and isinstance(turn.outcome, PollReturned)


polled = chapter.under(_is_poll)
delivering = chapter.under(lambda turn: _is_poll(turn) and bool(turn.poll.records))
asking = chapter.under(lambda turn: turn.served is not None and not turn.is_consumer)


def _name(places: list[Place]) -> str:
    partition, offset = places[0]
    return f"{len(places)} such, the first at offset {offset} of partition {partition}"


def _places(turn: Turn) -> list[Place]:
    """What a poll returned of the layout."""
    return [(one.partition, one.offset) for one in turn.poll.records if one.partition >= 0]


@delivering.clause(
    "FAI-060",
    Strength.MUST,
    LimitClass.HARD,
    ACQUISITION,
    slug="fairness/share/acquired",
)
def a_record_is_acquired(turn: Turn) -> Held | None:
    """A share consumer delivers records that its group acquired for it, and no others: each stands
    in an acquired range of a response that it was sent.
    """
    strange = [place for place in _places(turn) if place not in turn.held]
    if strange:
        return fails(f"expected records that were acquired, found {_name(strange)}", "not acquired")
    return holds()


@a_record_is_acquired.example("an aborted transaction, and a group that reads committed records")
def _aborted_example() -> Scenario:
    partition = Partition(((*ABORTED.segments[0], Batch(100)),))
    return share_example((partition,), Poll(), Poll(), isolation=1)


@delivering.clause(
    "FAI-061",
    Strength.MUST,
    LimitClass.HARD,
    ACQUISITION,
    slug="fairness/share/once",
)
def a_record_is_delivered_once_for_each_acquisition(turn: Turn) -> Held | None:
    """A share consumer delivers a record once for each time that it was acquired for it: again only
    after it was released, or its lock ran out, and the group has acquired it once more.
    """
    places = [place for place in _places(turn) if place in turn.held]
    again = [place for place in places if turn.held[place].delivered]
    again += [place for number, place in enumerate(places) if place in places[:number]]
    if again:
        return fails(f"expected each record once, found {_name(again)} again", "delivered again")
    return holds()


@a_record_is_delivered_once_for_each_acquisition.example("two polls, the first released")
def _released_example() -> Scenario:
    released = AcknowledgeRecords(Acknowledgement.RELEASE)
    return share_example((batches_of_ten(1),), Poll(), released, Poll(), AcknowledgeRecords())


@delivering.clause(
    "FAI-062",
    Strength.MUST,
    LimitClass.HARD,
    Doc("Javadoc of KafkaShareConsumer: order of the records of a batch"),
    slug="fairness/share/order",
)
def an_acquired_batch_is_in_order(turn: Turn) -> Held | None:
    """A share consumer delivers the records of one acquired batch in the order of their offsets. Of
    two batches nothing is promised.
    """
    latest: dict[tuple[int, int, int], int] = {}
    for (_, offset), record in turn.held.items():
        if record.delivered:
            latest[record.batch] = max(offset, latest.get(record.batch, -1))
    for partition, offset in _places(turn):
        found = turn.held.get((partition, offset))
        if found is None or found.delivered:
            continue
        if offset < latest.get(found.batch, -1):
            return fails(
                f"expected the records of an acquired batch of partition {partition} in order, "
                f"found offset {offset} after {latest[found.batch]}",
                "order",
            )
        latest[found.batch] = offset
    return holds()


@an_acquired_batch_is_in_order.example("a batch of six records")
def _six() -> Scenario:
    return share_example((Partition(((BATCH,),)),), Poll(), Poll())


@polled.clause(
    "FAI-063",
    Strength.MUST,
    LimitClass.EMERGENT,
    ACQUISITION,
    KIP(1206),
    slug="fairness/share/available",
    timing_sensitive=True,
)
def what_is_acquired_is_delivered(turn: Turn) -> Held | None:
    """A record that was acquired for a share consumer is delivered or released, also beyond
    `max.poll.records`. Of three polls in a row that take 500 ms or more each, and at whose begin
    and end such a record is neither delivered nor released, one at least returns a record or an
    error.

    Otherwise the record waits for its lock to run out, and a group stands still with its locks.
    Polls that take less time are not counted.
    """
    if turn.poll.records:
        return holds() if any(undelivered_records(turn.held, turn.logs)) else None
    if not turn.owed or turn.poll.errors or turn.elapsed_ms < LONG_ENOUGH_MS:
        return None
    if turn.idle + 1 >= IDLE_POLLS:
        return fails(
            f"expected what was acquired to be delivered or released, found nothing in "
            f"{turn.idle + 1} polls: {_name(list(turn.owed))}",
            "not delivered",
        )
    return holds()


@what_is_acquired_is_delivered.example("a batch of six records, and at most four a poll")
def _beyond() -> Scenario:
    return share_example((Partition(((BATCH, BATCH),)),), *[Poll(600)] * 6, most=4)


def _is_whole(turn: Turn) -> Mapping[str, bool]:
    """How much a poll delivered of more than it may: whole batches, or the limit."""
    most = turn.started.max_poll_records
    if not _is_poll(turn) or most is None or not turn.poll.records:
        return {}
    if turn.started.acquire_mode is AcquireMode.RECORD_LIMIT:
        return {}
    there = {*undelivered_records(turn.held, turn.logs)}
    if len(there) <= most:
        return {}
    delivered = {*_places(turn)}

    def batches_of(places: set[Place]) -> set[Place]:
        return {
            (partition, turn.logs[partition].batch_number(offset)) for partition, offset in places
        }

    cut = batches_of(there & delivered) & batches_of(there - delivered)
    whole = len(delivered) >= most and not cut
    return {
        ExcessRecords.WHOLE_BATCHES.value: whole,
        ExcessRecords.NEXT_POLLS.value: len(delivered) <= most,
    }


@polled.clause(
    "FAI-064",
    Strength.REFERENCE,
    LimitClass.SOFT,
    KIP(1206),
    CONFIG,
    Code("ShareFetchCollector.java", "collect"),
    slug="fairness/share/beyond",
    readings=(
        Reading(
            ExcessRecords.WHOLE_BATCHES.value,
            "a poll returns whole batches of records, at least as many records as the limit",
            decision_change(FairnessSemantics, excess_records=ExcessRecords.WHOLE_BATCHES),
        ),
        Reading(
            ExcessRecords.NEXT_POLLS.value,
            "a poll returns as many records as the limit, and the next ones return the rest",
            decision_change(FairnessSemantics, excess_records=ExcessRecords.NEXT_POLLS),
        ),
    ),
)
def a_poll_returns_whole_batches(turn: Turn) -> Held | None:
    """In the acquire mode `batch_optimized`, where more records were acquired than
    `max.poll.records`, a poll returns at least so many records, and of no batch of the log only a
    part of what was acquired: the limit is a soft one.
    """
    fits = _is_whole(turn)
    if not fits:
        return None
    if fits[ExcessRecords.WHOLE_BATCHES.value]:
        return holds()
    return fails(
        f"expected whole batches of at least {turn.started.max_poll_records} records in all, found "
        f"{len(turn.poll.records)} records, or a part of a batch",
        "cut",
    )


a_poll_returns_whole_batches.fits(_is_whole)


@a_poll_returns_whole_batches.example("two batches of six records, and at most four a poll")
def _sixes() -> Scenario:
    return share_example((Partition(((BATCH, BATCH),)),), Poll(), Poll(), Poll(), most=4)


@polled.clause(
    "FAI-065",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(1206),
    CONFIG,
    slug="fairness/share/limit",
    fence=Fence("the records of a poll", Unit.RECORDS, "max.poll.records"),
)
def a_poll_keeps_a_strict_limit(turn: Turn) -> Held | None:
    """With `share.acquire.mode=record_limit`, a poll of a share consumer that was given
    `max.poll.records` returns at most so many records.

    The fence is at what could be delivered: the records that were acquired and not delivered.
    """
    most = turn.started.max_poll_records
    if most is None or turn.started.acquire_mode is not AcquireMode.RECORD_LIMIT:
        return None
    count = len(turn.poll.records)
    where = side(max(count, len([*undelivered_records(turn.held, turn.logs)])), most)
    if count > most:
        return breaks(where, f"expected at most {most} records, found {count}", "too many")
    return holds(where)


@a_poll_keeps_a_strict_limit.example("a batch of six records, and four a poll")
def _strict() -> Scenario:
    strict = AcquireMode.RECORD_LIMIT
    return share_example((Partition(((BATCH,),)),), Poll(), Poll(), Poll(), most=4, mode=strict)


@asking.clause(
    "FAI-071",
    Strength.MUST,
    LimitClass.HARD,
    KIP(932, "Client-side acknowledgement"),
    JAVADOC,
    slug="fairness/share/acquired-alone",
)
def what_is_sent_was_acquired(turn: Turn) -> Held | None:
    """A share consumer acknowledges only records that its group acquired for it: each offset of an
    acknowledgement stands in an acquired range of a response that it was sent before.
    """
    sent = [place for place, _ in sent_in(turn.request.acknowledged)]
    if not sent:
        return None
    strange = [place for place in sent if place not in turn.held]
    if strange:
        return fails(
            f"expected acknowledgements of what was acquired, found {_name(strange)}",
            "not acquired",
        )
    return holds()


def _first_sent(turn: Turn) -> list[tuple[Place, HeldRecord, int]]:
    """What a request acknowledges for the first time since it was acquired, with the type."""
    sent = [
        (place, turn.held.get(place), kind) for place, kind in sent_in(turn.request.acknowledged)
    ]
    return [
        (place, record, kind)
        for place, record, kind in sent
        if record is not None and record.sent is None
    ]


def _is_no_record(turn: Turn, place: Place) -> bool:
    """Whether there may be no record at an offset: it may be called a gap."""
    partition, offset = place
    return offset not in turn.visible(partition, READ_UNCOMMITTED).certain


@asking.clause(
    "FAI-066",
    Strength.MUST,
    LimitClass.HARD,
    KIP(932, "Client-side acknowledgement"),
    JAVADOC,
    slug="fairness/share/sent",
)
def what_is_sent_was_acknowledged(turn: Turn) -> Held | None:
    """A share consumer acknowledges a record that its application acknowledged in the way in which
    the application did, the first time since it was acquired. With implicit acknowledgement the
    next poll or commit accepts what the last poll returned.

    An offset at which no record is may be called a gap. What its application has not acknowledged
    is a matter of FAI-072.
    """
    acknowledged = [
        (place, record.way, kind)
        for place, record, kind in _first_sent(turn)
        if record.way is not None
    ]
    for place, way, kind in acknowledged:
        if kind == way:
            continue
        if kind == AcknowledgeType.GAP and _is_no_record(turn, place):
            continue
        return fails(
            f"expected offset {place[1]} of partition {place[0]} to be acknowledged as the "
            f"application did ({way.name.lower()}), found type {kind}",
            "other type",
        )
    return holds() if acknowledged else None


@what_is_sent_was_acquired.example("each way, one poll after the other")
@what_is_sent_was_acknowledged.example("each way, one poll after the other")
def _ways() -> Scenario:
    steps = [step for way in Acknowledgement for step in (Poll(), AcknowledgeRecords(way))]
    return share_example((batches_of_ten(3),), *steps, most=10)


@what_is_sent_was_acknowledged.example("nothing is acknowledged by the application itself")
def _implicit() -> Scenario:
    return share_example((batches_of_ten(2),), Poll(), Poll(), CommitPositions(), most=10)


@asking.clause(
    "FAI-072",
    Strength.MUST,
    LimitClass.HARD,
    KIP(932, "Client-side acknowledgement"),
    JAVADOC,
    slug="fairness/share/without-application",
)
def nothing_is_accepted_without_the_application(turn: Turn) -> Held | None:
    """Of what was acquired for it and its application has not acknowledged, a share consumer
    accepts and rejects no offset. It may release it, and call an offset a gap where no record is.

    What a poll never returned counts as not acknowledged, whatever the application does.
    """
    left = [one for one in _first_sent(turn) if one[1].way is None]
    for place, record, kind in left:
        if kind == AcknowledgeType.RELEASE:
            continue
        if kind == AcknowledgeType.GAP and _is_no_record(turn, place):
            continue
        return fails(
            f"expected offset {place[1]} of partition {place[0]}, which the application has not "
            f"acknowledged ({'' if record.delivered else 'not '}delivered), to be released at "
            f"most, found type {kind}",
            "not acknowledged",
        )
    return holds() if left else None


@nothing_is_accepted_without_the_application.example("a marker lies among the records")
def _marker_among_them() -> Scenario:
    return share_example((COMMITTED,), Poll(), Poll(), CommitPositions())


@chapter.under(
    lambda turn: (
        turn.is_step
        and not turn.is_consumer
        and isinstance(turn.step, AcknowledgeRecords | CommitPositions)
        and isinstance(turn.outcome, StepDone | CommitReturned)
        and not turn.outcome.errors
    )
).clause(
    "FAI-067",
    Strength.MUST,
    LimitClass.HARD,
    Doc("Javadoc of KafkaShareConsumer, commitSync()"),
    slug="fairness/share/committed",
)
def what_is_acknowledged_is_sent(turn: Turn) -> Held | None:
    """Once a commit has returned without an error, each record of the last poll that its
    application acknowledged was acknowledged to the broker, in that way; with implicit
    acknowledgement, each of them was accepted.
    """
    wanted = {place: turn.held[place] for place in turn.last if place in turn.held}
    if not any(record.way is not None for record in wanted.values()):
        return None
    missing = [
        place
        for place, record in wanted.items()
        if record.way is not None and record.sent != record.way
    ]
    if missing:
        return fails(
            f"expected every acknowledgement to be sent, found {_name(missing)} that were not",
            "not sent",
        )
    return holds()


@what_is_acknowledged_is_sent.example("ten records are accepted")
def _accepted_example() -> Scenario:
    return share_example((batches_of_ten(1),), Poll(), AcknowledgeRecords())


@chapter.under(
    lambda turn: (
        turn.is_step
        and not turn.is_consumer
        and isinstance(turn.step, AcknowledgeRecords | CommitPositions)
        and isinstance(turn.outcome, StepDone | CommitReturned)
    )
).clause(
    "FAI-070",
    Strength.MUST,
    LimitClass.HARD,
    KIP(932, "Client-side acknowledgement"),
    Doc("Javadoc of KafkaShareConsumer, commitSync()"),
    slug="fairness/share/refused",
)
def a_refused_acknowledgement_is_reported(turn: Turn) -> Held | None:
    """A commit returns an error where the response to the last ShareAcknowledge of a record of the
    last poll has an error code for the record's partition: the record's lock ended before its
    acknowledgement, and the group delivers it again.
    """
    refused = [place for place in turn.last if place in turn.held and turn.held[place].refused]
    if not refused:
        return None
    assert isinstance(turn.outcome, StepDone | CommitReturned)
    if turn.outcome.errors:
        return holds()
    code = turn.held[refused[0]].refused
    return fails(
        f"expected an error, since the acknowledgements were answered with error {code}, found "
        f"success: {_name(refused)}",
        "not reported",
    )


@a_refused_acknowledgement_is_reported.example("ten records whose locks end early")
def _ended_locks() -> Scenario:
    accepted = AcknowledgeRecords()
    return share_example((batches_of_ten(1),), Poll(), EndLocks(), accepted, Poll(), accepted)


@asking.clause(
    "FAI-068",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Doc("consumer config max.poll.records"),
    CONFIG,
    Code("ShareSessionHandler.java", "newShareFetchBuilder"),
    slug="fairness/share/options",
)
def an_option_of_a_share_consumer_stands_in_its_field(turn: Turn) -> Held | None:
    """Each option that a share consumer is given stands in its own field of every ShareFetch that
    may acquire records: `max.poll.records` in MaxRecords, `share.acquire.mode` in ShareAcquireMode,
    `fetch.max.bytes` in MaxBytes, `fetch.min.bytes` in MinBytes, `fetch.max.wait.ms` in MaxWaitMs.
    """
    started, request = turn.started, turn.request
    if request.max_records is None or request.epoch == FINAL_EPOCH or not request.max_records:
        return None
    mode = None if started.acquire_mode is None else MODES[started.acquire_mode]
    for field, given, sent in (
        ("MaxRecords", started.max_poll_records, request.max_records),
        ("ShareAcquireMode", mode, request.acquire_mode),
        ("MaxBytes", started.fetch_max_bytes, request.max_bytes),
        ("MinBytes", started.fetch_min_bytes, request.min_bytes),
        ("MaxWaitMs", started.max_wait_ms, request.max_wait_ms),
    ):
        if given is not None and sent is not None and given != sent:
            return fails(f"expected {field} to be {given}, found {sent}", field)
    return holds()


MODES = {AcquireMode.BATCH_OPTIMIZED: 0, AcquireMode.RECORD_LIMIT: 1}


@an_option_of_a_share_consumer_stands_in_its_field.example("a limit, and each acquire mode")
def _mode() -> Scenario:
    strict = AcquireMode.RECORD_LIMIT
    return share_example((batches_of_ten(1),), Poll(), Poll(), most=7, mode=strict)


@delivering.clause(
    "FAI-069",
    Strength.MUST,
    LimitClass.HARD,
    KIP(932, "Delivery count"),
    Doc("Javadoc of ConsumerRecord, deliveryCount()"),
    slug="fairness/share/deliveries",
)
def a_record_has_its_delivery_count(turn: Turn) -> Held | None:
    """The delivery count that a share consumer gives with a record, if it gives one, is the
    DeliveryCount of the acquired range that gave it the record.

    SHR-400 says which DeliveryCount a broker has to answer.
    """
    compared = 0
    for one in turn.poll.records:
        record = turn.held.get((one.partition, one.offset))
        if record is None or not one.deliveries:
            continue
        compared += 1
        if one.deliveries != record.deliveries:
            return fails(
                f"expected delivery {record.deliveries} of offset {one.offset} of partition "
                f"{one.partition}, found {one.deliveries}",
                "count",
            )
    return holds() if compared else None


@a_record_has_its_delivery_count.example("a record that is released twice")
def _twice() -> Scenario:
    released = AcknowledgeRecords(Acknowledgement.RELEASE)
    return share_example(
        (batches_of_ten(1),), *[Poll(), released] * 2, Poll(), AcknowledgeRecords()
    )
