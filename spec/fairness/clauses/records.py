"""Which records a poll may deliver, and how many."""

from spec.clause import KIP, Chapter, Doc, Held, breaks, fails, holds
from spec.fairness.client_tracks import LONG_ENOUGH_MS
from spec.fairness.examples import ABORTED, COMMITTED, TEN, at_most, batches_of_ten, history, polls
from spec.fairness.outcomes import Delivered, PollReturned
from spec.fairness.steps import DamageBatch, MoveLeader, PausePartitions, Poll, StartClient
from spec.fairness.turn import Turn
from spec.fence import Fence, Unit
from spec.kafka import READ_COMMITTED, READ_UNCOMMITTED
from spec.layout import Batch, Partition
from spec.scenario import Scenario
from spec.steps import Append
from spec.verdict import LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter()
IDLE_POLLS = 3
"""Polls in a row that return nothing, after which a client is taken not to deliver."""


def _is_poll(turn: Turn) -> bool:
    return turn.is_step and isinstance(turn.outcome, PollReturned)


polled = chapter.under(_is_poll)
delivering = chapter.under(lambda turn: _is_poll(turn) and bool(turn.poll.records))


def _name(records: list[Delivered]) -> str:
    first = records[0]
    return f"{len(records)} such, the first at offset {first.offset} of partition {first.partition}"


@delivering.clause(
    "FAI-010",
    Strength.MUST,
    LimitClass.HARD,
    KIP(98),
    Doc("implementation documentation: message format, control batches"),
    slug="fairness/record/written",
)
def a_record_was_written(turn: Turn) -> Held | None:
    """Each record that a poll delivers is one of the log: no marker of a transaction, and no offset
    at which no record is, or was before the log was truncated.
    """
    strange = [
        one
        for one in turn.poll.records
        if one.partition not in turn.logs
        or (
            not one.lost
            and one.offset not in turn.visible(one.partition, READ_UNCOMMITTED).possible
        )
    ]
    if strange:
        return fails(f"expected records of the log, found {_name(strange)}", "no record")
    return holds()


@a_record_was_written.example("a transaction that was committed")
def _committed_example() -> Scenario:
    return history((COMMITTED,), *polls(2))


@delivering.clause(
    "FAI-011",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(98),
    Doc("consumer config isolation.level"),
    slug="fairness/record/committed",
)
def a_record_is_committed(turn: Turn) -> Held | None:
    """A consumer with `isolation.level=read_committed` delivers no record of an aborted
    transaction, and none at or past the last stable offset, in whatever order or number the
    aborted transactions are listed.
    """
    if turn.options.isolation != READ_COMMITTED or not turn.is_consumer:
        return None
    hidden = [
        one
        for one in turn.poll.records
        if one.partition in turn.logs
        and not one.lost
        and one.offset in turn.visible(one.partition, READ_UNCOMMITTED).possible
        and one.offset not in turn.visible(one.partition).possible
    ]
    if hidden:
        return fails(f"expected committed records only, found {_name(hidden)}", "not committed")
    return holds()


@a_record_is_committed.example("an aborted transaction before a record")
def _aborted_example() -> Scenario:
    partition = Partition(((*ABORTED.segments[0], Batch(100)),))
    return history((partition,), *polls(2), start=StartClient(isolation=READ_COMMITTED))


@delivering.clause(
    "FAI-012",
    Strength.MUST,
    LimitClass.SOFT,
    Doc("consumer config check.crcs"),
    KIP(98),
    slug="fairness/record/intact",
)
def a_record_is_intact(turn: Turn) -> Held | None:
    """Key and value of each record are those that were written at its offset. Where the server
    damaged its batch on the way, this holds of clients with `check.crcs=true`.
    """
    checks = turn.started.check_crcs is True
    changed = [
        one
        for one in turn.poll.records
        if not one.intact
        and (checks or one.offset not in turn.damaged.get(one.partition, frozenset()))
    ]
    if changed:
        return fails(
            f"expected the values that were written, found others: {_name(changed)}", "value"
        )
    return holds()


@a_record_is_intact.example("one bit of a batch is otherwise, and checksums are checked")
def _damaged_example() -> Scenario:
    start = StartClient(check_crcs=True)
    return history((batches_of_ten(2),), DamageBatch(0, 1), *polls(3), start=start)


@delivering.clause(
    "FAI-013",
    Strength.MUST,
    LimitClass.HARD,
    Doc("Javadoc of KafkaConsumer, pause"),
    Doc("Javadoc of KafkaConsumer, assign"),
    slug="fairness/record/asked",
)
def a_record_is_asked_for(turn: Turn) -> Held | None:
    """A poll delivers records of partitions that its consumer has and that are not paused."""
    if not turn.is_consumer:
        return None
    strange = [
        one
        for one in turn.poll.records
        if one.partition in turn.logs
        and (one.partition not in turn.places or turn.places[one.partition].paused)
    ]
    if strange:
        return fails(f"expected none of these partitions, found {_name(strange)}", "not asked for")
    return holds()


@a_record_is_asked_for.example("a partition is paused when half of it is delivered")
def _paused_example() -> Scenario:
    return history(
        (batches_of_ten(1), batches_of_ten(1)),
        Poll(),
        PausePartitions((0,)),
        *polls(3),
        start=at_most(5),
    )


@polled.clause(
    "FAI-014",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(41),
    Doc("consumer config max.poll.records"),
    slug="fairness/poll/limit",
    fence=Fence("the records of a poll", Unit.RECORDS, "max.poll.records"),
)
def a_poll_keeps_its_limit(turn: Turn) -> Held | None:
    """A poll of a consumer that was given `max.poll.records` returns at most so many records, over
    all partitions together.

    The fence is at what could be delivered: the records that were sent and not delivered.
    """
    most = turn.started.max_poll_records
    if most is None or not turn.is_consumer:
        return None
    count = len(turn.poll.records)
    where = side(count + sum(len(chunk.left) for chunk in turn.after), most)
    if count > most:
        return breaks(where, f"expected at most {most} records, found {count}", "too many")
    return holds(where)


@a_poll_keeps_its_limit.example("three records, then one, then none, and at most two of them")
def _two_of_three() -> Scenario:
    return history((Partition(((Batch(200, 3),),)),) * 2, *polls(4), start=at_most(2))


@polled.clause(
    "FAI-015",
    Strength.MUST,
    LimitClass.EMERGENT,
    Doc("Javadoc of KafkaConsumer, poll(Duration)"),
    slug="fairness/poll/available",
    timing_sensitive=True,
)
def what_is_available_is_delivered(turn: Turn) -> Held | None:
    """A record that a consumer was sent before a poll, and that it may deliver, is delivered: of
    three polls in a row that waited half a second, not all return neither a record nor an error.
    """
    if turn.poll.errors or (turn.elapsed_ms < LONG_ENOUGH_MS and not turn.poll.records):
        return None
    owed = {
        partition: place
        for partition, place in turn.places.items()
        if not place.paused and place.due is not None and place.due < place.sent
    }
    if not owed:
        return None
    if turn.poll.records:
        return holds()
    late = [partition for partition, place in owed.items() if place.idle + 1 >= IDLE_POLLS]
    if late:
        place = owed[late[0]]
        return fails(
            f"expected offset {place.due} of partition {late[0]}, which the client was sent, "
            f"found nothing in {place.idle + 1} polls",
            "not delivered",
        )
    return holds()


@what_is_available_is_delivered.example("more than a poll may return")
def _more() -> Scenario:
    return history((batches_of_ten(1),), *polls(3), start=at_most(4))


@polled.clause(
    "FAI-016",
    Strength.MUST,
    LimitClass.SOFT,
    Doc("consumer config check.crcs"),
    Doc("Javadoc of KafkaConsumer, poll(Duration), Throws"),
    slug="fairness/poll/parse-error",
    timing_sensitive=True,
)
def what_is_unreadable_is_reported(turn: Turn) -> Held | None:
    """A consumer that stands before a batch whose checksum does not fit, or whose format is
    unknown, reports that to its application, at least once: of three polls in a row that waited
    half a second, not all return neither a record nor an error before it has.
    """
    stuck = {number: one for number, one in turn.places.items() if one.is_stuck and not one.paused}
    if not stuck:
        return None
    if turn.poll.errors or turn.poll.records:
        return holds()
    if turn.elapsed_ms < LONG_ENOUGH_MS:
        return None
    silent = [number for number, one in stuck.items() if one.silent + 1 >= IDLE_POLLS]
    if silent:
        place = stuck[silent[0]]
        return fails(
            f"expected an error, since offset {place.sent} of partition {silent[0]} can't be "
            f"parsed, found nothing in {place.silent + 1} polls",
            "not reported",
        )
    return holds()


@what_is_unreadable_is_reported.example("the only partition has one bit that is otherwise")
def _only_one() -> Scenario:
    start = StartClient(check_crcs=True)
    return history((batches_of_ten(2),), DamageBatch(0, 1), *polls(5), start=start)


FOLLOW_MS = 15_000
"""For how long polls may return nothing before the new leader is asked: clients read metadata again
after seconds.
"""


@polled.clause(
    "FAI-017",
    Strength.MUST,
    LimitClass.EMERGENT,
    Doc("protocol guide: partitioning and bootstrapping"),
    KIP(320),
    slug="fairness/poll/moved-leader",
    timing_sensitive=True,
)
def a_moved_leader_is_asked(turn: Turn) -> Held | None:
    """A consumer that has fetched of a partition whose leader moves, to another node or to the
    same one with the next leader epoch, asks the new leader for it: polls that wait 15 s in all
    do not return nothing before it has.
    """
    moved = {
        number: move
        for number, move in turn.moves.items()
        if move.was_fetched
        and not move.is_failing
        and number in turn.places
        and not turn.places[number].paused
    }
    if turn.poll.errors:
        return None
    late = [
        number
        for number, move in moved.items()
        if not move.is_followed
        and not turn.poll.records
        and move.waited_ms + turn.elapsed_ms >= FOLLOW_MS
    ]
    if late:
        return fails(
            f"expected node {moved[late[0]].node}, which leads partition {late[0]}, to be asked "
            f"for it, found no such request while polls waited {FOLLOW_MS // 1000} s",
            "not asked",
        )
    return holds() if any(move.is_followed for move in moved.values()) else None


@a_moved_leader_is_asked.example("to another node, and back")
def _there_and_back() -> Scenario:
    waits = (Append(0, TEN), Poll(8000))
    moves = [step for node in (1, 0) for step in (MoveLeader(0, node), *waits * 2)]
    return history((batches_of_ten(1), batches_of_ten(1)), Poll(), *moves, *polls(1))


@a_moved_leader_is_asked.example("to the same node, with the next epoch")
def _next_epoch() -> Scenario:
    waits = (Append(0, TEN), Poll(8000)) * 2
    return history((batches_of_ten(1),), Poll(), MoveLeader(0, 0), *waits, *polls(1))
