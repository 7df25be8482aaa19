"""What a consumer asks of the server."""

from spec.clause import Chapter, Code, Doc, Held, Report, fails, holds
from spec.fairness.examples import batches_of_ten, history, polls
from spec.fairness.steps import FailPartition, StartClient
from spec.fairness.turn import Turn
from spec.in_words import in_words
from spec.kafka import FULL_EPOCH, Error
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength

chapter: Chapter[Turn] = Chapter()
asking = chapter.under(lambda turn: turn.served is not None and turn.is_consumer)
PACE_MS = 5
"""Milliseconds for each request that leads to nothing."""
BURST = 20
"""Requests without a response of use that may come at any pace."""


@asking.clause(
    "FAI-050",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Doc("consumer config fetch.max.bytes"),
    Doc("consumer config max.partition.fetch.bytes"),
    Code("FetchConfig.java", "FetchConfig"),
    Report("confluentinc/confluent-kafka-javascript#511"),
    slug="fairness/request/options",
)
def an_option_stands_in_its_field(turn: Turn) -> Held | None:
    """Each option that a consumer is given stands in its own field of every Fetch, as it is:
    `fetch.max.bytes` in max_bytes, `max.partition.fetch.bytes` in each partition_max_bytes,
    `fetch.min.bytes` in min_bytes, `fetch.max.wait.ms` in max_wait_ms, `isolation.level` in
    isolation_level.
    """
    started, request = turn.started, turn.request
    expected: list[tuple[str, int | None, int | None]] = [
        ("max_bytes", started.fetch_max_bytes, request.max_bytes),
        ("min_bytes", started.fetch_min_bytes, request.min_bytes),
        ("max_wait_ms", started.max_wait_ms, request.max_wait_ms),
        ("isolation_level", started.isolation, request.isolation),
        *[
            ("partition_max_bytes", started.partition_max_bytes, part.max_bytes)
            for part in request.asked
        ],
    ]
    for field, given, sent in expected:
        if given is not None and sent is not None and given != sent:
            return fails(f"expected {field} to be {given}, found {sent}", field)
    return holds()


@an_option_stands_in_its_field.example("a limit for each partition, and no other option")
def _partition_limit() -> Scenario:
    return history(
        (batches_of_ten(5),) * 2, *polls(2), start=StartClient(partition_max_bytes=20_000)
    )


@an_option_stands_in_its_field.example("every option")
def _every() -> Scenario:
    start = StartClient(
        fetch_max_bytes=30_000,
        partition_max_bytes=20_000,
        fetch_min_bytes=2,
        max_wait_ms=100,
        isolation=1,
    )
    return history((batches_of_ten(5),) * 2, *polls(2), start=start)


@chapter.under(lambda turn: turn.is_step and turn.is_consumer and bool(_in_vain(turn))).clause(
    "FAI-051",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Doc("consumer config retry.backoff.ms"),
    slug="fairness/request/pace",
    timing_sensitive=True,
)
def requests_in_vain_have_a_pace(turn: Turn) -> Held | None:
    """A consumer whose requests are answered with errors, and no records, does not send them as
    fast as they are answered: in a step, at most twenty, and one more for each 5 ms.
    """
    count, most = _in_vain(turn), BURST + turn.elapsed_ms / PACE_MS
    if count <= most:
        return holds()
    return fails(
        f"expected at most {int(most)} requests in {turn.elapsed_ms:.0f} ms that led to an error, "
        f"found {count}",
        "spinning",
    )


@requests_in_vain_have_a_pace.example("the leader is elsewhere, and stays there")
def _no_leader() -> Scenario:
    return history(
        (batches_of_ten(1),), FailPartition(0, Error.NOT_LEADER_OR_FOLLOWER, 0), *polls(2)
    )


def _in_vain(turn: Turn) -> int:
    """The requests during a step that were answered with an error and no record."""
    fetches = getattr(turn.outcome, "fetches", ())
    return sum(
        [
            bool(served.error or any(part.error for part in served.parts))
            and not any(part.batches for part in served.parts)
            for served in fetches
        ]
    )


@asking.clause(
    "FAI-052",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("FetchSessionHandler.java", "build"),
    Report("dpkp/kafka-python#2575"),
    slug="fairness/request/session",
)
def a_request_continues_its_session(turn: Turn) -> Held | None:
    """A Fetch in a session names no partition twice, and does not forget one that it names; the
    first request of a session, with epoch 0, forgets none.
    """
    request = turn.request
    named = [part.partition for part in request.asked]
    if len({*named}) < len(named):
        return fails(f"expected each partition once, found {in_words(named)}", "named twice")
    if {*named} & {*request.forgotten}:
        return fails(
            "expected no partition that is named to be forgotten, found "
            f"{in_words(request.forgotten)}",
            "named and forgotten",
        )
    if request.epoch == FULL_EPOCH and request.forgotten:
        return fails(
            f"expected a full request to forget nothing, found {in_words(request.forgotten)}",
            "forgotten",
        )
    return holds()


@a_request_continues_its_session.example("three rounds")
def _rounds() -> Scenario:
    return history((batches_of_ten(3),) * 2, *polls(6), start=StartClient(partition_max_bytes=1200))
