"""Whose turn it is in a fetch session: the order in which its partitions are served (KIP-227)."""

from spec.clause import Chapter, Code, Held, Report, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.fetch.clauses.sessions import continues_session
from spec.fetch.examples import ask_of, batches, from_start, full
from spec.fetch.model.session import Mode, Session
from spec.fetch.steps import OWN, Fetch
from spec.fetch.turn import PLAIN, Turn
from spec.in_words import in_words
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter(continues_session, PLAIN)


@chapter.clause(
    "FET-033",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("FetchContext.java", "303-306"),
    Report("KAFKA-12330"),
    slug="fetch/session/rotation",
    fence=Fence(
        "the request's limit",
        Unit.BYTES,
        "the first batch of the first partition in the session's order that has data",
    ),
)
def a_served_partition_moves_to_the_end(turn: Turn) -> Held | None:
    """In an incremental session the partitions with data are served in the session's order: where
    any records come, the first of these partitions has some, and those that have some are answered
    in that order. Each that returned bytes then moves to the end of the session's order.

    Where fewer than two partitions have data nothing is said.
    """
    found = turn.with_data
    if turn.admission.mode is not Mode.INCREMENTAL or not turn.plain or len(found) < 2:
        return None
    where = side(turn.fetch.max_bytes, found[0].run[0].size)
    if not found[0].size and turn.total:
        first = next(got.partition for got in turn.answer.partitions if got.size)
        return breaks(
            where,
            f"expected partition {found[0].ask.partition} to be served first, found {first}",
            "rotation",
        )
    expected = [served.ask.partition for served in found if served.size]
    answered = [got.partition for got in turn.answer.partitions if got.size]
    if expected == answered:
        return holds(where)
    why = f"expected the order {in_words(expected)}, found {in_words(answered)}"
    return breaks(where, why, "rotation")


@a_served_partition_moves_to_the_end.example(
    "three partitions, max_bytes 1, nothing sent: the turn goes round"
)
def _rotation() -> Scenario:
    first = full(*from_start(0, 1, 2), max_bytes=1)
    later = [Fetch(max_bytes=1, session=OWN, epoch=epoch) for epoch in range(1, 6)]
    return ask_of((batches(*[1000] * 5),) * 3, first, *later)


def unserved_after(turn: Turn, session: Session) -> tuple[tuple[int, int], ...]:
    """How many incremental answers running each partition with data has gone without; those
    served or without data left out. A throttled answer leaves none without.
    """
    if turn.is_throttled:
        return session.unserved
    before = dict(session.unserved)
    return tuple(
        [
            (s.ask.partition, before.get(s.ask.partition, 0) + 1)
            for s in turn.with_data
            if not s.size
        ]
    )


@chapter.clause(
    "FET-133",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("FetchContext.java", "303-306"),
    Report("KAFKA-12330"),
    slug="fetch/session/turns",
)
def every_partition_gets_its_turn(turn: Turn) -> Held | None:
    """Of the n partitions of a session, none that has data goes without records in more than n
    incremental answers in a row, the last of which has records.

    It is looked at where two partitions or more have data. Throttled answers do not count.
    """
    session, found = turn.admission.before, turn.with_data
    if (
        turn.admission.mode is not Mode.INCREMENTAL
        or not turn.plain
        or session is None
        or len(found) < 2
        or not turn.total
    ):
        return None
    before = dict(session.unserved)
    for served in found:
        count = before.get(served.ask.partition, 0)
        if not served.size and count + 1 > len(session.cached):
            return fails(
                f"partition {served.ask.partition} has data and got none in {count + 1} answers",
                "starved",
            )
    return holds()


@every_partition_gets_its_turn.example("two partitions, one batch an answer")
def _turns() -> Scenario:
    first = full(*from_start(0, 1), max_bytes=1)
    later = [Fetch(max_bytes=1, session=OWN, epoch=epoch) for epoch in (1, 2, 3)]
    return ask_of((batches(100), batches(100)), first, *later)


@every_partition_gets_its_turn.example("six partitions, one batch an answer, two rounds")
def _six() -> Scenario:
    first = full(*from_start(*range(6)), max_bytes=1)
    later = [Fetch(max_bytes=1, session=OWN, epoch=epoch) for epoch in range(1, 13)]
    return ask_of((batches(100, 100, 100),) * 6, first, *later)
