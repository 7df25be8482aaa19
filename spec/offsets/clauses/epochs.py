"""Leader epochs in the request, and in the answer."""

from spec.clause import KIP, Chapter, Code, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.in_words import in_words
from spec.kafka import Error, error_name
from spec.offsets.examples import EMPTY, ask, play_on, times
from spec.offsets.steps import EARLIEST, EPOCH_SINCE, LATEST, ListOffsets, Lookup
from spec.offsets.turn import Turn
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter()
sent = chapter.under(
    lambda turn: (
        turn.lookup is not None
        and turn.exists
        and turn.asked_well
        and turn.request.version >= EPOCH_SINCE
        and turn.asked_lookup.leader_epoch is not None
    )
)
EXPECTED = {-1: Error.FENCED_LEADER_EPOCH, 0: Error.NONE, 1: Error.UNKNOWN_LEADER_EPOCH}


@sent.clause(
    "OFF-023",
    Strength.MUST,
    LimitClass.HARD,
    KIP(320, "Leader Epoch Validation"),
    slug="offsets/epoch/fenced",
    fence=Fence("the leader epoch that is sent", Unit.EPOCHS, "the partition's leader epoch"),
)
def an_other_leader_epoch_is_refused(turn: Turn) -> Held | None:
    """From version 4 on, a lookup with an older leader epoch than the partition's is answered with
    FENCED_LEADER_EPOCH, one with a newer with UNKNOWN_LEADER_EPOCH, and one with the same with
    neither.
    """
    epoch = turn.asked_lookup.leader_epoch or 0
    where = side(epoch, 0)
    expected = EXPECTED[(epoch > 0) - (epoch < 0)]
    found = turn.response_entry.error
    refused = found in {Error.FENCED_LEADER_EPOCH, Error.UNKNOWN_LEADER_EPOCH}
    if found == expected or (not epoch and not refused):
        return holds(where)
    return breaks(
        where,
        f"leader epoch {epoch:+d} from the partition's: expected {expected.name}, found "
        f"{error_name(found)}",
        "leader epoch",
    )


@an_other_leader_epoch_is_refused.example("a newer leader epoch, and the current one")
def _newer() -> Scenario:
    return play_on(
        EMPTY,
        ListOffsets((Lookup(0, LATEST, leader_epoch=1),)),
        ListOffsets((Lookup(0, LATEST, leader_epoch=0),)),
    )


answered = chapter.under(lambda turn: turn.lookup is not None and turn.is_served)


@answered.clause(
    "OFF-025",
    Strength.MUST,
    LimitClass.HARD,
    KIP(320, "Protocol Changes"),
    slug="offsets/epoch/not-newer",
)
def no_leader_epoch_is_newer_than_the_current_one(turn: Turn) -> Held | None:
    """The leader epoch in a ListOffsets answer is at most the partition's current one."""
    epoch = turn.response_entry.leader_epoch
    if epoch is None:
        return None
    if epoch <= 0:
        return holds()
    return fails(f"expected at most the current leader epoch, found {epoch:+d} from it", "newer")


@no_leader_epoch_is_newer_than_the_current_one.example("the end of a log")
def _current() -> Scenario:
    return play_on(EMPTY, times(0), ask(LATEST))


@answered.clause(
    "OFF-024",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("UnifiedLog.java", "fetchOffsetByTimestamp"),
    KIP(320, "Protocol Changes"),
    slug="offsets/epoch/of-the-record",
)
def the_leader_epoch_is_that_of_the_record(turn: Turn) -> Held | None:
    """From version 4 on, the leader epoch beside an offset is the one that its record was written
    under; of the latest offset, and of the earliest one in an empty log, it is the current one.
    Here all records are written under the current one.
    """
    if turn.request.version < EPOCH_SINCE or turn.response_entry.offset is None:
        return None
    if turn.response_entry.leader_epoch == 0:
        return holds()
    return fails(
        f"expected the current leader epoch, found {in_words(turn.response_entry.leader_epoch)} "
        "(relative to it, none for -1)",
        "leader epoch",
    )


@the_leader_epoch_is_that_of_the_record.example("the log start, before and after the first record")
def _first_record() -> Scenario:
    return play_on(EMPTY, ask(EARLIEST), times(0), ask(EARLIEST))
