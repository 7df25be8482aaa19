"""What a consumer does where its group is full (KIP-389)."""

from collections.abc import Mapping

from spec.clause import KIP, Chapter, Code, Doc, Held, Reading, fails, holds
from spec.fairness.examples import POLL_MS, batches_of_ten
from spec.fairness.outcomes import PollReturned
from spec.fairness.releases import FairnessSemantics, FullGroup
from spec.fairness.steps import Poll, RefuseMembers, StartClient, SubscribeTopics
from spec.fairness.turn import Turn
from spec.layout import Layout
from spec.scenario import Scenario
from spec.semantics import decision_change
from spec.steps import Step
from spec.verdict import LimitClass, Strength

SILENT_POLLS = 3
"""Polls that say nothing of it, after which a full group is taken not to be reported."""
LEAST_BACKOFF_MS = 50
"""Milliseconds, half of the default of `retry.backoff.ms`: who asks more often does not wait."""
AT_ONCE = 2
"""Requests that a client may send in a poll without a wait."""

chapter: Chapter[Turn] = Chapter(
    when=lambda turn: turn.is_step and turn.is_consumer and isinstance(turn.outcome, PollReturned)
)


def full_group(*steps: Step) -> Scenario:
    """A consumer that subscribes, and what is done before and after that."""
    stage = tuple([one for one in steps if isinstance(one, RefuseMembers)])
    then = tuple([one for one in steps if not isinstance(one, RefuseMembers)])
    return Scenario(
        Layout((batches_of_ten(1),)),
        (StartClient(), *stage, SubscribeTopics(), *then),
        subject="fairness",
    )


def _answers(turn: Turn) -> Mapping[str, bool]:
    """Whether a full group was reported, once that can be said."""
    if not isinstance(turn.outcome, PollReturned) or not turn.is_refused:
        return {}
    if not turn.poll.errors and turn.unreported < SILENT_POLLS:
        return {}
    is_reported = bool(turn.poll.errors)
    return {FullGroup.REPORTED.value: is_reported, FullGroup.RETRIED.value: not is_reported}


@chapter.clause(
    "FAI-034",
    Strength.REFERENCE,
    LimitClass.SOFT,
    KIP(389),
    Code("AbstractCoordinator.java", "JoinGroupResponseHandler"),
    slug="fairness/group/full",
    timing_sensitive=True,
    readings=(
        Reading(
            FullGroup.REPORTED.value,
            "a poll reports the error",
            decision_change(FairnessSemantics, full_group=FullGroup.REPORTED),
        ),
        Reading(
            FullGroup.RETRIED.value,
            "the client tries again by itself, and reports nothing",
            decision_change(FairnessSemantics, full_group=FullGroup.RETRIED),
        ),
    ),
)
def a_full_group_is_reported(turn: Turn) -> Held | None:
    """Where a request to join its group was answered with GROUP_MAX_SIZE_REACHED, a consumer
    reports an error: of three polls in a row that take 500 ms or more each, one at least returns an
    error, or a record since it was let in after all.
    """
    answers = _answers(turn)
    if not answers:
        return None
    if answers[FullGroup.REPORTED.value]:
        return holds()
    return fails(
        f"expected a poll to report that the group is full, found nothing in {SILENT_POLLS} polls",
        "not reported",
    )


a_full_group_is_reported.fits(_answers)


@a_full_group_is_reported.example("a group that stays full")
def _full() -> Scenario:
    return full_group(RefuseMembers(), *[Poll(POLL_MS)] * 4)


@chapter.clause(
    "FAI-035",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Doc("consumer config retry.backoff.ms"),
    slug="fairness/group/spin",
    timing_sensitive=True,
)
def nobody_spins_at_a_full_group(turn: Turn) -> Held | None:
    """A consumer that was refused by a full group waits before it asks again: in a poll of `t` ms,
    at most `2 + t / 50` of its requests to join are answered with GROUP_MAX_SIZE_REACHED.

    `retry.backoff.ms` is 100 by default, and is there to avoid such loops.
    """
    refused = turn.poll.refused
    if not refused:
        return None
    most = AT_ONCE + turn.elapsed_ms / LEAST_BACKOFF_MS
    if refused > most:
        return fails(
            f"expected at most {most:.0f} requests to join a full group in a poll of "
            f"{turn.elapsed_ms:.0f} ms, found {refused}",
            "spins",
        )
    return holds()


@nobody_spins_at_a_full_group.example("a group that lets the client in at its third request")
def _let_in() -> Scenario:
    return full_group(RefuseMembers(2), *[Poll(POLL_MS)] * 5)
