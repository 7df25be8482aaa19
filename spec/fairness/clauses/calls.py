"""What becomes of a call, whatever it asks for."""

from spec.clause import KIP, Chapter, Doc, Held, fails, holds
from spec.fairness.examples import COMMITTED, batches_of_ten, history, polls
from spec.fairness.steps import ClientStep, CloseClient, DamageBatch
from spec.fairness.turn import Turn
from spec.outcomes import Closed, Silent
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength

chapter: Chapter[Turn] = Chapter()
calls = chapter.under(lambda turn: turn.is_step and isinstance(turn.step, ClientStep))


@calls.clause(
    "FAI-001",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(266),
    Doc("Javadoc of KafkaConsumer, poll(Duration)"),
    slug="fairness/call/returns",
)
def a_call_returns(turn: Turn) -> Held | None:
    """A call returns to its application, whatever the server sends: a poll within 10 s after the
    time that it was given, the flush of a producer within 50 s, any other call within 10 s.

    The documents bound calls by configs of the client, `default.api.timeout.ms` and others, or by
    the time given. The times here are the suite's patience; a client that is silent while the
    server can be reached breaks it. A reader that waits for a record at the offset of a
    transaction's marker waits forever.
    """
    assert turn.step is not None
    if isinstance(turn.outcome, Silent):
        return fails(
            f"expected {turn.step.name} to return, found nothing for {turn.outcome.waited_ms} ms",
            "no return",
        )
    return holds()


@a_call_returns.example("the last offset of a partition is a marker's")
def _marker_last() -> Scenario:
    return history((COMMITTED,), *polls(3), CloseClient())


@calls.clause(
    "FAI-002",
    Strength.MUST,
    LimitClass.HARD,
    Doc("Javadoc of KafkaConsumer, poll(Duration), Throws"),
    slug="fairness/call/survives",
)
def a_client_survives(turn: Turn) -> Held | None:
    """Whatever the server sends, the client reports it to its application or copes with it; its
    process does not end.
    """
    if isinstance(turn.outcome, Closed):
        return fails(f"expected the client to live, found it ended: {turn.outcome.reason}", "ended")
    return holds()


@a_client_survives.example("a batch that can't be read")
def _unreadable() -> Scenario:
    return history((batches_of_ten(2),), DamageBatch(0, 1), *polls(3))
