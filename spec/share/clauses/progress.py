"""Acquirable records are delivered, and a fetch is answered in time."""

from collections.abc import Callable

from spec.clause import KIP, Chapter, Code, Held, Reading, Report, breaks, holds
from spec.fence import Fence, Unit, UnreachableSides
from spec.frozen import replace
from spec.kafka import error_name
from spec.layout import Batch, Layout
from spec.log import Log
from spec.scenario import Scenario
from spec.share.answered import answered_at_max_wait
from spec.share.clauses.comparing import is_cut, reads_deleted
from spec.share.examples import FIVES, fetch, fetch_again, history, plain, release
from spec.share.steps import (
    FINAL_EPOCH,
    OPENING_EPOCH,
    RECORD_LIMIT,
    AlterGroupConfig,
    AlterShareGroupOffsets,
    NameGroup,
    Pause,
    ShareFetch,
    SharePartition,
)
from spec.share.turn import Served, Turn
from spec.steps import Append, DeleteRecords
from spec.verdict import ABOVE, AT, BELOW, NO_SIDE, LimitClass, Side, Strength, side
from spec.waiting import EARLY_MS

chapter: Chapter[Turn] = Chapter()

AFTER_A_CLOSE = "after a closed session"
"""The signature where a session that held records in the partition was closed before."""

BEHIND_DELETED = "behind deleted records"
"""The signature where the reference would continue reading at a record that has been deleted."""

BEHIND_A_CUT = "behind a batch that the log start cuts"
"""The signature where the log starts inside a batch that is cached."""

NOTHING_ACQUIRED = "nothing acquired"
"""The signature where no cause is known."""


def _fewest_acquirable(turn: Turn, served: Served) -> int:
    """A lower bound of the offsets that the member could acquire in a partition: the cached ones
    that are available, and the new ones if fewer offsets are in flight than the limit of record
    locks.

    Under read_committed all offsets of aborted transactions are taken off, cached or not, since a
    broker leaves them out.
    """
    state, log = served.before, served.log
    if state is None or log is None or served.fault:
        return 0
    isolation = turn.settings.isolation
    bound = log.bound(isolation)
    available = sum(
        record.available and log.start <= offset < bound
        for batch in state.cached
        for offset, record in batch.offsets()
    )
    first_new = max(state.end + 1 if state.cached else state.start, log.start)
    has_lock_left = not state.cached or state.in_flight < turn.settings.max_record_locks
    can_read_on = first_new < bound and log.readable(first_new, isolation)
    new = bound - first_new if has_lock_left and can_read_on else 0
    aborted = _offsets_of_aborted(log) if isolation else 0
    return max(0, available + new - aborted)


def _offsets_of_aborted(log: Log) -> int:
    """How many offsets of a log belong to the data of aborted transactions."""
    aborted = {one.txn for one in log.aborted}
    return sum(
        batch.last - batch.base + 1
        for batch in log.batches
        if batch.txn in aborted and not batch.control
    )


def _asked_long_enough(turn: Turn) -> bool:
    """Whether this is the last try of a member that asked again and again, until it acquired
    something or for as long as a broker may need.
    """
    return (
        turn.fetch is not None
        and turn.is_answered_fetch
        and turn.patience_over
        and (turn.total > 0 or turn.asked_ms >= turn.progress_ms)
    )


def _may_acquire(turn: Turn) -> bool:
    """Whether a fetch has limits above 0, and the state of each of its partitions is known."""
    to_serve = [served for served in turn.served if not served.fault]
    return (
        turn.fetch is not None
        and turn.max_records > 0
        and turn.fetch.max_bytes > 0
        and 0 < len(turn.followed_partitions) == len(to_serve)
    )


def _largest_batch(turn: Turn) -> int:
    """Bytes of the largest batch in the fetched partitions: no first batch is larger."""
    sizes = [
        batch.size
        for served in turn.followed_partitions
        if served.log is not None
        for batch in served.log.batches
    ]
    return max(sizes, default=0)


def _follows_a_close(served: Served) -> bool:
    return served.slot.closed


_CAUSES: tuple[tuple[str, Callable[[Served], bool]], ...] = (
    (BEHIND_DELETED, reads_deleted),
    (AFTER_A_CLOSE, _follows_a_close),
    (BEHIND_A_CUT, is_cut),
)
"""Signatures of a fetch that acquires nothing, and what shows each in a partition; the first one
that some partition shows is taken.
"""


def _progress(turn: Turn, where: Side) -> Held | None:
    """Whether something was acquired; None where perhaps nothing could be."""
    waiting = sum([_fewest_acquirable(turn, served) for served in turn.followed_partitions])
    if not waiting:
        return None
    if turn.total:
        return holds(where)
    patience = turn.fetch.patience_ms if turn.fetch is not None else 0
    return breaks(
        where,
        f"{waiting} records can be acquired: expected some within {patience} ms, found none",
        next(
            (cause for cause, shows in _CAUSES if any(map(shows, turn.followed_partitions))),
            NOTHING_ACQUIRED,
        ),
    )


@chapter.clause(
    "SHR-155",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(932, "share-partition start offset and in-flight records"),
    Report("KAFKA-17351"),
    timing_sensitive=True,
    slug="share/progress/acquirable-records-come",
    aliases=("SHR-010", "S07", "S09"),
)
def records_that_can_be_acquired_come(turn: Turn) -> Held | None:
    """A member that asks again and again for partitions in which records can be acquired acquires
    at least one within the time T, if MaxRecords is above 0 and MaxBytes no less than the largest
    batch of those partitions. A record can be acquired if it is available (released, its lock has
    run out, or its session was closed), or if it is new, below the readable end (SHR-129), and
    fewer offsets are in flight than the limit of record locks (SHR-112). Under read_committed there
    must be more of them than offsets in data batches of aborted transactions. T is the longest of
    2,000 ms, eight times the longest delay of any answer in the history, eight times the longest
    delay of a plain request beside it, and half the time that a restart of the broker took in it.

    The documents promise that such records come, and no time; T is the suite's patience.
    """
    if turn.fetch is None or not _asked_long_enough(turn) or not _may_acquire(turn):
        return None
    return None if turn.fetch.max_bytes < _largest_batch(turn) else _progress(turn, NO_SIDE)


@records_that_can_be_acquired_come.example("five records released by another member")
def _released_example() -> Scenario:
    return history((plain(5),), fetch(0), release(0, 4), fetch(0, actor=1, patience_ms=2000))


@records_that_can_be_acquired_come.example("a lock of a second runs out")
def _expired_example() -> Scenario:
    short = (
        ("group.share.min.record.lock.duration.ms", "1000"),
        ("group.share.record.lock.duration.ms", "1000"),
    )
    return history((plain(5),), fetch(0), Pause(4000), fetch(0, actor=1), config=short)


@records_that_can_be_acquired_come.example(
    "a record that was delivered again alone, and whose member's session was closed "
    "(4.0 and 4.1 keep it locked)"
)
def _alone_and_closed() -> Scenario:
    close = ShareFetch(epoch=FINAL_EPOCH, version=2, actor=1)
    return history((FIVES,), fetch(0), release(6, 6), fetch(0, actor=1), close, fetch())


@records_that_can_be_acquired_come.example(
    "the rest of a deleted batch, left over by record_limit: Apache Kafka continues to read there "
    "(DIV-04)"
)
def _left_over() -> Scenario:
    one = fetch_again(max_records=1, mode=RECORD_LIMIT)
    return history(
        (FIVES,),
        fetch(0, max_records=5),
        DeleteRecords(0, 12),
        ShareFetch(version=2),
        one,
        fetch_again(),
    )


@chapter.clause(
    "SHR-503",
    Strength.MUST,
    LimitClass.HARD,
    KIP(932, "ShareFetch API, error codes"),
    timing_sensitive=True,
    slug="share/progress/group-name",
    fence=Fence("the colons in the group's name", Unit.CHARACTERS, "one"),
)
def a_fetch_goes_through_whatever_the_groups_name(turn: Turn) -> Held | None:
    """A member that asks again and again for partitions that exist, until it acquires something or
    the time T of SHR-155 is over, is answered for each of them without an error in the end,
    whatever legal name the group has.

    Before that any error may come: a share partition may be being loaded. Where another partition
    ended the asking, an error shows nothing.
    """
    if turn.fetch is None or not _asked_long_enough(turn):
        return None
    where = side(turn.group_prefix.count(":"), 1)
    for served in turn.served:
        if served.got is not None and served.got.error and not served.fault:
            if turn.total:
                return None  # another partition ended the asking, perhaps at the first try
            why = (
                f"partition {served.partition}: expected no error within {turn.fetch.patience_ms} "
                "ms"
            )
            found = error_name(served.got.error)
            return breaks(where, f"{why}, found {found}", _cause_of_an_error(turn, served))
    return holds(where)


def _cause_of_an_error(turn: Turn, served: Served) -> str:
    """The signature of an error that a fetch still gets in the end."""
    if ":" in turn.group_prefix:
        return "colon in the group's name"
    return AFTER_A_CLOSE if served.slot.closed else "fetch failed"


@a_fetch_goes_through_whatever_the_groups_name.example("a group whose name holds a colon")
def _colon() -> Scenario:
    return Scenario(
        Layout((plain(5),)), (NameGroup("a:b"), AlterShareGroupOffsets(((0, 0),)), fetch(0))
    )


@a_fetch_goes_through_whatever_the_groups_name.example(
    "the log start moves past a part of what a closed session held (4.0 and 4.1 fail)"
)
def _deleted_and_closed() -> Scenario:
    close, other = (
        ShareFetch(epoch=FINAL_EPOCH, version=2),
        ShareFetch((SharePartition(0),), version=2, actor=1),
    )
    return history(
        (plain(*[30] * 5),), fetch(0), DeleteRecords(0, 30), close, other, fetch(actor=1)
    )


@chapter.clause(
    "SHR-140",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(932, "ShareFetch API, MaxBytes"),
    Report("KAFKA-18936"),
    timing_sensitive=True,
    slug="share/progress/batch-over-max-bytes",
    fence=Fence(
        "MaxBytes",
        Unit.BYTES,
        "the largest batch that a partition could begin with",
        never=UnreachableSides(
            AT | ABOVE, "a batch within MaxBytes is not over it; that it comes is SHR-155"
        ),
    ),
    aliases=("S01",),
)
def a_batch_over_the_byte_limit_comes_all_the_same(turn: Turn) -> Held | None:
    """A member that asks again and again for partitions in which records can be acquired acquires
    at least one within the time T of SHR-155 also where MaxBytes, above 0, is less than the size of
    their largest batch: a first batch above MaxBytes is sent whole.
    """
    if turn.fetch is None or not _asked_long_enough(turn) or not _may_acquire(turn):
        return None
    where = side(turn.fetch.max_bytes, _largest_batch(turn))
    return _progress(turn, where) if where is BELOW else None


@a_batch_over_the_byte_limit_comes_all_the_same.example("a batch of 100 bytes, MaxBytes 1")
def _one_byte() -> Scenario:
    return history((FIVES,), fetch(0, max_bytes=1))


@chapter.clause(
    "SHR-143",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(932, "ShareFetch API, MaxWaitMs"),
    Code("DelayedShareFetch.java", "336-370,469"),
    timing_sensitive=True,
    slug="share/wait/max-wait",
    fence=Fence("the time until the answer", Unit.MILLISECONDS, "MaxWaitMs"),
)
def an_answer_does_not_wait_longer_than_max_wait(turn: Turn) -> Held | None:
    """A ShareFetch that acknowledges nothing and is answered without a top-level error, of an epoch
    other than -1, is answered within MaxWaitMs + 2,000 ms + 2 D, where MaxWaitMs is 0 or above and
    D is the longest delay of a plain request that was sent beside the history on a connection of
    its own (0 below 100 ms). An empty answer may come at any time before.

    The 2,000 ms and D are for a broker under load. Acknowledgements sent along are written first,
    which MaxWaitMs does not bound.
    """
    if (
        not turn.is_answered_fetch
        or turn.fetch is None
        or turn.fetch.max_wait_ms < 0
        or turn.confirmed
    ):
        return None
    where = side(int(turn.elapsed_ms), turn.fetch.max_wait_ms)
    if turn.elapsed_ms > turn.fetch.max_wait_ms + turn.slack_ms:
        return breaks(
            where,
            f"expected an answer within {turn.fetch.max_wait_ms} ms, and {turn.slack_ms:.0f} ms "
            f"for load, found it after {turn.elapsed_ms:.0f} ms",
            "too late",
        )
    return holds(where)


@an_answer_does_not_wait_longer_than_max_wait.example("at the end of the log, MaxWaitMs 200")
def _waits() -> Scenario:
    return history((FIVES,), fetch(0), fetch(max_wait_ms=200, patience_ms=0))


def _second_waits() -> ShareFetch:
    """A second member's first fetch, which waits for up to 3,000 ms."""
    return ShareFetch(
        (SharePartition(0),), epoch=OPENING_EPOCH, max_wait_ms=3000, version=2, actor=1, parked=True
    )


@chapter.clause(
    "SHR-144",
    Strength.BEST_EFFORT,
    LimitClass.EMERGENT,
    Code("DelayedShareFetch.java", "336-370"),
    Report("KAFKA-19227"),
    slug="share/wait/woken",
    fence=Fence(
        "the time until a parked fetch that acquires something is answered",
        Unit.MILLISECONDS,
        "MaxWaitMs",
    ),
    readings=(
        Reading("woken", "A parked fetch is answered as soon as there is something to acquire."),
        Reading(
            "at_max_wait",
            "It may be answered only when its MaxWaitMs is over.",
            answered=answered_at_max_wait,
        ),
    ),
    aliases=("DIV-06",),
)
def a_parked_fetch_is_woken(turn: Turn) -> Held | None:
    """A ShareFetch that waits and in the end acquires something is answered before its MaxWaitMs is
    over.

    Apache Kafka answers it when records arrive, a lock runs out or the share-partition start offset
    moves; since 4.2 not when records are released.
    """
    if not turn.is_answered_fetch or turn.fetch is None or not turn.fetch.parked or not turn.total:
        return None
    where = side(int(turn.elapsed_ms), turn.fetch.max_wait_ms)
    if where is not BELOW:
        return breaks(
            where,
            f"expected an answer before {turn.fetch.max_wait_ms} ms, found it after "
            f"{turn.elapsed_ms:.0f}",
            "not woken",
        )
    return holds(where)


@a_parked_fetch_is_woken.fits
def waking_fits(turn: Turn) -> dict[str, bool]:
    """For each reading of SHR-144, whether the turn fits it; empty where no parked fetch acquired
    something.
    """
    held = a_parked_fetch_is_woken(turn)
    return {} if held is None else {"woken": held.ok, "at_max_wait": True}


@a_parked_fetch_is_woken.example("records arrive while a fetch is parked")
def _woken_example() -> Scenario:
    return history(
        (FIVES,), fetch(0), _second_waits(), Pause(300), Append(0, Batch(100, records=5))
    )


def _held_back(turn: Turn, came_ms: float | None, what: str) -> Held | None:
    """Whether a parked fetch that takes any records was answered when its MaxWaitMs was over,
    though records came long before; None where none came while it waited.
    """
    fetched = turn.fetch
    if came_ms is None or fetched is None or not turn.is_answered_fetch or fetched.min_bytes > 1:
        return None
    where = side(int(turn.elapsed_ms), fetched.max_wait_ms)
    over_ms = max(fetched.max_wait_ms - EARLY_MS, came_ms + turn.settle_ms)
    if turn.elapsed_ms < over_ms:
        return holds(where)
    return breaks(
        where,
        f"{what} after {came_ms:.0f} ms: expected an answer before {over_ms:.0f} ms, found it "
        f"after {turn.elapsed_ms:.0f}",
        "not woken",
    )


@chapter.clause(
    "SHR-145",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("DelayedShareFetch.java", "336-370"),
    timing_sensitive=True,
    slug="share/wait/records-come",
    fence=Fence("the time until the answer", Unit.MILLISECONDS, "MaxWaitMs"),
)
def records_that_come_end_the_wait(turn: Turn) -> Held | None:
    """A ShareFetch with MinBytes of 1 or less that waits, and acquires records which were written
    while it waited, is answered before its MaxWaitMs is over (15 ms are allowed), or within a time
    T after the append was sent, whichever is later. T is 2,000 ms, or 4 times the longest delay of
    a plain request, or 4 times as long as the latest answer of the history was late, if that is
    more.
    """
    return _held_back(turn, turn.wake.written_ms, "records were written")


@records_that_come_end_the_wait.example("records come after 300 of 3,000 ms")
def _records_come() -> Scenario:
    return history(
        (FIVES,), fetch(0), _second_waits(), Pause(300), Append(0, Batch(100, records=5))
    )


@chapter.clause(
    "SHR-146",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("DelayedShareFetch.java", "336-370"),
    Code("SharePartition.java", "releaseAcquisitionLockOnTimeout"),
    timing_sensitive=True,
    slug="share/wait/lock-runs-out",
    fence=Fence("the time until the answer", Unit.MILLISECONDS, "MaxWaitMs"),
)
def a_lock_that_runs_out_ends_the_wait(turn: Turn) -> Held | None:
    """A ShareFetch with MinBytes of 1 or less that waits, and acquires records whose acquisition
    lock ran out while it waited, is answered before its MaxWaitMs is over (15 ms are allowed), or
    within the time T of SHR-145 after the lock had surely run out, whichever is later.
    """
    return _held_back(turn, turn.wake.unlocked_ms, "a lock had run out")


@a_lock_that_runs_out_ends_the_wait.example(
    "all records are held for 1,000 ms while another member waits for up to 4,000"
)
def _lock_runs_out() -> Scenario:
    short = (("group.share.min.record.lock.duration.ms", "1000"),)
    held = AlterGroupConfig((("share.record.lock.duration.ms", "1000"),))
    waits = replace(_second_waits(), max_wait_ms=4000)
    return replace(history((FIVES,), held, fetch(0), waits, Pause(1500)), config=short)


chapter.exclude(
    "SHR-141",
    Strength.BEST_EFFORT,
    LimitClass.EMERGENT,
    Code("PartitionRotateStrategy.java", "68"),
    slug="share/progress/rotation",
    statement=(
        "The partitions of a session are served in the order in which they were added, beginning "
        "with number ShareSessionEpoch modulo their count; one that returned bytes moves to the "
        "end."
    ),
    reason=(
        "the order also depends on what earlier attempts had cached, which no client sees; any "
        "order is taken as it comes"
    ),
)
chapter.exclude(
    "SHR-008",
    Strength.BEST_EFFORT,
    LimitClass.EMERGENT,
    Code("KafkaApis.scala", "3386"),
    slug="share/session/final-answer",
    statement=(
        "A request with ShareSessionEpoch -1 may be answered before the records of its session are "
        "given back (SHR-025), so that a fetch right after it acquires none of them."
    ),
    reason="a hidden event of the observer: a fetch right after it may see either state",
)
