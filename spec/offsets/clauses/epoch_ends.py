"""OffsetForLeaderEpoch: where a leader epoch ends."""

from spec.clause import KIP, Chapter, Code, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.kafka import Error, error_name
from spec.offsets.examples import EMPTY, play_on, times
from spec.offsets.outcomes import EpochEndAnswer
from spec.offsets.steps import OffsetForLeaderEpoch
from spec.offsets.turn import Turn
from spec.scenario import Scenario
from spec.steps import DeleteRecords
from spec.verdict import LimitClass, Strength, side

CURRENT_SINCE = 2
"""The version in which the current leader epoch is sent (KIP-320)."""
chapter: Chapter[Turn] = Chapter(lambda turn: isinstance(turn.step, OffsetForLeaderEpoch))
fenced = chapter.under(
    lambda turn: (
        isinstance(turn.step, OffsetForLeaderEpoch)
        and turn.step.current is not None
        and turn.step.version >= CURRENT_SINCE
    )
)
asked = chapter.under(
    lambda turn: isinstance(turn.step, OffsetForLeaderEpoch) and not turn.step.current
)
EXPECTED = {-1: Error.FENCED_LEADER_EPOCH, 1: Error.UNKNOWN_LEADER_EPOCH}


def _step(turn: Turn) -> OffsetForLeaderEpoch:
    assert isinstance(turn.step, OffsetForLeaderEpoch)
    return turn.step


@fenced.clause(
    "OFF-043",
    Strength.MUST,
    LimitClass.HARD,
    KIP(320, "Leader Epoch Validation"),
    slug="offsets/epoch-end/fenced",
    fence=Fence("the current leader epoch that is sent", Unit.EPOCHS, "the partition's"),
)
def an_other_current_epoch_is_refused(turn: Turn) -> Held | None:
    """From version 2 on, an OffsetForLeaderEpoch with an older current leader epoch than the
    partition's is answered with FENCED_LEADER_EPOCH, one with a newer with UNKNOWN_LEADER_EPOCH,
    and one with the same with neither.
    """
    current = _step(turn).current or 0
    where = side(current, 0)
    error = turn.outcome.error if isinstance(turn.outcome, EpochEndAnswer) else None
    if current:
        right = error == EXPECTED[(current > 0) - (current < 0)]
    else:
        right = error is not None and error not in EXPECTED.values()
    if right:
        return holds(where)
    return breaks(where, f"current leader epoch {current:+d}: found {turn.outcome}", "leader epoch")


@an_other_current_epoch_is_refused.example("a newer current leader epoch, and the current one")
def _fenced_example() -> Scenario:
    return play_on(EMPTY, OffsetForLeaderEpoch(0, current=1), OffsetForLeaderEpoch(0, current=0))


@asked.clause(
    "OFF-040",
    Strength.MUST,
    LimitClass.HARD,
    KIP(101, "Proposed Changes"),
    KIP(320, "Protocol Changes"),
    slug="offsets/epoch-end/current",
)
def the_current_epoch_ends_at_the_log_end(turn: Turn) -> Held | None:
    """OffsetForLeaderEpoch gives the log end offset as the end of the partition's current leader
    epoch, with that epoch and without an error.
    """
    if _step(turn).epoch:
        return None
    end, got = turn.timeline.end, turn.outcome
    if got == EpochEndAnswer(Error.NONE, 0, end):
        return holds()
    return fails(f"the current leader epoch with the log end {end}: found {got}", "end")


@the_current_epoch_ends_at_the_log_end.example("a log of two records")
def _current() -> Scenario:
    return play_on(EMPTY, times(0, 0), OffsetForLeaderEpoch(0))


@asked.clause(
    "OFF-140",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("LeaderEpochFileCache.java", "endOffsetFor"),
    KIP(101, "Proposed Changes"),
    slug="offsets/epoch-end/newer",
)
def a_newer_epoch_has_no_end(turn: Turn) -> Held | None:
    """OffsetForLeaderEpoch gives leader epoch -1 and end offset -1, without an error, for a leader
    epoch that is newer than the partition's current one.

    KIP-101 defines the end of an epoch by the next one, or by the log end if it is the current one,
    and says nothing of a newer one.
    """
    step, got = _step(turn), turn.outcome
    if step.epoch <= 0:
        return None
    if got == EpochEndAnswer():
        return holds()
    return fails(f"leader epoch {step.epoch:+d}: expected no end, found {got}", "end")


@a_newer_epoch_has_no_end.example("one newer than the current leader epoch")
def _newer() -> Scenario:
    return play_on(EMPTY, times(0, 0), OffsetForLeaderEpoch(0, 1))


@asked.clause(
    "OFF-141",
    Strength.MUST,
    LimitClass.HARD,
    KIP(101, "Proposed Changes"),
    slug="offsets/epoch-end/older",
)
def an_older_epoch_does_not_end_past_the_log(turn: Turn) -> Held | None:
    """OffsetForLeaderEpoch gives, without an error, an end offset that is at most the log end
    offset, or -1, for a leader epoch that is older than the partition's current one.
    """
    step, end, got = _step(turn), turn.timeline.end, turn.outcome
    if step.epoch >= 0:
        return None
    if not isinstance(got, EpochEndAnswer) or got.error:
        return fails(
            f"leader epoch {step.epoch:+d}: expected an end offset, found {got}", "refused"
        )
    if got.offset is None or got.offset <= end:
        return holds()
    return fails(f"leader epoch {step.epoch:+d} with the log end {end}: found {got}", "end")


@an_older_epoch_does_not_end_past_the_log.example("one older than the current leader epoch")
def _before_current() -> Scenario:
    return play_on(EMPTY, times(0, 0), OffsetForLeaderEpoch(0, -1))


@asked.clause(
    "OFF-042",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("LeaderEpochFileCache.java", "endOffsetFor"),
    KIP(101, "Proposed Changes"),
    slug="offsets/epoch-end/older-than-all",
)
def an_epoch_before_all_records_ends_at_the_log_start(turn: Turn) -> Held | None:
    """OffsetForLeaderEpoch gives the log start offset as the end of a leader epoch that is older
    than those of all records, and that epoch as it was asked for.
    """
    step, got = _step(turn), turn.outcome
    if step.epoch >= 0 or not isinstance(got, EpochEndAnswer) or got.error:
        return None
    expected = step.epoch, turn.timeline.start
    if (got.epoch, got.offset) == expected:
        return holds()
    epoch, start = expected
    return fails(
        f"expected leader epoch {epoch:+d} and end offset {start}, found {got}", "older epoch"
    )


@an_epoch_before_all_records_ends_at_the_log_start.example("the leader epoch before the current")
def _older() -> Scenario:
    return play_on(EMPTY, times(0, 0), DeleteRecords(0, 1), OffsetForLeaderEpoch(0, -1))


@chapter.clause(
    "OFF-144",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("Partition.scala", "lastOffsetForLeaderEpoch"),
    slug="offsets/epoch-end/error-without-offset",
)
def an_error_names_no_epoch_end(turn: Turn) -> Held | None:
    """An OffsetForLeaderEpoch answer's entry with an error has leader epoch and end offset -1."""
    got = turn.outcome
    if not isinstance(got, EpochEndAnswer) or not got.error:
        return None
    if (got.epoch, got.offset) == (None, None):
        return holds()
    return fails(
        f"{error_name(got.error)}: expected -1 as leader epoch and end offset, found {got}",
        "offset with an error",
    )


@an_error_names_no_epoch_end.example("a newer current leader epoch")
def _no_end() -> Scenario:
    return play_on(EMPTY, OffsetForLeaderEpoch(0, current=1))
