"""What a consumer does once the log that it reads from was truncated (KIP-320)."""

from spec.clause import KIP, Chapter, Code, Held, fails, holds
from spec.fairness.examples import TEN, at_most, batches_of_ten, history
from spec.fairness.steps import Poll, TruncateLog
from spec.fairness.turn import Turn
from spec.scenario import Scenario
from spec.steps import Append
from spec.verdict import LimitClass, Strength

chapter: Chapter[Turn] = Chapter()
resuming = chapter.under(lambda turn: turn.is_step and bool(turn.truncations))
LONG_MS = 8000
"""Long enough to learn who leads a partition."""
TRUNCATION = KIP(320)


@resuming.clause(
    "FAI-018",
    Strength.MUST,
    LimitClass.EMERGENT,
    TRUNCATION,
    slug="fairness/truncation/passed",
)
def nothing_written_since_is_passed(turn: Turn) -> Held | None:
    """A consumer that names leader epochs in its fetches learns from OffsetForLeaderEpoch at which
    offset a log was truncated, so that it passes over no record silently: unless a poll has
    reported an error since, the first record that it delivers of those that were written since is
    the first one there is, and all before it were delivered.

    A record that it had fetched before it could learn of it may be delivered first, though it is
    lost.
    """
    judged = {
        number: one
        for number, one in turn.truncations.items()
        if one.names_epochs and not one.was_reported
    }
    for number, one in judged.items():
        if one.passed:
            return fails(
                f"expected offset {one.passed[0]} of partition {number} before offset {one.first}, "
                f"since its log was truncated to {one.end}, found {len(one.passed)} passed over",
                "passed over",
            )
    return holds() if judged else None


@nothing_written_since_is_passed.example("ten of twenty records are lost, and twenty are written")
def _past_the_truncation() -> Scenario:
    more = (Append(0, TEN), Append(0, TEN))
    return history((batches_of_ten(2),), Poll(), TruncateLog(0, 1), *more, *[Poll(LONG_MS)] * 4)


@nothing_written_since_is_passed.example("five are delivered, and five that are lost are held")
def _before_the_truncation() -> Scenario:
    steps = (Poll(), TruncateLog(0, 0), Append(0, TEN), *[Poll(LONG_MS)] * 4)
    return history((batches_of_ten(1),), *steps, start=at_most(5))


@resuming.clause(
    "FAI-019",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("SubscriptionState.java", "maybeCompleteValidation"),
    slug="fairness/truncation/resumed",
)
def it_continues_where_the_log_was_truncated(turn: Turn) -> Held | None:
    """Where `auto.offset.reset` is `earliest`, a consumer that was past the offset at which a log
    was truncated continues exactly there, and one that was not where it was: it passes over no
    record, and delivers none again.
    """
    for number, one in turn.truncations.items():
        if one.passed:
            return fails(
                f"expected offset {one.passed[0]} of partition {number} before offset {one.first}, "
                f"since its log was truncated to {one.end}, found {len(one.passed)} passed over",
                "passed over",
            )
        if one.repeated:
            return fails(
                f"expected partition {number}, whose log was truncated to {one.end}, to be read "
                f"on from there, found offset {one.repeated[0]} delivered again",
                "read again",
            )
    return holds()


@it_continues_where_the_log_was_truncated.example("to the same node")
def _same_node() -> Scenario:
    steps = (Poll(), TruncateLog(0, 2, node=0), Append(0, TEN), *[Poll(LONG_MS)] * 3)
    return history((batches_of_ten(3),), *steps)
