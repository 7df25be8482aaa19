"""A consumer's positions, as it reports and as it commits them."""

from spec.clause import Chapter, Code, Doc, Held, fails, holds
from spec.fairness.clauses.records import IDLE_POLLS
from spec.fairness.examples import ABORTED, COMMITTED, at_most, batches_of_ten, history, polls
from spec.fairness.outcomes import CommitReturned, PositionReturned
from spec.fairness.steps import AskPosition, CommitPositions, StartClient
from spec.fairness.turn import ClientPosition, Turn
from spec.kafka import READ_COMMITTED
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength

chapter: Chapter[Turn] = Chapter()


def _reports(turn: Turn) -> bool:
    """Whether a position is reported; a negative one says that the client has none yet."""
    return (
        turn.is_step
        and turn.is_consumer
        and isinstance(turn.outcome, PositionReturned)
        and turn.outcome.offset is not None
        and turn.outcome.offset >= 0
        and isinstance(turn.step, AskPosition)
        and turn.step.partition in turn.places
    )


def _commits(turn: Turn) -> bool:
    return (
        turn.is_step
        and turn.is_consumer
        and isinstance(turn.outcome, CommitReturned)
        and bool(turn.outcome.committed)
    )


reporting = chapter.under(_reports)
committing = chapter.under(_commits)


def _most(turn: Turn, partition: int, place: ClientPosition) -> int | None:
    """The highest position that has passed no record that is yet to be delivered."""
    if place.next is None:
        return None
    if place.due is not None:
        return max(place.due, place.next)
    return max(turn.logs[partition].bound(turn.options.isolation), place.next)


@reporting.clause(
    "FAI-030",
    Strength.MUST,
    LimitClass.HARD,
    Doc("Javadoc of KafkaConsumer, position"),
    slug="fairness/position/next",
)
def the_position_is_the_next_offset(turn: Turn) -> Held | None:
    """A consumer's position in a partition lies past the last record that it delivered, and passes
    no record that it has yet to deliver: from there to the next record that it may see, or where
    there is none to the offset that its reads may not reach, every offset is right.
    """
    assert isinstance(turn.step, AskPosition)
    partition, offset = turn.step.partition, turn.position.offset
    place = turn.places[partition]
    least, most = place.next, _most(turn, partition, place)
    if least is None or most is None or offset is None:
        return None
    if least <= offset <= most:
        return holds()
    return fails(
        f"expected a position in partition {partition} from {least} to {most}, found {offset}",
        "behind" if offset < least else "ahead",
    )


@the_position_is_the_next_offset.example("five of ten records are delivered")
def _half() -> Scenario:
    return history((batches_of_ten(1),), *polls(1), AskPosition(0), start=at_most(5))


@reporting.clause(
    "FAI-031",
    Strength.MUST,
    LimitClass.HARD,
    Doc("Javadoc of KafkaConsumer, poll(Duration): the position advances past control records"),
    slug="fairness/position/marker",
)
def the_position_passes_what_is_not_delivered(turn: Turn) -> Held | None:
    """Where a consumer was sent markers, or records that its isolation level hides, and nothing
    behind them, its position in a partition that is not paused passes them: after three polls in a
    row that returned nothing and took 500 ms or more each, it is not before the end of what was
    sent.

    A reader that ends at the end offset ends, though no record is at the offset before it.
    """
    assert isinstance(turn.step, AskPosition)
    place, offset = turn.places[turn.step.partition], turn.position.offset
    if (
        place.idle < IDLE_POLLS
        or place.spoiled
        or place.paused
        or offset is None
        or (place.due is not None and place.due < place.sent)
    ):
        return None
    if offset >= place.sent:
        return holds()
    return fails(
        f"expected a position of at least {place.sent} in partition {turn.step.partition}, up to "
        f"which the client was sent everything, found {offset}",
        "stands still",
    )


@the_position_passes_what_is_not_delivered.example("a marker stands at the end")
def _marker() -> Scenario:
    return history((COMMITTED,), *polls(5), AskPosition(0))


@the_position_passes_what_is_not_delivered.example("nothing is visible at all")
def _hidden_example() -> Scenario:
    start = StartClient(isolation=READ_COMMITTED)
    return history((ABORTED,), *polls(5), AskPosition(0), start=start)


@committing.clause(
    "FAI-032",
    Strength.MUST,
    LimitClass.HARD,
    Doc("Javadoc of KafkaConsumer, commitSync"),
    slug="fairness/commit/ahead",
)
def no_commit_is_ahead(turn: Turn) -> Held | None:
    """A consumer that commits its positions commits no offset past a record that it has yet to
    deliver: after a restart it would be lost.
    """
    for partition, offset in turn.commit.committed:
        place = turn.places.get(partition)
        most = None if place is None else _most(turn, partition, place)
        if most is not None and offset > most:
            return fails(
                f"expected at most offset {most} to be committed for partition {partition}, found "
                f"{offset}",
                "ahead",
            )
    return holds()


@no_commit_is_ahead.example("five of ten records are delivered")
def _five() -> Scenario:
    return history((batches_of_ten(1),), *polls(1), CommitPositions(), start=at_most(5))


@committing.clause(
    "FAI-033",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("KafkaConsumer.java", "commitSync"),
    slug="fairness/commit/behind",
)
def no_commit_is_behind(turn: Turn) -> Held | None:
    """A consumer that commits its positions commits no offset before the end of what the last poll
    delivered: after a restart it would be delivered again.
    """
    for partition, offset in turn.commit.committed:
        place = turn.places.get(partition)
        if place is not None and place.last is not None and offset <= place.last:
            return fails(
                f"expected at least offset {place.last + 1} to be committed for partition "
                f"{partition}, found {offset}",
                "behind",
            )
    return holds()


@no_commit_is_behind.example("ten records are delivered")
def _ten() -> Scenario:
    return history((batches_of_ten(1),), *polls(2), CommitPositions())
