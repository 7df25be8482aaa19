"""Fetch sessions as a client sees them (KIP-227): epochs, what an incremental answer holds,
rotation, forgetting.
"""

from spec.clause import KIP, Chapter, Code, Held, Report, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.fetch.model.session import FIRST_SHARD_ID, LAST_SHARD_ID, Cached, Mode, Session
from spec.fetch.steps import OWN, Fetch, FetchPartition
from spec.fetch.turn import Served, Turn
from spec.kafka import (
    FULL_EPOCH,
    SESSIONLESS_EPOCH,
    SESSIONS_SINCE,
    TOPIC_IDS_SINCE,
    Error,
    error_name,
)
from spec.layout import Batch, Layout, Partition
from spec.scenario import Scenario
from spec.verdict import LimitClass, Side, Strength, side

chapter: Chapter[Turn] = Chapter()

MANAGER = Code("FetchManager.java", "58-119")


def _in_session(turn: Turn) -> bool:
    return (
        turn.answered
        and turn.fetch.version >= SESSIONS_SINCE
        and turn.known_version
        and turn.fetch.isolation in {0, 1}
    )


def _later(turn: Turn) -> bool:
    """Whether the request goes on with a session, or should."""
    return turn.fetch.epoch not in {SESSIONLESS_EPOCH, FULL_EPOCH}


later = chapter.under(_later)


@chapter.clause(
    "FET-030",
    Strength.MUST,
    LimitClass.HARD,
    KIP(227),
    MANAGER,
    Code("FetchMetadata.java", "31-92"),
    slug="fetch/session/request-kind",
    fence=Fence(
        "the session epoch",
        Unit.EPOCHS,
        "0, a full fetch",
        meaning="below is a fetch without a session, above an incremental one",
    ),
    since="1.1",
)
def the_epoch_says_what_a_request_is(turn: Turn) -> Held | None:
    """Epoch -1 is answered without a session, epoch 0 in full and with a new session or none,
    any other in the session it names.
    """
    if not _in_session(turn) or turn.answer.error or turn.admission.mode is Mode.REFUSED:
        return None
    where, given = side(turn.fetch.epoch, FULL_EPOCH), turn.answer.session
    allowed = {
        Mode.SESSIONLESS: {0},
        Mode.FULL: {0, 1, 2},
        Mode.EMPTIED: {0},
        Mode.INCREMENTAL: {1},
    }[turn.admission.mode]
    if given not in allowed:
        names = {0: "none", 1: "the session asked with", 2: "a new one", -1: "a strange one"}
        why = (
            f"{turn.admission.mode} request: expected "
            f"{' or '.join(names[kind] for kind in sorted(allowed))}"
        )
        return breaks(where, f"{why} as session, found {names[given]}", "session id")
    return holds(where)


@chapter.clause(
    "FET-130",
    Strength.BEST_EFFORT,
    LimitClass.SOFT,
    KIP(227),
    Code("FetchSessionCacheShard.java", "166-234"),
    slug="fetch/session/given",
    since="1.1",
)
def a_full_fetch_gets_a_session(turn: Turn) -> Held | None:
    """A full fetch gets a session where a slot is free."""
    if not _in_session(turn) or turn.admission.mode is not Mode.FULL or turn.answer.error:
        return None
    if turn.answer.session <= 0 and turn.admission.asks:
        return fails("expected a session id, found 0: no slot was free", "no slot")
    return holds()


@later.clause(
    "FET-032",
    Strength.MUST,
    LimitClass.HARD,
    KIP(227),
    MANAGER,
    slug="fetch/session/epoch",
    fence=Fence("the session epoch", Unit.EPOCHS, "the one that the session expects"),
    since="1.1",
)
def epochs_count_up_by_one(turn: Turn) -> Held | None:
    """A session takes just the next epoch: another is INVALID_FETCH_SESSION_EPOCH, an unknown id
    FETCH_SESSION_ID_NOT_FOUND.

    Both answers have session id 0 and no partitions; the session outlives a wrong epoch.
    """
    if not _in_session(turn):
        return None
    expected = turn.admission.error
    if expected in {Error.FETCH_SESSION_TOPIC_ID_ERROR, Error.UNKNOWN_SERVER_ERROR}:
        return None
    where = side(turn.fetch.epoch, turn.admission.before.epoch if turn.admission.before else 1)
    if turn.answer.error != expected:
        return breaks(
            where,
            (
                f"epoch {turn.fetch.epoch}: expected {error_name(expected)}, found "
                f"{error_name(turn.answer.error)}"
            ),
            "session error",
        )
    if expected and (turn.answer.session or turn.answer.partitions):
        why = f"{error_name(expected)}: expected session id 0 and no partitions"
        return breaks(
            where, f"{why}, found {len(turn.answer.partitions)} partitions", "refused with content"
        )
    return holds(where)


@epochs_count_up_by_one.example("an epoch one too high; the session outlives it")
def _epochs() -> Scenario:
    full = Fetch((FetchPartition(0, 0),), epoch=0)
    return Scenario(
        Layout((Partition(((Batch(100),),)),)),
        (full, Fetch(session=OWN, epoch=2), Fetch(session=OWN, epoch=1)),
    )


@later.clause(
    "FET-035",
    Strength.MUST,
    LimitClass.HARD,
    KIP(516),
    MANAGER,
    slug="fetch/session/topic-ids",
    fence=Fence("the request's version", Unit.VERSIONS, "13, the first with topic ids"),
    since="3.1",
)
def names_and_ids_do_not_mix_in_a_session(turn: Turn) -> Held | None:
    """A session made by topic names and used by topic ids, or the reverse, is
    FETCH_SESSION_TOPIC_ID_ERROR with session id 0.
    """
    before = turn.admission.before
    if (
        not _in_session(turn)
        or before is None
        or turn.fetch.epoch != before.epoch
        or turn.fetch.epoch <= 0
    ):
        return None
    where = side(turn.fetch.version, TOPIC_IDS_SINCE)
    mixed = turn.admission.error == Error.FETCH_SESSION_TOPIC_ID_ERROR
    if mixed != (turn.answer.error == Error.FETCH_SESSION_TOPIC_ID_ERROR):
        expected = error_name(turn.admission.error)
        return breaks(
            where,
            f"v{turn.fetch.version}: expected {expected}, found {error_name(turn.answer.error)}",
            "names and ids",
        )
    return holds(where)


@later.clause(
    "FET-036",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("FetchSession.java", "471-475"),
    Code("BrokerServer.scala", "430-438"),
    slug="fetch/session/id-range",
    fence=Fence("the session id", Unit.VALUES, "2147483639, the last one that a shard has"),
)
def ids_outside_the_shards_fail(turn: Turn) -> Held | None:
    """A session id that no shard holds (2147483640 and up, -268435455 and down) is refused.

    Apache Kafka's error is UNKNOWN_SERVER_ERROR with the same id, which FET-071 forbids;
    FETCH_SESSION_ID_NOT_FOUND conforms, as for any other unknown id.
    """
    session = turn.fetch.session
    if not _in_session(turn) or isinstance(session, str) or not session:
        return None
    inside = FIRST_SHARD_ID <= session <= LAST_SHARD_ID
    where = (
        Side.ABOVE
        if not inside
        else Side.AT
        if session in {FIRST_SHARD_ID, LAST_SHARD_ID}
        else Side.BELOW
    )
    expected = Error.FETCH_SESSION_ID_NOT_FOUND if inside else Error.UNKNOWN_SERVER_ERROR
    if turn.answer.error not in {expected, Error.FETCH_SESSION_ID_NOT_FOUND}:
        return breaks(
            where,
            (
                f"session id {session}: expected {error_name(expected)}, found "
                f"{error_name(turn.answer.error)}"
            ),
            "shard",
        )
    return holds(where)


@later.clause(
    "FET-034",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(227),
    Code("FetchSession.java", "update"),
    Report("platformatic/kafka#321"),
    slug="fetch/session/forgotten",
    since="1.1",
)
def forgotten_partitions_are_gone(turn: Turn) -> Held | None:
    """Forgotten partitions leave the session after the updates of the same request; a session left
    empty is closed.

    What the closing request itself names is still answered, without a session.
    """
    if not _in_session(turn) or not turn.fetch.forgotten or turn.answer.error:
        return None
    if turn.admission.mode is Mode.EMPTIED:
        closed = turn.answer.session == 0
        return (
            holds()
            if closed
            else fails("expected the emptied session to be closed: session id 0", "not closed")
        )
    if turn.admission.mode is not Mode.INCREMENTAL:
        return None
    gone = [
        got.partition for got in turn.answer.partitions if got.partition in turn.admission.forgot
    ]
    return (
        fails(
            f"expected nothing of forgotten partition {gone[0]}, found an answer",
            "forgotten answered",
        )
        if gone
        else holds()
    )


@forgotten_partitions_are_gone.example("two partitions, one forgotten, then the other")
def _forgotten() -> Scenario:
    log = Partition(((Batch(100),),))
    full = Fetch((FetchPartition(0, 0), FetchPartition(1, 0)), epoch=0)
    steps = (
        full,
        Fetch(session=OWN, epoch=1, forgotten=(1,)),
        Fetch(session=OWN, epoch=2, forgotten=(0,)),
    )
    return Scenario(Layout((log, log)), steps)


def _cached(session: Session | None, number: int) -> Cached | None:
    return (
        next((cached for cached in session.cached if cached.ask.partition == number), None)
        if session
        else None
    )


@later.clause(
    "FET-031",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(227),
    Code("FetchSession.java", "336-371"),
    slug="fetch/session/incremental-answer",
    since="1.1",
)
def an_incremental_answer_holds_what_changed(turn: Turn) -> Held | None:
    """An incremental answer holds the partitions with data, an error, or a changed high
    watermark or log start, and no others.
    """
    if not _in_session(turn) or turn.admission.mode is not Mode.INCREMENTAL or not turn.plain:
        return None
    arose = False
    for served in turn.served:
        cached = _cached(turn.admission.before, served.ask.partition)
        if cached is not None and cached.unseen and not served.fault and not served.size:
            continue
        changed = _changed(served, cached)
        if served.got is None:
            arose = True
            if changed:
                return fails(
                    f"partition {served.ask.partition}: {changed}, but it is left out",
                    "change left out",
                )
            continue
        reported = bool(served.size or served.got.error)
        arose = True
        if (
            not reported
            and not changed
            and served.got.preferred_replica < 0
            and not served.got.diverging
        ):
            return fails(
                f"partition {served.ask.partition}: nothing changed, but it is answered",
                "unchanged answered",
            )
    return holds() if arose else None


def _changed(served: Served, cached: Cached | None) -> str:
    if served.fault:
        return f"it fails with {error_name(served.fault)}"
    if served.reported is None:
        return ""
    if cached is None or cached.high_watermark != served.reported.end:
        return f"the high watermark is {served.reported.end}, not told before"
    if cached.log_start != served.reported.start:
        return f"the log start is {served.reported.start}, not told before"
    return ""


@later.clause(
    "FET-038",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(227),
    Code("FetchSession.java", "336-371"),
    Report("kafka-python#2575"),
    slug="fetch/session/kept-positions",
    since="1.1",
)
def a_session_keeps_positions_until_told(turn: Turn) -> Held | None:
    """A partition that a request leaves out keeps its fetch offset and limits: the broker does
    not advance them by what it sent.
    """
    if turn.admission.mode is not Mode.INCREMENTAL or not turn.plain:
        return None
    arose = False
    for served in turn.served:
        if (
            served.ask.partition not in turn.admission.kept
            or not served.run
            or served.got is None
            or not served.got.batches
        ):
            continue
        holder, offset = served.run[0], served.ask.offset
        arose = True
        if served.got.batches[0].base != holder.base:
            why = f"stored offset {offset}: expected the batch from {holder.base}"
            return fails(f"{why}, found one from {served.got.batches[0].base}", "position moved")
    return holds() if arose else None


@later.clause(
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
    """In an incremental session, partitions are served in the session's order, and each that
    returned bytes moves to its end.
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
    return (
        holds(where)
        if expected == answered
        else breaks(where, f"expected the order {expected}, found {answered}", "rotation")
    )


@a_served_partition_moves_to_the_end.example(
    "three partitions, max_bytes 1, nothing sent: the turn goes round"
)
def _rotation() -> Scenario:
    log = Partition(((Batch(1000),) * 5,))
    first = Fetch(tuple([FetchPartition(n, 0) for n in range(3)]), max_bytes=1, session=0, epoch=0)
    return Scenario(
        Layout((log, log, log)),
        (first, *[Fetch(max_bytes=1, session=OWN, epoch=epoch) for epoch in range(1, 6)]),
    )


def unserved_after(turn: Turn, session: Session) -> tuple[tuple[int, int], ...]:
    """How many incremental answers running each partition with data has gone without; those
    served or without data left out.
    """
    before = dict(session.unserved)
    return tuple(
        [
            (s.ask.partition, before.get(s.ask.partition, 0) + 1)
            for s in turn.with_data
            if not s.size
        ]
    )


@later.clause(
    "FET-133",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("FetchContext.java", "303-306"),
    Report("KAFKA-12330"),
    slug="fetch/session/turns",
)
def every_partition_gets_its_turn(turn: Turn) -> Held | None:
    """With n partitions that have data, none goes without for more than n incremental answers
    running.
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


chapter.excluded(
    "FET-037",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code("FetchSessionCacheShard.java", "166-293"),
    Code("KafkaBroker.scala", "74"),
    slug="fetch/session/slots",
    statement=(
        "max.incremental.fetch.session.cache.slots is divided over eight shards; a "
        "full one evicts an old session or gives none."
    ),
    reason=(
        "slots are one pool for the whole broker, and one is taken away only after "
        "120 s: no scenario of its own can show it, and that "
        "fewer than eight slots are none would take a restart for that alone"
    ),
)
chapter.excluded(
    "FET-132",
    Strength.MUST,
    LimitClass.HARD,
    KIP(227),
    Code("FetchMetadata.java", "nextEpoch"),
    slug="fetch/session/epoch-wrap",
    statement="The session epoch after 2147483647 is 1.",
    reason="it takes 2147483647 requests in one session to get there",
)
